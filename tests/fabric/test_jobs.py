"""Background work: durable, in order per session, side by side across sessions, and harmless when it fails."""

import asyncio
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from fabric import Block, Context, Draft, Fabric, Usage, handler
from fabric.errors import BudgetExceededError, ModelUnavailableError, SchemaError, WorkError
from fabric.jobs import forget_jobs
from fabric.log import ITEMS
from fabric.models.budget import Budget
from fabric.sequencer import sequencer
from fabric.testing import FrozenClock

from .talk import NOTES, Note, chat, note, notes, talk, texts


def outcomes(session: Any) -> list[Any]:
    return [item for item in session.items if item.kind == "outcome"]


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
    gate = threading.Event()
    running: set[str] = set()
    most = 0
    order: dict[str, list[str]] = {}

    @handler(name="work")
    async def work(text: str, ctx: Context) -> None:
        nonlocal most
        assert ctx.session not in running
        running.add(ctx.session)
        most = max(most, len(running))
        await asyncio.to_thread(gate.wait)
        order.setdefault(ctx.session, []).append(text)
        running.discard(ctx.session)

    with Fabric(max_concurrency=3) as fabric:
        for number in range(5):
            for name in "abcdef":
                fabric.session(name).run(talk(work), str(number))
        gate.set()
        assert fabric.drain() == []
        assert fabric.jobs() == []
    assert order == {name: [f"re: {number}" for number in range(5)] for name in "abcdef"}
    assert most == 3


def test_a_failed_job_is_shown_and_blocks_nobody(tmp_path: Path):
    broken = [True]

    @handler(name="fragile")
    def fragile(text: str) -> str:
        if text == "re: bad" and broken:
            error = ValueError("cannot")
            error.add_note("seen in row 3")
            raise error
        return text

    pipeline = talk(fragile)
    with Fabric(tmp_path / "f.duckdb") as fabric:
        session = fabric.session("s", user="u")
        session.run(pipeline, "bad")
        session.run(pipeline, "good")
        assert fabric.drain() == []
        assert [item.data["result"] for item in outcomes(session)] == ["re: good"]
        (failed,) = fabric.jobs("failed")
        assert (failed.attempts, failed.block, failed.turn) == (1, "talk > fragile", 1)
        assert failed.error.startswith("ValueError: cannot")
        assert "seen in row 3" in failed.error
        assert failed.ids.as_dict() == {"session": "s", "user": "u", "agent": None, "project": None, "org": None}
    broken.clear()
    with Fabric(tmp_path / "f.duckdb") as fabric:
        assert [job.id for job in fabric.jobs("failed")] == [failed.id]
        fabric.register(pipeline)
        assert fabric.drain() == []
        assert fabric.jobs("failed"), "a failed job runs again only when it is put back"
        assert fabric.retry(failed).status == "pending"
        assert fabric.drain() == []
        assert fabric.jobs() == []
        assert [item.data["result"] for item in outcomes(fabric.session("s", user="u"))] == ["re: good", "re: bad"]
        with pytest.raises(WorkError, match="done, or never was"):
            fabric.retry(failed.id)


def test_a_running_job_cannot_be_put_back():
    begun, release = threading.Event(), threading.Event()

    @handler(name="slow")
    async def slow() -> None:
        begun.set()
        await asyncio.to_thread(release.wait)

    with Fabric() as fabric:
        (job_id,) = fabric.session("s").run(talk(slow), "x").jobs
        begun.wait()
        assert [job.status for job in fabric.jobs()] == ["running"]
        with pytest.raises(WorkError, match="runs right now"):
            fabric.retry(job_id)
        release.set()


def test_work_is_visible_while_the_model_is_down_and_done_when_it_is_back(tmp_path: Path):
    up = threading.Event()

    @handler(name="remember")
    def remember(text: str) -> str:
        if not up.is_set():
            raise ModelUnavailableError("no answer")
        return text

    @handler(name="elsewhere")
    def elsewhere() -> None:
        pass

    clock = FrozenClock()
    with Fabric(tmp_path / "d.duckdb", clock=clock, retry_delay=3600) as fabric:
        session, other = fabric.session("s"), fabric.session("other")
        session.run(talk(remember), "one")
        session.run(talk(remember), "two")
        other.run(talk(elsewhere), "x")
        left = fabric.drain()
        assert [(job.status, job.attempts) for job in left] == [("pending", 1), ("pending", 0)]
        assert outcomes(other), "a job that waits holds back its own session only"
        assert left[0].error == "ModelUnavailableError: no answer"
        assert left[0].not_before is not None
        assert (left[0].not_before - clock.now()).total_seconds() == 600, "a pause is ten minutes at most"
        assert fabric.jobs("failed") == []
        up.set()
        assert fabric.drain() == left, "the time has not come"
        clock.advance(minutes=11)
        assert fabric.drain() == []
        assert [item.data["result"] for item in outcomes(session)] == ["re: one", "re: two"]


