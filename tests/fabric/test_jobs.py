"""Background work: its input, its outcome, its order, and that no reply waits for it."""

import asyncio
import threading
from datetime import UTC, datetime

import pytest
from pydantic import BaseModel

from fabric import Context, Fabric, Usage, WorkFinished, handler
from fabric.errors import SchemaError
from fabric.flow.sequencer import sequencer

from .small_pipelines import chat, note, outcomes, talk


def test_the_outcome_of_background_work_is_an_item_with_its_result_and_cost():
    @handler(name="count")
    def count(text: str, ctx: Context) -> dict[str, int]:
        ctx.run.spend(Usage(input_tokens=7, output_tokens=1, cost=0.5, calls=1))
        return {"letters": len(text)}

    with Fabric() as fabric:
        session = fabric.session("s")
        result = session.run(talk(count), "hi")
        fabric.drain()
        (outcome,) = outcomes(session)
    assert result.usage == Usage()
    assert outcome.data["result"] == {"letters": 6}
    assert outcome.data["usage"] == {"input_tokens": 7, "output_tokens": 1, "cost": 0.5, "calls": 1}
    assert outcome.data["job"] == result.jobs[0]
    assert (outcome.turn, outcome.block, outcome.name) == (1, "talk > count", "count")


def test_a_result_that_is_no_json_is_described_in_the_outcome():
    @handler(name="odd")
    def odd() -> object:
        return object

    with Fabric() as fabric:
        fabric.session("s").run(talk(odd), "hi")
        fabric.drain()
        assert outcomes(fabric.session("s"))[0].data["result"] == {"repr": "<class 'object'>"}


class Question(BaseModel):
    text: str
    asked: datetime


@pytest.mark.parametrize("declared", [True, False])
def test_the_input_of_background_work_keeps_its_type(declared: bool):
    got: list[object] = []

    @handler(name="work", input_schema=Question if declared else None)
    def work(question: Question) -> None:
        got.append(question)

    question = Question(text="why?", asked=datetime(2026, 1, 1, tzinfo=UTC))
    with Fabric() as fabric:
        fabric.session("s").run(sequencer(name="p").work(lambda _: question, work), "x")
    assert got == [question]


def test_an_input_that_cannot_be_kept_is_an_error_in_the_foreground():
    with Fabric() as fabric:
        with pytest.raises(SchemaError, match=r"p > note: the input of background work.*got type"):
            fabric.session("s", user="u").run(sequencer(name="p").work(lambda _: object, note), "x")
        assert fabric.jobs() == []


def test_work_asked_for_before_the_user_was_recorded_belongs_to_the_turn_of_that_message():
    turns: list[int] = []

    @handler(name="work")
    def work(ctx: Context) -> None:
        turns.append(ctx.turn)

    with Fabric() as fabric:
        session = fabric.session("s")
        for text in ("a", "b"):
            session.run(sequencer(name="p").work(work).then(chat), text)
    assert turns == [1, 2]


def test_the_reply_does_not_wait_for_background_work_that_hangs():
    release, order = asyncio.Event(), list[str]()

    @handler(name="hang")
    async def hang(text: str) -> None:
        await release.wait()
        order.append("work")

    with Fabric() as fabric:
        session = fabric.session("s")
        for number in range(3):
            session.run(talk(hang), str(number))
            order.append("reply")
        assert [job.turn for job in fabric.jobs()] == [1, 2, 3]
        fabric.services.work_portal.loop.call_soon_threadsafe(release.set)
        fabric.drain()
    assert order == ["reply"] * 3 + ["work"] * 3


def test_work_of_a_session_runs_in_order_and_sessions_run_side_by_side():
    gate, enough = threading.Event(), threading.Event()
    running: set[str] = set()
    most = 0
    order: dict[str, list[str]] = {}

    @handler(name="work")
    async def work(text: str, ctx: Context) -> None:
        nonlocal most
        assert ctx.session not in running
        running.add(ctx.session)
        most = max(most, len(running))
        if most >= 3:
            enough.set()
        await asyncio.to_thread(gate.wait)
        order.setdefault(ctx.session, []).append(text)
        running.discard(ctx.session)

    with Fabric(max_concurrency=3) as fabric:
        for number in range(5):
            for name in "abcdef":
                fabric.session(name).run(talk(work), str(number))
        assert enough.wait(60)
        gate.set()
        assert fabric.drain() == []
        assert fabric.jobs() == []
    assert order == {name: [f"re: {number}" for number in range(5)] for name in "abcdef"}
    assert most == 3


async def test_background_work_does_not_hold_up_the_callers_loop():
    """While work is done elsewhere, the caller's loop keeps turning: it counts freely between two markers."""
    turns = 0
    busy, release = threading.Event(), threading.Event()

    @handler(name="blocking")
    def blocking() -> None:
        busy.set()
        release.wait()

    async with Fabric() as fabric:
        await fabric.session("s").arun(talk(blocking), "x")
        await asyncio.to_thread(busy.wait)
        for _ in range(1000):
            await asyncio.sleep(0)
            turns += 1
        release.set()
    assert turns == 1000


def test_a_job_that_blocks_its_thread_delays_no_reply():
    busy, release = threading.Event(), threading.Event()

    @handler(name="blocking")
    def blocking() -> None:
        busy.set()
        release.wait()

    with Fabric() as fabric:
        fabric.session("s").run(talk(blocking), "x")
        busy.wait()
        assert fabric.session("s").run(talk(blocking), "y").output == "re: y"
        release.set()


def test_an_annotation_that_is_no_schema_leaves_the_input_as_it_is():
    got: list[object] = []

    class Odd:
        pass

    @handler(name="work")
    def work(value: Odd) -> None:
        got.append(value)

    with Fabric() as fabric:
        fabric.session("s").run(sequencer(name="p").map(lambda _: {"a": 1}).work(work), "x")
    assert got == [{"a": 1}]


def test_a_listener_hears_of_every_try_whoever_asked_for_it():
    @handler(name="broken")
    def broken() -> None:
        raise ValueError("no")

    heard: list[tuple[str | None, str, str, str]] = []
    with Fabric() as fabric:
        fabric.listen(lambda event: heard.append((event.ids.user, event.block, event.status, event.error)))
        for user, work in (("ann", note), ("bob", broken)):
            fabric.session("s", user=user).run(talk(work), "hi")
            fabric.drain()
    assert heard == [("ann", "talk > note", "done", ""), ("bob", "talk > broken", "failed", "ValueError: no")]


def test_the_outcome_is_there_when_a_listener_hears_of_it():
    @handler(name="first")
    def first() -> str:
        return "found"

    seen: list[object] = []
    with Fabric() as fabric:
        session = fabric.session("s")

        def look(event: WorkFinished) -> None:
            seen.extend(item.data["result"] for item in session.items if item.data.get("job") == event.job_id)

        fabric.listen(look)
        session.run(talk(first), "hi")
        fabric.drain()
    assert seen == ["found"]
