"""A process that captures turns until it is killed, and what must be in its file afterwards."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from itertools import count
from pathlib import Path
from typing import Any

from fabric import Context, Fabric, handler, sequencer
from fabric.record.log import ITEMS
from pipelines import MemorySystem, memory_system
from tests import forkserver

from .scripts import chat_with

SESSIONS = ("a", "b")
ROOT = Path(__file__).parents[2]


def said(turn: int) -> str:
    """Return what a user says in a turn: another employer, the same liking, a new liking, another number."""
    name = "".join(chr(ord("a") + int(digit)) for digit in str(turn))
    return (f"I work at {name.capitalize()}corp.", "I like tea.", f"I like {name}ball.", f"I have {turn} cats.")[
        turn % 4
    ]


def memory() -> MemorySystem:
    """Return a memory of all tiers that keeps every episode."""
    return memory_system(episodic={"max_episodes": 10_000}, semantic=True)


def talk_for_ever(path: str, first: int) -> None:
    """Say "ready", then talk in every session, saying each turn that is done, and wait for the capture now and then."""
    pipeline = chat_with(memory())
    with Fabric(path) as fabric:
        fabric.register(pipeline)
        print("ready", flush=True)
        for turn in count(first):
            for name in SESSIONS:
                fabric.session(name, user=name).run(pipeline, said(turn), turn_id=f"turn {turn}")
                print(f"{name} {turn}", flush=True)
            if turn % 3 == 0:
                fabric.drain()


@handler(name="dies")
async def dies(said: str, ctx: Context) -> str:
    """End the process as SIGKILL does, once what the user said is in the file and before it is answered."""
    scope = ctx.ids.scope("session")
    while said not in [row["text"] for row in await ctx.transact(lambda tx: tx.rows.find(ITEMS, scope))]:
        await asyncio.sleep(0.005)  # nothing tells when another task has stored it
    os.kill(os.getpid(), signal.SIGKILL)
    return said


def capturing_first(mem: MemorySystem, chat: Any) -> Any:
    """Return a pipeline that captures before it answers, and whose answers are not recorded."""
    return sequencer(name="capturing-first").work(mem.capture).then(chat)


def die_answering(path: str, text: str) -> None:
    """Say something, and be killed before the answer."""
    with Fabric(path) as fabric:
        fabric.session("a", user="a").run(capturing_first(memory(), dies), text)


def killed_answering(path: Path, text: str) -> None:
    """Let such a process run, and look that it was killed."""
    command = [sys.executable, "-m", "tests.stories.crash", str(path), "say", text]
    assert forkserver.run(command, cwd=ROOT, check=False, timeout=300).returncode == -signal.SIGKILL


def kill_after(path: Path, lines_said: int, seconds: float, first: int) -> dict[str, int]:
    """Run such a process and kill it some time after so many turns; return how many of each session were done."""
    command = [sys.executable, "-m", "tests.stories.crash", str(path), str(first)]
    with forkserver.popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        begun = "".join(process.stdout.readline() for _ in range(lines_said))
        time.sleep(seconds)
        process.kill()
        lines = (begun + process.stdout.read()).split("\n")[:-1]
    turns = [line.split() for line in lines]
    return {name: max([first, *(int(turn) + 1 for whose, turn in turns if whose == name)]) for name in SESSIONS}


def check_file(path: Path, done: dict[str, int]) -> int:
    """Open the file, let it finish what was left, compare it with what was said; return how many turns all have."""
    mem = memory()
    pipeline = chat_with(mem)
    with Fabric(path) as fabric:
        fabric.register(pipeline)
        assert fabric.drain() == []
        assert fabric.jobs() == []
        for name in SESSIONS:
            session = fabric.session(name, user=name)
            turns = [item.text for item in session.items if item.role == "user"]
            assert len(turns) in (done[name], done[name] + 1), "an acknowledged turn is missing, or one is doubled"
            assert turns == [said(turn) for turn in range(len(turns))]
            answered = sum(item.role == "assistant" for item in session.items)
            check_memory(session.run(mem.export_block).output, turns[:answered], turns)
            if answered < len(turns):  # killed between the question and its answer: the user asks again
                session.run(pipeline, turns[-1], turn_id=f"turn {answered}")
        fabric.drain()
        return min(sum(item.role == "user" for item in fabric.session(name, user=name).items) for name in SESSIONS)


def check_memory(records: list[dict[str, Any]], captured: list[str], kept: list[str]) -> None:
    """Raise AssertionError unless the records are what these turns, each taken in once, leave."""
    by_kind = {kind: [record for record in records if record["kind"] == kind] for kind in ("turn", "episode", "fact")}
    user_turns = [message for message in by_kind["turn"] if message["role"] == "user"]
    assert Counter(turn["text"] for turn in user_turns if turn["captured"]) == Counter(captured)
    assert len(user_turns) <= len(kept)
    assert Counter(record["content"] for record in by_kind["episode"]) == Counter(statement(turn) for turn in captured)
    facts = by_kind["fact"]
    ids = Counter(fact["id"] for fact in facts)
    assert max(ids.values(), default=1) == 1
    assert all(fact["superseded_by"] in ids for fact in facts if fact["status"] == "superseded")
    assert not any(fact["superseded_by"] for fact in facts if fact["status"] == "current")
    current = {fact["content"]: fact["reinforcement_count"] for fact in facts if fact["status"] == "current"}
    assert len(current) == sum(fact["status"] == "current" for fact in facts), "a fact is doubled"
    assert current == expected(captured)
    changed = [fact["content"] for fact in facts if fact["content"].startswith(("Works", "Has"))]
    assert Counter(changed) == Counter(statement(turn) for turn in captured if turn.startswith(("I work", "I have")))


def statement(turn: str) -> str:
    """Return what a turn becomes: "I like tea." is remembered as "Likes tea"."""
    verb, rest = turn.removeprefix("I ").rstrip(".").split(" ", 1)
    return f"{'Has' if verb == 'have' else verb.capitalize() + 's'} {rest}"


def expected(captured: list[str]) -> dict[str, int]:
    """Return the current facts and how often each was said: the last employer and number, and every liking."""
    facts: dict[str, int] = {}
    for turn in captured:
        if turn.startswith(("I work", "I have")):
            facts = {
                content: times for content, times in facts.items() if content.split()[0] != statement(turn).split()[0]
            }
        facts[statement(turn)] = facts.get(statement(turn), 0) + 1
    return facts


def kill_and_check(path: Path, rounds: int, seed: int) -> int:
    """Kill and check so often, on one file; return how many turns each session had at the end."""
    chance = random.Random(seed)
    turns = 0
    for _ in range(rounds):
        done = kill_after(path, chance.randrange(12), chance.uniform(0.0, 0.1), turns)
        turns = check_file(path, done)
    return turns


if __name__ == "__main__":
    if sys.argv[2] == "say":
        die_answering(sys.argv[1], sys.argv[3])
    else:
        talk_for_ever(sys.argv[1], int(sys.argv[2]))
