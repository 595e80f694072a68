"""Which messages a statement comes from, where several were read together."""

from collections.abc import Sequence

from fabric.text.terms import terms

from .record import Turn


def turns_behind(content: str, turns: Sequence[Turn]) -> list[Turn]:
    """Return the turns that hold most of the words of what was observed in them; all where no word tells.

    >>> from datetime import UTC, datetime
    >>> said = {"session": "s", "role": "user", "said_at": datetime(2026, 1, 1, tzinfo=UTC)}
    >>> texts = {"a": "I live in Oslo.", "b": "Please retry."}
    >>> turns = [Turn(id=name, turn=1, text=text, **said) for name, text in texts.items()]
    >>> [turn.id for turn in turns_behind("Lives in Oslo", turns)], len(turns_behind("Is impatient", turns))
    (['a'], 2)
    """
    if len(turns) <= 1:
        return list(turns)
    sought = set(terms(content))
    shared = [len(sought & set(terms(turn.text))) for turn in turns]
    most = max(shared)
    return [turn for turn, count in zip(turns, shared, strict=True) if count == most]
