"""Milliseconds to reflect five observations beside many stored facts: ``python -m tests.bench.reflect``."""

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from blocks.capture.keep import keep_turns
from blocks.capture.observed import CaptureResult, Observed
from blocks.capture.reflect import reflect_block
from capabilities.semantic import FactInput, FactTable
from capabilities.turns import Exchange, Turn
from capabilities.vocabulary import Observation
from fabric import Fabric, handler
from fabric.flow.context import Context
from fabric.flow.resource import Transaction
from fabric.sessions.session import Session
from fabric.text.words import word_set
from pipelines import MemorySystem, memory_system

SIZES = (100, 1_000, 10_000)
RUNS = 60
WARM_UP = 10
WORDS = sorted(
    word_set(
        "sailing chess jazz bread climbing opera tea cycling pottery judo radio maps orchids kites ferns lisbon oslo "
        "berlin kyoto lima cairo porto turin ghent malmo izmir hanoi quito dakar perth copper velvet amber cedar"
    )
)
VERBS = ("Likes", "Collects", "Was taught about", "Reads about", "Is proud of", "Talks about", "Dreams of", "Sells")
CATEGORIES = ("preference", "attribute", "relationship", "pattern", "belief")


def sentence(number: int) -> str:
    """Return a statement that shares words with many others and is one of a kind."""
    name = "".join(chr(ord("a") + int(digit)) for digit in str(number))
    first, second = WORDS[number % len(WORDS)], WORDS[number // 7 % len(WORDS)]
    return f"{VERBS[number % len(VERBS)]} {first} and {second} from {name}"


def fill(tx: Transaction, mem: MemorySystem, ctx: Context, numbers: range) -> None:
    """Write these facts, half of them about the user."""
    assert mem.layout.semantic is not None
    table = FactTable(tx, mem.layout.semantic, ctx.clock)
    for number in numbers:
        subject = "user" if number % 2 else f"friend{number % 40}"
        table.add(FactInput(subject=subject, content=sentence(number), confidence=0.6, category="preference"))


def observed(ctx: Context, number: int, size: int) -> Observed:
    """Return five observations: three new ones, one that repeats a stored fact, one about somebody else."""
    said = Turn(id=f"turn {number}", session=ctx.session, turn=number, role="user", text="x", said_at=ctx.clock.now())
    fresh = [sentence(1_000_000 + number * 5 + one) for one in range(3)]
    known = sentence(number * 37 % size | 1)
    told = [("user", one) for one in (*fresh, known)] + [("friend4", sentence(2_000_000 + number))]
    return Observed(
        exchange=Exchange(user=said),
        observations=[
            Observation(
                subject=subject, content=content, importance=0.7, durability="persistent", category=CATEGORIES[0]
            )
            for subject, content in told
        ],
    )


async def measure(session: Session, mem: MemorySystem, size: int) -> tuple[float, float, list[Any]]:
    """Return the reflect block's median milliseconds, those of the processor alone, and what its last run did."""
    reflect = reflect_block(mem.layout)
    taken: list[float] = []
    busy: list[float] = []
    results: list[CaptureResult] = []

    @handler(name="bench", uses=mem.layout.resources)
    async def bench(number: int, ctx: Context) -> None:
        for start in range(0, size, 500) if number == 0 else ():
            numbers = range(start, min(size, start + 500))
            await ctx.transact(lambda tx, numbers=numbers: fill(tx, mem, ctx, numbers))
        turn = observed(ctx, number, size)
        await ctx.transact(lambda tx: keep_turns(tx, mem.layout, turn.exchange.turns, tx.read(mem.layout.state)))
        begun, worked = time.perf_counter(), time.process_time()
        results.append(await reflect(turn, ctx))
        taken.append((time.perf_counter() - begun) * 1000)
        busy.append((time.process_time() - worked) * 1000)

    for number in range(RUNS + WARM_UP):
        await session.arun(bench, number)
    return statistics.median(taken[WARM_UP:]), statistics.median(busy[WARM_UP:]), results[-1].outcomes


def main() -> None:
    """Print one line per size and the ratio of the largest to the smallest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    sizes: list[int] = parser.parse_args().sizes
    mem = memory_system(episodic=True, semantic=True)
    medians: dict[int, float] = {}
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder, Fabric(Path(folder) / "reflect.duckdb") as fabric:
            median, busy, outcomes = asyncio.run(measure(fabric.session("bench", user="jake"), mem, size))
        medians[size] = median
        tiers = ", ".join(f"{outcome.status} {outcome.tier}" for outcome in outcomes if outcome.tier == "semantic")
        print(f"{size:>7,} facts: median {median:.2f} ms ({busy:.2f} ms of processor) for 5 observations: {tiers}")
    print(f"ratio {sizes[-1]:,} to {sizes[0]:,}: {medians[sizes[-1]] / medians[sizes[0]]:.2f}")


if __name__ == "__main__":
    main()
