"""Which turns have tags: looked up where their words are."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from fabric.flow.resource import Transaction
from fabric.search.base import SearchView

from ..turns import tag_term
from .layout import MemoryLayout


def tagged(index: SearchView, tags: Sequence[str]) -> NDArray[np.bool_]:
    """Return by position of the turns' index which of them have all of the tags."""
    found = index.alive.copy()
    for tag in tags:
        has = np.zeros(len(found), np.bool_)
        number = index.postings.terms.get(tag_term(tag))
        if number is not None:
            has[index.postings.of(number)[0]] = True
        found &= has
    return found


def tag_test(tx: Transaction, layout: MemoryLayout, tags: Sequence[str]) -> Callable[[str], bool]:
    """Return what tells by its id whether a turn has all of the tags."""
    if not tags:
        return lambda _: True
    index = tx.index(layout.turns)
    if index is None:
        return lambda _: False
    found = tagged(index, tags)
    return lambda turn_id: (position := index.position_of(turn_id)) >= 0 and bool(found[position])
