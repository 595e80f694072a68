"""Users of one path in one process share one open file; whoever is the last to close it closes it."""

import asyncio
import threading
from pathlib import Path

import pytest

from fabric import Fabric
from fabric.errors import StoreLockedError
from fabric.sessions.lease import Lease
from fabric.testing import ScriptedModel


def test_leases_of_a_path_share_its_file_and_the_last_closes_it(tmp_path: Path):
    path = tmp_path / "m.duckdb"
    (tmp_path / "link").symlink_to(path)
    first, second, third = Lease(path), Lease(str(path)), Lease(tmp_path / "link")
    assert first.fabric is second.fabric is third.fabric
    first.close()
    first.close()  # a second time gives nothing back
    third.close()
    second.fabric.check_open()
    with pytest.raises(StoreLockedError, match="this process has it open already"):
        Fabric(path)
    second.close()
    Fabric(path).close()


def test_a_plain_fabric_is_not_shared(tmp_path: Path):
    with Fabric(tmp_path / "m.duckdb"), pytest.raises(StoreLockedError, match="this process has it open already"):
        Lease(tmp_path / "m.duckdb")
    Lease(tmp_path / "m.duckdb").close()


def test_memory_and_files_with_a_model_of_their_own_are_not_shared(tmp_path: Path):
    one, two = Lease(":memory:"), Lease(":memory:")
    assert one.fabric is not two.fabric
    one.close()
    two.close()
    own = Lease(tmp_path / "m.duckdb", models=ScriptedModel([]))
    with pytest.raises(StoreLockedError):
        Lease(tmp_path / "m.duckdb")
    own.close()


def test_a_file_that_was_closed_beside_its_leases_is_opened_again(tmp_path: Path):
    first = Lease(tmp_path / "m.duckdb")
    first.fabric.close()
    second = Lease(tmp_path / "m.duckdb")
    first.close()
    second.fabric.check_open()
    second.close()
    Fabric(tmp_path / "m.duckdb").close()


async def test_closing_on_a_loop_lets_the_path_be_opened_on_it(tmp_path: Path):
    first = Lease(tmp_path / "m.duckdb")
    closing = asyncio.create_task(first.aclose())
    await asyncio.sleep(0)
    second = Lease(tmp_path / "m.duckdb")
    await closing
    second.fabric.check_open()
    await second.aclose()
    Fabric(tmp_path / "m.duckdb").close()


def test_threads_open_and_close_one_path(tmp_path: Path):
    failed: list[BaseException] = []

    def use() -> None:
        try:
            for _ in range(4):
                lease = Lease(tmp_path / "m.duckdb")
                lease.fabric.check_open()
                lease.close()
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    Fabric(tmp_path / "m.duckdb").close()
