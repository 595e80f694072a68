"""Finding traces: which rows a session may see, and which of them a query finds, whatever their scopes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fabric.flow.resource import Transaction
from fabric.search.base import SearchView
from fabric.search.views import holds

from ..record import Trace, TraceType
from ..seen import visible
from ..tables import Place, Tables
from .bm25 import Corpus, Hit, Pool
from .query import Query


@dataclass(frozen=True, slots=True)
class Found:
    """A trace that was found, where it is kept, and its score; higher is better."""

    trace: Trace
    tables: Tables
    score: float


def find_traces(
    tx: Transaction,
    places: Sequence[Place],
    query: Query,
    limit: int,
    *,
    only: TraceType | None = None,
    by_strength: bool = False,
) -> list[Found]:
    """Return the traces of these places that the query finds, best first, ties by insertion; none that is deleted.

    The score is BM25 over all traces of the places; ``by_strength`` multiplies it by the stored strength, and finds the
    very stems alone. ``only`` leaves out traces of another type without changing a score.
    """
    if query.root is None:
        return []
    owners = {place.tables.owner: place.tables for place in places}
    indexes = {owner: tx.index(tables.traces) for owner, tables in owners.items()}
    shelves = [(owners[owner], index) for owner, index in indexes.items() if index is not None]
    corpus = Corpus([_pool(tx, tables, index, places, only) for tables, index in shelves])
    weights = _column(shelves, "strength") if by_strength else None
    hits = corpus.best(query.root, limit, weights, any_form=not by_strength)
    if not hits and query.otherwise is not None:
        hits = corpus.best(query.otherwise, limit, weights, any_form=not by_strength)
    return _read(tx, [tables for tables, _ in shelves], hits)


def _pool(tx: Transaction, tables: Tables, index: SearchView, places: Sequence[Place], only: TraceType | None) -> Pool:
    def texts(ids: Sequence[str]) -> list[tuple[str, ...]]:
        return [(trace.content, *trace.tags) for trace in tx.get_many(tables.traces, ids)]

    seen = visible(index, {place.persona for place in places if place.tables.owner == tables.owner})
    wanted = seen if only is None else seen & holds(index, "type", [only])
    return Pool(index, seen, wanted, index.columns["length"].values, texts)


def _column(shelves: Sequence[tuple[Tables, SearchView]], name: str) -> NDArray[np.float64]:
    return np.concatenate([np.zeros(0), *(index.columns[name].values for _, index in shelves)])


def _read(tx: Transaction, tables: Sequence[Tables], hits: Sequence[Hit]) -> list[Found]:
    traces = {
        (number, trace.id): trace
        for number, of in enumerate(tables)
        if (ids := [hit.row_id for hit in hits if hit.pool == number])
        for trace in tx.get_many(of.traces, ids)
    }
    return [Found(traces[hit.pool, hit.row_id], tables[hit.pool], hit.score) for hit in hits]
