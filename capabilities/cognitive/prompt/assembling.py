"""What of the memory enters a prompt: notes, what is in mind, what the cue brings back and what is tied to that."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from capabilities.formulas import slots as slot_rules
from capabilities.formulas.prompt_budget import CHARS_PER_TOKEN
from capabilities.formulas.slots import Slots
from capabilities.prospective.memory import Sought
from capabilities.retrieval.chatter import says_nothing
from capabilities.retrieval.packing import crop
from capabilities.traces.record import Trace
from fabric.text.terms import plain_terms, read_cue

from ..results import Retrieval, Retrieved
from .ago import ago
from .prompt import LONGEST, PromptLine, PromptParts, Style, associated_line, line

LINE_CHARS = 200
"""A longer memory is shown by those of its sentences that the cue asks for."""
FRAME = 250
"""About how many characters of a prompt are its frame and headings."""
IN_MIND_CHARS = 100
"""How much of what is in mind is shown; what was retrieved stands in full below it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a prompt is for: what its cue brought to mind, what is going on, and how much room there is.

    ``turn_id`` is the message that it is for, which stands there in full.
    """

    found: Retrieval
    sought: Sought
    tokens: int
    style: Style
    now: datetime
    turn_id: str


def parts_of(
    asked: Asked,
    slots: Slots,
    in_mind: Sequence[Trace],
    notes: str,
    reminders: tuple[PromptLine, ...],
    observations: tuple[PromptLine, ...],
    unasked: Trace | None,
) -> PromptParts:
    """Return what may enter a prompt, best first: what tells something, and what no newer trace says otherwise.

    ``unasked`` is what came to mind by itself. What was encoded of the message that the prompt is for is left out.
    """
    found, now = asked.found, asked.now
    told = [one for one in found.results if _tells(one.trace) and not _is_of(one.trace, asked.turn_id)]
    terms = frozenset(term for word in read_cue(found.cue).words for term in word.terms)
    lines = {one.trace.id: _line(one, asked.style, now, terms) for one in told}
    near = most_similar(told, lines, asked.tokens)
    shown = [one.trace for one in told if one.trace.id in near]
    return PromptParts(
        persistent=notes,
        active=tuple(_active(slots, in_mind)),
        reminders=reminders,
        semantic=tuple(lines[trace.id] for trace in shown if trace.type != "episodic"),
        episodic=tuple(lines[trace.id] for trace in shown if trace.type == "episodic"),
        associated=tuple(
            PromptLine(one.trace.id, associated_line(one.activation, one.trace.content))
            for one in found.associated
            if _tells(one.trace) and not _is_of(one.trace, asked.turn_id)
        ),
        observations=observations,
        involuntary=_unasked(unasked, now),
    )


def most_similar(found: Sequence[Retrieved], lines: Mapping[str, PromptLine], tokens: int) -> set[str]:
    """Return the ids of what is most similar, as much of it as has room in so many tokens, each as its line.

    Types have shares of a prompt; without this the least similar of one type would take the room of the most similar of
    another.
    """
    left, kept = CHARS_PER_TOKEN * tokens - FRAME, set[str]()
    for one in sorted(found, key=lambda one: -one.signals.similarity):
        size = len(lines[one.trace.id].text) + 1
        if size <= left:
            left -= size
            kept.add(one.trace.id)
    return kept


def _unasked(trace: Trace | None, now: datetime) -> PromptLine | None:
    if trace is None or not _tells(trace):
        return None
    begin = " ".join(trace.content.split())[: LONGEST["narrative"]]
    return PromptLine(trace.id, f"- [came to mind, {ago(trace.said_at or trace.created_at, now)}] {begin}")


def _tells(trace: Trace) -> bool:
    return not trace.contradicted_by and not says_nothing(trace.content)


def _is_of(trace: Trace, turn_id: str) -> bool:
    return bool(turn_id) and trace.source is not None and trace.source.turn_id == turn_id


def _active(slots: Slots, in_mind: Sequence[Trace]) -> Iterator[PromptLine]:
    traces = {trace.id: trace for trace in in_mind if _tells(trace)}
    for slot in sorted(slots.held, key=lambda slot: -slot.activation):
        if slot.trace in traces:
            one = slot_rules.lines(Slots(slots.capacity, (slot,), slots.entered))
            begin = " ".join(traces[slot.trace].content.split())[:IN_MIND_CHARS]
            yield PromptLine(slot.trace, f"{one}: {begin}")


def _line(found: Retrieved, style: Style, now: datetime, asked: frozenset[str]) -> PromptLine:
    trace = found.trace
    said = crop(trace.content, lambda text: frozenset(plain_terms(text)), asked, LINE_CHARS)
    told = line(
        style,
        kind=trace.type,
        content=f"{trace.speaker}: {said}" if trace.speaker else said,
        score=found.score,
        ago=ago(trace.said_at or trace.created_at, now),
        confidence=trace.confidence,
        tags=trace.tags,
        valence=trace.valence,
        intensity=trace.intensity,
    )
    return PromptLine(trace.id, told)
