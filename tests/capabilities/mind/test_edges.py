"""A mind where two things go wrong at once: a full cap and a failure, a crash and a vector, an error and another."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
import pytest

from capabilities.meaning import Embedded
from capabilities.mind import InMemoryProvider, Mind, MindProvider, MindTable, StoreProvider, mind
from capabilities.mind.writing.draft import DraftOperation
from fabric import Context, Fabric, generator, handler
from fabric.errors import RefusedError
from fabric.testing import FrozenClock, ScriptedModel, call

T = TypeVar("T")
NAME = "mind/edges"
RULES = "rule {}"


def meaning(texts: Sequence[str]) -> Any:
    """Return vectors by what is spoken of, so that two wordings of one thing are one."""
    about = {"staging": [1.0, 0.0, 0.0], "limit": [0.0, 1.0, 0.0]}
    return np.array([next((v for word, v in about.items() if word in text), [0.0, 0.0, 1.0]) for text in texts])


class Runs:
    """Runs of one agent on one provider."""

    def __init__(self, provider: MindProvider, **options: Any) -> None:
        self.provider, self.clock = provider, FrozenClock()
        self.fabric = Fabric(":memory:", clock=self.clock)
        self.options: dict[str, Any] = {"embedder": None, "namespace": NAME, "provider": provider, **options}

    async def run(self, work: Callable[[Mind], Awaitable[T]]) -> T:
        block = handler(lambda ctx: work(ctx.cap.mind), name="run", uses=[mind(**self.options)])
        found: T = (await self.fabric.session("s", user="ann").arun(block)).output
        return found

    async def table(self, work: Callable[[MindTable], T]) -> T:
        async def directly(ctx: Context) -> T:
            return await self.provider.transact(ctx, NAME, work, Embedded())

        block = handler(directly, name="directly", uses=list(self.provider.resources))
        found: T = (await self.fabric.session("s", user="ann").arun(block)).output
        return found

    async def pinned(self) -> list[str]:
        entries = await self.run(lambda mind: mind.entries())
        return [reflection.text for reflection in entries if reflection.type == "reflection" and reflection.pinned]


@pytest.fixture(params=[InMemoryProvider, StoreProvider])
def runs(request: pytest.FixtureRequest) -> Iterator[Runs]:
    made = Runs(request.param(), max_pinned_reflections=2)
    with made.fabric:
        yield made


async def two_rules(mind: Mind) -> list[str]:
    return [(await mind.reflect(RULES.format(number), pin=True)).id for number in range(2)]


async def test_a_place_that_a_run_frees_is_free_in_that_run(runs: Runs):
    first, _ = await runs.run(two_rules)

    async def swap(mind: Mind) -> None:
        with pytest.raises(RefusedError, match="all 2 places"):
            await mind.reflect("rule 2", pin=True)
        await mind.unpin_reflection(first)
        await mind.reflect("rule 2", pin=True)

    await runs.run(swap)
    assert await runs.pinned() == ["rule 1", "rule 2"]


async def test_a_place_that_a_run_frees_is_not_free_for_others_before_its_flush(runs: Runs):
    first, _ = await runs.run(two_rules)
    freed, tried = asyncio.Event(), asyncio.Event()

    async def frees(mind: Mind) -> None:
        await mind.unpin_reflection(first)
        freed.set()
        await tried.wait()

    async def tries(mind: Mind) -> None:
        await freed.wait()
        with pytest.raises(RefusedError, match="all 2 places"):
            await mind.reflect("rule 2", pin=True)
        tried.set()

    await asyncio.gather(runs.run(frees), runs.run(tries))
    await runs.run(lambda mind: mind.reflect("rule 2", pin=True))
    assert await runs.pinned() == ["rule 1", "rule 2"]


async def test_a_failed_run_that_swapped_a_rule_keeps_the_old_one_pinned_and_the_new_one_as_a_reflection(runs: Runs):
    first, _ = await runs.run(two_rules)

    async def swap(mind: Mind) -> None:
        await mind.unpin_reflection(first)
        await mind.reflect("rule 2", pin=True)
        raise ConnectionError

    with pytest.raises(ConnectionError):
        await runs.run(swap)
    assert await runs.pinned() == ["rule 0", "rule 1"]
    entries = {entry.text: entry.model_dump() for entry in await runs.run(lambda held: held.entries())}
    assert (entries["rule 2"]["pinned"], entries["rule 2"]["error"]) == (False, True)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ask Alice for 2 keys of the staging room", "Ask Bob for 3 keys of the staging room"),
        ("Staging: Alice may deploy on Mondays", "Staging: Bob may never deploy on Mondays"),
    ],
)
async def test_beliefs_about_two_people_are_two_though_a_number_or_a_denial_differs_too(one: str, other: str):
    with (made := Runs(StoreProvider(), embedder=lambda texts: meaning(["staging"] * len(texts)))).fabric:
        await made.run(lambda mind: mind.believe(one))
        assert (await made.run(lambda mind: mind.believe(other))).action == "created"
        assert len(await made.run(lambda mind: mind.entries())) == 2


@pytest.mark.parametrize("make", [InMemoryProvider, StoreProvider])
async def test_what_is_recovered_after_a_crash_is_known_by_its_meaning(make: Callable[[], MindProvider]):
    said, again = "Another key is used in staging", "There is one more credential for the staging machines"
    with (made := Runs(make(), embedder=meaning)).fabric:

        async def left(mind: Mind) -> list[DraftOperation]:
            await mind.believe(said)
            return await made.table(lambda table: table.drafts())

        (operation,) = await made.run(left)
        await made.table(lambda table: table.delete(type(operation.entry), [operation.target]))
        dead = operation.model_copy(update={"id": "dead:1", "run": "dead", "ended": True})
        await made.table(lambda table: table.put_drafts([dead]))
        answered = await made.run(lambda mind: mind.believe(again))
        assert (answered.action, answered.id) == ("updated_store", operation.target)


async def test_a_failed_run_marks_what_it_changed_of_a_belief_and_not_what_it_repeated():
    with (made := Runs(StoreProvider(), embedder=meaning)).fabric:
        await made.run(lambda mind: mind.believe("The limit is 100 per minute"))
        await made.run(lambda mind: mind.believe("The staging key differs"))

        async def fails(mind: Mind) -> None:
            await mind.believe("The limit is 900 per minute")
            await mind.believe("The staging key differs")
            raise ConnectionError

        with pytest.raises(ConnectionError):
            await made.run(fails)
        entries = {entry.text: entry.model_dump() for entry in await made.run(lambda held: held.entries())}
        assert {text: entry["error"] for text, entry in entries.items()} == {
            "The limit is 900 per minute": True,
            "The staging key differs": False,
        }
        assert [entry["content"] for entry in entries["The limit is 900 per minute"]["earlier"]] == [
            "The limit is 100 per minute"
        ]


async def test_what_a_belief_said_within_a_run_is_kept_when_it_updates_the_store():
    with (made := Runs(StoreProvider(), embedder=meaning)).fabric:
        await made.run(lambda mind: mind.believe("The limit is 1"))

        async def twice(mind: Mind) -> None:
            await mind.believe("The limit is 2")
            await mind.believe("The limit is 3")

        await made.run(twice)
        (held,) = [entry.model_dump() for entry in await made.run(lambda held: held.entries())]
        assert held["content"] == "The limit is 3"
        assert [record["content"] for record in held["earlier"]] == ["The limit is 1", "The limit is 2"]


class Breaking(InMemoryProvider):
    """A provider whose disk is full once something was written ahead."""

    async def transact(
        self,
        ctx: Context,
        namespace: str,
        work: Callable[[MindTable], T],
        embedded: Embedded,
        texts: Sequence[str] = (),
    ) -> T:
        def checked(table: MindTable) -> T:
            if table.drafts():
                raise OSError("the disk is full")
            return work(table)

        return await super().transact(ctx, namespace, checked, embedded, texts)


async def test_the_error_of_a_run_is_never_hidden_by_one_of_its_flush():
    with (made := Runs(Breaking())).fabric:

        async def fails(mind: Mind) -> None:
            await mind.reflect("noted")
            raise KeyError("the run's own")

        with pytest.raises(KeyError, match="the run's own") as caught:
            await made.run(fails)
        assert any("the disk is full" in note for note in caught.value.__notes__)


async def test_an_error_of_a_clean_flush_reaches_the_caller():
    with (made := Runs(Breaking())).fabric, pytest.raises(OSError, match="the disk is full"):
        await made.run(lambda mind: mind.reflect("noted"))


class Slow(InMemoryProvider):
    """A provider that waits before it flushes, and says when."""

    def __init__(self) -> None:
        super().__init__()
        self.flushing, self.go_on = asyncio.Event(), asyncio.Event()

    async def transact(
        self,
        ctx: Context,
        namespace: str,
        work: Callable[[MindTable], T],
        embedded: Embedded,
        texts: Sequence[str] = (),
    ) -> T:
        held: list[int] = []

        def counted(table: MindTable) -> None:
            held.append(len(table.drafts()))

        await super().transact(ctx, namespace, counted, embedded, texts)
        if held[0] and not self.go_on.is_set():
            self.flushing.set()
            await self.go_on.wait()
        return await super().transact(ctx, namespace, work, embedded, texts)


async def test_a_flush_is_finished_however_often_the_run_is_cancelled_meanwhile():
    provider = Slow()
    with (made := Runs(provider)).fabric:
        running = asyncio.create_task(made.run(lambda mind: mind.reflect("noted")))
        await provider.flushing.wait()
        for _ in range(3):
            running.cancel()
            await asyncio.sleep(0)
        assert not running.done()
        provider.go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await running
        (entry,) = await made.run(lambda mind: mind.entries())
        assert (entry.text, entry.model_dump()["error"]) == ("noted", False)


async def test_an_entry_names_the_message_it_was_written_after():
    model = ScriptedModel([call("mind_believe", content="The limit is 100"), "done"])
    uses = [mind(None, provider=InMemoryProvider(), namespace=NAME)]
    chat = generator(name="chat", model="m", uses=uses)
    seen = handler(lambda ctx: ctx.cap.mind.entries(), name="seen", uses=uses)
    with Fabric(models=model, clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="ann")
        answered = await session.arun(chat, "What is the limit?")
        (entry,) = (await session.arun(seen)).output
    (asked,) = [item for item in answered.items if item.role == "user"]
    assert (entry.source.turn_id, entry.source.turn, entry.source.user) == (asked.id, 1, "ann")


async def test_a_text_that_no_encoder_takes_is_kept_as_one_that_every_encoder_does():
    with (made := Runs(StoreProvider())).fabric:
        await made.run(lambda mind: mind.believe("half \ud83d an emoji"))
        (entry,) = await made.run(lambda mind: mind.entries())
        assert entry.text.encode() == "half \ufffd an emoji".encode()
