"""How much later a reply is for background work, slow or busy, in milliseconds: ``python -m tests.bench.reply``."""

import argparse
import asyncio
import statistics
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from fabric import Block, Fabric, Session, generator, handler, sequencer
from fabric.testing import ScriptedModel
from pipelines import memory_system

from .upkeep import answering, messages

RUNS = 100
WORK_SECONDS = 5.0
QUEUED = 160
QUEUES = 8
QUIET_RUNS = 20
CONCURRENCY = 4
"""How many jobs a fabric does at once unless it is told."""
PAUSE_SECONDS = 0.005
"""How long nobody asks after a reply, so that replies are spread over the draining."""


@handler(name="remember")
async def remember(text: str) -> str:
    """Take as long as a slow model."""
    await asyncio.sleep(WORK_SECONDS)
    return text


def reply_ms(session: Session, pipeline: Block[object, object], text: str) -> float:
    """Return the milliseconds until the reply is there."""
    begun = time.perf_counter()
    session.run(pipeline, text)
    return (time.perf_counter() - begun) * 1000


def beside_sleep(runs: int) -> None:
    """Take turns with and without background work that only waits, and print the medians and their difference."""
    chat = generator(name="chat", model="scripted", user=lambda text: text)
    plain = sequencer(name="plain").then(chat)
    remembering = sequencer(name="remembering").then(chat).work(remember)
    model = ScriptedModel(lambda _: "a reply")
    times: dict[str, list[float]] = {"without": [], "with": []}
    with tempfile.TemporaryDirectory() as directory:
        fabric = Fabric(Path(directory) / "reply.duckdb", models=model)
        for number in range(runs):
            for kind, pipeline in (("without", plain), ("with", remembering)):
                times[kind].append(reply_ms(fabric.session(f"{kind} {number % 10}"), pipeline, f"message {number}"))
        left = len(fabric.jobs())
        fabric.close(timeout=0)
    medians = {kind: statistics.median(found[10:]) for kind, found in times.items()}
    for kind, median in medians.items():
        print(f"reply {kind} background work of {WORK_SECONDS:.0f} s: median {median:.2f} ms over {runs} runs")
    print(f"later by {medians['with'] - medians['without']:.2f} ms ({left} jobs were still waiting at the end)")


def beside_captures(runs: int, model: ScriptedModel | None) -> None:
    """Reply from a plain handler while captures of other sessions drain, and when they are done; print both."""
    mem = memory_system(model=None if model is None else "scripted", episodic=True, semantic=True)
    chat = handler(lambda text: f"You said: {text}", name="chat")
    plain = sequencer(name="plain").then(chat)
    remembering = sequencer(name="remembering").then(chat).work(mem.capture_from_items)
    with (
        tempfile.TemporaryDirectory() as directory,
        Fabric(Path(directory) / "captures.duckdb", models=model) as fabric,
    ):
        queue(fabric, remembering)
        waiting = len(fabric.jobs())
        busy = replies(fabric, [plain, remembering], runs // 2)
        left = len(fabric.jobs())
        fabric.drain()
        quiet = replies(fabric, [plain, remembering], QUIET_RUNS, drained=True)
    who = "rules" if model is None else "a model that answers at once"
    for name, times in busy.items():
        print(f"captures by {who}, {name} reply: {told(times)}; when nothing drains {told(quiet[name])}")
    print(f"  ({waiting} jobs were waiting before, {left} after; p50 at most 3 ms, p95 at most 10 ms)", flush=True)


def queue(fabric: Fabric, pipeline: Block[object, object]) -> None:
    """Let captures of other sessions wait behind work that ends when all are there, and return once that begins."""
    opened = threading.Event()

    @handler(name="hold")
    async def hold(text: str) -> str:
        await asyncio.to_thread(opened.wait)
        return text

    holding = sequencer(name="holding").then(handler(lambda text: text, name="say")).work(hold)
    for number in range(CONCURRENCY):
        fabric.session(f"hold {number}", user="nobody").run(holding, "wait")
    for number, text in enumerate(messages(QUEUED)):
        fabric.session(f"queue {number % QUEUES}", user=f"user {number % QUEUES}").run(pipeline, text)
    waiting = len(fabric.jobs())
    opened.set()
    while len(fabric.jobs()) > waiting - CONCURRENCY:
        time.sleep(PAUSE_SECONDS)


def replies(
    fabric: Fabric, pipelines: Sequence[Block[object, object]], runs: int, *, drained: bool = False
) -> dict[str, list[float]]:
    """Return the milliseconds of replies by each pipeline in turn, to a user whose own captures join the queue."""
    times: dict[str, list[float]] = {pipeline.name: [] for pipeline in pipelines}
    for number in range(runs):
        for pipeline in pipelines:
            session = fabric.session("chat", user="jake")
            times[pipeline.name].append(reply_ms(session, pipeline, f"Hello number {number}"))
            if drained:
                fabric.drain()
            time.sleep(PAUSE_SECONDS)
    return times


def told(times: list[float]) -> str:
    """Return the median and the 95th percentile."""
    return f"p50 {statistics.median(times):.2f} ms, p95 {statistics.quantiles(times, n=20)[-1]:.2f} ms"


def main() -> None:
    """Print how late replies are beside work that waits and beside work that computes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--only", choices=["sleep", "captures"])
    options = parser.parse_args()
    if options.only != "captures":
        beside_sleep(options.runs)
    if options.only != "sleep":
        beside_captures(options.runs, None)
        beside_captures(options.runs, ScriptedModel(answering))


if __name__ == "__main__":
    main()
