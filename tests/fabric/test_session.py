"""Turns, items and streams of one session."""

import asyncio
import threading
import time
from pathlib import Path

import pytest
from pydantic import BaseModel

from fabric import BlockFinished, BlockStarted, Context, Draft, Fabric, ItemAdded, RunFinished, WorkFinished, handler
from fabric.errors import ConfigurationError, SchemaError
from fabric.flow.sequencer import sequencer
from fabric.record.log import ITEMS, RECENT_SESSIONS

from .small_pipelines import chat, note, notes, talk, texts

MESSAGES = [
    {"role": "system", "content": "Be brief.", "id": "m0"},
    {
        "role": "user",
        "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "x"}}],
        "id": 1,
    },
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "function": {"name": "see", "arguments": "{}"}}],
        "id": "m2",
    },
    {"role": "tool", "tool_call_id": "c1", "content": "a cat 🐈"},
    {"role": "assistant", "content": "A cat."},
]


def test_messages_become_items(tmp_path: Path):
    with Fabric(tmp_path / "m.duckdb") as fabric:
        items = fabric.session("s").add_messages(MESSAGES)
    assert [(item.role, item.kind, item.text, item.turn) for item in items] == [
        ("system", "message", "Be brief.", 0),
        ("user", "message", "look", 1),
        ("assistant", "tool_call", "{}", 1),
        ("tool", "tool_result", "a cat 🐈", 1),
        ("assistant", "message", "A cat.", 1),
    ]
    assert items[1].parts[0]["type"] == "image_url"
    assert items[2].call_id == items[3].call_id == "c1"
    with Fabric(tmp_path / "m.duckdb") as fabric:
        assert fabric.session("s").items == items


async def test_a_message_with_an_id_is_added_once(tmp_path: Path):
    async with Fabric(tmp_path / "m.duckdb") as fabric:
        session = fabric.session("s")
        first = await session.aadd_messages(MESSAGES)
        again = await session.aadd_messages(MESSAGES[:3])
        assert again == first[:3]
        assert session.items == first
    async with Fabric(tmp_path / "m.duckdb") as fabric:
        assert await fabric.session("s").aadd_messages(MESSAGES[:3]) == first[:3]
        assert len(fabric.session("s").items) == 5


def test_a_message_without_a_known_role_adds_nothing():
    with Fabric() as fabric:
        with pytest.raises(ValueError, match="robot"):
            fabric.session("s").add_messages([{"role": "user", "content": "x"}, {"role": "robot", "content": "y"}])
        assert fabric.session("s").items == []


@pytest.mark.parametrize(
    "text", ["nul \x00 inside", "lone \ud83d surrogate", "👨‍👩‍👧‍👦", "\u202eright to left", "", "x" * 1_000_000]
)
def test_text_of_any_kind_comes_back_as_it_was(tmp_path: Path, text: str):
    pipeline = talk()
    with Fabric(tmp_path / "t.duckdb") as fabric:
        fabric.session("s", user="u").run(pipeline, text, turn_id="one")
    with Fabric(tmp_path / "t.duckdb") as fabric:
        session = fabric.session("s", user="u")
        assert texts(session.items) == [text, f"re: {text}"]
        assert session.run(notes).output == [f"re: {text}"]
        assert session.run(pipeline, text, turn_id="one").output == f"re: {text}"


def test_a_turn_with_a_known_id_is_replayed_and_does_nothing(tmp_path: Path):
    calls: list[str] = []

    class Answer(BaseModel):
        text: str

    @handler(name="answer", output_schema=Answer)
    def answer(text: str, ctx: Context) -> Answer:
        ctx.record(Draft("user", "message", text))
        calls.append(text)
        return Answer(text=text.upper())

    pipeline = sequencer(name="once").then(answer).work(lambda got: got.text, note)
    with Fabric(tmp_path / "r.duckdb") as fabric:
        session = fabric.session("s", user="u")
        first = session.run(pipeline, "hi", turn_id="t1")
        again = session.run(pipeline, "hi", turn_id="t1")
    with Fabric(tmp_path / "r.duckdb") as fabric:
        session = fabric.session("s", user="u")
        reopened = session.run(pipeline, "hi", turn_id="t1")
        elsewhere = fabric.session("other", user="u").run(pipeline, "hi", turn_id="t1")
        fabric.drain()
        assert texts(session.items) == ["hi"]
        assert session.run(notes).output == ["HI", "HI"]
    assert calls == ["hi", "hi"]
    assert (first.replayed, again.replayed, reopened.replayed, elsewhere.replayed) == (False, True, True, False)
    assert again.output == reopened.output == first.output == Answer(text="HI")
    assert again.items == reopened.items == first.items
    assert (again.turn, again.jobs, again.run_id) == (first.turn, first.jobs, first.run_id)


