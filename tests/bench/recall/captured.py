"""Evidence found when turns are captured, beside the same turns imported: ``python -m tests.bench.recall.captured``."""

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from statistics import fmean
from typing import Any

from capabilities.memory.recall.ranked import RankedMemory
from fabric import Fabric
from fabric.testing import FrozenClock
from pipelines import MemorySystem, memory_system
from pipelines.chat import RecordedTurn, replay_pipeline

from .data import LOCOMO, Haystack, Question, Said, locomo, need
from .evaluate import print_table
from .metrics import interval

CUTOFFS = (5, 10)
TURN_APART = timedelta(seconds=30)
Fill = Callable[[Fabric, MemorySystem, Sequence[Said], FrozenClock], None]
USER = "someone"
Found = dict[int, list[float]]
"""By how many of the first results are looked at: the share of the evidence among them, question by question."""


WAYS = ("speakers", "prefix", "user", "roles")


def cast(haystack: Haystack, way: str) -> Haystack:
    """Return a conversation as a user's own chat, its turns half a minute apart.

    Every turn is the user's, and bears its speaker's name with ``speakers``, begins with it with ``prefix``, and does
    neither with ``user``. With ``roles`` the first speaker is the user and the other one is the assistant.
    """
    first = haystack.turns[0].speaker
    turns = list[Said]()
    for place, turn in enumerate(haystack.turns):
        role = "assistant" if way == "roles" and turn.speaker != first else "user"
        speaker = turn.speaker if way == "speakers" else role
        text = f"{turn.speaker}: {turn.text}" if way == "prefix" else turn.text
        turns.append(replace(turn, role=role, speaker=speaker, text=text, said_at=turn.said_at + place * TURN_APART))
    return replace(haystack, turns=turns)


def imported(fabric: Fabric, mem: MemorySystem, turns: Sequence[Said], clock: FrozenClock) -> None:
    """Keep the turns as they were said and read nothing in them."""
    clock.set(turns[-1].said_at)
    fabric.session("import", user=USER).run(mem.import_block, [turn.record for turn in turns])


def captured(fabric: Fabric, mem: MemorySystem, turns: Sequence[Said], clock: FrozenClock) -> None:
    """Capture the turns one exchange after the other, each at its time and in its session.

    Turns with the name of a speaker are imported before, since only an import can name it; a capture keeps it.
    """
    if turns[0].speaker != turns[0].role:
        imported(fabric, mem, turns, clock)
    pipeline = replay_pipeline(mem)
    for exchange in exchanges(turns):
        clock.set(exchange[0].said_at)
        messages = [{"role": turn.role, "content": turn.text} for turn in exchange]
        recorded = RecordedTurn(messages=messages, ids=[turn.id for turn in exchange])
        fabric.session(exchange[0].session, user=USER).run(pipeline, recorded)
        fabric.drain()


def exchanges(turns: Sequence[Said]) -> list[list[Said]]:
    """Return the turns in groups that each begin with one of the user and hold what was answered."""
    groups = list[list[Said]]()
    for turn in turns:
        if groups and turn.role == "assistant" and turn.session == groups[-1][0].session:
            groups[-1].append(turn)
        else:
            groups.append([turn])
    return groups


def share(question: Question, found: Sequence[RankedMemory]) -> float:
    """Return the share of a question's evidence that results are, or rest on."""
    reached = {source.turn_id for memory in found for source in memory.sources}
    return len(reached & set(question.gold)) / len(set(question.gold))


def evidence(haystack: Haystack, fill: Fill, embedder: Any) -> Found:
    """Fill a memory of its own and ask the questions of categories 1 to 4."""
    clock = FrozenClock()
    mem = memory_system(model=None, episodic=True, semantic=True, embedder=embedder)
    found: Found = {cutoff: [] for cutoff in CUTOFFS}
    with Fabric(clock=clock) as fabric:
        session = fabric.session("asking", user=USER)
        fill(fabric, mem, haystack.turns, clock)
        for question in haystack.questions:
            if question.kind == "5":
                continue
            clock.set(question.asked_at + TURN_APART * len(haystack.turns))
            results = session.run(mem.recall_block, {"cue": question.text, "limit": max(CUTOFFS)}).output
            for cutoff in CUTOFFS:
                found[cutoff].append(share(question, results[:cutoff]))
    return found


def row(name: str, alone: Found, read: Found) -> tuple[str, ...]:
    """Return a line of the table: both shares and their difference with its interval, for each cutoff."""
    cells = [name, str(len(alone[CUTOFFS[0]]))]
    for cutoff in CUTOFFS:
        gains = [after - before for before, after in zip(alone[cutoff], read[cutoff], strict=True)]
        middle, low, high = interval(gains)
        shares = f"{fmean(alone[cutoff]):.3f} / {fmean(read[cutoff]):.3f}"
        cells += [shares, f"{middle:+.3f} [{low:+.3f}, {high:+.3f}]"]
    return tuple(cells)


def main() -> None:
    """Compare both ways of filling a memory, conversation by conversation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, help="only so many conversations")
    parser.add_argument("--cast", choices=WAYS, default=WAYS[0], help="who says the turns of the two speakers")
    parser.add_argument("--embedder", default="default", help="default, minilm, or none for words alone")
    options = parser.parse_args()
    need(LOCOMO)
    embedder = None if options.embedder == "none" else options.embedder
    everything: dict[str, Found] = {name: {cutoff: [] for cutoff in CUTOFFS} for name in ("imported", "captured")}
    rows = list[tuple[str, ...]]()
    for conversation in locomo(options.limit):
        haystack = cast(conversation, options.cast)
        begun = time.perf_counter()
        alone, read = (evidence(haystack, fill, embedder) for fill in (imported, captured))
        print(f"<!-- {haystack.name}: {time.perf_counter() - begun:.0f} s -->", flush=True)
        rows.append(row(haystack.name, alone, read))
        for name, found in (("imported", alone), ("captured", read)):
            for cutoff in CUTOFFS:
                everything[name][cutoff] += found[cutoff]
    rows.append(row("all", everything["imported"], everything["captured"]))
    head = ["conversation", "n"]
    for cutoff in CUTOFFS:
        head += [f"first {cutoff}: imported / captured", "difference"]
    print_table(f"LoCoMo 1-4: share of the evidence, embedder {options.embedder}", head, rows)


if __name__ == "__main__":
    main()
