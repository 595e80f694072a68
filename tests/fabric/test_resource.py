"""Documents and collections: declared means installed, one value per scope, no update lost."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from fabric import Collection, Context, Document, Fabric, Transaction, define_capability, handler, sequencer
from fabric.errors import ConfigurationError, ConflictError, ResourceConflictError, SchemaError
from fabric.flow.resource import merge_resources, same_definition
from fabric.testing import run_block


class Counter(BaseModel):
    count: int = 0


class Note(BaseModel):
    id: str
    text: str = ""
    rank: int = 0


COUNTER = Document("counter", Counter, "user")
NOTES = Collection("notes", Note, "user", {"rank": "integer"}, text="text")


def up(counter: Counter) -> Counter:
    return Counter(count=counter.count + 1)


@handler(name="count", uses=[COUNTER])
async def count(ctx: Context) -> int:
    return (await ctx.update(COUNTER, up)).count


async def notes(work: Any) -> Any:
    async def run(ctx: Context) -> Any:
        return await ctx.transact(work)

    return (await run_block(handler(run, uses=[NOTES]), None)).output


async def test_a_document_begins_with_its_default_and_keeps_what_was_written():
    assert (await run_block(sequencer(name="twice").then(count).then(count))).output == 2
    started = Document("counter", Counter, "user", default=lambda: Counter(count=40))
    block = handler(lambda ctx: ctx.update(started, up), name="count", uses=[started])
    assert (await run_block(block)).output == Counter(count=41)


async def test_no_concurrent_update_is_lost():
    async with Fabric() as fabric:
        sessions = [fabric.session(f"s{number}", user="jo") for number in range(20)]
        await asyncio.gather(*(session.arun(count, None) for session in sessions))
        assert (await sessions[0].arun(count, None)).output == 21


async def test_each_scope_has_its_own_value():
    async with Fabric() as fabric:
        for user, expected in (("ann", 1), ("ann", 2), ("bob", 1)):
            assert (await fabric.session("same", user=user).arun(count, None)).output == expected


async def test_a_resource_of_a_capability_is_installed_with_it():
    counting = define_capability("counting", resources=[COUNTER], helpers=lambda ctx: lambda: ctx.update(COUNTER, up))
    block = handler(lambda ctx: ctx.cap.counting(), name="block", uses=[counting])
    assert (await run_block(sequencer(name="outer").then(block).then(lambda value: value.count))).output == 1


async def test_records_are_found_counted_replaced_and_deleted():
    def work(tx: Transaction) -> list[Any]:
        tx.put(NOTES, [Note(id=str(number), text=f"note {number}", rank=9 - number) for number in range(4)])
        tx.put(NOTES, [Note(id="2", text="changed", rank=7)])
        tx.insert(NOTES, Note(id="9", rank=0))
        return [
            [note.id for note in tx.find(NOTES)],
            [note.id for note in tx.find(NOTES, order="rank", limit=2)],
            tx.get(NOTES, "2"),
            tx.get(NOTES, "none"),
            [note.id for note in tx.get_many(NOTES, ["3", "none", "0"])],
            tx.count(NOTES),
            tx.delete(NOTES, ["0", "none"]),
            tx.count(NOTES),
        ]

    assert await notes(work) == [
        ["0", "1", "2", "3", "9"],
        ["9", "3"],
        Note(id="2", text="changed", rank=7),
        None,
        ["3", "0"],
        5,
        1,
        4,
    ]


async def test_an_insert_under_a_taken_id_is_refused_and_nothing_is_written():
    def work(tx: Transaction) -> str:
        tx.insert(NOTES, Note(id="1", text="first"))
        with pytest.raises(ConflictError, match="notes: id '1' is taken"):
            tx.insert(NOTES, Note(id="1", text="second"))
        found = tx.get(NOTES, "1")
        return found.text if found else ""

    assert await notes(work) == "first"


async def test_a_transaction_that_fails_writes_nothing():
    def broken(tx: Transaction) -> None:
        tx.write(COUNTER, Counter(count=9))
        raise ValueError("broken")

    async def run(ctx: Context) -> int:
        with pytest.raises(ValueError, match="broken"):
            await ctx.transact(broken)
        return (await ctx.read(COUNTER)).count

    assert (await run_block(handler(run, uses=[COUNTER]))).output == 0


def test_definitions_are_one_when_they_keep_the_same_data_in_the_same_form():
    assert same_definition(COUNTER, Document("counter", Counter, "user"))
    assert same_definition(NOTES, Collection("notes", Note, "user", {"rank": "integer"}, text="text"))
    for other in (
        Document("counter", Counter, "session"),
        Document("counter", Note, "user"),
        Collection("counter", Note, "user"),
    ):
        assert not same_definition(COUNTER, other)
        with pytest.raises(ResourceConflictError, match="one declared by a, another by b"):
            merge_resources([("a", COUNTER), ("b", other)])
    assert not same_definition(NOTES, Collection("notes", Note, "user", {"rank": "integer"}))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Document("two words", Counter, "user"), "use letters, digits and underscores"),
        (lambda: Document("clé", Counter, "user"), "use letters, digits and underscores"),
        (lambda: Document("key", Counter, "planet"), "unknown scope 'planet'; expected one of session"),
        (lambda: Collection("key", Counter, "user"), "Counter has no field id"),
        (lambda: Collection("key", Note, "user", {"size": "integer"}, text="body"), "Note has no field body, size"),
    ],
)
def test_a_definition_that_cannot_work_is_refused(make: Any, message: str):
    with pytest.raises(ConfigurationError, match=message):
        make()


class Before(BaseModel):
    id: str = "one"
    said: str = ""


class After(BaseModel):
    id: str = "one"
    said: int
    author: str


@pytest.mark.parametrize(
    "kind", [lambda schema: Document("mood", schema, "user"), lambda schema: Collection("moods", schema, "user")]
)
def test_a_schema_that_no_longer_reads_what_it_wrote_is_named_with_what_to_do(kind: Any, tmp_path: Path):
    before, after = kind(Before), kind(After)

    @handler(name="write", uses=[before])
    async def write(_: object, ctx: Context) -> None:
        def work(tx: Transaction) -> None:
            if isinstance(before, Document):
                tx.write(before, Before(said="tea"))
            else:
                tx.put(before, [Before(said="tea")])

        await ctx.transact(work)

    @handler(name="read", uses=[after])
    async def read(_: object, ctx: Context) -> object:
        return await ctx.transact(lambda tx: tx.read(after) if isinstance(after, Document) else tx.find(after))

    with Fabric(tmp_path / "moods.duckdb") as fabric:
        fabric.session("monday", user="jake").run(write)
    told = rf"'{after.key}' of a user: what the file holds does not fit After: s"
    with Fabric(tmp_path / "moods.duckdb") as fabric, pytest.raises(SchemaError, match=told):
        fabric.session("monday", user="jake").run(read)


@pytest.mark.parametrize("key", ["fabric_items", "turns__me"])
def test_keys_of_the_engine_and_of_named_memories_are_refused(key: str):
    with pytest.raises(ConfigurationError, match="are kept for the"):
        Collection(key, Before, "user")
    with pytest.raises(ConfigurationError, match="are kept for the"):
        Document(key, Before, "user")
