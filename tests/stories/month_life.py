"""A process that lives a month with a cognitive memory: ``python -m tests.stories.month_life FILE URL TURNS FIRST ID``.

It says "stored NUMBER REPLY" once a turn is stored, and "drained NUMBER" once nothing is left to do behind it.
"""

import json
import sys
from pathlib import Path
from typing import Any

from fabric import Context, Fabric, generator, handler, sequencer
from fabric.models.litellm import LiteLLMClient
from fabric.testing import FrozenClock
from pipelines import cognitive_memory, cognitive_turn
from tests.stories.month import Month

CHANCES = (0.9, 0.01, 0.6, 0.02, 0.4, 0.99, 0.05)
"""What is drawn by chance: now and then an old trace comes unasked."""


class Present:
    """The month, and the turn that is under way."""

    month = Month(1)
    number = 0


def mood() -> tuple[float, float, float]:
    """Return how the agent feels in the turn that is under way."""
    return (-0.9, 0.9, 0.0) if Present.month.is_felt(Present.number) else (0.1, 0.2, 0.0)


MIND = cognitive_memory(
    traits={"honesty": 0.7, "emotionality": 0.6},
    mood=mood,
    model="openai/stub",
    features="words",
    mechanisms={"temporal_gist": {"age_days": 4}, "involuntary_recall": {"min_age_days": 3, "probability": 0.3}},
    observer={"messages": 6, "compress_at": 8},
    reflector={"tokens": 80},
    embedder=None,
)


@handler(name="plan", uses=[MIND.prospective])
async def plan(message: str, ctx: Context) -> str:
    """Make the reminders of the turn, and hand the message on."""
    for one in Present.month.plans(Month.number_of(message)):
        await ctx.cap.prospective.remind(**one)
    return message


def _events(ctx: Context) -> list[str]:
    said = ctx.run.said
    return Present.month.events(Month.number_of(said.text)) if said is not None else []


REPLY = generator(
    name="reply", model="openai/stub", system="You answer.", context=[MIND.assemble(4_000, events=_events)]
)
TURN: Any = cognitive_turn(MIND, sequencer(name="planned").then(plan).then(REPLY))


def client(url: str) -> LiteLLMClient:
    """Return what asks the stub server."""
    return LiteLLMClient(timeout=120, api_base=url + "/v1", api_key="none")


def live(path: Path, url: str, month: Month, first: int, first_id: int) -> None:
    """Live from a turn on to the end of the month."""
    Present.month, Present.number = month, first
    clock = FrozenClock(month.moment(first), chances=CHANCES, first_id=first_id)
    with Fabric(path, clock=clock, models=client(url)) as fabric:
        print("ready", flush=True)
        for number in range(first, month.turns):
            Present.number = number
            clock.set(month.moment(number))
            session = fabric.session(month.session(number), user="jake", agent="bot")
            reply = session.run(TURN, month.message(number), turn_id=f"turn {number}").output
            print("stored", number, json.dumps(reply), flush=True)
            fabric.drain()
            print("drained", number, flush=True)


if __name__ == "__main__":
    live(Path(sys.argv[1]), sys.argv[2], Month(int(sys.argv[3])), int(sys.argv[4]), int(sys.argv[5]))
