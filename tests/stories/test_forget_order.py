"""Forgetting, and what is read or fails beside it: what is held in memory says the same as the file."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest

from fabric import Fabric
from fabric.errors import StoreError
from fabric.record.log import ITEMS
from fabric.scope import ScopeIds
from fabric.store.base import Rows
from fabric.store.duckdb.store import DuckDBStore
from pipelines import memory_system
from tests.stories.scripts import chat_with

T = TypeVar("T")
MEM = memory_system(episodic=True, semantic=True, embedder=None)
MONDAY = ScopeIds(session="monday", user="jake").scope("session")
PATIENCE = 60


class Between(DuckDBStore):
    """A store that holds back what one transaction read, or fails at the commit of one, when it is told to."""

    def __init__(self) -> None:
        super().__init__(":memory:")
        self.is_failing = False
        self.holds_back = False
        self.has_read, self.goes_on = threading.Event(), threading.Event()

    async def transact(self, work: Callable[[Rows], T]) -> T:
        if not self.is_failing:
            return await super().transact(work)

        def failing(rows: Rows) -> T:
            said = rows.find(ITEMS, MONDAY)
            result = work(rows)
            if rows.find(ITEMS, MONDAY) != said:
                raise StoreError("the disk is full")
            return result

        return await super().transact(failing)

    def transact_sync(self, work: Callable[[Rows], T]) -> T:
        result = super().transact_sync(work)
        if self.holds_back:
            self.holds_back = False
            self.has_read.set()
            assert self.goes_on.wait(PATIENCE)
        return result


@contextmanager
def said_in_monday(store: Between) -> Generator[Fabric]:
    with Fabric(store=store) as fabric:
        fabric.session("monday", user="jake").run(chat_with(MEM), "I work at Stripe.")
        fabric.drain()
        yield fabric


def texts(fabric: Fabric) -> list[str]:
    return [item.text for item in fabric.session("monday", user="jake").items if item.kind == "message"]


def test_a_log_that_was_read_before_a_forget_and_kept_after_it_is_read_again():
    store = Between()
    with said_in_monday(store) as fabric:
        fabric.services.logs.forget()  # as if the session had not been used for long
        seen: list[list[str]] = []
        reading = threading.Thread(target=lambda: seen.append(texts(fabric)))
        store.holds_back = True
        reading.start()
        assert store.has_read.wait(PATIENCE)
        forgetting = fabric.session("friday", user="jake").run(MEM.forget_block, {"session": "monday"}).output
        store.goes_on.set()
        reading.join(PATIENCE)
        assert forgetting.found
        (read,) = seen
        assert "Stripe" not in repr(read)
        assert read == texts(fabric)


def test_a_forget_that_cannot_be_committed_leaves_file_and_memory_as_they_were():
    store = Between()
    with said_in_monday(store) as fabric:
        friday = fabric.session("friday", user="jake")
        before: Any = texts(fabric)
        assert "I work at Stripe." in before
        store.is_failing = True
        with pytest.raises(StoreError, match="the disk is full"):
            friday.run(MEM.forget_block, {"session": "monday"})
        store.is_failing = False
        assert texts(fabric) == before
        fabric.session("monday", user="jake").run(chat_with(MEM), "Good morning.")
        fabric.services.logs.forget()  # from the file
        assert texts(fabric)[:2] == before
        assert friday.run(MEM.forget_block, {"session": "monday"}).output.found
        assert "Stripe" not in repr(texts(fabric))
