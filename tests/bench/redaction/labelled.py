"""Labelled texts: made-up secrets with their places, and innocent texts that look like them, in five parts.

Rules were written on the ``tuned`` half of a first set, the other half was ``held-out``. The ``fresh`` set was written
later, and looked at once before any rule was changed for it; the ``second`` one after rules were mended on the first,
the ``third`` one, of disguised and spoken secrets in seven languages, after those were given mechanisms.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, TypeVar

Part = Literal["tuned", "held-out", "fresh", "second", "third"]
PARTS: tuple[Part, ...] = ("tuned", "held-out", "fresh", "second", "third")
SETS = ("", "fresh_", "second_", "third_")
"""How the names of files begin, in the order in which they were written."""
HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text, and from where to where a secret stands in it; an innocent text has none.

    ``kind`` is what the secret is, "" for innocent texts, ``family`` where it is met, ``language`` an ISO code.
    """

    text: str
    places: tuple[tuple[int, int], ...]
    kind: str
    family: str
    language: str


T = TypeVar("T")


@cache
def secrets() -> dict[Part, list[Labelled]]:
    """Return the texts with secrets in them, one of each kind. In the files every secret is cut into pieces.

    >>> {part: len(texts) >= 75 for part, texts in secrets().items()}
    {'tuned': True, 'held-out': True, 'fresh': True, 'second': True, 'third': True}
    """
    first, fresh, second, third = ([_with_places(row) for row in _rows(f"{of}secrets.json")] for of in SETS)
    return {**_halved(first), "fresh": fresh, "second": second, "third": third}


@cache
def innocent() -> dict[Part, list[Labelled]]:
    """Return the texts without a secret.

    >>> {part: len(texts) >= 100 for part, texts in innocent().items()}
    {'tuned': True, 'held-out': True, 'fresh': True, 'second': True, 'third': True}
    """
    first, fresh, second, third = ([_harmless(row) for row in _rows(f"{of}innocent.json")] for of in SETS)
    return {**_halved(first), "fresh": fresh, "second": second, "third": third}


def _rows(name: str) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = json.loads((HERE / name).read_text(encoding="utf-8"))
    return rows


def _harmless(row: dict[str, str]) -> Labelled:
    return Labelled("".join(row["pieces"]), (), "", row["family"], row["language"])


def _with_places(row: dict[str, str]) -> Labelled:
    text, places = "", list[tuple[int, int]]()
    for part in row["parts"]:
        added = "".join(part["secret"]) if "secret" in part else part["text"]
        if "secret" in part:
            places.append((len(text), len(text) + len(added)))
        text += added
    return Labelled(text, tuple(places), row["kind"], row["family"], row["language"])


def _halved(texts: Sequence[Labelled]) -> dict[Part, list[Labelled]]:
    """Return two halves, by a hash: a text stays in its half when others are added, or nearly all do."""
    ordered = sorted(texts, key=_hash)
    half = len(ordered) // 2
    return {"tuned": ordered[:half], "held-out": ordered[half:]}


def _hash(item: Labelled) -> str:
    return hashlib.sha256((item.kind or item.text).encode()).hexdigest()


def all_of(parts: Iterable[Part]) -> list[Labelled]:
    """Return the texts of some parts, secrets first."""
    chosen = tuple(parts)
    return [one for kept in (secrets(), innocent()) for part in chosen for one in kept[part]]
