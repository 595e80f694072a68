"""The formats that can be imported, and which of them a file is."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from fabric.errors import RefusedError
from fabric.narrowing import is_dict

from ..elements import Piece
from ..problems import Problem
from ..records import Reader, Told
from . import chatgpt, graphiti, langmem, letta, mem0, messages, sharegpt

LOOKED_AT = 50
"""How many records are looked at to recognise a format."""
NO_JSON = ("not UTF-8", "not JSON: Expecting value at column 1", "not JSON: it begins with neither")
"""How the first problem begins of a file that is something else."""


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
    "messages": Format(messages.claims, messages.Messages, messages.is_surveyed),
    "sharegpt": Format(sharegpt.claims, sharegpt.ShareGpt, messages.is_surveyed),
    "chatgpt": Format(chatgpt.claims, chatgpt.ChatGpt, lambda _: False),
    "mem0": Format(mem0.claims, mem0.Mem0),
    "graphiti": Format(graphiti.claims, graphiti.Graphiti),
    "letta": Format(letta.claims, letta.Letta, fields=letta.FIELDS),
    "langmem": Format(langmem.claims, langmem.LangMem, belongs=langmem.belongs),
}


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a file is: the name of its format, "" where there is no record to tell it by.

    ``is_record`` says that the file as a whole is one record, so that its fields are none. ``surveyed`` says that the
    file must be read once before.
    """

    format: str
    is_record: bool = False
    surveyed: bool = False


def recognised(pieces: Iterator[Piece | Problem], wanted: str, file: str) -> Recognised:
    """Return what a file is by its first records.

    ``wanted`` is a format or "auto". RefusedError names the candidates where the records fit several formats, and says
    so where they fit none.
    """
    if wanted != "auto" and wanted not in FORMATS:
        raise RefusedError(f"unknown format {wanted!r}", do=f"Give auto or one of {', '.join(FORMATS)}.")
    looked = list(islice(pieces, LOOKED_AT))
    seen = [piece for piece in looked if isinstance(piece, Piece)]
    if not seen and looked and isinstance(looked[0], Problem) and looked[0].reason.startswith(NO_JSON):
        raise RefusedError(
            f"this is no export: {file}, {looked[0].where}: {looked[0].reason}",
            do=f"Give JSON or JSON lines of {', '.join(FORMATS)}.",
        )
    among = FORMATS if wanted == "auto" else {wanted: FORMATS[wanted]}
    found, is_record = _claiming(among, seen), False
    if not found and any(piece.key for piece in seen):
        found = _claiming(among, [record_of(seen)])
        is_record = bool(found)
    if not found and wanted != "auto" and (fits := _fitting(seen)):
        raise RefusedError(
            f"{file}: its records are not of {wanted}; they look like {' or '.join(fits)}",
            do=f"Say --from {fits[0]}, or leave it out.",
        )
    if len(found) > 1:
        raise RefusedError(f"{file}: its records fit {' and '.join(found)}", do="Say with --from which of them it is.")
    if not found and wanted == "auto" and seen:
        raise RefusedError(
            f"{file}: its records fit none of {', '.join(FORMATS)}; the first is {_shape(seen[0])}",
            do="If it is one of these, say with --from which.",
        )
    name = found[0] if found else "" if wanted == "auto" else wanted
    return Recognised(name, is_record, bool(name) and any(FORMATS[name].surveyed(piece) for piece in seen))


def _fitting(seen: Sequence[Piece]) -> list[str]:
    is_object = any(piece.key for piece in seen)
    return _claiming(FORMATS, seen) or (_claiming(FORMATS, [record_of(seen)]) if is_object else [])


def _claiming(among: Mapping[str, Format], pieces: Sequence[Piece]) -> list[str]:
    sure = [name for name, format_ in among.items() if not format_.fields.isdisjoint(piece.key for piece in pieces)]
    return sure or [name for name, format_ in among.items() if any(format_.claims(piece) for piece in pieces)]


def record_of(fields: Iterable[Piece]) -> Piece:
    """Return the record whose fields these are, and whose lists' elements."""
    value: dict[str, Any] = {}
    for piece in fields:
        if piece.is_field:
            value[piece.key] = piece.value
        else:
            value.setdefault(piece.key, []).append(piece.value)
    return Piece("the file", "", value)


def _shape(piece: Piece) -> str:
    value = piece.value
    if is_dict(value):
        names = ", ".join(str(name)[:40] for name in islice(value, 8))
        return f"{piece.where}, an object with {names or 'nothing in it'}"
    return f"{piece.where}, {str(value)[:40]!r}"
