"""What the server and the facade cost on top of the block that they call: ``python -m tests.bench.server``."""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import mcp
from mcp.client.stdio import StdioServerParameters, stdio_client

from fabric import Fabric
from pipelines import Memory

TURNS = 500
ROUNDS = 300
CLIENTS = 8
QUERY = "where does the user live?"
TOPICS = ("boats", "bread", "chess", "cats", "violins", "trams", "tea", "maps")


def fill(file: Path) -> None:
    """Write turns of one user."""
    with Memory(file, user="jake") as memory:
        said = [{"role": "user", "content": f"On day {n} I read about {TOPICS[n % 8]} again."} for n in range(TURNS)]
        memory.capture(said)


def facade(file: Path) -> tuple[float, float]:
    """Return the median milliseconds of a recall through the facade, and of the block that it calls."""
    times: dict[str, list[float]] = {"facade": [], "block": []}
    with Fabric(file) as fabric:
        memory = Memory(fabric, user="jake")
        session, block = fabric.session("default", user="jake"), memory.system.recall_block
        calls: dict[str, Callable[[], Any]] = {
            "facade": lambda: memory.recall(QUERY),
            "block": lambda: session.run(block, {"cue": QUERY}).output,
        }
        for _ in range(ROUNDS):
            for name, call in calls.items():
                begun = time.perf_counter()
                call()
                times[name].append((time.perf_counter() - begun) * 1000)
    return statistics.median(times["facade"]), statistics.median(times["block"])


async def timed(call: Callable[[], Awaitable[Any]], rounds: int) -> float:
    """Return the median milliseconds of a call."""
    found: list[float] = []
    for _ in range(rounds):
        begun = time.perf_counter()
        answer = await call()
        assert not answer.is_error, answer
        found.append((time.perf_counter() - begun) * 1000)
    return statistics.median(found[rounds // 10 :])


def server(file: Path) -> StdioServerParameters:
    """Return how the server is started."""
    arguments = ["-m", "pipelines", "mcp", str(file), "--user", "jake", "--session", "default"]
    return StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))


async def over_stdio(file: Path) -> float:
    """Return the median milliseconds of a recall over stdio."""
    async with mcp.Client(stdio_client(server(file))) as client:
        return await timed(lambda: client.call_tool("recall", {"query": QUERY}), ROUNDS)


async def soak(file: Path, calls: int) -> None:
    """Make many calls at once over one connection, and print how the server's memory grows."""
    async with mcp.Client(stdio_client(server(file))) as client:
        for part in range(4):
            each = calls // 4 // CLIENTS
            await asyncio.gather(
                *(timed(lambda: client.call_tool("recall", {"query": QUERY}), each) for _ in range(CLIENTS))
            )
            print(f"after {(part + 1) * each * CLIENTS:,} calls: the server holds {resident(str(file)):.0f} MB")


def resident(name: str) -> float:
    """Return the resident megabytes of the process that serves the file; 0 where the system does not tell."""
    for found in Path("/proc").glob("[0-9]*/cmdline"):
        if name in found.read_bytes().decode(errors="replace") and str(os.getpid()) != found.parent.name:
            pages = int((found.parent / "statm").read_text().split()[1])
            return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    return 0.0


def main() -> None:
    """Print what the ways to one recall cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--soak", type=int, default=0, help="also make so many calls and watch the memory")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "server.duckdb"
        fill(file)
        plain, block = facade(file)
        stdio = asyncio.run(over_stdio(file))
        print(f"recall over {TURNS} turns, median of {ROUNDS}: block {block:.2f} ms")
        print(f"the facade: {plain:.2f} ms, {plain - block:+.2f} on top")
        print(f"over stdio: {stdio:.2f} ms, {stdio - block:+.2f} on top")
        if asked.soak:
            asyncio.run(soak(file, asked.soak))


if __name__ == "__main__":
    main()