def test_a_waiting_job_stays_in_the_file_and_is_not_waited_for(tmp_path: Path):
    tries: list[int] = []

    @handler(name="remember")
    def remember(text: str) -> str:
        tries.append(1)
        raise ModelUnavailableError("down")

    pipeline = talk(remember)
    for _ in range(2):
        with Fabric(tmp_path / "w.duckdb", retry_delay=500) as fabric:
            fabric.session("s").run(pipeline, "x", turn_id="t")
            fabric.drain()
        assert len(tries) == 1, "a job must not be tried again before its time, a restart in between or not"
    with Fabric(tmp_path / "w.duckdb", retry_delay=500) as fabric:
        fabric.register(pipeline)
        fabric.retry(fabric.jobs()[0])
        fabric.drain()
        assert len(tries) == 2


def test_an_unavailable_model_is_tried_a_limited_number_of_times_with_longer_pauses():
    pauses: list[float] = []
    clock = FrozenClock()

    @handler(name="remember")
    def remember() -> None:
        raise ModelUnavailableError("down")

    with Fabric(clock=clock, max_attempts=4, retry_delay=10) as fabric:
        fabric.session("s").run(talk(remember), "x")
        while left := fabric.drain():
            assert left[0].not_before is not None
            pauses.append((left[0].not_before - clock.now()).total_seconds())
            clock.set(left[0].not_before)
        (failed,) = fabric.jobs()
    assert pauses == [10, 20, 40]
    assert (failed.status, failed.attempts) == ("failed", 4)


def test_a_pause_ends_by_itself():
    tries: list[int] = []

    @handler(name="remember")
    def remember() -> str:
        tries.append(1)
        if len(tries) < 3:
            raise ModelUnavailableError("down")
        return "ok"

    done = threading.Event()

    @handler(name="after")
    def after() -> None:
        done.set()

    with Fabric(retry_delay=0.01) as fabric:
        session = fabric.session("s")
        session.run(sequencer(name="p").work(remember).work(after), "x")
        assert done.wait(10)
    assert len(tries) == 3


def test_work_that_is_over_budget_is_deferred_until_the_budget_is_free_again(tmp_path: Path):
    clock = FrozenClock(datetime(2026, 1, 1, 12, tzinfo=UTC))

    @handler(name="costly")
    async def costly(ctx: Context) -> str:
        await ctx.run.check_budget(ctx.path)
        ctx.run.spend(Usage(cost=0.6, calls=1))
        return "ok"

    pipeline = talk(costly)
    with Fabric(tmp_path / "b.duckdb", clock=clock, budget=Budget(day_cost=1.0)) as fabric:
        session = fabric.session("s", user="u")
        for number in range(3):
            session.run(pipeline, str(number))
        (left,) = fabric.drain()
        assert (left.status, left.attempts, left.not_before) == ("pending", 0, datetime(2026, 1, 2, tzinfo=UTC))
        assert "BudgetExceededError" in left.error
        with pytest.raises(BudgetExceededError, match="day"):
            fabric.session("another", user="u").run(costly)
        assert fabric.session("s", user="other").run(costly).usage == Usage(cost=0.6, calls=1)
    with Fabric(tmp_path / "b.duckdb", clock=clock, budget=Budget(day_cost=1.0)) as fabric:
        fabric.register(pipeline)
        assert [job.id for job in fabric.drain()] == [left.id]
        clock.advance(hours=13)
        assert fabric.drain() == []
        assert len(outcomes(fabric.session("s", user="u"))) == 3


def test_work_over_the_budget_of_a_run_fails_because_waiting_will_not_help():
    @handler(name="costly")
    async def costly(ctx: Context) -> None:
        for _ in range(3):
            await ctx.run.check_budget(ctx.path)
            ctx.run.spend(Usage(cost=0.6, calls=1))

    with Fabric(budget=Budget(run_cost=1.0)) as fabric:
        fabric.session("s").run(talk(costly), "x")
        assert fabric.drain() == []
        assert "budget per run" in fabric.jobs("failed")[0].error


@handler(name="child", uses=[NOTES])
async def child(text: str, ctx: Context) -> str:
    """Store a note under a job of its own."""
    return await note.resume(f"child of {text}", ctx)


def nested(*, wait: bool, inner: Block[Any, Any] = child) -> Block[Any, Any]:
    chain = sequencer(name="capture").then(lambda text: text).work(inner)
    if wait:
        chain = chain.wait_for_work(fail_on_error=True)
    return sequencer(name="talk").then(chat).work(chain.then(lambda text: f"captured {text}"))


