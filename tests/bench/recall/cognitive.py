"""Evidence that a cognitive memory brings to mind, beside plain recall: ``python -m tests.bench.recall.cognitive``.

Every turn of a shown LoCoMo conversation is encoded at its time, and imported into a memory system; then the questions
are asked of both, in a neutral mood.
"""

import argparse
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from fabric import Context, Fabric, handler
from fabric.testing import FrozenClock
from pipelines import cognitive_memory, memory_system

from .data import LOCOMO, Haystack, Said, locomo, need
from .evaluate import print_table
from .metrics import interval

CUTOFFS = (5, 10)
USER = "someone"
Shares = dict[int, list[float]]
"""By how many of the first results are looked at: the share of the evidence among them, question by question."""


def recalled(haystack: Haystack) -> Shares:
    """Import the turns and recall."""
    clock = FrozenClock()
    mem = memory_system(episodic=True, semantic=True)
    with Fabric(clock=clock) as fabric:
        session = fabric.session("asking", user=USER)
        clock.set(haystack.turns[-1].said_at)
        session.run(mem.import_block, [turn.record for turn in haystack.turns])

        def ask(cue: str) -> list[str]:
            found = session.run(mem.recall_block, {"cue": cue, "limit": max(CUTOFFS)}).output
            return [source.turn_id for one in found for source in one.sources]

        return shares(haystack, clock, ask)


def retrieved(haystack: Haystack, profile: str, *, lived: bool) -> Shares:
    """Encode the turns, all at the end or, as they were ``lived``, each at its time, and retrieve."""
    clock = FrozenClock()
    clock.set(haystack.turns[-1].said_at)
    mem = cognitive_memory(profile=profile)

    @handler(name="encode", uses=[mem.capability])
    async def encode(turns: Sequence[Said], ctx: Context) -> None:
        for turn in turns:
            if lived:
                clock.set(turn.said_at)
            await ctx[mem.capability].encode(
                turn.text, data={"turn": turn.id}, speaker=turn.speaker, role=turn.role, said_at=turn.said_at
            )

    with Fabric(clock=clock) as fabric:
        for name in dict.fromkeys(turn.session for turn in haystack.turns):
            said = [turn for turn in haystack.turns if turn.session == name]
            fabric.session(name, user=USER).run(encode, said)
        session = fabric.session("asking", user=USER)

        def ask(cue: str) -> list[str]:
            found = session.run(mem.retrieve, {"cue": cue, "limit": max(CUTOFFS), "neutral_mood": True}).output
            return [one.trace.data["turn"] for one in found.results]

        return shares(haystack, clock, ask)


def shares(haystack: Haystack, clock: FrozenClock, ask: Any) -> Shares:
    """Ask the questions of categories 1 to 4."""
    found: Shares = {cutoff: [] for cutoff in CUTOFFS}
    for question in haystack.questions:
        if question.kind == "5":
            continue
        clock.set(question.asked_at)
        ranked = ask(question.text)
        for cutoff in CUTOFFS:
            found[cutoff].append(len({*ranked[:cutoff]} & {*question.gold}) / len({*question.gold}))
    return found


def main() -> None:
    """Compare both, over all shown conversations."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, help="only so many conversations")
    parser.add_argument("--profile", default="daily")
    parser.add_argument("--lived", action="store_true", help="encode each turn at its time, not all at the end")
    options = parser.parse_args()
    need(LOCOMO)
    plain: Shares = {cutoff: [] for cutoff in CUTOFFS}
    minded: Shares = {cutoff: [] for cutoff in CUTOFFS}
    for haystack in locomo(options.limit):
        both = recalled(haystack), retrieved(haystack, options.profile, lived=options.lived)
        for sums, some in zip((plain, minded), both, strict=True):
            for cutoff in CUTOFFS:
                sums[cutoff] += some[cutoff]
        print(f"<!-- {haystack.name}: {len(minded[CUTOFFS[0]])} questions so far -->", flush=True)
    rows = []
    for cutoff in CUTOFFS:
        gains = [after - before for before, after in zip(plain[cutoff], minded[cutoff], strict=True)]
        middle, low, high = interval(gains)
        means = (f"{fmean(some[cutoff]):.3f}" for some in (plain, minded))
        rows.append((f"first {cutoff}", str(len(gains)), *means, f"{middle:+.3f} [{low:+.3f}, {high:+.3f}]"))
    print_table("LoCoMo 1-4: share of the evidence", ("", "n", "recall", "retrieve", "difference"), rows)


if __name__ == "__main__":
    main()
