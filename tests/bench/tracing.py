"""What spans cost: a step of a sequencer and a whole run, while nobody traces, and while the SDK records.

``python -m tests.bench.tracing``: each line is the median processor time and its ratio to the first.
"""

import asyncio
import statistics
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from fabric import Block, Fabric, handler, sequencer

STEPS = 20
ROUNDS = 100
REPEATS = 15


async def trivial(value: Any) -> Any:
    return value


def chain() -> Block[Any, Any]:
    made = sequencer(name="chain")
    for number in range(STEPS):
        made = made.then(handler(trivial, name=f"step {number}"))
    return made


async def measure(fabric: Fabric, steps: Block[Any, Any], one: Block[Any, Any]) -> tuple[float, float]:
    """Return the seconds that a step takes inside of one run, and that a run of one step takes."""
    session = fabric.session("s")
    spent: list[float] = []

    async def repeated(value: Any, ctx: Any) -> None:
        began = time.process_time()
        for _ in range(ROUNDS):
            await steps(value, ctx)
        spent.append((time.process_time() - began) / ROUNDS / STEPS)

    await session.arun(handler(repeated, name="repeated"), 1)
    began = time.process_time()
    for _ in range(ROUNDS):
        await session.arun(one, 1)
    return spent[0], (time.process_time() - began) / ROUNDS


@contextmanager
def nobody() -> Generator[None]:
    yield


@contextmanager
def recorded(rate: float) -> Generator[None]:
    from opentelemetry.sdk.trace.sampling import ParentBasedTraceIdRatio

    from tests.fabric.recorded import recording

    with recording(ParentBasedTraceIdRatio(rate)):
        yield


async def report() -> None:
    steps, one = chain(), handler(trivial, name="one")
    ways: dict[str, Any] = {
        "a provider, nothing sampled": lambda: recorded(0.0),
        "a provider, all recorded": lambda: recorded(1.0),
    }
    async with Fabric() as fabric:
        before = [await measure(fabric, steps, one) for _ in range(REPEATS)]
        assert "opentelemetry" not in sys.modules
        times: dict[str, list[tuple[float, float]]] = {"nobody, and no library loaded": before}
        ways = {"nobody, the library loaded": nobody, **ways}
        for _ in range(REPEATS):
            for name, way in ways.items():
                with way():
                    times.setdefault(name, []).append(await measure(fabric, steps, one))
    base = [statistics.median(column) for column in zip(*before, strict=True)]
    print(f"{'who traces':32} {'a step':>10} {'ratio':>7} {'a run':>10} {'ratio':>7}")
    for name, taken in times.items():
        step, run = (statistics.median(column) for column in zip(*taken, strict=True))
        print(f"{name:32} {step * 1e6:7.2f} us {step / base[0]:6.1f}x {run * 1e6:7.1f} us {run / base[1]:6.1f}x")


if __name__ == "__main__":
    asyncio.run(report())
