"""The formats that can be imported, and which of them a file is."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from fabric.errors import RefusedError

from . import chatgpt, graphiti, langmem, letta, mem0, messages, sharegpt
from .elements import Piece, Problem
from .records import Reader, Told

LOOKED_AT = 50
"""How many records are looked at to recognise a format."""


@dataclass(frozen=True, slots=True)
class Format:
    """One format: what recognises a record of it, what reads it, and whether it says whose a record is."""

    claims: Callable[[Piece], bool]
    reader: Callable[[Told], Reader]
    surveyed: Callable[[Piece], bool] = lambda _: True
    """Whether the file is read once before, for what its records say of one another and whose they are."""
    fields: frozenset[str] = frozenset()
    """Fields of a file that is one object which no other format has."""
    belongs: Callable[[str, str], bool] = str.__eq__
    """Whether what is of one owner is meant when another is named."""


FORMATS = {
    "messages": Format(messages.claims, messages.Messages, messages.names_somebody),
    "sharegpt": Format(sharegpt.claims, sharegpt.ShareGpt, messages.names_somebody),
    "chatgpt": Format(chatgpt.claims, chatgpt.ChatGpt, lambda _: False),
    "mem0": Format(mem0.claims, mem0.Mem0),
    "graphiti": Format(graphiti.claims, graphiti.Graphiti),
    "letta": Format(letta.claims, letta.Letta, fields=letta.FIELDS),
    "langmem": Format(langmem.claims, langmem.LangMem, belongs=langmem.belongs),
}


def looked_at(pieces: Iterator[Piece | Problem]) -> tuple[list[Piece], Iterable[Piece | Problem]]:
    """Return the first records, and everything with them in their place."""
    seen = list(islice(pieces, LOOKED_AT))
    return [piece for piece in seen if isinstance(piece, Piece)], chain(seen, pieces)


def recognised(records: Sequence[Piece], wanted: str, file: str) -> str:
    """Return the name of the format that these records have, "" where there is none to tell it by.

    ``wanted`` is a format or "auto". RefusedError names the candidates where the records fit several formats, and says
    so where they fit none.
    """
    if wanted != "auto":
        if wanted not in FORMATS:
            raise RefusedError(f"unknown format {wanted!r}", do=f"Give auto or one of {', '.join(FORMATS)}.")
        return wanted
    found = [name for name, one in FORMATS.items() if not one.fields.isdisjoint(piece.key for piece in records)]
    found = found or [name for name, one in FORMATS.items() if any(one.claims(piece) for piece in records)]
    if len(found) > 1:
        raise RefusedError(f"{file}: its records fit {' and '.join(found)}", do="Say with --from which of them it is.")
    if not found and records:
        raise RefusedError(
            f"{file}: its records fit none of {', '.join(FORMATS)}; the first is {_shape(records[0])}",
            do="If it is one of these, say with --from which.",
        )
    return found[0] if found else ""


def _shape(piece: Piece) -> str:
    value = piece.value
    if isinstance(value, dict):
        names = ", ".join(str(name)[:40] for name in islice(value, 8))
        return f"{piece.where}, an object with {names or 'nothing in it'}"
    return f"{piece.where}, {str(value)[:40]!r}"
