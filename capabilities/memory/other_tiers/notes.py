"""What an agent has written down about its user, paragraph by paragraph, as recall looks for it and shows it."""

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from capabilities.traces.notes import notes_of, read_notes
from fabric.flow.resource import Transaction
from fabric.search.base import SearchView
from fabric.search.unstored import unstored
from fabric.text.terms import terms

from ..recall.ranked import RankedMemory
from .shelf import Shelf

_BETWEEN = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)")
"""What ends a paragraph or an item of a list."""
_MARK = re.compile(r"^(?:#+|[-*+]|\d+[.)])\s+")
"""What a heading or an item begins with."""
CACHED = 64


def shelves(tx: Transaction) -> list[Shelf]:
    """Return the paragraphs of the notes that the session sees."""
    view = _view(notes_of(tx.ids).key, read_notes(tx))
    return [Shelf(notes_of(tx.ids).key, view, np.ones(view.size, np.bool_))] if len(view) else []


def read(tx: Transaction, ids: Sequence[str]) -> list[RankedMemory]:
    """Return those of some paragraphs that are there now."""
    held = _paragraphs(notes_of(tx.ids).key, read_notes(tx))
    return [
        RankedMemory(id=note_id, content=held[note_id], relevance=0.0, source="note")
        for note_id in ids
        if note_id in held
    ]


def _paragraphs(key: str, text: str) -> dict[str, str]:
    """Return the paragraphs by their ids: that of the document, and their number in it."""
    found = [_MARK.sub("", part.strip()) for part in _BETWEEN.split(text)]
    return {f"document/{key}#{number}": part for number, part in enumerate(filter(None, found), 1)}


@lru_cache(maxsize=CACHED)
def _view(key: str, text: str) -> SearchView:
    held = _paragraphs(key, text)
    return unstored(list(held), [" ".join(terms(part)) for part in held.values()], {})
