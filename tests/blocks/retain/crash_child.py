"""A process that is killed while it works: it says "ready", then each turn that it has done."""

import sys
from pathlib import Path

from fabric import Fabric, generator, sequencer
from fabric.flow.block import Block
from fabric.models.base import Request
from fabric.testing import ScriptedModel
from pipelines import retain_memory
from pipelines.retain import RetainSystem

SESSIONS = ("a", "b")


def answer(request: Request) -> str:
    """Answer with the message, so that both sides of a turn can be told."""
    return f"re {request.messages[-1]['content']}"


def bank_of(folder: Path, url: str) -> RetainSystem:
    """Return the bank of all processes: on the server at ``url``, or in the file where there is none."""
    options = {"retain_every_n_turns": 3, "first_turn_deadline": 300.0}
    return retain_memory(
        backend="hindsight" if url else "local",
        cwd=folder,
        local=options,
        hindsight={**options, "api_url": url or "http://[::1]:1", "mental_models_enabled": False},
        embedder=None,
    )


def working(bank: RetainSystem) -> Block[str, str]:
    """Return the pipeline of an agent that says again what it is told."""
    coder = generator(name="coder", model="m", history=2, uses=[bank.capability])
    return sequencer(name="coding").then(coder).work(bank.auto_retain)


def main(folder: Path, url: str, start: int) -> None:
    """Work on in two sessions until killed."""
    pipeline = working(bank_of(folder, url))
    with Fabric(folder / "bank.duckdb", models=ScriptedModel(answer)) as fabric:
        fabric.session("warm", user="warm").run(pipeline, "What is loaded late is loaded now.")
        print("ready", flush=True)
        for number in range(start, start + 10_000):
            fabric.session(SESSIONS[number % 2], user="jake").run(pipeline, f"turn {number} of it")
            print(number, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
