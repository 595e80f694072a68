"""How long a caller's event loop is held up while it chats with background work: ``python -m tests.bench.loop``."""

import asyncio
import statistics
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from fabric import Fabric, generator, sequencer
from fabric.testing import ScriptedModel
from tests.fabric.small_pipelines import note

TURNS = 100
TICK_SECONDS = 0.001


async def measure_lags(lags: list[float]) -> None:
    """Sleep again and again, and keep by how many milliseconds each sleep was too long."""
    while True:
        begun = time.perf_counter()
        await asyncio.sleep(TICK_SECONDS)
        lags.append((time.perf_counter() - begun - TICK_SECONDS) * 1000)


async def main() -> None:
    """Chat in several sessions at once while the loop's lag is measured, and print it."""
    chat = generator(name="chat", model="scripted", user=lambda text: text)
    pipeline = sequencer(name="noting").then(chat).work(note)
    lags: list[float] = []
    with tempfile.TemporaryDirectory() as directory:
        async with Fabric(Path(directory) / "loop.duckdb", models=ScriptedModel(lambda _: "a reply")) as fabric:
            await fabric.session("first", user="u").arun(pipeline, "hello")
            probe = asyncio.create_task(measure_lags(lags))
            sessions = [fabric.session(f"s{number}", user="u") for number in range(4)]
            for turn in range(TURNS // len(sessions)):
                await asyncio.gather(*(session.arun(pipeline, f"message {turn}") for session in sessions))
            await fabric.adrain()
            probe.cancel()
            with suppress(asyncio.CancelledError):
                await probe
    ordered = sorted(lags)
    p99 = ordered[int(len(ordered) * 0.99)]
    print(
        f"loop lag over {TURNS} turns: median {statistics.median(lags):.2f}, p99 {p99:.2f}, most {ordered[-1]:.2f} ms"
    )


if __name__ == "__main__":
    asyncio.run(main())
