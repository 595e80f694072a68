"""Conversations lived in accelerated time by a cognitive memory: ``python -m tests.bench.lives``.

Every turn of a shown LoCoMo conversation is encoded at its time, months squeezed into days, and the memory is
consolidated all along. A twin lives the same and is never consolidated. Then the questions are asked of both, and a
prompt of the same size is assembled from the memory and from plain recall.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from statistics import fmean
from typing import Any

from capabilities.cognitive.consolidation.result import Counts
from fabric import Context, Fabric, handler
from fabric.sessions.session import Session
from fabric.testing import FrozenClock
from fabric.text.passages import sentences
from pipelines import CognitiveSystem, cognitive_memory, memory_system

from .recall.data import LOCOMO, Haystack, Said, locomo, need
from .recall.evaluate import print_table
from .recall.metrics import interval

USER, FIRST, TOKENS = "someone", 10, 1_000
BEGIN, LEAST_SIGN = 60, 25
"""How many characters of a sentence tell whether a prompt holds it, and how many are no sign."""


def main() -> None:
    """Let the conversations be lived, and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, help="only so many conversations")
    parser.add_argument(
        "--days", type=float, default=7.0, help="how long a conversation is lived; 0 for as long as it was"
    )
    parser.add_argument("--every", type=float, default=6.0, help="hours between two cycles of consolidation")
    parser.add_argument("--profile", default="daily")
    parser.add_argument("--mechanisms", action="store_true", help="with all eight mechanisms")
    options = parser.parse_args()
    need(LOCOMO)
    became: list[tuple[str, ...]] = []
    found: dict[str, list[float]] = {name: [] for name in ("never", "consolidated", "plain prompt", "prompt")}
    for haystack in locomo(options.limit):
        counts, shares = compared(haystack, options)
        became.append((haystack.name, *(f"{counts[name]:,}" for name in TOLD)))
        for name, some in shares.items():
            found[name] += some
        means = ", ".join(f"{name} {fmean(some):.3f}" for name, some in found.items())
        print(f"<!-- {haystack.name}: {len(found['prompt'])} questions so far: {means} -->", flush=True)
    print_table("What became of the turns", ("conversation", *TOLD), became)
    pairs = (("never", "consolidated", f"first {FIRST} of retrieve, never and always consolidated"),)
    pairs += (("plain prompt", "prompt", f"prompt of {TOKENS:,} tokens, of plain recall and of the memory"),)
    rows = [difference(found[before], found[after], what) for before, after, what in pairs]
    print_table("Share of the evidence, LoCoMo 1-4", ("", "n", "before", "after", "difference"), rows)


TOLD = ("turns", "merged", "kept", "faded", "gisted", "ties", "repeated", "settled", "cycles")


def difference(before: list[float], after: list[float], what: str) -> tuple[str, ...]:
    """Return a row: two means, and what lies between them."""
    middle, low, high = interval([one - other for one, other in zip(after, before, strict=True)])
    told = f"{middle:+.3f} [{low:+.3f}, {high:+.3f}]"
    return what, str(len(before)), f"{fmean(before):.3f}", f"{fmean(after):.3f}", told


def compared(haystack: Haystack, options: argparse.Namespace) -> tuple[Counter[str], dict[str, list[float]]]:
    """Return what became of a conversation's turns, and the shares of evidence, question by question."""
    turns = squeezed(haystack.turns, options.days)
    clock = FrozenClock()
    mem = cognitive_memory(profile=options.profile, mechanisms=options.mechanisms, consolidation=None)
    with Fabric(clock=clock) as fabric, Fabric(clock=clock) as twin:
        live(twin, clock, mem, turns, None)
        never = shares(haystack, retrieving(twin.session("asking", user=USER), mem))
        counts = live(fabric, clock, mem, turns, timedelta(hours=options.every))
        session = fabric.session("asking", user=USER)
        consolidated = shares(haystack, retrieving(session, mem))
        text = {turn.id: pieces(turn.text) for turn in turns}
        prompts = shares(haystack, showing(lambda cue: session.run(assembling(mem), cue).output, text))
    plain = memory_system(episodic=True, semantic=True)
    with Fabric(clock=clock) as fabric:
        session = fabric.session("asking", user=USER)
        session.run(plain.import_block, [turn.record for turn in turns])
        told = showing(lambda cue: session.run(plain.context_block, {"cue": cue, "tokens": TOKENS}).output, text)
        plainly = shares(haystack, told)
    return counts, {"never": never, "consolidated": consolidated, "plain prompt": plainly, "prompt": prompts}


