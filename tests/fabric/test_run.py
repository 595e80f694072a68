"""Opening a file, running blocks from any kind of code, and closing."""

import asyncio
import contextvars
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import structlog

import fabric as package
from fabric import Context, Fabric, handler
from fabric.errors import ConfigurationError, NestedRunError, ScopeError, StoreError
from fabric.floors import check_floors
from fabric.flow.sequencer import sequencer

from .small_pipelines import chat, note, notes, talk, texts


@handler
def double(value: int) -> int:
    return value * 2


def test_a_run_returns_the_output_and_iterates_over_it():
    @handler(name="list")
    def listed(value: int) -> list[int]:
        return [value, value + 1]

    with Fabric() as fabric:
        result = fabric.session("s").run(listed, 3)
    assert result.output == [3, 4]
    assert list(result) == [3, 4]
    assert not result.replayed


async def test_arun_works_on_the_callers_own_loop():
    @handler(name="where")
    async def where(ctx: Context) -> int:
        return threading.get_ident()

    async with Fabric() as fabric:
        result = await fabric.session("s").arun(where)
    assert result.output == threading.get_ident()


async def test_sync_calls_work_inside_a_running_loop():
    with Fabric() as fabric:
        assert fabric.session("s", user="jake").run(talk(), "hello").output == "re: hello"
        assert fabric.drain() == []
        assert texts(fabric.session("s", user="jake").items) == ["hello", "re: hello"]


def test_a_sync_call_from_inside_a_block_is_refused_and_says_what_to_do():
    with Fabric() as fabric:
        session = fabric.session("s")

        @handler(name="nested")
        def nested(value: int) -> int:
            return session.run(double, value).output

        @handler(name="other")
        def other(call: Callable[[], object]) -> None:
            call()

        for call in (
            fabric.drain,
            fabric.close,
            lambda: session.add_messages([]),
            lambda: list(session.stream(double)),
        ):
            with pytest.raises(NestedRunError, match=r"other: .*await block\(value, ctx\)"):
                session.run(other, call)
        with pytest.raises(NestedRunError, match="nested"):
            session.run(nested, 1)
        assert session.run(double, 2).output == 4


async def test_a_nested_call_is_refused_on_the_callers_own_loop_too():
    async with Fabric() as fabric:
        session = fabric.session("s")

        @handler(name="nested")
        def nested(value: int) -> int:
            return session.run(double, value).output

        with pytest.raises(NestedRunError):
            await session.arun(nested, 1)
        assert session.run(double, 2).output == 4


def test_background_work_may_not_wait_for_itself(tmp_path: Path):
    refused: list[str] = []
    with Fabric() as fabric:

        @handler(name="waiter")
        async def waiter(ctx: Context) -> None:
            for wait in (fabric.adrain, fabric.aclose):
                try:
                    await wait()
                except NestedRunError as error:
                    refused.append(str(error))

        fabric.session("s").run(talk(waiter), "hi")
        fabric.drain()
    assert len(refused) == 2
    assert "talk > waiter" in refused[0]


def test_the_callers_context_variables_reach_blocks_and_background_work():
    trace: contextvars.ContextVar[str] = contextvars.ContextVar("trace", default="none")
    seen: list[tuple[str, str]] = []

    @handler(name="front")
    def front(value: str) -> str:
        seen.append((trace.get(), str(structlog.contextvars.get_contextvars().get("request"))))
        return value

    @handler(name="back")
    def back(value: str) -> None:
        seen.append((trace.get(), str(structlog.contextvars.get_contextvars().get("request"))))

    with Fabric() as fabric:
        trace.set("abc")
        with structlog.contextvars.bound_contextvars(request="r1"):
            fabric.session("s").run(sequencer(name="traced").then(front).work(back), "x")
        trace.set("later")
        fabric.drain()
    assert seen == [("abc", "r1"), ("abc", "r1")]


def test_an_exit_asked_for_in_a_block_reaches_the_caller_and_spares_the_others():
    @handler(name="leave")
    def leave() -> None:
        sys.exit(3)

    with Fabric() as fabric:
        with pytest.raises(SystemExit):
            fabric.session("s").run(leave)
        assert fabric.session("s").run(double, 2).output == 4


def test_two_users_with_one_session_id_see_nothing_of_each_other(tmp_path: Path):
    pipeline = talk()
    with Fabric(tmp_path / "two.duckdb") as fabric:
        jake, mary = fabric.session("monday", user="jake"), fabric.session("monday", user="mary")
        jake.run(pipeline, "I am Jake", turn_id="1")
        mary.run(pipeline, "I am Mary", turn_id="1")
        fabric.drain()
        assert texts(jake.items) == ["I am Jake", "re: I am Jake"]
        assert texts(mary.items) == ["I am Mary", "re: I am Mary"]
        assert jake.run(notes).output == ["re: I am Jake"]
        assert mary.run(notes).output == ["re: I am Mary"]
        assert fabric.session("monday").items == []


