"""A call that is cancelled, timed out or left at any place where it waits leaves memory and file saying the same."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabric import Context, Draft, Fabric, Session, generator, handler, sequencer
from fabric.errors import RunError, StoreError
from fabric.record.events import TextDelta
from fabric.testing import ScriptedModel
from tests.soak import examples

from .cancelling import Held, Moment, cancelled_at, check_agreement, settled
from .small_pipelines import note, notes, talk, texts

MOMENTS: tuple[Moment, ...] = ("before", "within", "after")
MOST = 60
waiting = sequencer(name="waiting").then(talk(name="inner")).wait_for_work().work(handler(lambda: 1, name="more"))
chatting = sequencer(name="chatting").then(generator(name="model", model="scripted")).work(note)


async def leave(session: Session, after: int) -> None:
    """Stream a run, and leave it after so many events."""
    events = session.stream(chatting, "hello").__aiter__()
    for _ in range(after):
        await anext(events)
    await events.aclose()  # type: ignore[attr-defined]


async def streamed(session: Session) -> None:
    async for _ in session.stream(chatting, "hello"):
        await asyncio.sleep(0)


CALLS: dict[str, Callable[[Session], Coroutine[Any, Any, Any]]] = {
    "a run": lambda session: session.arun(talk(), "hello"),
    "a named run": lambda session: session.arun(talk(), "hello", turn_id="t"),
    "a run that waits for its work": lambda session: session.arun(waiting, "hello", turn_id="t"),
    "messages": lambda session: session.aadd_messages([{"role": "user", "content": "hello", "id": "m"}]),
    "a stream": streamed,
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_call_cancelled_at_each_place_leaves_memory_and_file_alike(name: str, moment: Moment, tmp_path: Path):
    store = Held(tmp_path / "c.duckdb")
    cancelled = 0
    async with Fabric(store=store, models=ScriptedModel(lambda _: "well then")) as fabric:
        for number in range(1, MOST):
            session = fabric.session(f"s{number}", user="u")
            begun = len(session.items)
            was_reached, _ = await cancelled_at(CALLS[name](session), number, moment, store)
            await settled(fabric)
            items = check_agreement(fabric, session)
            assert begun == 0
            cancelled += was_reached
            await CALLS[name](session)  # again, as whoever was timed out does
            await settled(fabric)
            again = check_agreement(fabric, session)
            said = [item.text for item in again if item.role == "user"]
            named = name not in ("a run", "a stream")
            assert said in ([["hello"]] if named else [["hello"], ["hello", "hello"]])
            assert [item.id for item in again[: len(items)]] == [item.id for item in items]
            if not was_reached:
                break
        else:
            pytest.fail(f"it waits more than {MOST} times")
        kept = {number: fabric.session(f"s{number}", user="u").items for number in range(1, cancelled + 2)}
    assert cancelled >= 1
    async with Fabric(tmp_path / "c.duckdb") as fabric:
        for number, items in kept.items():
            assert fabric.session(f"s{number}", user="u").items == items


@settings(max_examples=examples(12), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(sorted(CALLS)), st.integers(1, 12), st.sampled_from(MOMENTS)), min_size=2, max_size=6
    )
)
def test_any_calls_of_one_session_cancelled_anywhere_leave_it_whole(
    steps: list[tuple[str, int, Moment]], tmp_path_factory: pytest.TempPathFactory
):
    path = tmp_path_factory.mktemp("cancel") / "c.duckdb"

    async def run() -> list[Any]:
        store = Held(path)
        async with Fabric(store=store, models=ScriptedModel(lambda _: "well then")) as fabric:
            session = fabric.session("s", user="u")
            for name, number, moment in steps:
                await cancelled_at(CALLS[name](session), number, moment, store)
            await settled(fabric)
            await session.arun(talk(), "last")
            await settled(fabric)
            items = check_agreement(fabric, session)
            assert texts(items)[-2:] == ["last", "re: last"]
            return [items, sorted((await session.arun(notes)).output)]

    kept = asyncio.run(run())
    with Fabric(path) as fabric:
        assert fabric.session("s", user="u").items == kept[0]
        assert sorted(fabric.session("s", user="u").run(notes).output) == kept[1]


@pytest.mark.parametrize("after", range(1, 9))
async def test_a_stream_left_after_any_event_keeps_what_the_user_said(after: int, tmp_path: Path):
    async with Fabric(tmp_path / "c.duckdb", models=ScriptedModel(lambda _: "well then")) as fabric:
        session = fabric.session("s", user="u")
        await leave(session, after)
        await settled(fabric)
        items = check_agreement(fabric, session)
        assert texts(items)[:1] == (["hello"] if items else [])
    async with Fabric(tmp_path / "c.duckdb") as fabric:
        assert fabric.session("s", user="u").items == items


def test_a_stream_left_at_the_first_words_keeps_what_was_said_though_the_file_is_closed_at_once(tmp_path: Path):
    with Fabric(tmp_path / "c.duckdb", models=ScriptedModel(lambda _: "well then")) as fabric:
        for event in fabric.session("s", user="u").stream(chatting, "hello"):
            if isinstance(event, TextDelta):
                break
    with Fabric(tmp_path / "c.duckdb") as fabric:
        assert texts(fabric.session("s", user="u").items)[:1] == ["hello"]  # the answer, too, if it was quick


async def test_a_cancelled_run_keeps_what_was_said_though_the_file_is_closed_at_once(tmp_path: Path):
    begun = asyncio.Event()

    async def endless(text: str, ctx: Context) -> None:
        ctx.record(Draft("user", "message", text))
        begun.set()
        await asyncio.Event().wait()

    async with Fabric(tmp_path / "c.duckdb") as fabric:
        task = asyncio.create_task(fabric.session("s").arun(handler(endless, name="endless"), "hello"))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    async with Fabric(tmp_path / "c.duckdb") as fabric:
        assert texts(fabric.session("s").items) == ["hello"]


async def test_what_outlives_its_run_can_record_nothing_that_no_file_would_hold():
    contexts: list[Context] = []

    def leak(ctx: Context) -> None:
        contexts.append(ctx)

    async with Fabric() as fabric:
        session = fabric.session("s")
        await session.arun(handler(leak, name="leaks"))
        with pytest.raises(RunError, match="the run has ended"):
            contexts[0].record(Draft("assistant", "message", "too late"))
        assert session.items == []


async def test_whoever_waits_for_work_when_the_file_is_closed_is_told():
    never = asyncio.Event()
    fabric = Fabric()
    chain = sequencer(name="p").work(handler(never.wait, name="endless")).wait_for_work()
    task = asyncio.create_task(fabric.session("s").arun(chain, "x"))
    while not fabric.jobs():  # the job is begun on another thread
        await asyncio.sleep(0.01)
    await fabric.aclose(timeout=0)
    with pytest.raises(StoreError, match="goes on when it is opened next"):
        await task
