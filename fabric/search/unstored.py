"""Rows that no index holds as they are to be searched with others: a working memory's entries, an agent's mind."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base import SearchView
from .index import Batch, TextIndex


def unstored(
    ids: Sequence[str],
    tokens: Sequence[str],
    columns: Mapping[str, Sequence[str | None]],
    vectors: Mapping[str, NDArray[Any]] | None = None,
) -> SearchView:
    """Return a view of rows: their ids, their tokens as texts separated by spaces, columns of texts, unit vectors.

    ``vectors`` are those of one space, by id, of the rows that have one.

    >>> view = unstored(["a", "b"], ["pizza night", "pizza"], {"subject": ["user", None]})
    >>> view.postings.of(view.postings.terms["pizza"])[0].tolist(), view.columns["subject"].values.tolist()
    ([0, 1], [0, -1])
    """
    batch = Batch(ids, range(len(ids)), tokens, list(columns.values()))
    view = TextIndex(dict.fromkeys(columns, "text"), "", [batch])
    if vectors:
        view.set_vectors(view.space, list(vectors), np.stack(list(vectors.values())).astype(np.float16))
    return view