def test_sixteen_threads_keep_every_turn_of_every_session_apart_and_in_order(tmp_path: Path):
    pipeline = talk()
    with Fabric(tmp_path / "many.duckdb") as fabric:

        def converse(number: int) -> None:
            session = fabric.session("same", user=f"user{number % 8}")
            for turn in range(4):
                session.run(pipeline, f"{number}:{turn}")

        with ThreadPoolExecutor(16) as pool:
            list(pool.map(converse, range(16)))
        assert fabric.drain() == []
        for user in range(8):
            session = fabric.session("same", user=f"user{user}")
            said = [item for item in session.items if item.role == "user"]
            assert sorted(item.text for item in said) == sorted(f"{n}:{t}" for n in (user, user + 8) for t in range(4))
            assert [item.turn for item in said] == list(range(1, 9))
            assert [item.seq for item in session.items] == list(range(1, 25))
            assert sorted(session.run(notes).output) == sorted(f"re: {item.text}" for item in said)


def test_calls_that_meet_a_closing_fabric_finish_or_get_a_store_error():
    fabric = Fabric()
    errors: list[BaseException] = []
    finished: list[str] = []
    started = threading.Barrier(9, timeout=60)

    def converse(number: int) -> None:
        started.wait()
        try:
            finished.extend(fabric.session(f"s{number}").run(talk(), f"{turn}").output for turn in range(50))
        except BaseException as error:  # which one it is, is the question
            errors.append(error)

    threads = [threading.Thread(target=converse, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    started.wait()
    fabric.close()
    for thread in threads:
        thread.join()
    assert all(isinstance(error, StoreError) for error in errors), errors


def test_a_closed_fabric_says_so():
    fabric = Fabric()
    session = fabric.session("s")
    fabric.close()
    fabric.close()
    for call in (
        lambda: session.run(double, 1),
        lambda: session.items,
        lambda: session.add_messages([]),
        lambda: fabric.session("s"),
        fabric.jobs,
        fabric.drain,
        fabric.__enter__,
    ):
        with pytest.raises(StoreError, match="closed"):
            call()


async def test_leaving_an_async_with_block_finishes_background_work(tmp_path: Path):
    done: list[str] = []

    @handler(name="slow")
    async def slow(text: str) -> None:
        await asyncio.sleep(0.05)
        done.append(text)

    pipeline = talk(slow)
    async with Fabric(tmp_path / "exit.duckdb") as fabric:
        for number in range(3):
            await fabric.session("s").arun(pipeline, str(number))
    assert done == ["re: 0", "re: 1", "re: 2"]


def test_an_interrupt_closes_without_waiting_for_background_work(tmp_path: Path):
    hang = threading.Event()

    @handler(name="hang")
    async def hanging(text: str) -> None:
        hang.set()
        await asyncio.Event().wait()

    def interrupted() -> None:
        with Fabric(tmp_path / "stop.duckdb") as fabric:
            fabric.session("s").run(talk(hanging), "x")
            assert hang.wait(60)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with Fabric(tmp_path / "stop.duckdb") as fabric:
        (left,) = fabric.jobs()
        assert (left.status, left.attempts, left.block) == ("pending", 0, "talk > hang")


def test_the_resources_of_a_pipeline_are_installed_by_running_it():
    with Fabric() as fabric:
        assert fabric.session("s", user="u").run(notes).output == []


@pytest.mark.parametrize("wrong", ["", "  ", 7, "x" * 600])
def test_an_id_that_cannot_be_one_is_refused(wrong: object):
    with Fabric() as fabric:
        with pytest.raises(ScopeError, match="session"):
            fabric.session(wrong)  # type: ignore[arg-type]
        with pytest.raises(ScopeError, match="user"):
            fabric.session("s", user=wrong)  # type: ignore[arg-type]


def test_limits_that_cannot_work_are_refused():
    with pytest.raises(ConfigurationError, match="max_concurrency"):
        Fabric(max_concurrency=0)
    with pytest.raises(ConfigurationError, match="attempts"):
        Fabric(max_attempts=0)


def test_a_block_without_a_user_that_needs_one_says_what_to_do():
    with Fabric() as fabric, pytest.raises(ScopeError, match=r"user=\.\.\."):
        fabric.session("s").run(note, "x")


def test_public_names_are_sorted_and_there():
    assert package.__all__ == sorted(package.__all__)
    assert [name for name in package.__all__ if not hasattr(package, name)] == []


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, fabric; print([m for m in ('litellm', 'duckdb', 'networkx', 'structlog') if m in sys.modules])"
    root = Path(__file__).parents[2]
    assert subprocess.check_output([sys.executable, "-c", code], text=True, cwd=root).strip() == "[]"


def test_a_shadowed_floor_is_an_error_that_names_both_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "floorboards").mkdir()
    (tmp_path / "floorboards" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    check_floors(tmp_path, ["floorboards"])
    with pytest.raises(ImportError, match=r"shadowed by .*floorboards; expected .*home"):
        check_floors(tmp_path / "home", ["floorboards"])


def test_a_chat_step_records_the_turn():
    with Fabric() as fabric:
        result = fabric.session("s").run(chat, "hello")
        assert result.turn == 1
        assert texts(result.items) == ["hello", "re: hello"]
        assert fabric.session("s").run(chat, "again").turn == 2
