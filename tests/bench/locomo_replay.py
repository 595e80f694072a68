"""Replay a long recorded conversation, its own observations as replies: ``python -m tests.bench.locomo_replay``."""

import argparse
import json
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fabric import Fabric, handler, sequencer
from fabric.models.base import Request
from fabric.testing import ScriptedModel
from pipelines import memory_system
from pipelines.importing.formats.messages import TURN_APART
from pipelines.replay import ReplayClock
from tests.prompts import asked_by

DATA = Path(__file__).parents[2] / ".." / "shared" / "data" / "locomo_a.json"
KINDS = (
    ("preference", r"enjoys|likes?\b|loves?\b|favou?rite|prefers|dislikes|hates|fan of|allergic"),
    ("profession", r"works|job|career|stud(?:ies|ying)|graduat|business|profession|writer|screenplay"),
    ("relationship", r"friend|wife|husband|brother|sister|mother|father|family|girlfriend|boyfriend|dog|cat|pet"),
    ("belief", r"believes|thinks|values|finds|feels|considers"),
    ("pattern", r"usually|often|regularly|every|hobb|tends to"),
)
INPUT_PRICE, OUTPUT_PRICE = 0.25, 2.0
"""Dollars for a million tokens of a small model, to turn tokens into a cost."""


def category(text: str) -> str:
    """Return roughly what kind of thing a recorded observation is about."""
    return next((kind for kind, words in KINDS if re.search(words, text, re.IGNORECASE)), "event")


def observations(recorded: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the recorded observations by the turn they were made of."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for session in recorded.values():
        for speaker, listed in session.items():
            for text, turns in listed:
                first = turns[0] if isinstance(turns, list) else str(turns).split(",", maxsplit=1)[0].strip()
                found[first].append(
                    {
                        "subject": speaker.split()[0].lower(),
                        "content": text,
                        "importance": 0.7,
                        "durability": "persistent",
                        "category": category(text),
                    }
                )
    return found


def turns(conversation: dict[str, Any]) -> Iterator[tuple[str, datetime, str, str]]:
    """Yield every utterance: its session, when it was said, its id, and its text."""
    number = 1
    while f"session_{number}" in conversation:
        written = conversation[f"session_{number}_date_time"]
        began = datetime.strptime(written, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for place, turn in enumerate(conversation[f"session_{number}"]):
            text = " ".join([turn["text"], turn.get("blip_caption", "")]).strip()
            yield f"session {number}", began + place * TURN_APART, turn["dia_id"], text
        number += 1


class Recorded:
    """A model whose observer says what was recorded of the current turn, and whose upkeep proposes nothing."""

    def __init__(self, known: dict[str, list[dict[str, Any]]]) -> None:
        self.known = known
        self.current = ""
        self.calls: Counter[str] = Counter()

    def answer(self, request: Request) -> str:
        """Answer by the step that asks."""
        step = asked_by(request.messages)
        self.calls[step] += 1
        if step == "observe":
            return json.dumps({"observations": self.known.get(self.current, [])})
        return json.dumps({"facts": []} if step == "consolidate" else {"removals": [], "merges": []})


def run(sample: dict[str, Any], path: Path) -> None:
    """Replay one conversation into the file and print what is in it then."""
    known = observations(sample["observation"])
    recorded, clock = Recorded(known), ReplayClock()
    mem = memory_system(model="recorded/observer", episodic=True, semantic=True)
    pipeline = sequencer(name="replay").then(handler(lambda _: "", name="chat")).work(mem.capture_from_items)
    begun, said = time.perf_counter(), 0
    with Fabric(path, models=ScriptedModel(recorded.answer), clock=clock) as fabric:
        for name, said_at, turn, text in turns(sample["conversation"]):
            recorded.current = turn
            clock.set(said_at)
            session = fabric.session(name, user="locomo")
            session.run(pipeline, text, turn_id=turn)
            fabric.drain()
            said += 1
        seconds = time.perf_counter() - begun
        last = fabric.session("session 1", user="locomo")
        report(last.run(mem.export_block).output, said, sum(map(len, known.values())))
        sessions = sorted({name for name, *_ in turns(sample["conversation"])})
        items = [item for name in sessions for item in fabric.session(name, user="locomo").items]
        spent([dict(item.data) for item in items if item.kind == "outcome"], recorded.calls)
        failed = fabric.jobs()
    print(f"time: {seconds:.1f} s, {seconds * 1000 / said:.0f} ms a turn; jobs not done: {len(failed)}")


def report(records: list[dict[str, Any]], said: int, offered: int) -> None:
    """Print what the tiers hold."""
    kinds = Counter(record["kind"] for record in records)
    kept = sum(record["kind"] == "turn" and record["role"] == "user" for record in records)
    facts = Counter(record["status"] for record in records if record["kind"] == "fact")
    print(f"turns: {said} said, {kept} kept; recorded observations: {offered}")
    print(f"episodes: {kinds['episode']}; working entries: {kinds['working']}")
    print(f"facts: {facts['current']} current, {facts['superseded']} superseded, {facts['invalidated']} invalidated")


def spent(results: list[dict[str, Any]], calls: "Counter[str]") -> None:
    """Print the outcomes by tier and status, and what the model calls used."""
    found = [outcome for result in results for outcome in (result["result"] or {}).get("outcomes", [])]
    statuses = Counter(f"{record['status']} {record['tier']}" for record in found)
    print("outcomes: " + ", ".join(f"{number} {name}" for name, number in statuses.most_common()))
    used = {
        kind: sum(result["usage"][kind] for result in results) for kind in ("input_tokens", "output_tokens", "calls")
    }
    cost = (used["input_tokens"] * INPUT_PRICE + used["output_tokens"] * OUTPUT_PRICE) / 1e6
    print(f"model calls: {used['calls']} ({', '.join(f'{number} {step}' for step, number in calls.items())})")
    print(f"tokens: {used['input_tokens']:,} in, {used['output_tokens']:,} out, ${cost:.2f} at a small model's price")


def main() -> None:
    """Replay the conversation asked for, or say why not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=0, help="which conversation of the file")
    options = parser.parse_args()
    if not DATA.exists():
        sys.exit(f"skipped: {DATA.name} is not beside the project; it holds the recorded conversations")
    sample = json.loads(DATA.read_text(encoding="utf-8"))[options.number]
    with tempfile.TemporaryDirectory() as folder:
        run(sample, Path(folder) / "locomo.duckdb")


if __name__ == "__main__":
    main()
