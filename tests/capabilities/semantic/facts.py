"""One user's facts in memory; every call is a transaction of its own."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from capabilities.semantic import Fact, FactInput, FactTable, create_semantic_memory_resource
from capabilities.sources import Outcome, Source
from fabric.flow.resource import Transaction
from fabric.scope import ScopeIds
from fabric.store.duckdb.store import DuckDBStore
from fabric.testing import START, FrozenClock

T = TypeVar("T")
FACTS = create_semantic_memory_resource()


def source(name: str) -> Source:
    """Return one turn as a source."""
    return Source(turn_id=name, session="monday", turn=1, said_at=START)


class Facts:
    """What tests do with facts."""

    def __init__(self, store: DuckDBStore, ids: ScopeIds, clock: FrozenClock) -> None:
        self.store = store
        self.ids = ids
        self.clock = clock

    def do(self, work: Callable[[FactTable], T]) -> T:
        return self.store.transact_sync(lambda rows: work(FactTable(Transaction(rows, self.ids), FACTS, self.clock)))

    def say(self, content: str, turn: str = "", **fields: Any) -> Outcome:
        """Offer a fact, said in that turn."""
        offered = {"confidence": 0.7, "category": "preference", "sources": [source(turn)] if turn else [], **fields}
        return self.do(lambda table: table.reconcile(FactInput(content=content, **offered)))

    def current(self) -> list[str]:
        return sorted(fact.content for fact in self.do(lambda table: table.current()))

    def get(self, fact_id: str) -> Fact:
        found = self.do(lambda table: table.get(fact_id))
        assert found is not None
        return found

    def history(self, fact_id: str) -> list[tuple[str, str]]:
        return [(fact.content, fact.status) for fact in self.do(lambda table: table.history(fact_id))]

    def valid_at(self, as_of: datetime, known_at: datetime) -> list[str]:
        return sorted(fact.content for fact in self.do(lambda table: table.valid_at(as_of, known_at)))

    def known_at(self, known_at: datetime) -> list[str]:
        return sorted(fact.content for fact in self.do(lambda table: table.known_at(known_at)))


def open_facts(user: str = "jake") -> Facts:
    """Return the facts of a user in a store of its own, which the caller closes."""
    store = DuckDBStore(":memory:")
    store.open()
    store.define(FACTS.table)
    return Facts(store, ScopeIds(session="monday", user=user), FrozenClock())
