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

from .crowd import crowd, told

TURNS = 500
ROUNDS = 300
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


def main() -> None:
    """Print what the ways to one recall cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=0, help="also make so many calls over HTTP, and watch the server")
    parser.add_argument("--clients", type=int, default=8, help="how many make them, each with a token of its own")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "server.duckdb"
        fill(file)
        plain, block = facade(file)
        stdio = asyncio.run(over_stdio(file))
        print(f"recall over {TURNS} turns, median of {ROUNDS}: block {block:.2f} ms")
        print(f"the facade: {plain:.2f} ms, {plain - block:+.2f} on top")
        print(f"over stdio: {stdio:.2f} ms, {stdio - block:+.2f} on top")
        if asked.calls:
            print("\n".join(told(*crowd(Path(folder), asked.clients, asked.calls))))


if __name__ == "__main__":
    main()
