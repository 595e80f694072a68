"""A portal that was stopped, or for which the system has no thread left, refuses work and leaves nothing behind."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fabric import Fabric
from fabric.errors import StoreError
from fabric.sessions.lease import Lease
from fabric.threads.portal import Portal, aside


@contextmanager
def no_more_threads() -> Generator[None]:
    """Let every new thread want a stack that is larger than the address space."""
    before = threading.stack_size(1 << 60)
    try:
        yield
    finally:
        threading.stack_size(before)


async def answer() -> int:
    return 7


def test_a_stopped_portal_refuses_work_and_starts_no_thread_again():
    portal = Portal("stopped")
    assert portal.run(answer()) == 7
    portal.stop()
    portal.tell(pytest.fail, "nobody is told any more")
    with pytest.raises(StoreError, match="closed meanwhile"):
        portal.run(answer())
    assert "stopped" not in {thread.name for thread in threading.enumerate()}


def test_a_portal_that_finds_no_thread_says_so_and_works_later():
    portal = Portal()
    with no_more_threads(), pytest.raises(RuntimeError, match="can't start new thread"):
        portal.run(answer())
    assert portal.run(answer()) == 7
    portal.stop()


async def test_what_must_be_done_is_done_without_a_thread():
    done: list[int] = []
    with no_more_threads():
        await aside(lambda: done.append(1))
    assert done[0] == 1


def test_a_file_is_closed_though_no_thread_is_found_to_wait_for_its_work(tmp_path: Path):
    fabric = Fabric(tmp_path / "m.duckdb")
    with no_more_threads(), pytest.raises(RuntimeError, match="can't start new thread"):
        fabric.close()
    Fabric(tmp_path / "m.duckdb").close()


async def test_a_lease_that_is_closed_without_a_thread_lets_its_path_be_opened_again(tmp_path: Path):
    lease = Lease(tmp_path / "m.duckdb")
    lease.fabric.session("s").add_messages([{"role": "user", "content": "hi"}])
    lease.fabric.drain()
    with no_more_threads():
        await lease.aclose()
    Lease(tmp_path / "m.duckdb").close()
