"""What the LangGraph store keeps and how it is read and written: items, and the passages they are searched by."""

import json
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from langgraph.store.base import (
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
)
from pydantic import BaseModel

from capabilities.meaning import Meaning
from fabric.flow.context import Context
from fabric.flow.resource import Collection, Transaction
from fabric.lazy import lazy
from fabric.narrowing import is_list_or_tuple, is_mapping
from fabric.scope import ScopeKind
from fabric.store.base import Where
from fabric.text.terms import terms

if TYPE_CHECKING:
    from capabilities.retrieval import candidates
    from capabilities.retrieval import rank as ranker
    from capabilities.retrieval.question import Question
    from capabilities.retrieval.rank import Ranking
    from fabric.search.base import SearchView
else:
    candidates = lazy("capabilities.retrieval.candidates")
    ranker = lazy("capabilities.retrieval.rank")

_ORDERS = {"$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt, "$lte": operator.le}
ENOUGH = 4
"""How many passages are ranked per item that is wanted, since an item may have several."""


class StoredItem(BaseModel):
    """An item as it is kept. ``passages`` is how many rows it is searched by; ``ttl`` is in minutes."""

    id: str
    namespace: str
    key: str
    value: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    passages: int
    ttl: float | None = None
    expires_at: datetime | None = None

    @property
    def names(self) -> list[str]:
        """The ids of its passages."""
        return [f"{number}#{self.id}" for number in range(self.passages)]

    def fields(self) -> dict[str, Any]:
        """Return what LangGraph's items are made of."""
        shown = {name: getattr(self, name) for name in ("value", "key", "created_at", "updated_at")}
        return {**shown, "namespace": tuple(json.loads(self.namespace))}


class Passage(BaseModel):
    """One text that an item is searched by; one that is not ``searched`` only says that its item is there."""

    id: str
    namespace: str
    text: str
    searched: bool
    expires_at: datetime | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Tables:
    """The collections of one kind of owner."""

    items: Collection[StoredItem]
    passages: Collection[Passage]


def _terms(row: Mapping[str, Any]) -> Sequence[str]:
    return terms(str(row["text"]))


@cache
def tables_of(scope: ScopeKind) -> Tables:
    """Return the collections of items that an owner of this kind has."""
    name = "langgraph" if scope == "user" else f"langgraph_{scope}"
    kept: dict[str, Any] = {"namespace": "text", "searched": "boolean", "expires_at": "time"}
    return Tables(
        Collection(f"{name}_items", StoredItem, scope, columns={"namespace": "text"}),
        Collection(f"{name}_passages", Passage, scope, columns=kept, text="text", terms=_terms, kept=tuple(kept)),
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked by query; the space of its vectors, and what compares single words."""

    questions: "Mapping[str, Question]"
    space: str
    meaning: Meaning


class Put:
    """One item to be written, or deleted: its value without secrets, and the texts it is searched by."""

    def __init__(self, op: PutOp, paths: Sequence[str], ctx: Context) -> None:
        self.op = op
        self.value: dict[str, Any] | None = ctx.clean(op.value)
        asked = () if op.index is False or self.value is None else op.index or paths
        self.texts: list[str] = [text for path in asked for text in get_text_at_path(self.value, path) if text.strip()]


@dataclass(frozen=True, slots=True)
class Shelf:
    """One owner's items inside a transaction."""

    tx: Transaction
    tables: Tables
    now: datetime
    asked: Asked

    def sweep(self) -> None:
        """Delete what has expired."""
        index = self._index()
        if index is not None:
            due = index.alive & (index.columns["expires_at"].values <= self.now.timestamp())
            if due.any():
                self._delete({_item_of(index.ids[position]) for position in np.flatnonzero(due).tolist()})

    def read(self, op: Op) -> Result:
        """Return what an operation asks for; None for one that writes."""
        if isinstance(op, GetOp):
            found = self.tx.get(self.tables.items, name_of(op.namespace, op.key))
            return None if found is None else Item(**self._touched(found, refresh=op.refresh_ttl).fields())
        if isinstance(op, SearchOp):
            results = (
                self._searched(op) if op.query else [(item, None) for item in self._listed(op, op.offset, op.limit)]
            )
            return [
                SearchItem(**self._touched(item, refresh=op.refresh_ttl).fields(), score=score)
                for item, score in results
            ]
        return self._namespaces(op) if isinstance(op, ListNamespacesOp) else None

    def put(self, item_id: str, put: Put) -> None:
        """Write, replace or delete an item and its passages."""
        old = self.tx.get(self.tables.items, item_id)
        if old is not None:
            self.tx.delete(self.tables.passages, old.names[len(put.texts) if put.value is not None else 0 :])
        if put.value is None:
            self.tx.delete(self.tables.items, [item_id])
            return
        item = StoredItem(
            id=item_id,
            namespace=_spelled(put.op.namespace),
            key=put.op.key,
            value=put.value,
            created_at=self.now if old is None else old.created_at,
            updated_at=self.now,
            passages=max(1, len(put.texts)),
            ttl=put.op.ttl,
            expires_at=self._expiry(put.op.ttl),
        )
        self.tx.put(self.tables.items, [item])
        self.tx.put(
            self.tables.passages,
            [
                Passage(id=name, namespace=item.namespace, text=text, searched=bool(text), expires_at=item.expires_at)
                for name, text in zip(item.names, put.texts or [""], strict=True)
            ],
        )

    def _expiry(self, ttl: float | None) -> datetime | None:
        return None if ttl is None else self.now + timedelta(minutes=ttl)

    def _touched(self, item: StoredItem, *, refresh: bool) -> StoredItem:
        """Return the item; one that expires some time after it was read last begins that time again."""
        if refresh and item.ttl is not None:
            later = {"expires_at": self._expiry(item.ttl)}
            self.tx.put(self.tables.items, [item.model_copy(update=later)])
            passages = self.tx.get_many(self.tables.passages, item.names)
            self.tx.put(self.tables.passages, [passage.model_copy(update=later) for passage in passages])
        return item

    def _delete(self, item_ids: Iterable[str]) -> None:
        gone = self.tx.get_many(self.tables.items, sorted(item_ids))
        self.tx.delete(self.tables.passages, [name for item in gone for name in item.names])
        self.tx.delete(self.tables.items, [item.id for item in gone])

    def _index(self, space: str = "") -> "SearchView | None":
        return self.tx.index(self.tables.passages, space)

    def _spellings(self, index: "SearchView") -> dict[int, str]:
        """Return the namespaces that hold something, by their number in the index."""
        column = index.columns["namespace"]
        held = set(np.unique(column.values[index.alive]).tolist())
        return {number: name for name, number in column.names.items() if number in held}

    def _within(self, prefix: Sequence[str]) -> dict[int, str]:
        index = self._index()
        found = {} if index is None else self._spellings(index)
        return {number: name for number, name in found.items() if json.loads(name)[: len(prefix)] == list(prefix)}

    def _listed(self, op: SearchOp, offset: int = 0, limit: int | None = None) -> list[StoredItem]:
        """Return the items that meet the conditions of a search whatever its query, in order of insertion."""
        where = Where("namespace", "in", list(self._within(op.namespace_prefix).values()))
        if not op.filter:
            return self.tx.find(self.tables.items, where, limit=limit, offset=offset)
        found = [item for item in self.tx.find(self.tables.items, where) if _meets(item.value, op.filter)]
        return found[offset:] if limit is None else found[offset : offset + limit]

    def _searched(self, op: SearchOp) -> list[tuple[StoredItem, float | None]]:
        """Return a page of the items by how well their best passage fits, then of those that are not searched."""
        index = self._index(self.asked.space)
        if index is None:
            return []
        numbers = list(self._within(op.namespace_prefix))
        allowed = index.alive & np.isin(index.columns["namespace"].values, numbers)
        if op.filter:
            wanted = {item.id for item in self._listed(op)}
            allowed &= np.fromiter((_item_of(row_id) in wanted for row_id in index.ids), np.bool_, len(index.ids))
        searched = index.columns["searched"].values > 0
        scores: dict[str, float | None] = dict(self._scores(op, index, allowed & searched))
        scores |= {_item_of(index.ids[position]): None for position in np.flatnonzero(allowed & ~searched).tolist()}
        page = list(scores)[op.offset : op.offset + op.limit]
        return [(item, scores[item.id]) for item in self.tx.get_many(self.tables.items, page)]

    def _scores(self, op: SearchOp, index: "SearchView", allowed: Any) -> Iterator[tuple[str, float]]:

        if op.query is None or not allowed.any():
            return
        question, of_words = self.asked.questions[op.query], self.asked.meaning.words
        if of_words is not None and question.vector is not None and question.cue.words:
            spelled = [word.spelling for word in question.cue.words]
            foreign = self.asked.meaning.is_foreign(question.cue.language)
            question = replace(question, word_vectors=of_words(spelled), is_foreign=foreign)
        words = None if question.word_vectors is None else of_words
        rows = candidates.make_candidates([("store", index, allowed)], words)
        ranking = ranker.rank(question, rows, self.now, most=ENOUGH * (op.offset + op.limit))
        yield from _best_passages(ranking, index)

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        names = [tuple(json.loads(name)) for name in self._within(()).values()]
        met = {name for name in names if all(_matches(name, condition) for condition in op.match_conditions or ())}
        return sorted({name[: op.max_depth] for name in met})[op.offset : op.offset + op.limit]


def _best_passages(ranking: "Ranking", index: "SearchView") -> Iterator[tuple[str, float]]:
    """Yield each item once, best first; the best score says how sure it is that anything fits, from 0 to 1."""
    seen: set[str] = set()
    best = 0.0
    for number in ranking.best(len(index.ids), "store"):
        score = ranking.parts(number)[0]
        best = best or max(score, 1e-9)
        item = _item_of(index.ids[number])
        if item not in seen:
            seen.add(item)
            yield item, ranking.sureness * score / best


def _spelled(namespace: Sequence[str]) -> str:
    return json.dumps(list(namespace), ensure_ascii=False, separators=(",", ":"))


def name_of(namespace: Sequence[str], key: str) -> str:
    """Return the id of an item: no two namespaces and keys have the same."""
    return _spelled([*namespace, key])


def _item_of(passage_id: str) -> str:
    return passage_id.partition("#")[2]


def _matches(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(asked in ("*", own) for own, asked in zip(part, path, strict=True))


def _meets(value: Any, wanted: Any) -> bool:
    """Return whether a value is what a filter wants: equal, in the named fields if it is a mapping, or by operators."""
    if is_mapping(wanted):
        if any(str(name).startswith("$") for name in wanted):
            return all(_compares(value, str(name), operand) for name, operand in wanted.items())
        return is_mapping(value) and all(_meets(value.get(name), condition) for name, condition in wanted.items())
    if is_list_or_tuple(wanted):
        if not is_list_or_tuple(value) or len(value) != len(wanted):
            return False
        return all(_meets(item, asked) for item, asked in zip(value, wanted, strict=True))
    return bool(value == wanted)


def _compares(value: Any, name: str, operand: Any) -> bool:
    if name in ("$eq", "$ne"):
        return bool(value == operand) == (name == "$eq")
    if name not in _ORDERS:
        raise ValueError(f"filter: unknown operator {name!r}; expected one of $eq, $ne, {', '.join(_ORDERS)}")
    try:
        return bool(_ORDERS[name](float(value), float(operand)))
    except (TypeError, ValueError):
        return False  # what is no number is neither less nor greater
