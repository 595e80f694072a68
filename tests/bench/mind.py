"""Milliseconds to assemble the header of a mind, and to recall from it: ``python -m tests.bench.mind``."""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from capabilities.meaning import Meaning
from capabilities.mind import MindBelief, MindEntry, MindGoal, MindReflection, StoreProvider, mind
from fabric import Context, Fabric, handler
from fabric.embedding.choose import default_embedder

NAMESPACE = "mind/bench"
SIZES = (100, 1_000, 10_000)
ROUNDS = 60
WARM_UP = 5


def entries(count: int, ctx: Context) -> list[MindEntry]:
    """Return ten goals, five standing rules, and beliefs and reflections of the last month, half and half."""
    made: list[MindEntry] = []
    for number in range(count):
        moment = ctx.clock.now() - timedelta(minutes=43_200 * number / count)
        shared: dict[str, Any] = {"namespace": NAMESPACE, "created_at": moment, "updated_at": moment}
        said = f"Supplier {number} of region {number % 37} answers within {number % 11} days"
        if number < 10:
            made.append(MindGoal(id=f"mg_{number}", description=said, **shared))
        elif number < 15 or number % 2:
            made.append(MindReflection(id=f"mr_{number}", content=said, pinned=number < 15, **shared))
        else:
            level = "high" if number % 4 else "medium"
            made.append(MindBelief(id=f"mb_{number}", content=said, confidence=level, **shared))
    return made


async def milliseconds(work: Callable[[], Awaitable[object]]) -> float:
    """Return the median time of some rounds."""
    times: list[float] = []
    for _ in range(WARM_UP + ROUNDS):
        began = time.perf_counter()
        await work()
        times.append(time.perf_counter() - began)
    return statistics.median(times[WARM_UP:]) * 1e3


async def measure(count: int, folder: str) -> tuple[float, float, float]:
    """Return the medians of the header, of a recall and of a belief, for a mind of so many entries in a file."""
    provider, meaning = StoreProvider(), Meaning(default_embedder())

    async def measured(ctx: Context) -> tuple[float, float, float]:
        made = entries(count, ctx)
        texts = [one.text for one in made]
        await provider.transact(ctx, NAMESPACE, lambda table: table.put(made), await meaning.embed(texts), texts)
        held, number = ctx.cap.mind, iter(range(10_000))
        return (
            await milliseconds(held.header),
            await milliseconds(lambda: held.recall(f"how fast is supplier {next(number)}")),
            await milliseconds(lambda: held.believe(f"Room {next(number)} of house {next(number)} is free")),
        )

    block = handler(measured, name="measured", uses=[mind(namespace=NAMESPACE)])
    async with Fabric(Path(folder) / f"{count}.duckdb") as fabric:
        found: tuple[float, float, float] = (await fabric.session("s", user="bench").arun(block, None)).output
        return found


async def report(sizes: Sequence[int]) -> None:
    print(f"{'entries':>8} {'header ms':>10} {'recall ms':>10} {'believe ms':>10}   target: header 3 at 1,000")
    with tempfile.TemporaryDirectory() as folder:
        for count in sizes:
            header, recall, believe = await measure(count, folder)
            print(f"{count:8,} {header:10.2f} {recall:10.2f} {believe:10.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES, help="numbers of entries")
    asyncio.run(report(parser.parse_args().sizes))
