"""How long a tool call waits that retains for a server: ``python -m tests.bench.retain_queue``.

The memory is on the disk before its call returns, so that none is shorter than the disk's own fsync, which is printed
beside it, and neither is a transaction that writes one row of two fields.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from pydantic import BaseModel

from capabilities.retain import Bank, HindsightConfig, RetainItem
from capabilities.retain.hindsight import HINDSIGHT_RESOURCES, HindsightBackend
from fabric import Collection, Context, Fabric, handler
from tests.hindsight import hindsight_double

from .tools import Cost, fsync


class Plain(BaseModel):
    """A row as small as rows are."""

    id: str
    content: str


PLAIN = Collection("plain", Plain, "session")
CONTENT = "Decision {}: deployments go through the staging cluster first, because of the outage in May."


async def costs(call: Callable[[int], Awaitable[object]], rounds: int) -> list[Cost]:
    """Return what calls cost, after twenty that do not count, one each ten milliseconds."""
    found: list[Cost] = []
    for number in range(rounds + 20):
        wall, processor = time.perf_counter(), time.process_time()
        await call(number)
        found.append(Cost((time.perf_counter() - wall) * 1e3, (time.process_time() - processor) * 1e3))
        await asyncio.sleep(0.01)
    return found[20:]


def told(name: str, found: list[Cost]) -> str:
    """Return a line of the table."""
    wall = sorted(one.wall for one in found)
    processor = statistics.median(one.processor for one in found)
    return f"{name:<22}{statistics.median(wall):>8.2f}{wall[int(len(wall) * 0.95)]:>8.2f}{processor:>11.2f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--folder", help="where the file is made; a temporary one by default")
    asked = parser.parse_args()
    with hindsight_double() as server, tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        backend = HindsightBackend(HindsightConfig(api_url=server.url), Bank("bench", ("bench",), ("project:bench",)))

        @handler(name="bench", uses=[*HINDSIGHT_RESOURCES, PLAIN])
        async def measure(_: object, ctx: Context) -> list[str]:
            async def retain(number: int) -> None:
                await backend.retain(ctx, [RetainItem(content=CONTENT.format(number))])

            async def plain(number: int) -> None:
                row = Plain(id=str(number), content=CONTENT.format(number))
                await ctx.transact(lambda tx: tx.put(PLAIN, [row], new=True))

            await backend.recall(ctx, "warm")  # the client's library is imported
            lines = [told("one row", await costs(plain, asked.rounds))]
            return [*lines, told("retain, and flushes", await costs(retain, asked.rounds))]

        with Fabric(Path(folder) / "bench.duckdb") as fabric:
            lines = fabric.session("bench", user="jake").run(measure).output
        print(f"{'milliseconds':<22}{'p50':>8}{'p95':>8}{'processor':>11}")
        print(*lines, f"{'fsync':<22}{fsync(Path(folder)).wall:>8.2f}", sep="\n")


if __name__ == "__main__":
    main()