@pytest.mark.parametrize("wait", [False, True])
def test_work_inside_of_work_is_done_too_and_never_waits_for_itself(wait: bool):
    with Fabric(max_concurrency=1) as fabric:
        session = fabric.session("s", user="u")
        session.run(nested(wait=wait), "x")
        session.run(nested(wait=wait), "y")
        assert fabric.drain(timeout=20) == []
        names = [item.name for item in outcomes(session)]
        assert sorted(names) == ["capture", "capture", "child", "child"]
        if wait:
            assert names == ["child", "capture", "child", "capture"]


def test_work_that_fails_inside_of_work_is_a_job_of_its_own():
    @handler(name="child")
    def broken() -> None:
        raise ValueError("bad child")

    with Fabric() as fabric:
        session = fabric.session("s")
        session.run(nested(wait=True, inner=broken), "x")
        fabric.drain()
        (failed,) = fabric.jobs()
        assert failed.block == "talk > capture"
        assert "WorkError: talk > capture > child: background work failed: ValueError: bad child" in failed.error
        session.run(nested(wait=False, inner=broken), "y")
        fabric.drain()
        assert [job.block for job in fabric.jobs()] == ["talk > capture", "talk > capture > child"]


def test_waiting_for_work_returns_when_each_had_its_try():
    @handler(name="flaky")
    def flaky(kind: str) -> str:
        if kind == "down":
            raise ModelUnavailableError("down")
        if kind == "bad":
            raise ValueError("bad")
        return kind

    quiet = sequencer(name="quiet").work(flaky).wait_for_work()
    strict = sequencer(name="strict").work(flaky).wait_for_work(fail_on_error=True)
    with Fabric(retry_delay=500) as fabric:
        session = fabric.session("s")
        for kind in ("good", "bad"):
            session.run(quiet, kind)
        session.run(strict, "good")
        with pytest.raises(WorkError, match=r"strict > flaky: background work failed: ValueError: bad"):
            session.run(strict, "bad")
        with pytest.raises(WorkError, match="put off"):
            fabric.session("other").run(strict, "down")
        fabric.session("third").run(quiet, "down")
        assert sorted(job.status for job in fabric.jobs()) == ["failed", "failed", "pending", "pending"]


async def test_waiting_for_work_ends_at_its_timeout_and_the_work_goes_on():
    release, done = asyncio.Event(), threading.Event()

    @handler(name="slow")
    async def slow() -> None:
        await release.wait()
        done.set()

    async with Fabric() as fabric:
        pipeline = sequencer(name="p").work(slow).wait_for_work(timeout=0.01)
        with pytest.raises(TimeoutError, match="it goes on"):
            await fabric.session("s").arun(pipeline)
        fabric.services.work_portal.loop.call_soon_threadsafe(release.set)
    assert done.is_set()


def test_draining_with_a_timeout_returns_what_still_runs():
    begun, release = threading.Event(), threading.Event()

    @handler(name="slow")
    async def slow() -> None:
        begun.set()
        await asyncio.to_thread(release.wait)

    with Fabric() as fabric:
        fabric.session("s").run(talk(slow), "x")
        begun.wait()
        assert [job.status for job in fabric.drain(timeout=0.01)] == ["running"]
        release.set()


def test_closing_with_a_timeout_leaves_the_rest_pending(tmp_path: Path):
    begun = threading.Event()

    @handler(name="slow")
    async def slow() -> None:
        begun.set()
        await asyncio.Event().wait()

    fabric = Fabric(tmp_path / "c.duckdb")
    fabric.session("s").run(talk(slow), "x")
    begun.wait()
    fabric.close(timeout=0.01)
    with Fabric(tmp_path / "c.duckdb") as fabric:
        (job,) = fabric.jobs()
        assert (job.status, job.attempts) == ("pending", 0)


def test_a_rescue_of_the_block_holds_in_the_background_too():
    @handler(name="excuse")
    def excuse(error: Exception) -> str:
        return f"sorry: {error}"

    @handler(name="broken", rescue=excuse)
    def broken() -> str:
        raise ValueError("bad")

    with Fabric() as fabric:
        fabric.session("s").run(talk(broken), "x")
        fabric.drain()
        assert outcomes(fabric.session("s"))[0].data["result"] == "sorry: bad"


@pytest.mark.parametrize("error", [SystemExit(1), KeyboardInterrupt(), asyncio.CancelledError()])
def test_no_error_of_background_work_stops_the_background(error: BaseException):
    @handler(name="deadly")
    def deadly(text: str) -> str:
        if text == "re: die":
            raise error
        return text

    with Fabric() as fabric:
        session = fabric.session("s")
        session.run(talk(deadly), "die")
        session.run(talk(deadly), "live")
        assert fabric.drain(timeout=20) == []
        assert [item.data["result"] for item in outcomes(session)] == ["re: live"]
        assert type(error).__name__ in fabric.jobs("failed")[0].error


