"""Export: all that is kept, of one moment, however much it is and whoever writes meanwhile."""

import asyncio
import json
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fabric import Fabric
from fabric.errors import SchemaError, StoreError
from pipelines import AsyncMemory, Memory, memory_system

SAID = {"role": "user", "said_at": "2026-03-02T09:00:00Z"}
MANY = 3_000
EXPORTS = 6


def fill(memory: Memory, count: int = MANY) -> None:
    memory.import_turns([{**SAID, "session": "many", "text": f"word {number}"} for number in range(count)])


def texts(records: list[dict[str, Any]]) -> list[str]:
    return [record["text"] for record in records if record["kind"] == "turn"]


def test_it_is_of_the_moment_of_its_first_record() -> None:
    with Memory(user="jake", embedder=None) as memory:
        memory.capture("I live in Oslo.")
        memory.wait()
        fill(memory)
        records = memory.export()
        first = next(records)
        before = [first, *(next(records) for _ in range(5))]
        memory.forget(everything=True)
        fill(memory, 10)
        found = [*before, *records]
        assert texts(found) == ["I live in Oslo.", *(f"word {number}" for number in range(MANY))]
        assert first["content"] == "Lives in Oslo"
        assert len(texts(list(memory.export()))) == 10


def test_it_is_whole_while_turns_are_captured() -> None:
    with Memory(user="jake", embedder=None) as memory:
        over = threading.Event()

        def talk() -> None:
            number = 0
            while not over.is_set():
                memory.capture(
                    f"I like {chr(97 + number % 26)}{chr(97 + number // 26 % 26)}ball.", session=f"s{number}"
                )
                number += 1

        talking = threading.Thread(target=talk)
        talking.start()
        try:
            exports = [list(memory.export())]
            while len(exports) < EXPORTS or len(exports[-1]) == len(exports[0]):
                exports.append(list(memory.export()))
        finally:
            over.set()
            talking.join()
    sizes: list[int] = []
    for records in exports:
        turns = Counter(record["id"] for record in records if record["kind"] == "turn")
        items = {record["id"] for record in records if record["kind"] == "item"}
        sources = {source["turn_id"] for record in records if record["kind"] == "fact" for source in record["sources"]}
        assert sources <= turns.keys() <= items
        assert set(turns.values()) <= {1}
        sizes.append(len(items))
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1], "something was captured meanwhile"


@pytest.mark.parametrize(
    "asked", [None, {"scope": "session"}, {"subject": "anna"}, {"scope": "session", "subject": "anna"}]
)
def test_one_by_one_and_as_the_blocks_list_it_is_the_same(asked: Any) -> None:
    mem = memory_system(episodic=True, semantic=True, embedder=None)
    with Fabric() as fabric:
        for name, said in (("monday", "My sister Anna lives in Oslo."), ("tuesday", "Anna is a doctor. I like tea.")):
            fabric.session(name, user="jake").run(mem.capture, said)
        fabric.session("monday", user="eve").run(mem.capture, "Anna is my boss.")
        fabric.drain()
        session = fabric.session("tuesday", user="jake")
        records = list(mem.export(session, asked))
        assert records == session.run(mem.export_block, asked).output
        assert "boss" not in json.dumps(records)
        assert ("Oslo" in json.dumps(records)) == ("scope" not in (asked or {}))
        assert "doctor" in json.dumps(records)


def test_what_cannot_be_asked_for_is_told_at_once() -> None:
    mem = memory_system(episodic=True, semantic=True, embedder=None)
    with Fabric() as fabric, pytest.raises(SchemaError, match="memory/export: scope"):
        mem.export(fabric.session("s", user="jake"), {"scope": "planet"})


def test_one_that_is_left_holds_nothing(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.duckdb", user="jake", embedder=None) as memory:
        fill(memory)
        left, closed = memory.export(), memory.export()
        next(left)
        next(closed)
        closed.close()
    with pytest.raises(StoreError, match="its store was closed"):
        list(left)
    with Memory(tmp_path / "m.duckdb", user="jake", embedder=None) as memory:
        assert len(texts(list(memory.export()))) == MANY


async def test_the_same_in_async_code() -> None:
    async with AsyncMemory(user="jake", embedder=None) as memory:
        await memory.import_turns([{**SAID, "session": "s", "text": f"word {number}"} for number in range(MANY)])
        records = memory.export()
        found = [await anext(records)]
        await memory.forget(everything=True)
        found += [record async for record in records]
        assert texts(found) == [f"word {number}" for number in range(MANY)]
        assert [record async for record in memory.export()] == []


async def test_one_that_is_cancelled_ends_its_snapshot() -> None:
    async with AsyncMemory(user="jake", embedder=None) as memory:
        await memory.import_turns([{**SAID, "session": "s", "text": f"word {number}"} for number in range(MANY)])

        async def read() -> int:
            return len([record async for record in memory.export()])

        for pause in (0, 0.001, 0.01):
            reading = asyncio.create_task(read())
            await asyncio.sleep(pause)
            reading.cancel()
            with pytest.raises(asyncio.CancelledError):
                await reading
        assert await read() == MANY
