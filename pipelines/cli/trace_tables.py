"""Traces as tables: how they stand, and the neighbourhood of a cue."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from .output import bar, counted, plain, say, table
from .tiers import day, shortened

if TYPE_CHECKING:
    from capabilities.cognitive import CognitiveMemory, Outlook, Retrieval, Retrieved

INDENT = " " * 22
SIGNALS = {
    "strength": "strength",
    "similarity": "similarity",
    "recency": "recency",
    "emotional_congruence": "mood",
    "graph_activation": "ties",
    "importance": "importance",
}
"""What each signal of a score is called."""


@dataclass(frozen=True, slots=True)
class ToldTie:
    """A tie to another trace, with what that one says."""

    type: str
    weight: float
    other: str
    content: str


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What a cue brings to mind, and the ties of the best of it."""

    retrieval: "Retrieval"
    ties: list[ToldTie]


async def neighbourhood(memory: "CognitiveMemory", cue: str, limit: int) -> Neighbourhood:
    """Return the neighbourhood of a cue; moods are left out, and nothing is changed."""
    found = await memory.retrieve(cue, limit=limit, neutral_mood=True)
    ties = await memory.ties(found.ids[0]) if found.ids else []
    others = [(tie, await memory.get(tie.other)) for tie in ties[:limit]]
    told = [ToldTie(tie.type, tie.weight, tie.other, other.content) for tie, other in others if other is not None]
    return Neighbourhood(found, told)


def show_outlook(found: "Sequence[Outlook]", now: datetime) -> None:
    """Write how traces stand, each with its id."""
    from capabilities.cognitive.prompt.ago import ago

    rows = [
        (
            f"{one.strength:.2f}",
            f"{one.in_a_week:.2f}",
            _keepers(one, now),
            one.trace.type,
            ago(one.trace.created_at, now),
            f"{shortened(one.trace.content)} | {one.trace.id}",
        )
        for one in found
    ]
    columns = ["now", "in a week", "kept by", "type", "since", "what, and its id"]
    table(f"Traces: {len(rows)}", columns, rows)


def _keepers(one: "Outlook", now: datetime) -> str:
    told = {
        "flashbulb": f"flashbulb {one.trace.intensity:.2f}",
        "emotion": f"emotion {one.trace.intensity:.2f}",
        "uses": counted(one.trace.retrieval_count, "uses"),
        "new": "just new",
    }
    kept = [told[keeper] for keeper in one.kept_by]
    if one.fades_at is not None:
        kept.append(f"until {day(one.fades_at)}" if one.fades_at > now else "faded, until the next sweep")
    return ", ".join(kept)


def show_neighbourhood(found: Neighbourhood, now: datetime) -> None:
    """Write what a cue brings to mind with the signals of each score, then the ties of the best."""
    for place, one in enumerate(found.retrieval.results):
        _show_retrieved(one, now)
        for tie in found.ties if place == 0 else ():
            what = plain(shortened(tie.content))
            say(f"{INDENT} {tie.type.replace('_', ' ')} {tie.weight:.2f}: {what} ({tie.other})")
    for partly in found.retrieval.partial:
        say(f"on the tip of the tongue: {plain(shortened(partly.begin))} ({partly.id})")
    for tied in found.retrieval.associated:
        over = counted(tied.hops, "ties")
        say(f"{bar(tied.activation)} {tied.activation:.2f}  {plain(shortened(tied.trace.content))}")
        say(f"{INDENT} over {over}, {tied.trace.id}")
    say()


def _show_retrieved(one: "Retrieved", now: datetime) -> None:
    from capabilities.cognitive.prompt.ago import ago

    trace = one.trace
    outdated = ", outdated: a newer one says otherwise" if one.is_outdated else ""
    say(f"{bar(one.score)} {one.score:.2f}  {plain(shortened(trace.content))}")
    say(f"{INDENT} {trace.type}, {ago(trace.created_at, now)}, {trace.id}{outdated}")
    told = [f"{name} {getattr(one.signals, signal):.2f}" for signal, name in SIGNALS.items()]
    say(f"{INDENT} {', '.join(told)}")
