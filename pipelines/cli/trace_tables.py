"""Traces as tables: how they stand, and the neighbourhood of a cue."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from .output import bar, counted, plain, say, table
from .tiers import day, shortened

if TYPE_CHECKING:
    from capabilities.cognitive import CognitiveMemory, Outlook, Retrieval, Retrieved
    from capabilities.cognitive.consolidation.result import CognitiveRun

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
COUNTS = {
    "pruned_count": "had faded",
    "edges_created": "new ties",
    "schemas_created": "schemas",
    "conflicts_resolved": "contradictions settled",
    "reinforced_count": "repeated",
    "gisted_count": "shrunk to a gist",
    "doubted_count": "doubted for their source",
    "regulated_count": "calmed",
    "archive_swept_count": "dropped from the archive",
}
"""What each number of a consolidation is called."""


@dataclass(frozen=True, slots=True)
class ToldTie:
    """A tie to another trace, with what that one says."""

    type: str
    weight: float
    other: str
    content: str


@dataclass(frozen=True, slots=True)
class ToldChange:
    """What a consolidation did to a trace, with what that one says."""

    step: str
    reason: str
    trace_id: str
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
            f"{outlook.strength:.2f}",
            f"{outlook.in_a_week:.2f}",
            _keepers(outlook, now),
            outlook.trace.type,
            ago(outlook.trace.created_at, now),
            f"{shortened(outlook.trace.content)} | {outlook.trace.id}",
        )
        for outlook in found
    ]
    columns = ["now", "in a week", "kept by", "type", "since", "what, and its id"]
    table(f"Traces: {len(rows)}", columns, rows)


def _keepers(outlook: "Outlook", now: datetime) -> str:
    told = {
        "flashbulb": f"flashbulb {outlook.trace.intensity:.2f}",
        "emotion": f"emotion {outlook.trace.intensity:.2f}",
        "uses": counted(outlook.trace.retrieval_count, "uses"),
        "new": "just new",
    }
    kept = [told[keeper] for keeper in outlook.kept_by]
    if outlook.fades_at is not None:
        kept.append(f"until {day(outlook.fades_at)}" if outlook.fades_at > now else "faded, until the next sweep")
    return ", ".join(kept)


def show_neighbourhood(found: Neighbourhood, now: datetime) -> None:
    """Write what a cue brings to mind with the signals of each score, then the ties of the best."""
    for place, result in enumerate(found.retrieval.results):
        _show_retrieved(result, now)
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


async def told_changes(memory: "CognitiveMemory", lines: "Sequence[CognitiveRun]", limit: int) -> list[ToldChange]:
    """Return what consolidations did to traces, with what these say."""
    changes = [change for line in lines for change in line.changes][:limit]
    return [
        ToldChange(change.step, change.reason, change.trace_id, await _content(memory, change.trace_id))
        for change in changes
    ]


async def _content(memory: "CognitiveMemory", trace_id: str) -> str:
    trace = await memory.get(trace_id)
    return "gone since" if trace is None else trace.content


def show_consolidation(lines: "Sequence[CognitiveRun]", changes: Sequence[ToldChange], now: datetime) -> None:
    """Write what the last consolidation did in numbers, then trace by trace, and what it could not do."""
    from capabilities.cognitive.prompt.ago import ago

    for line in lines:
        done = {name: getattr(line, name) for name in COUNTS if getattr(line, name)}
        told = ", ".join(f"{count} {COUNTS[name]}" for name, count in done.items()) or "nothing to do"
        say(f"{ago(line.at, now)}, over {counted(line.total_processed, 'traces')}: {told}")
        for reason in line.failed:
            say(f"  failed, and tried again the next time: {plain(shortened(reason))}")
    if changes:
        rows = [(change.step, change.reason, f"{shortened(change.content)} | {change.trace_id}") for change in changes]
        table("What was done", ["step", "why", "what, and its id"], rows)


def _show_retrieved(result: "Retrieved", now: datetime) -> None:
    from capabilities.cognitive.prompt.ago import ago

    trace = result.trace
    outdated = ", outdated: a newer one says otherwise" if result.is_outdated else ""
    say(f"{bar(result.score)} {result.score:.2f}  {plain(shortened(trace.content))}")
    say(f"{INDENT} {trace.type}, {ago(trace.created_at, now)}, {trace.id}{outdated}")
    told = [f"{name} {getattr(result.signals, signal):.2f}" for signal, name in SIGNALS.items()]
    say(f"{INDENT} {', '.join(told)}")
