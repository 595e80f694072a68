"""Rows that are in no store, to be searched with those that are: a working memory's entries."""

from collections.abc import Mapping, Sequence

from .base import SearchView
from .index import Batch, TextIndex


def unstored(ids: Sequence[str], tokens: Sequence[str], columns: Mapping[str, Sequence[str | None]]) -> SearchView:
    """Return a view of rows: their ids, their tokens as texts separated by spaces, and columns of texts.

    >>> view = unstored(["a", "b"], ["pizza night", "pizza"], {"subject": ["user", None]})
    >>> view.postings.of(view.postings.terms["pizza"])[0].tolist(), view.columns["subject"].values.tolist()
    ([0, 1], [0, -1])
    """
    batch = Batch(ids, range(len(ids)), tokens, list(columns.values()))
    return TextIndex(dict.fromkeys(columns, "text"), "", [batch])