def test_work_of_an_unknown_pipeline_waits_until_it_is_known(tmp_path: Path):
    begun = threading.Event()

    @handler(name="note")
    async def hang() -> None:
        begun.set()
        await asyncio.Event().wait()

    fabric = Fabric(tmp_path / "u.duckdb")
    fabric.session("s", user="u").run(talk(hang), "one")
    begun.wait()
    fabric.close(timeout=0)
    with Fabric(tmp_path / "u.duckdb") as fabric:
        (job,) = fabric.drain()
        assert "register" in job.hint
        fabric.register(sequencer(name="talk").then(chat))
        assert "no such block" in fabric.drain()[0].hint
        session = fabric.session("s", user="u")
        session.run(talk(), "two")
        assert fabric.drain() == []
        assert session.run(notes).output == ["re: one", "re: two"]


def test_an_effect_happens_once_although_its_job_is_tried_again():
    clock = FrozenClock()

    @handler(name="note", uses=[NOTES])
    async def twice(text: str, ctx: Context) -> list[str]:
        def put(tx: Any) -> tuple[str, ...]:
            tx.put(NOTES, [Note(id=ctx.clock.new_id("note"), text=text)])
            return (text, str(len(tx.find(NOTES))))

        got = await ctx.transact(put, once="put")
        if clock.now().hour == 12:
            raise ModelUnavailableError("after the effect")
        return list(got)

    with Fabric(clock=clock, retry_delay=600) as fabric:
        session = fabric.session("s", user="u")
        session.run(talk(twice), "x")
        assert len(fabric.drain()) == 1
        clock.advance(hours=1)
        assert fabric.drain() == []
        assert session.run(notes).output == ["re: x"]
        assert outcomes(session)[0].data["result"] == ["re: x", "1"]


def test_an_effect_of_a_named_turn_happens_once_although_the_run_failed():
    failing = [True]

    @handler(name="effect", uses=[NOTES])
    async def effect(text: str, ctx: Context) -> str:
        note_id = await note.resume(text, ctx)
        if failing:
            failing.pop()
            raise ConnectionError("after the effect")
        return note_id

    with Fabric() as fabric:
        session = fabric.session("s", user="u")
        with pytest.raises(ConnectionError):
            session.run(effect, "x", turn_id="t")
        session.run(effect, "x", turn_id="t")
        assert session.run(notes).output == ["x"]
        session.run(effect, "x")
        assert session.run(notes).output == ["x", "x"]


def test_items_of_a_job_are_stored_with_its_end_or_not_at_all():
    @handler(name="talkative")
    def talkative(text: str, ctx: Context) -> None:
        ctx.record(Draft("system", "outcome", f"skipped {text}"))
        if text == "re: bad":
            raise ValueError

    with Fabric() as fabric:
        session = fabric.session("s")
        for text in ("bad", "good"):
            session.run(talk(talkative), text)
        fabric.drain()
        assert texts(session.items, "outcome") == ["skipped re: good", "done"]
        stored = fabric.store.transact_sync(lambda tx: tx.find(ITEMS, session.ids.scope("session"), order="seq"))
        assert [row["id"] for row in stored] == [item.id for item in session.items]


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


def test_forgotten_work_stores_nothing_any_more():
    begun, go = threading.Event(), threading.Event()
    refused: list[str] = []

    @handler(name="note", uses=[NOTES])
    async def slow(text: str, ctx: Context) -> None:
        begun.set()
        await asyncio.to_thread(go.wait)
        try:
            await note.resume(text, ctx)
        except WorkError as error:
            refused.append(str(error))
        ctx.record(Draft("system", "outcome", text))

    with Fabric() as fabric:
        session = fabric.session("s", user="u")
        session.run(talk(slow), "x")
        session.run(talk(slow), "y")
        begun.wait()
        assert fabric.store.transact_sync(lambda rows: forget_jobs(rows, session.ids.scope("user"))) == 2
        go.set()
        assert fabric.drain() == []
        assert fabric.jobs() == []
        assert session.run(notes).output == []
        assert outcomes(session) == []
        assert "forgotten" in refused[0]


def test_a_turn_that_waited_for_work_and_failed_repeats_neither_work_nor_items():
    failing = [True]

    @handler(name="end")
    def end(value: str) -> str:
        if failing:
            failing.pop()
            raise ConnectionError
        return value

    pipeline = sequencer(name="talk").then(chat).work(note).wait_for_work().then(end)
    with Fabric() as fabric:
        session = fabric.session("s", user="u")
        with pytest.raises(ConnectionError):
            session.run(pipeline, "x", turn_id="t")
        session.run(pipeline, "x", turn_id="t")
        assert texts(session.items) == ["x", "re: x"]
        assert session.run(notes).output == ["re: x"]
        assert len(outcomes(session)) == 1
