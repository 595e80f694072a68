"""What the six memory tools cost beside the number of traces, called as an agent loop calls them, on a file.

Every write is on the disk before its call returns, so that no call is shorter than the disk's own fsync, which is
printed; a folder in memory (``--folder /dev/shm``) shows what is left without it.
"""

import argparse
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from blocks.tools import MemoryTools, memory_tools
from capabilities.traces.record import Trace, content_hash
from capabilities.traces.tables import USER
from capabilities.traces.words import count_words
from fabric import Context, Fabric, handler
from fabric.sessions.toolhost import ToolHost

SIZES = (200, 2_000, 20_000, 100_000)
REFERENCE = {
    ("add", 2_000): "0.6",
    ("add", 20_000): "15",
    ("search", 20_000): "2.5",
    ("update", 20_000): "40",
    ("merge", 20_000): "40",
}
"""Milliseconds of a Node implementation over SQLite FTS5, as measured on another machine."""
SYLLABLES = ("ka", "lo", "mi", "ren", "tas", "vel", "dor", "pin", "gra", "shu", "bel", "nor", "fi", "zan")
VOCABULARY = [one + two + three for one in SYLLABLES for two in SYLLABLES for three in SYLLABLES]
BATCH = 5_000
COLUMNS = ("add", "search", "update", "merge", "reflect", "fsync")
ROUNDS = 60


class Cost(NamedTuple):
    """Milliseconds that passed, and those for which this process had a processor, on all of its threads."""

    wall: float
    processor: float


def words(chance: random.Random, count: int) -> list[str]:
    """Return some words, common ones more often, as in a language."""
    return [VOCABULARY[min(int(chance.paretovariate(0.6)), len(VOCABULARY)) - 1] for _ in range(count)]


def traces(count: int, ctx: Context) -> Iterator[list[Trace]]:
    """Return made-up traces, in batches."""
    chance, now = random.Random(7), ctx.clock.now()
    for first in range(0, count, BATCH):
        batch: list[Trace] = []
        for number in range(first, min(first + BATCH, count)):
            content, tags = f"User {' '.join(words(chance, chance.randint(6, 20)))} {number}", tuple(words(chance, 2))
            batch.append(
                Trace(
                    id=f"mt_bench{number}",
                    content=content,
                    tags=tags,
                    content_hash=content_hash(content),
                    created_at=now,
                    updated_at=now,
                    stability=7.8e6,
                    length=count_words(content, tags),
                )
            )
        yield batch


def queries(chance: random.Random) -> Iterator[str]:
    """Return queries of every kind in turn."""
    forms: Sequence[Callable[[list[str]], str]] = (
        lambda w: w[0],
        lambda w: f"{w[0]} {w[1]}",
        lambda w: f"What does the user {w[0]} about {w[1]} and {w[2]}?",
        lambda w: f"{w[0]} OR {w[1]} OR {w[2]}",
        lambda w: f"{w[0]} NOT {w[1]}",
        lambda w: f'"{w[0]} {w[1]}"',
        lambda w: f"{w[0][:4]}*",
    )
    while True:
        for form in forms:
            yield form(words(chance, 3))


def median(work: Callable[[], object], rounds: int) -> Cost:
    """Return the median cost of a call, after three that do not count."""
    costs = [once(work) for _ in range(rounds + 3)][3:]
    return Cost(statistics.median(cost.wall for cost in costs), statistics.median(cost.processor for cost in costs))


def once(work: Callable[[], object]) -> Cost:
    """Return what one call costs."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return Cost((time.perf_counter() - wall) * 1e3, (time.process_time() - processor) * 1e3)


def output(host: ToolHost, tool: str, **arguments: object) -> dict[str, object]:
    """Return what a tool gives out."""
    envelope = host.call(tool, arguments)
    assert envelope["success"], envelope
    found: dict[str, object] = envelope["output"]
    return found


def measure(host: ToolHost, rounds: int) -> dict[str, Cost]:
    """Return the median cost of each tool, and that of one memory_reflect."""
    chance = random.Random(8)
    asked, numbers = queries(chance), iter(range(10**9))

    def text() -> str:
        return f"{' '.join(words(chance, 12))} new {next(numbers)}"

    def pair() -> list[object]:
        return [output(host, "memory_add", content=text())["trace_id"] for _ in range(2)]

    pairs = [pair() for _ in range(rounds + 3)]
    left = iter(pairs)
    changed = output(host, "memory_add", content=text())["trace_id"]
    found = {
        "add": median(lambda: output(host, "memory_add", content=text(), tags=["bench"]), rounds),
        "search": median(lambda: output(host, "memory_search", query=next(asked)), rounds * 3),
        "update": median(lambda: output(host, "memory_update", trace_id=changed, content=text()), rounds),
        "merge": median(lambda: output(host, "memory_merge", trace_ids=next(left)), rounds),
    }
    return {**found, "reflect": once(lambda: output(host, "memory_reflect"))}


def fsync(folder: Path) -> Cost:
    """Return in which time this disk keeps two kilobytes."""
    with (folder / "fsync").open("wb", buffering=0) as file:

        def keep() -> None:
            file.write(b"-" * 2_000)
            os.fsync(file.fileno())

        return median(keep, ROUNDS)


def run(pack: MemoryTools, size: int, rounds: int, place: str | None) -> dict[str, Cost]:
    """Fill a new file with so many traces of one user, and measure."""

    @handler(name="fill", uses=[pack.traces])
    async def fill(count: int, ctx: Context) -> None:
        for batch in traces(count, ctx):
            await ctx.transact(lambda tx, batch=batch: tx.put(USER.traces, batch))  # type: ignore[misc]

    with tempfile.TemporaryDirectory(dir=place) as folder, Fabric(Path(folder) / "traces.duckdb") as fabric:
        fabric.session("bench", user="jake").run(fill, size)
        found = measure(pack.host(fabric, session="bench", user="jake"), rounds)
        return {**found, "fsync": fsync(Path(folder))}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--vectors", action="store_true", help="with the default embedder; else by words alone")
    parser.add_argument("--folder", help="where the files are made; a temporary one by default")
    asked = parser.parse_args()
    pack = memory_tools(embedder="default" if asked.vectors else None)
    print("median milliseconds, below them those of the processor, for machines that others use;")
    print("in brackets those of a Node reference over SQLite FTS5, on another machine")
    print(f"{'traces':>8}" + "".join(f"{name:>14}" for name in COLUMNS))
    for size in asked.sizes:
        found = run(pack, size, asked.rounds, asked.folder)
        notes = [REFERENCE.get((name, size), "") for name in COLUMNS]
        cells = [
            f"{found[name].wall:.2f}{f' ({note})' if note else ''}" for name, note in zip(COLUMNS, notes, strict=True)
        ]
        print(f"{size:>8,}" + "".join(f"{cell:>14}" for cell in cells), flush=True)
        print(f"{'':>8}" + "".join(f"{found[name].processor:>14.2f}" for name in COLUMNS), flush=True)


if __name__ == "__main__":
    main()
