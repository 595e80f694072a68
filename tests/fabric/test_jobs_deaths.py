"""Jobs whose process ended while they ran: each is tried alone, and given up only where it ends it alone."""

import asyncio
import sys
from pathlib import Path

from fabric import Fabric
from fabric.workers.room import Room
from tests import forkserver

from .crash_child import ROOT, SIDE_BY_SIDE, beside

MOST = 1


def die(path: Path) -> int:
    command = [sys.executable, "-m", "tests.fabric.crash_child", str(path), "beside"]
    return forkserver.run(command, cwd=ROOT, check=False).returncode


def test_work_that_ran_beside_what_ended_the_process_is_done_and_only_that_is_given_up(tmp_path: Path):
    path = tmp_path / "beside.duckdb"
    assert [die(path) for _ in range(1 + MOST)] == [9] * (1 + MOST)
    with Fabric(path, max_attempts=MOST) as fabric:
        done: list[str] = []
        fabric.register(beside(done.append))
        (failed,) = fabric.drain()
        assert (failed.input, failed.status, failed.deaths) == ("deadly", "failed", MOST)
        assert "the process ended while it ran alone, in 1 of its tries" in failed.error
        assert fabric.retry(failed).deaths == 0
        assert fabric.drain() == []
        assert done == ["deadly"]
        for name in SIDE_BY_SIDE:
            assert [item.kind for item in fabric.session(name).items].count("outcome") == 1


async def test_one_that_runs_alone_waits_for_others_and_others_for_it():
    room, order = Room(2), list[str]()

    async def work(name: str, *, alone: bool, until: asyncio.Event) -> None:
        async with room.place(alone=alone):
            order.append(name)
            await until.wait()
            order.append(f"{name} ends")

    go = [asyncio.Event() for _ in range(4)]
    tasks = [
        asyncio.create_task(work(name, alone=name.isupper(), until=until))
        for name, until in zip(["a", "B", "C", "d"], go, strict=True)
    ]
    for until in go:
        await asyncio.sleep(0.01)
        assert room.free < 0
        until.set()
    await asyncio.gather(*tasks)
    assert room.free == 2
    alone = order.index("B"), order.index("C")
    assert [order[at + 1] for at in alone] == ["B ends", "C ends"]


async def test_others_wait_for_one_that_runs_alone_no_longer_than_the_room_has_patience():
    room, go = Room(2, patience=0.01), asyncio.Event()
    go.set()

    async def work(*, alone: bool, until: asyncio.Event) -> None:
        async with room.place(alone=alone):
            await until.wait()

    endless = asyncio.create_task(work(alone=True, until=asyncio.Event()))
    await asyncio.wait_for(work(alone=False, until=go), 5)
    endless.cancel()
    await asyncio.gather(endless, return_exceptions=True)
    assert room.free == 2


async def test_who_is_cancelled_while_waiting_for_all_places_gives_back_those_it_had():
    room = Room(2)
    async with room.place(alone=False):
        waiting = asyncio.create_task(room.place(alone=True).__aenter__())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        async with room.place(alone=False):
            assert room.free == 0
    assert room.free == 2
