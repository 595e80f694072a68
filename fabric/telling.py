"""Errors and values in words, even where asking them for words raises."""

from typing import Any

from .narrowing import is_list_or_tuple

LONGEST = 10_000
"""Characters of a message that are told."""


def error_text(error: BaseException) -> str:
    """Return an error's type and message; only the type where the message cannot be had.

    >>> error_text(ValueError("no such city"))
    'ValueError: no such city'
    """
    return f"{type(error).__name__}: {message_of(error)}"


def message_of(error: BaseException) -> str:
    """Return what an error says.

    >>> class Mute(Exception):
    ...     def __str__(self) -> str:
    ...         raise TypeError("no")
    >>> message_of(Mute())
    '(its message cannot be read: TypeError)'
    """
    try:
        text = str(error)
    except BaseException as own:  # an error's own code failed: the error it is asked about must not be lost
        return f"(its message cannot be read: {type(own).__name__})"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(text)} characters)"


def notes_of(error: BaseException) -> list[str]:
    """Return the notes that were added to an error, those that are texts."""
    notes: Any = getattr(error, "__notes__", ())
    return [note for note in notes if isinstance(note, str)] if is_list_or_tuple(notes) else []


def repr_of(value: object) -> str:
    """Return a value's repr, or its type where that raises.

    >>> repr_of([1, 2])
    '[1, 2]'
    """
    try:
        return repr(value)
    except BaseException as error:
        return f"<{type(value).__name__} whose repr raises {type(error).__name__}>"
