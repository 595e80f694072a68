"""Facts and questions in six languages, and how often recall finds the one by the other."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from fabric import Fabric
from fabric.testing import FrozenClock
from pipelines import memory_system

SETS = Path(__file__).parent / "sets"
LANGUAGES = sorted(path.stem for path in SETS.glob("*.json"))
FIRST = datetime(2024, 3, 1, 9, tzinfo=UTC)
PER_SESSION = 4


@dataclass(frozen=True, slots=True)
class Pair:
    """Something a user said, and what the user asks later."""

    fact: str
    question: str


def pairs(language: str) -> list[Pair]:
    """Return the forty pairs of a language."""
    return [Pair(**record) for record in json.loads((SETS / f"{language}.json").read_text(encoding="utf-8"))]


def turns(language: str) -> list[dict[str, Any]]:
    """Return the facts as turns, four to a session, a session a day; the id is the number of the pair."""
    return [
        {
            "id": str(number),
            "session": f"day-{number // PER_SESSION}",
            "role": "user",
            "text": pair.fact,
            "said_at": FIRST + timedelta(days=number // PER_SESSION, minutes=number % PER_SESSION),
        }
        for number, pair in enumerate(pairs(language))
    ]


def places(language: str, embedder: Any = None) -> list[int | None]:
    """Return for each question the place of its fact among the first five results, from 0, None where it is not."""
    memory = memory_system(episodic=True, semantic=True, embedder=embedder)
    clock = FrozenClock(FIRST + timedelta(days=30))
    with Fabric(":memory:", clock=clock) as fabric:
        session = fabric.session("later", user="someone")
        session.run(memory.import_block, turns(language))
        return [_place(session, memory, number, pair) for number, pair in enumerate(pairs(language))]


def _place(session: Any, memory: Any, number: int, pair: Pair) -> int | None:
    found = session.run(memory.recall_block, {"cue": pair.question, "limit": 5}).output
    ids = [one.sources[0].turn_id for one in found]
    return ids.index(str(number)) if str(number) in ids else None


def hits(found: list[int | None], k: int) -> float:
    """Return the share of questions whose fact is among the first k."""
    return sum(place is not None and place < k for place in found) / len(found)
