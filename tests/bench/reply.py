"""How much later a reply is for background work, slow or busy, in milliseconds: ``python -m tests.bench.reply``."""

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from fabric import Block, Fabric, Session, generator, handler, sequencer
from fabric.testing import ScriptedModel
from pipelines import memory_system

from .upkeep import answering, messages

RUNS = 100
WORK_SECONDS = 5.0
QUEUED = 400
QUEUES = 8
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
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "captures.duckdb"
        queue(path, remembering, model)
        with Fabric(path, models=model) as fabric:
            fabric.register(remembering)
            waiting = len(fabric.jobs())
            busy = {pipeline.name: replies(fabric, pipeline, runs) for pipeline in (plain, remembering)}
            left = len(fabric.jobs())
            fabric.drain()
            quiet = {pipeline.name: replies(fabric, pipeline, 20, drained=True) for pipeline in (plain, remembering)}
    who = "rules" if model is None else "a model that answers at once"
    for name, times in busy.items():
        print(f"captures by {who}, {name} reply: {told(times)}; when nothing drains {told(quiet[name])}")
    print(f"  ({waiting} captures were waiting before, {left} after; p50 at most 3 ms, p95 at most 10 ms)")


def queue(path: Path, pipeline: Block[object, object], model: ScriptedModel | None) -> None:
    """Leave captures of other sessions in a file, none of which is done."""
    fabric = Fabric(path, models=model)
    for number, text in enumerate(messages(QUEUED)):
        fabric.session(f"queue {number % QUEUES}", user=f"user {number % QUEUES}").run(pipeline, text)
    fabric.close(timeout=0)


def replies(fabric: Fabric, pipeline: Block[object, object], runs: int, *, drained: bool = False) -> list[float]:
    """Return the milliseconds of replies to a user whose own captures join the queue."""
    times: list[float] = []
    for number in range(runs):
        times.append(reply_ms(fabric.session("chat", user="jake"), pipeline, f"Hello number {number}"))
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
