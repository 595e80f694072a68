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
    told = [result for result in found.results if _tells(result.trace) and not _is_of(result.trace, asked.turn_id)]
    terms = frozenset(term for word in read_cue(found.cue).words for term in word.terms)
    lines = {result.trace.id: _line(result, asked.style, now, terms) for result in told}
    near = most_similar(told, lines, asked.tokens)
    shown = [result.trace for result in told if result.trace.id in near]
    return PromptParts(
        persistent=notes,
        active=tuple(_active(slots, in_mind)),
        reminders=reminders,
        semantic=tuple(lines[trace.id] for trace in shown if trace.type != "episodic"),
        episodic=tuple(lines[trace.id] for trace in shown if trace.type == "episodic"),
        associated=tuple(
            PromptLine(node.trace.id, associated_line(node.activation, node.trace.content))
            for node in found.associated
            if _tells(node.trace) and not _is_of(node.trace, asked.turn_id)
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
    for result in sorted(found, key=lambda result: -result.signals.similarity):
        size = len(lines[result.trace.id].text) + 1
        if size <= left:
            left -= size
            kept.add(result.trace.id)
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
            line = slot_rules.lines(Slots(slots.capacity, (slot,), slots.entered))
            begin = " ".join(traces[slot.trace].content.split())[:IN_MIND_CHARS]
            yield PromptLine(slot.trace, f"{line}: {begin}")


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
