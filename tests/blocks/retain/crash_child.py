"""A process that is killed while it works: it says "ready", then each turn that it has done."""

import sys

from capabilities.retain import LocalConfig
from fabric import Fabric
from fabric.models.base import Request
from fabric.testing import ScriptedModel

from .small_bank import Agent

SESSIONS = ("a", "b")


def answer(request: Request) -> str:
    """Answer with the message, so that both sides of a turn can be told."""
    return f"re {request.messages[-1]['content']}"


def agent() -> Agent:
    """Return the agent of all processes."""
    return Agent(options=LocalConfig(retain_every_n_turns=3))


def main(path: str, start: int) -> None:
    """Work on in two sessions until killed."""
    works = agent()
    with Fabric(path, models=ScriptedModel(answer)) as fabric:
        fabric.session("warm", user="warm").run(works.pipeline, "What is loaded late is loaded now.")
        print("ready", flush=True)
        for number in range(start, start + 10_000):
            session = SESSIONS[number % 2]
            fabric.session(session, user="jake").run(works.pipeline, f"turn {number} of it")
            print(number, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
