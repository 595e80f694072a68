"""Background work that fails, waits for a later try, or whose pipeline is not known yet."""

import asyncio
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fabric import Context, Fabric, Usage, handler
from fabric.errors import BudgetExceededError, ModelUnavailableError, WorkError
from fabric.flow.sequencer import sequencer
from fabric.models.budget import Budget
from fabric.testing import FrozenClock

from .small_pipelines import chat, notes, outcomes, talk


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
        assert [job.status for job in fabric.drain()] == ["failed"]
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
        fabric.drain()
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
        while (left := fabric.drain())[0].status == "pending":
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
        assert done.wait(60)
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
        assert [job.status for job in fabric.drain()] == ["failed"]
        assert "budget per run" in fabric.jobs("failed")[0].error


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
        assert [job.status for job in fabric.drain(timeout=120)] == ["failed"]
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
