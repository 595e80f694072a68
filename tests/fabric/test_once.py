"""What happens once is known by where it stands: path, element and round, not by the order in which things come."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fabric import Block, Context, Draft, Fabric, Retry, generator, handler, sequencer
from fabric.flow.resource import Transaction
from fabric.testing import ScriptedModel

from .small_pipelines import NOTES, Note, notes, outcomes, texts


@handler(name="save", uses=[NOTES])
async def save(value: int, ctx: Context) -> int:
    """Store a note of a number once, and return the number it became."""

    def put(tx: Transaction) -> int:
        tx.put(NOTES, [Note(id=ctx.clock.new_id("note"), text=str(value))])
        return value + 1

    return await ctx.transact(put, once="save")


async def by_hand(values: list[int], ctx: Context) -> list[int]:
    return [await save(value, ctx) for value in values]


SHAPES: dict[str, tuple[Block[Any, Any], Any, Any, list[str]]] = {
    "each element": (sequencer(name="p").for_each(save), [1, 2, 3], [2, 3, 4], ["1", "2", "3"]),
    "each round": (sequencer(name="p").do_until(lambda n: n > 3, save), 1, 4, ["1", "2", "3"]),
    "twice in a chain": (sequencer(name="p").then(save).then(save), 1, 3, ["1", "2"]),
    "two branches": (sequencer(name="p").parallel({"a": save, "b": save}), 1, {"a": 2, "b": 2}, ["1", "1"]),
    "calls of a handler": (handler(by_hand, name="p", uses=[NOTES]), [1, 2, 3], [2, 3, 4], ["1", "2", "3"]),
    "rounds of elements": (
        sequencer(name="p").for_each(sequencer(name="up").do_until(lambda n: n > 2, save)),
        [1, 2],
        [3, 3],
        ["1", "2", "2"],
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("owner", ["named turn", "job"])
def test_an_effect_of_each_place_happens_once(shape: str, owner: str):
    block, value, expected, kept = SHAPES[shape]
    failing = [True]

    @handler(name="flaky")
    def flaky(output: Any) -> Any:
        if failing:
            failing.pop()
            raise ConnectionError("after the effects")
        return output

    with Fabric(max_attempts=2) as fabric:
        session = fabric.session("s", user="u")
        whole = sequencer(name="whole").then(block).then(flaky)
        if owner == "job":
            session.run(sequencer(name="later").work(whole), value)
            (job,) = fabric.drain()
            fabric.retry(job)
            assert fabric.drain() == []
            assert outcomes(session)[0].data["result"] == expected
        else:
            with pytest.raises(ConnectionError):
                session.run(whole, value, turn_id="t")
            assert session.run(whole, value, turn_id="t").output == expected
        assert sorted(session.run(notes).output) == kept


def mailing(sent: list[str]) -> Block[Any, Any]:
    @handler(name="mail")
    def mail(text: str) -> str:
        sent.append(text)
        return text

    return mail


async def test_work_of_each_element_is_done_once_whichever_came_first():
    sent: list[str] = []
    paces = [{"a": 9.0, "b": 9.0, "c": 0.0}, {"a": 0.2, "b": 0.1, "c": 0.0}]
    failing = [True]

    @handler(name="pause")
    async def pause(text: str) -> str:
        await asyncio.sleep(paces[0][text])
        return text

    def fail_after_c(text: str) -> str:
        if text == "c" and failing:
            failing.pop()
            raise ConnectionError("after c was sent")
        return text

    one = sequencer(name="one").then(pause).work(mailing(sent)).wait_for_work().then(handler(fail_after_c, name="end"))
    every = sequencer(name="every").for_each(one)
    async with Fabric() as fabric:
        session = fabric.session("s")
        with pytest.raises(ConnectionError):
            await session.arun(every, ["a", "b", "c"], turn_id="t")
        paces.pop(0)
        assert (await session.arun(every, ["a", "b", "c"], turn_id="t")).output == ["a", "b", "c"]
    assert sorted(sent) == ["a", "b", "c"]


def test_a_retry_takes_its_jobs_and_items_back():
    sent: list[str] = []
    tries: list[int] = []

    def flaky(text: str, ctx: Context) -> str:
        ctx.record(Draft("assistant", "message", f"try {len(tries)}"))
        tries.append(1)
        if len(tries) < 3:
            raise ConnectionError
        return text

    chain = sequencer(name="chain", retry=Retry(3)).work(mailing(sent)).then(handler(flaky, name="flaky"))
    with Fabric() as fabric:
        session = fabric.session("s")
        result = session.run(chain, "hi")
        assert fabric.drain() == []
        assert sent == ["hi"]
        assert len(result.jobs) == 1
        assert texts(result.items) == texts(session.items) == ["try 2"]


@pytest.mark.parametrize("turn_id", [None, "t"])
def test_a_retry_sends_no_mail_again_that_was_waited_for(turn_id: str | None, tmp_path: Path):
    sent: list[str] = []
    tries: list[int] = []

    def flaky(text: str, ctx: Context) -> str:
        ctx.record(Draft("user", "message", text))
        tries.append(1)
        if len(tries) < 3:
            raise ConnectionError
        return text

    asked = handler(lambda text, ctx: ctx.record(Draft("assistant", "message", f"sending {text}")) and text, name="ask")
    chain = (
        sequencer(name="chain", retry=Retry(3))
        .then(asked)
        .work(mailing(sent))
        .wait_for_work()
        .then(handler(flaky, name="flaky"))
    )
    with Fabric(tmp_path / "m.duckdb") as fabric:
        session = fabric.session("s")
        session.run(chain, "hi", turn_id=turn_id)
        assert sent == ["hi"]
        said = session.items
        assert texts(said).count("sending hi") == 1
    with Fabric(tmp_path / "m.duckdb") as fabric:
        assert fabric.session("s").items == said


def test_work_that_failed_is_tried_again_by_a_retry_that_waits_for_it():
    tries: list[str] = []

    @handler(name="mail")
    def mail(text: str) -> str:
        tries.append(text)
        if len(tries) < 3:
            raise ValueError("refused")
        return text

    chain = sequencer(name="chain", retry=Retry(3)).work(mail).wait_for_work(fail_on_error=True)
    with Fabric() as fabric:
        session = fabric.session("s")
        assert len(session.run(chain, "hi").jobs) == 1
        assert fabric.drain() == []
        assert tries == ["hi"] * 3
        assert len(outcomes(session)) == 1


def test_a_retry_within_a_job_does_its_inner_work_once():
    sent: list[str] = []
    tries: list[int] = []

    def flaky(text: str) -> str:
        tries.append(1)
        if len(tries) < 3:
            raise ConnectionError
        return text

    inner = (
        sequencer(name="inner", retry=Retry(3)).work(mailing(sent)).wait_for_work().then(handler(flaky, name="flaky"))
    )
    with Fabric() as fabric:
        session = fabric.session("s")
        session.run(sequencer(name="outer").work(inner), "hi")
        assert fabric.drain() == []
        assert sent == ["hi"]
        assert [item.name for item in outcomes(session)] == ["mail", "inner"]


def test_only_what_the_failed_element_recorded_is_taken_back():
    tries: list[str] = []

    @handler(name="say", retry=Retry(2))
    async def say(text: str, ctx: Context) -> str:
        ctx.record(Draft("assistant", "message", text))
        tries.append(text)
        await asyncio.sleep(0.01)
        if text == "b" and tries.count("b") == 1:
            raise ConnectionError
        return text

    with Fabric() as fabric:
        session = fabric.session("s")
        session.run(sequencer(name="all").for_each(say), ["a", "b", "c"])
        assert sorted(texts(session.items)) == ["a", "b", "c"]


def test_an_effect_of_a_retried_block_happens_once():
    tries: list[int] = []

    @handler(name="effect", uses=[NOTES], retry=Retry(3))
    async def effect(value: int, ctx: Context) -> int:
        saved = await save(value, ctx)
        tries.append(saved)
        if len(tries) < 3:
            raise ConnectionError
        return saved

    with Fabric() as fabric:
        session = fabric.session("s", user="u")
        assert session.run(effect, 1).output == 2
        assert session.run(notes).output == ["1"]
        assert session.run(effect, 5).output == 6
        assert session.run(notes).output == ["1", "5"]


def test_an_answer_of_a_retried_chain_is_recorded_once():
    tries: list[int] = []

    def flaky(text: str) -> str:
        tries.append(1)
        if len(tries) < 3:
            raise ConnectionError
        return text

    chat = generator(name="chat", model="scripted")
    chain = sequencer(name="chain", retry=Retry(3)).then(chat).then(handler(flaky, name="flaky"))
    with Fabric(models=ScriptedModel(["one", "two", "three"])) as fabric:
        session = fabric.session("s")
        session.run(chain, "hello")
        assert texts(session.items) == ["hello", "three"]


def test_ids_of_work_are_the_same_however_long_each_element_takes():
    def ids(seconds: Callable[[int], float]) -> list[str]:
        @handler(name="pause")
        async def pause(value: int) -> int:
            await asyncio.sleep(seconds(value))
            return value

        one = sequencer(name="one").then(pause).work(handler(lambda value: value, name="mail"))
        with Fabric() as fabric:
            jobs = fabric.session("s").run(sequencer(name="every").for_each(one), [0, 1, 2], turn_id="t").jobs
            return sorted(jobs)

    assert ids(lambda value: value / 50) == ids(lambda value: (2 - value) / 50)