def squeezed(turns: Sequence[Said], days: float) -> list[Said]:
    """Return turns with their times drawn together, so that all of them are within so many days; 0 leaves them."""
    first, last = turns[0].said_at, turns[-1].said_at
    share = timedelta(days=days) / (last - first) if days else 1.0
    return [Said(**{**fields(turn), "said_at": first + (turn.said_at - first) * share}) for turn in turns]


def fields(turn: Said) -> dict[str, Any]:
    """Return what a turn is made of."""
    return {name: getattr(turn, name) for name in Said.__slots__}


def live(
    fabric: Fabric, clock: FrozenClock, mem: CognitiveSystem, turns: Sequence[Said], every: timedelta | None
) -> Counter[str]:
    """Encode turns at their times, with a cycle of consolidation ``every`` so often; return what became of them."""
    counts: Counter[str] = Counter(turns=len(turns))
    asleep = turns[0].said_at

    @handler(name="encode", uses=[mem.capability])
    async def encode(turn: Said, ctx: Context) -> bool:
        given = {"speaker": turn.speaker, "role": turn.role, "said_at": turn.said_at}
        return (await ctx[mem.capability].encode(turn.text, data={"turn": turn.id}, **given)).is_new

    for turn in turns:
        for night in nights(asleep, turn.said_at, every):
            clock.set(night)
            asleep = night
            counts += consolidated(fabric.session("night", user=USER), mem)
        clock.set(turn.said_at)
        counts["merged"] += not fabric.session(turn.session, user=USER).run(encode, turn).output
    counts["kept"] = counts["turns"] - counts["merged"] - counts["faded"] - counts["settled"]
    return counts


def nights(last: datetime, now: datetime, every: timedelta | None) -> Iterator[datetime]:
    """Yield when a memory is consolidated between two turns."""
    while every is not None and last + every <= now:
        last += every
        yield last


NAMES = {
    "pruned_count": "faded",
    "gisted_count": "gisted",
    "edges_created": "ties",
    "reinforced_count": "repeated",
    "conflicts_resolved": "settled",
}


def consolidated(session: Session, mem: CognitiveSystem) -> Counter[str]:
    """Run a cycle and return what it did."""
    done: Counts = session.run(mem.consolidate).output
    return Counter({told: getattr(done, name) for name, told in NAMES.items()}) + Counter(cycles=1)


def retrieving(session: Session, mem: CognitiveSystem) -> Any:
    """Return what gives the turns that a cue brings to mind, the best first."""

    def ask(cue: str) -> set[str]:
        found = session.run(mem.retrieve, {"cue": cue, "limit": FIRST, "neutral_mood": True}).output
        return {one.trace.data["turn"] for one in found.results}

    return ask


def assembling(mem: CognitiveSystem) -> Any:
    """Return the block that assembles a prompt for a cue."""

    @handler(name="assemble", uses=[mem.capability])
    async def assemble(cue: str, ctx: Context) -> str:
        return (await ctx[mem.capability].assemble(cue, TOKENS)).text

    return assemble


def showing(prompt: Any, texts: dict[str, list[str]]) -> Any:
    """Return what gives the turns that a prompt holds a sentence of."""

    def ask(cue: str) -> set[str]:
        shown = " ".join(prompt(cue).split())
        return {turn for turn, some in texts.items() if any(piece in shown for piece in some)}

    return ask


def pieces(text: str) -> list[str]:
    """Return the sentences of a turn by which it is known in a prompt, as they begin there; short ones are no sign."""
    flat = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    found = [flat[start:end].strip()[:BEGIN] for start, end in sentences(flat)]
    return [piece for piece in found if len(piece) >= LEAST_SIGN] or [flat[:BEGIN]]


def shares(haystack: Haystack, ask: Any) -> list[float]:
    """Return which share of its evidence each question of categories 1 to 4 finds."""
    asked = [question for question in haystack.questions if question.kind != "5"]
    return [len(ask(question.text) & {*question.gold}) / len({*question.gold}) for question in asked]


if __name__ == "__main__":
    main()
