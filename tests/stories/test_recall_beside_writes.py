"""Recall beside those who write: what is forgotten or changed while it ranks does not come back, and nothing breaks."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

import pytest

from capabilities.memory.recall.ranked import TIERS
from fabric import Fabric
from fabric.sessions.session import Session
from fabric.store.base import Rows
from fabric.store.duckdb.store import DuckDBStore
from fabric.testing import START
from pipelines import memory_system

T = TypeVar("T")


class Interrupted(DuckDBStore):
    """A store in which something else happens right before one of its transactions, counted from 1."""

    count = 0
    at = 0

    def __init__(self) -> None:
        super().__init__(":memory:")
        self.happens: Callable[[], object] = lambda: None

    async def transact(self, work: Callable[[Rows], T]) -> T:
        """Let it happen if it is time, then do the work."""
        self.count += 1
        if self.count == self.at:
            await asyncio.get_running_loop().run_in_executor(None, self.happens)
        return await super().transact(work)


def said(turn_id: str, text: str, day: int = 0) -> dict[str, Any]:
    """Return a turn of the user as it is imported."""
    at = START + timedelta(days=day)
    return {"id": turn_id, "session": "walks", "role": "user", "text": text, "said_at": at}


def told(count: int = 30) -> list[dict[str, Any]]:
    """Return turns about dogs, one a day."""
    return [said(f"t{day}", f"The dog Rex{day} ran in the park", day) for day in range(count)]


def recalled_beside(
    happens: Callable[[Any, Any], object], cue: str = "dog Rex7 park", tiers: Any = TIERS, embedder: Any = "default"
) -> tuple[list[str], list[str]]:
    """Return what a recall finds, and what it finds when this happens after its rows were taken."""
    store, mem = Interrupted(), memory_system(episodic=True, semantic=True, embedder=embedder)
    with Fabric(store=store) as fabric:
        session, other = fabric.session("monday", user="jake"), fabric.session("tuesday", user="jake")
        session.run(mem.import_block, told())
        for fact in ("Owns a dog called Rex", "Walks the dog in the park"):
            other.run(mem.remember_block, {"content": fact})
        asked = {"cue": cue, "tiers": tiers}
        session.run(mem.recall_block, asked)
        before = store.count
        first = [found.content for found in session.run(mem.recall_block, asked)]
        store.happens = lambda: happens(other, mem)
        store.at = store.count + (store.count - before)
        return first, [found.content for found in session.run(mem.recall_block, asked)]


@pytest.mark.parametrize("embedder", ["default", None])
def test_a_turn_that_is_forgotten_while_rows_are_ranked_does_not_come_back(embedder: Any):
    first, second = recalled_beside(lambda session, mem: session.run(mem.forget_block, {"id": "t7"}), embedder=embedder)
    assert first[0] == "The dog Rex7 ran in the park"
    assert len(second) >= len(first) - 1
    assert not any("Rex7 " in content for content in second)


def test_a_fact_that_is_corrected_while_rows_are_ranked_is_not_shown_as_it_was():
    def correct(session: Any, mem: Any) -> None:
        (fact,) = [
            memory for memory in session.run(mem.recall_block, "Walks the dog") if memory.content.startswith("Walks")
        ]
        session.run(mem.correct_block, {"id": fact.id, "content": "Walks the dog at the beach"})

    first, second = recalled_beside(correct, "Walks the dog in the park", ("semantic",))
    assert "Walks the dog in the park" in first
    assert "Walks the dog in the park" not in second


def test_everything_may_be_forgotten_while_rows_are_ranked():
    first, second = recalled_beside(lambda session, mem: session.run(mem.forget_block, {"scope": "user"}))
    assert first
    assert second == []


def together(works: Sequence[Callable[[int], object]], seconds: float) -> list[BaseException]:
    """Do each work over and over on a thread of its own, with the number of the time; return what failed."""
    failures, over = list[BaseException](), threading.Event()

    def repeat(work: Callable[[int], object]) -> None:
        number = 0
        while not over.is_set():
            try:
                work(number)
            except BaseException as error:  # the test fails on any
                failures.append(error)
                return
            number += 1

    threads = [threading.Thread(target=repeat, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    over.wait(seconds)
    over.set()
    for thread in threads:
        thread.join()
    return failures


def test_recalls_and_writes_of_several_threads_get_on_with_each_other():
    mem = memory_system(episodic=True, semantic=True)
    with Fabric(":memory:") as fabric:
        writer, eraser, *readers = (fabric.session(f"s{number}", user="jake") for number in range(4))
        writer.run(mem.import_block, told(200))

        def write(number: int) -> None:
            text = f"A dog {'barked ' * (number % 7)}at word{number}"
            writer.run(mem.import_block, [said(f"w{number % 20}", text)])

        def forget(number: int) -> None:
            eraser.run(mem.forget_block, {"id": f"t{number % 200}"})

        def recall(session: Session, number: int) -> None:
            found = session.run(mem.recall_block, {"cue": f"the dog Rex{number % 200} in the park", "limit": 20})
            assert all("dog" in memory.content for memory in found)

        assert together([write, forget, *(partial(recall, reader) for reader in readers)], 3) == []
