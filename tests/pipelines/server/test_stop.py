"""The server asked to stop in the middle of its work: it ends soon, and the next start does what was not done."""

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from fabric import Fabric
from tests.stub_server import StubServer, hang, text

from .programs import PATIENCE, client_of, served
from .test_frames import request, wired
from .test_server_tools import output

MODEL = ("--user", "jake", "--model", "openai/stub")
NOTHING = '{"observations": []}'
OSLO = (
    '{"observations": [{"content": "Lives in Oslo", "subject": "user", "importance": 0.9, "durability": "permanent"}]}'
)


@pytest.fixture(autouse=True)
def model() -> Iterator[StubServer]:
    before = dict(os.environ)
    with StubServer() as server:
        server.script([hang() for _ in range(20)])
        os.environ |= {"OPENAI_API_BASE": f"{server.url}/v1", "OPENAI_API_KEY": "none"}
        yield server
    os.environ.clear()
    os.environ.update(before)


def asked(model: StubServer, times: int) -> bool:
    ends = time.monotonic() + PATIENCE
    while len(model.requests) < times and time.monotonic() < ends:
        time.sleep(0.02)
    return len(model.requests) >= times


def send(process: "subprocess.Popen[bytes]", signals: list[signal.Signals]) -> None:
    """Send the first signal; what comes after it is sent until it was noticed: two that meet count as one."""
    process.send_signal(signals[0])
    for one in signals[1:]:
        while process.poll() is None:
            time.sleep(0.2)
            process.send_signal(one)


def waiting(file: Path) -> int:
    with Fabric(file) as fabric:
        return len(fabric.jobs("pending"))


@pytest.mark.parametrize(("signals", "code"), [([signal.SIGTERM], 0), ([signal.SIGTERM] * 2, 1)])
async def test_work_that_hangs_ends_with_the_process_and_is_kept(
    tmp_path: Path, model: StubServer, signals: list[signal.Signals], code: int
):
    file = tmp_path / "m.duckdb"
    async with served(file, *MODEL) as (url, process):
        async with client_of(url) as client:
            for number in range(3):
                await output(client, "capture", message=f"I lived in town {number}.")
        assert await asyncio.to_thread(asked, model, 1)
        await asyncio.to_thread(send, process, signals)
        assert await asyncio.to_thread(process.wait, PATIENCE) == code
    assert waiting(file) == 3
    before = len(model.requests)
    model.script([text(NOTHING) for _ in range(3)])
    async with served(file, *MODEL) as (url, _), client_of(url) as client:
        assert await asyncio.to_thread(asked, model, before + 3)
        assert await output(client, "recall", query="town", kinds=["turn"])
    assert waiting(file) == 0


@pytest.mark.parametrize("ends_by", ["SIGTERM", "SIGINT SIGINT", "leaves"])
def test_over_stdio_too(tmp_path: Path, ends_by: str):
    file = tmp_path / "m.duckdb"
    with wired(file, "--model", "openai/stub") as wire:
        wire.greet()
        wire.write(request("tools/call", {"name": "capture", "arguments": {"message": "I live in Oslo."}}))
        assert not wire.read()["result"]["isError"]
        if ends_by == "leaves":
            wire.to.close()
        else:
            send(wire.process, [signal.Signals[part] for part in ends_by.split()])
        assert wire.process.wait(PATIENCE) == (1 if " " in ends_by else 0)
    assert waiting(file) == 1
