"""A corpus of traces in memory, as the store indexes them, for tests of the search alone."""

from collections.abc import Sequence

import numpy as np

from capabilities.traces.search.bm25 import Corpus, Pool
from capabilities.traces.search.query import Query
from capabilities.traces.words import count_words, trace_terms
from fabric.search.index import Entry, TextIndex

Content = tuple[str, Sequence[str]]


def indexed(contents: Sequence[Content]) -> TextIndex:
    index = TextIndex({"length": "integer"}, "")
    for place, (content, tags) in enumerate(contents):
        tokens = " ".join(trace_terms({"content": content, "tags": tags}))
        index.put(Entry(str(place), place, tokens, (count_words(content, tags),)), None)
    return index


def corpus(contents: Sequence[Content], wanted: Sequence[bool] = ()) -> Corpus:
    index = indexed(contents)
    visible = index.lengths > 0
    return Corpus(
        [
            Pool(
                index,
                visible,
                np.array(wanted, np.bool_) if wanted else visible,
                index.columns["length"].values,
                lambda ids: [(contents[int(one)][0], *contents[int(one)][1]) for one in ids],
            )
        ]
    )


def search(of: Corpus, query: Query, limit: int = 10, weights: Sequence[float] = ()) -> list[tuple[int, float]]:
    """Return what `find_traces` would: rows by number, with their scores."""
    if query.root is None:
        return []
    held = np.array(weights) if weights else None
    hits = of.best(query.root, limit, held, any_form=held is None)
    if not hits and query.otherwise is not None:
        hits = of.best(query.otherwise, limit, held, any_form=held is None)
    return [(int(hit.row_id), hit.score) for hit in hits]
