"""A memory of many rows is ranked beside the store: it finds what one of few rows finds, while others write."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from capabilities.memory.recall.search import FEW_ROWS
from pipelines import Memory

SAID = ("I live in Berlin and I like chess.", "I moved to Munich.")
CUE = "where do I live?"
FIRST = datetime(2024, 1, 1, tzinfo=UTC)


def filled(count: int) -> Memory:
    """Return a memory of so many turns about anything, then of what was said."""
    memory = Memory(":memory:", user="jake", embedder=None)
    turns = (
        {
            "id": f"t{number}",
            "session": f"s{number // 20}",
            "role": "user",
            "said_at": FIRST + timedelta(minutes=number),
            "text": f"The ticket number {number} was about the printer on floor {number % 40}.",
        }
        for number in range(count)
    )
    memory.import_turns(list(turns))
    for text in SAID:
        memory.capture(text)
        memory.wait()
    return memory


@pytest.fixture(scope="module")
def few() -> Iterator[Memory]:
    with filled(20) as memory:
        yield memory


@pytest.fixture(scope="module")
def many() -> Iterator[Memory]:
    with filled(FEW_ROWS + 100) as memory:
        yield memory


@pytest.mark.parametrize("tiers", [("turn",), ("semantic",), ("turn", "working", "episodic", "semantic")])
def test_many_rows_give_what_few_give(few: Memory, many: Memory, tiers: tuple[str, ...]):
    def found(memory: Memory) -> list[tuple[str, str, str]]:
        return [
            (recalled.source, recalled.content, recalled.note) for recalled in memory.recall(CUE, tiers=tiers, limit=2)
        ]

    assert found(many) == found(few)
    assert found(many)[0][1] in {"Moved to Munich", "Lives in Munich", *SAID}


def test_a_turn_of_many_is_marked_with_what_is_no_longer_so(many: Memory):
    found = {memory.content: memory for memory in many.recall(CUE, tiers=["turn"])}
    assert [told.was for told in found[SAID[0]].outdated] == ["Lives in Berlin"]


def test_what_is_written_beside_recalls_is_found_and_what_is_forgotten_is_not(many: Memory):
    over = threading.Event()

    def recalls() -> int:
        count = 0
        while not over.is_set():
            count += bool(many.recall("the printer on floor 7"))
        return count

    with ThreadPoolExecutor(1) as executor:
        recalling = executor.submit(recalls)
        try:
            for number in range(5):
                added = many.remember(f"Owns a lighthouse called Alma {number}")
                assert added.id in {memory.id for memory in many.recall("the lighthouse")}
                many.forget(added.id)
                assert added.id not in {memory.id for memory in many.recall("the lighthouse")}
        finally:
            over.set()
        assert recalling.result() > 0
