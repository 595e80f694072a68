"""Whatever is raised, and whatever cannot be said or stored, ends as failed within its tries, and others go on."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from fabric import BlockFinished, Context, Fabric, Retry, WorkFinished, generator, handler, sequencer
from fabric.errors import RunError, SchemaError, StoreError, WorkError
from fabric.jobs.job import JOBS
from fabric.store.base import SYSTEM, Rows
from fabric.store.duckdb.store import DuckDBStore
from fabric.testing import ScriptedModel, call

from .small_pipelines import outcomes, texts


class MuteError(Exception):
    def __str__(self) -> str:
        raise TypeError("this error does not talk")


class Panic(BaseException):
    pass


class Hidden:
    def __repr__(self) -> str:
        raise MuteError


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


class Unreadable(dict[str, Any]):
    def __iter__(self) -> Any:
        raise Panic("not even to be looked at")


def raising(error: BaseException) -> Callable[..., Any]:
    def work() -> None:
        raise error

    return work


FAILING = {
    "an error that does not talk": (raising(MuteError()), "MuteError: (its message cannot be read: TypeError)"),
    "a panic": (raising(Panic("a binding's")), "Panic: a binding's"),
    "an exit": (raising(SystemExit(3)), "asked for the process to exit"),
    "an interrupt": (raising(KeyboardInterrupt()), "asked for the process to exit"),
    "a generator's end": (raising(GeneratorExit()), "GeneratorExit"),
    "a cancellation of its own": (raising(asyncio.CancelledError()), "cancelled"),
    "an error with a note that is none": (raising(ValueError("x" * 50_000)), "(50000 characters)"),
}


@pytest.mark.parametrize("kind", FAILING)
def test_work_that_raises_anything_has_failed_and_the_next_is_done(kind: str):
    work, said = FAILING[kind]
    heard: list[WorkFinished] = []
    bad = sequencer(name="bad").work(handler(work, name="raises")).wait_for_work()
    good = sequencer(name="good").work(handler(lambda: "fine", name="fine"))
    with Fabric() as fabric:
        fabric.listen(heard.append)
        session = fabric.session("s")
        session.run(bad, "x")
        session.run(good, "x")
        (job,) = fabric.drain()
        assert (job.status, job.attempts) == ("failed", 1)
        assert said.lower() in job.error.lower()
        assert [item.data["result"] for item in outcomes(session)] == ["fine"]
        with pytest.raises(WorkError):
            session.run(sequencer(name="bad").work(handler(work, name="raises")).wait_for_work(fail_on_error=True), "x")
    assert [message.status for message in heard] == ["failed", "done", "failed"]


@pytest.mark.parametrize(
    "result",
    [Hidden(), nested(3_000), Unreadable(a=1), {"a": nested(2_000)}, [Hidden()]],
    ids=lambda one: type(one).__name__,
)
def test_work_is_done_once_though_its_result_cannot_be_stored(result: object):
    tries: list[int] = []

    def work() -> object:
        tries.append(1)
        return result

    with Fabric() as fabric:
        session = fabric.session("s")
        session.run(sequencer(name="p").work(handler(work, name="odd")).wait_for_work(), "x")
        session.run(sequencer(name="q").work(handler(lambda: 1, name="next")).wait_for_work(), "x")
        left = fabric.drain()
        done = [item.name for item in outcomes(session)]
    assert len(tries) == 1
    assert done[-1] == "next"
    assert [job.status for job in left] == ([] if "odd" in done else ["failed"])


def test_inner_work_of_a_job_that_panics_has_failed_within_it():
    inner = sequencer(name="inner").work(handler(raising(Panic("deep")), name="raises")).wait_for_work()
    with Fabric() as fabric:
        session = fabric.session("s")
        session.run(sequencer(name="outer").work(inner), "x")
        (job,) = fabric.drain()
        assert (job.status, job.error) == ("failed", "Panic: deep")
        assert [item.name for item in outcomes(session)] == ["inner"]


class Refusing(DuckDBStore):
    """A store that does not take the end of a job."""

    async def transact(self, work: Callable[[Rows], Any]) -> Any:
        def checked(rows: Rows) -> Any:
            before = rows.count(JOBS, SYSTEM)
            result = work(rows)
            if rows.count(JOBS, SYSTEM) < before:
                raise StoreError("no outcome is taken")
            return result

        return await super().transact(checked)


def test_work_whose_end_is_refused_ends_within_its_tries():
    tries: list[int] = []
    with Fabric(store=Refusing(":memory:"), max_attempts=2) as fabric:
        session = fabric.session("s")
        session.run(sequencer(name="p").work(handler(lambda: tries.append(1), name="odd")), "x")
        for _ in range(4):
            fabric.drain()
        (job,) = fabric.jobs()
        assert (job.status, job.attempts) == ("failed", 2)
        assert "no outcome is taken" in job.error
    assert len(tries) == 2


def test_a_listener_that_raises_stops_nobody():
    with Fabric() as fabric:
        fabric.listen(lambda _: raising(MuteError())())
        session = fabric.session("s")
        for number in range(2):
            session.run(sequencer(name="p").work(handler(lambda: 1, name="fine")).wait_for_work(), number)
        assert len(outcomes(session)) == 2


def test_a_job_that_cancels_all_it_sees_leaves_the_others_to_be_done():
    def cancel_all() -> None:
        for task in asyncio.all_tasks():
            task.cancel()

    with Fabric(max_attempts=2) as fabric:
        session = fabric.session("s")
        session.run(sequencer(name="bad").work(handler(cancel_all, name="cancels")), "x")
        session.run(sequencer(name="good").work(handler(lambda: 1, name="fine")), "x")
        ends = time.monotonic() + 60  # not drained: waiting for it is a task that the job sees, too
        while len(fabric.jobs()) != 1 and time.monotonic() < ends:
            time.sleep(0.01)
        assert [job.status for job in fabric.jobs()] == ["failed"]
        assert [item.name for item in outcomes(session)] == ["fine"]


def test_the_input_of_work_that_cannot_be_stored_is_an_error_of_the_run():
    with Fabric() as fabric:
        session = fabric.session("s")
        for value in (nested(3_000), Hidden()):
            with pytest.raises(SchemaError):
                session.run(sequencer(name="p").work(handler(lambda _: None, name="odd")), value)
        assert fabric.drain() == []


def test_an_error_that_does_not_talk_is_raised_as_itself():
    mute = handler(raising(MuteError()), name="mute")
    rescued = handler(
        raising(MuteError()), name="rescued", rescue=handler(lambda error: type(error).__name__, name="r")
    )
    retried = handler(raising(MuteError()), name="retried", retry=Retry(2))
    with Fabric() as fabric:
        session = fabric.session("s")
        events: list[Any] = []
        with pytest.raises(MuteError):
            events.extend(session.stream(mute))
        with pytest.raises(MuteError):
            list(session.stream(sequencer(name="p").then(mute)))
        assert session.run(rescued).output == "MuteError"
        with pytest.raises(MuteError):
            session.run(retried)


def test_a_tool_that_raises_an_error_that_does_not_talk_is_answered():
    def broken() -> str:
        """Break."""
        raise MuteError

    model = ScriptedModel([call("broken"), "I could not."])
    with Fabric(models=model) as fabric:
        session = fabric.session("s")
        assert session.run(generator(name="chat", model="scripted", tools=[broken]), "go").output == "I could not."
        assert "MuteError" in texts(session.items, "tool_result")[0]


def test_a_cancellation_born_inside_is_an_error_like_any_other():
    async def wait_for_cancelled() -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        future.cancel()
        await future

    waiting = handler(wait_for_cancelled, name="waiting")
    rescued = handler(wait_for_cancelled, name="rescued", rescue=handler(lambda _: "instead", name="r"))
    with Fabric() as fabric:
        session = fabric.session("s")
        with pytest.raises(RunError, match="was cancelled, while its run was not"):
            session.run(sequencer(name="p").then(waiting))
        assert session.run(rescued).output == "instead"
        assert session.run(sequencer(name="q", rescue=handler(lambda _: 1, name="r")).then(waiting)).output == 1


async def test_a_cancelled_run_is_cancelled_and_not_rescued():
    begun = asyncio.Event()

    async def endless(ctx: Context) -> None:
        begun.set()
        await asyncio.Event().wait()

    rescued = handler(endless, name="endless", rescue=handler(lambda _: 1, name="r"), retry=Retry(3))
    async with Fabric() as fabric:
        task = asyncio.create_task(fabric.session("s").arun(rescued))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


@pytest.mark.parametrize("attempts", [1, 1_024, 1_025, 2_000, 10**6])
def test_a_pause_is_a_number_after_any_number_of_tries(attempts: int):
    assert Retry(attempts=attempts, base_delay=0.5).delay(attempts) <= 30.0
    assert Retry(attempts=attempts).delay(attempts) == 0.0
    assert BlockFinished("x").error == ""
