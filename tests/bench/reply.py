"""How much later a reply is for slow background work, in milliseconds: ``python -m tests.bench.reply``."""

import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from fabric import Block, Fabric, Session, generator, handler, sequencer
from fabric.testing import ScriptedModel

RUNS = 100
WORK_SECONDS = 5.0


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


def main() -> None:
    """Take turns with and without background work, and print the medians and their difference."""
    chat = generator(name="chat", model="scripted", user=lambda text: text)
    plain = sequencer(name="plain").then(chat)
    remembering = sequencer(name="remembering").then(chat).work(remember)
    model = ScriptedModel(lambda _: "a reply")
    times: dict[str, list[float]] = {"without": [], "with": []}
    with tempfile.TemporaryDirectory() as directory:
        fabric = Fabric(Path(directory) / "reply.duckdb", models=model)
        for number in range(RUNS):
            for kind, pipeline in (("without", plain), ("with", remembering)):
                times[kind].append(reply_ms(fabric.session(f"{kind} {number % 10}"), pipeline, f"message {number}"))
        left = len(fabric.jobs())
        fabric.close(timeout=0)
    medians = {kind: statistics.median(found[10:]) for kind, found in times.items()}
    for kind, median in medians.items():
        print(f"reply {kind} background work of {WORK_SECONDS:.0f} s: median {median:.2f} ms over {RUNS} runs")
    print(f"later by {medians['with'] - medians['without']:.2f} ms ({left} jobs were still waiting at the end)")


if __name__ == "__main__":
    main()
