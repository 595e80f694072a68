"""What the calls of banks in a file cost beside the number of memories, as a tool makes them, on a file.

A retained memory is on the disk before its call returns, so that no call is shorter than the disk's own fsync, which is
printed; a folder in memory (``--folder /dev/shm``) shows what is left without it.
"""

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from blocks.retain.answering import local_backend
from capabilities.retain import Bank, Edit, LocalConfig, RetainItem
from capabilities.retain.local import LOCAL_RESOURCES, LocalBackend
from fabric import Context, Fabric, handler

from .tools import Cost, fsync, words

SIZES = (100, 10_000)
ROUNDS = 100
BATCH = 500
COLUMNS = ("retain", "p95", "recall", "edit", "fsync")
EDIT = Edit(op="update", id="none", importance=0.5)


@handler(name="bench", uses=list(LOCAL_RESOURCES))
async def inside(work: Callable[[Context], Awaitable[Any]], ctx: Context) -> Any:
    """Do something in a running block."""
    return await work(ctx)


async def costs(call: Callable[[int], Awaitable[object]], rounds: int) -> list[Cost]:
    """Return what calls cost, after five that do not count."""
    found: list[Cost] = []
    for number in range(rounds + 5):
        wall, processor = time.perf_counter(), time.process_time()
        await call(number)
        found.append(Cost((time.perf_counter() - wall) * 1e3, (time.process_time() - processor) * 1e3))
        await asyncio.sleep(0)
    return found[5:]


def median(found: list[Cost]) -> Cost:
    """Return the median of both."""
    return Cost(statistics.median(one.wall for one in found), statistics.median(one.processor for one in found))


def content(chance: random.Random, number: int) -> str:
    """Return a made-up memory."""
    return f"Service {number} {' '.join(words(chance, 14))}, and the user prefers {words(chance, 1)[0]}{number}."


async def measure(ctx: Context, backend: LocalBackend, rounds: int) -> dict[str, Cost]:
    """Return what each call costs now."""
    chance, ids = random.Random(9), list[str]()

    async def retain(number: int) -> None:
        item = RetainItem(content=content(chance, 10**6 + number), context="bench")
        ids.extend((await backend.retain(ctx, [item])).ids)

    async def recall(_: int) -> None:
        await backend.recall(ctx, f"which service {' '.join(words(chance, 3))}?")

    async def edit(number: int) -> None:
        await backend.edit(ctx, EDIT.model_copy(update={"id": ids[number], "content": content(chance, number)}))

    await backend.recall(ctx, "warm")
    retained = await costs(retain, rounds)
    slowest = sorted(retained, key=lambda one: one.wall)[int(len(retained) * 0.95)]
    return {
        "retain": median(retained),
        "p95": slowest,
        "recall": median(await costs(recall, rounds)),
        "edit": median(await costs(edit, rounds)),
    }


def run(size: int, rounds: int, place: str | None, embedder: str | None) -> tuple[dict[str, Cost], float]:
    """Fill a new file with so many memories, and measure; return also the milliseconds that settling one takes."""
    backend = local_backend(LocalConfig(), Bank("bench", ("bench", "default")), embedder)
    chance = random.Random(7)
    with tempfile.TemporaryDirectory(dir=place) as folder, Fabric(Path(folder) / "banks.duckdb") as fabric:
        session = fabric.session("bench", user="jake")
        for first in range(0, size, BATCH):
            items = [RetainItem(content=content(chance, number)) for number in range(first, min(first + BATCH, size))]
            session.run(inside, lambda ctx, items=items: backend.retain(ctx, items))  # type: ignore[misc]
        begun = time.perf_counter()
        session.run(inside, backend.flush)
        settled = (time.perf_counter() - begun) * 1e3 / size
        found: dict[str, Cost] = session.run(inside, lambda ctx: measure(ctx, backend, rounds)).output
        return {**found, "fsync": fsync(Path(folder))}, settled


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--words", action="store_true", help="by words alone; else with the default embedder")
    parser.add_argument("--folder", help="where the files are made; a temporary one by default")
    asked = parser.parse_args()
    print("median milliseconds (p95: of retain), below them those of the processor, for machines that others use")
    print(f"{'memories':>10}" + "".join(f"{name:>10}" for name in COLUMNS) + "    flush, a memory")
    for size in asked.sizes:
        found, settled = run(size, asked.rounds, asked.folder, None if asked.words else "default")
        print(f"{size:>10,}" + "".join(f"{found[name].wall:>10.2f}" for name in COLUMNS) + f"{settled:>19.2f}")
        print(f"{'':>10}" + "".join(f"{found[name].processor:>10.2f}" for name in COLUMNS), flush=True)


if __name__ == "__main__":
    main()