def test_a_turn_that_failed_runs_again_without_doubling_the_users_message(tmp_path: Path):
    down = [True]

    @handler(name="flaky")
    def flaky(text: str, ctx: Context) -> str:
        ctx.record(Draft("user", "message", text))
        ctx.record(Draft("assistant", "message", "half an answ"))
        if down:
            down.pop()
            raise ConnectionError("no")
        return "fine"

    with Fabric(tmp_path / "f.duckdb") as fabric:
        session = fabric.session("s")
        with pytest.raises(ConnectionError):
            session.run(flaky, "hello", turn_id="t1")
        assert texts(session.items) == ["hello"]
        session.add_messages([{"role": "user", "content": "hello"}])
    with Fabric(tmp_path / "f.duckdb") as fabric:
        session = fabric.session("s")
        assert texts(session.items) == ["hello", "hello"]
        result = session.run(flaky, "hello", turn_id="t1")
        assert (result.turn, result.replayed) == (1, False)
        assert texts(session.items) == ["hello", "hello", "half an answ"]


def test_a_run_that_fails_leaves_no_background_work():
    @handler(name="broken")
    def broken(value: str) -> None:
        raise RuntimeError(value)

    with Fabric() as fabric:
        session = fabric.session("s", user="u")
        with pytest.raises(RuntimeError, match="re: x"):
            session.run(sequencer(name="p").then(chat).work(note).then(broken), "x")
        assert fabric.drain() == []
        assert session.run(notes).output == []


def test_the_same_turn_from_many_threads_is_recorded_once(tmp_path: Path):
    pipeline = talk()
    with Fabric(tmp_path / "c.duckdb") as fabric:
        session = fabric.session("s", user="u")
        barrier = threading.Barrier(8, timeout=60)
        outputs: list[str] = []

        def call() -> None:
            barrier.wait()
            outputs.append(session.run(pipeline, "hi", turn_id="t").output)

        threads = [threading.Thread(target=call) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        fabric.drain()
        assert outputs == ["re: hi"] * 8
        assert texts(session.items) == ["hi", "re: hi"]
        assert session.run(notes).output == ["re: hi"]


def test_an_output_that_cannot_be_kept_is_an_error_when_a_turn_id_asks_to_keep_it():
    @handler(name="odd")
    def odd() -> object:
        return object()

    with Fabric() as fabric:
        fabric.session("s").run(odd)
        with pytest.raises(SchemaError, match="odd: the output of a run with a turn_id"):
            fabric.session("s").run(odd, turn_id="t")
        with pytest.raises(ConfigurationError, match="turn_id"):
            fabric.session("s").run(odd, turn_id=" ")


def test_the_users_message_is_stored_while_the_model_is_still_called(tmp_path: Path):
    asked, answer = threading.Event(), threading.Event()

    @handler(name="thinking")
    async def thinking(text: str, ctx: Context) -> str:
        ctx.record(Draft("user", "message", text))
        asked.set()
        await asyncio.to_thread(answer.wait)
        return "done"

    with Fabric(tmp_path / "w.duckdb") as fabric:
        session = fabric.session("s")
        caller = threading.Thread(target=session.run, args=(thinking, "hello"))
        caller.start()
        assert asked.wait(60)
        scope, rows, ends = session.ids.scope("session"), [], time.monotonic() + 60
        while not rows and time.monotonic() < ends:
            rows = fabric.store.transact_sync(lambda tx: tx.find(ITEMS, scope))
        assert [row["text"] for row in rows] == ["hello"]
        answer.set()
        caller.join()


def test_a_stream_ends_with_the_result():
    with Fabric() as fabric:
        events = list(
            fabric.session("s", user="u").stream(sequencer(name="t").then(chat).work(note).wait_for_work(), "hi")
        )
    assert events[0] == BlockStarted("t")
    assert [event.item.text for event in events if isinstance(event, ItemAdded)] == ["hi", "re: hi"]
    assert BlockFinished("t > chat") in events
    (finished,) = (event for event in events if isinstance(event, WorkFinished))
    assert (finished.block, finished.status) == ("t > note", "done")
    assert isinstance(events[-1], RunFinished)
    assert events[-1].result.output == "re: hi"


async def test_a_stream_is_an_async_iterator_too():
    async with Fabric() as fabric:
        events = [event async for event in fabric.session("s", user="u").stream(talk(), "hi")]
    assert events[0] == BlockStarted("talk")
    assert isinstance(events[-1], RunFinished)


async def test_an_error_in_the_middle_of_a_stream_comes_after_the_events_before_it():
    @handler(name="broken")
    def broken(value: str) -> None:
        raise RuntimeError("broke")

    pipeline = sequencer(name="p").then(chat).then(broken)
    async with Fabric() as fabric:
        session = fabric.session("s")
        events: list[object] = []
        with pytest.raises(RuntimeError, match="broke"):
            events.extend(session.stream(pipeline, "hi"))
        seen: list[object] = []

        async def listen() -> None:
            async for event in session.stream(pipeline, "hi"):
                seen.append(event)  # noqa: PERF401  a comprehension would lose what came before the error

        with pytest.raises(RuntimeError, match="broke"):
            await listen()
        assert seen[-1] == BlockFinished("p", error="RuntimeError: broke")
        assert not any(isinstance(event, RunFinished) for event in seen)


def test_leaving_a_stream_early_cancels_the_run():
    cancelled = threading.Event()

    @handler(name="endless")
    async def endless(ctx: Context) -> None:
        ctx.record(Draft("assistant", "message", "well"))
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    with Fabric() as fabric:
        for event in fabric.session("s").stream(endless):
            if isinstance(event, ItemAdded):
                break
        assert cancelled.wait(60)


async def test_a_cancelled_arun_takes_back_what_it_had_not_stored():
    begun = asyncio.Event()

    @handler(name="endless")
    async def endless(ctx: Context) -> None:
        ctx.record(Draft("assistant", "message", "well"))
        begun.set()
        await asyncio.Event().wait()

    async with Fabric() as fabric:
        task = asyncio.create_task(fabric.session("s").arun(endless))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert fabric.session("s").items == []


def test_a_stream_can_be_iterated_once():
    with Fabric() as fabric:
        stream = fabric.session("s").stream(chat, "x")
        list(stream)
        with pytest.raises(ConfigurationError, match="once"):
            list(stream)


def test_a_run_sees_the_items_up_to_its_own_turn():
    both, release = threading.Barrier(2, timeout=60), threading.Event()
    seen: list[list[str]] = []

    @handler(name="slow")
    async def slow(text: str, ctx: Context) -> None:
        ctx.record(Draft("user", "message", text))
        await asyncio.to_thread(both.wait)
        await asyncio.to_thread(release.wait)
        seen.append([item.text for item in ctx.items])

    with Fabric() as fabric:
        session = fabric.session("s")
        first = threading.Thread(target=session.run, args=(slow, "one"))
        first.start()
        both.wait()
        session.add_messages([{"role": "user", "content": "two"}])
        release.set()
        first.join()
        assert seen == [["one"]]
        assert texts(session.items) == ["one", "two"]


def test_many_sessions_do_not_keep_all_logs_in_memory():
    with Fabric() as fabric:
        for number in range(RECENT_SESSIONS + 20):
            fabric.session(f"s{number}").add_messages([{"role": "user", "content": str(number)}])
        assert len(fabric.services.logs) == RECENT_SESSIONS
        assert texts(fabric.session("s0").items) == ["0"]
