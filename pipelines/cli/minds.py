"""What is in a mind as tables: goals, standing rules, beliefs, reflections, and what was recalled of them."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from .output import bar, plain, say, table
from .tiers import day

if TYPE_CHECKING:
    from capabilities.mind import MindBelief, MindEntry, MindGoal, MindRecallResult, MindReflection


def show_mind(entries: "Sequence[MindEntry]") -> None:
    """Write the entries of a mind, each with its id."""
    goals = [one for one in entries if one.type == "goal"]
    reflections = [one for one in entries if one.type == "reflection"]
    table(f"Goals: {len(goals)}", ["since", "priority", "status", "due", "what, and its id"], map(_goal, goals))
    _reflections("Standing rules", [one for one in reflections if one.pinned])
    beliefs = [one for one in entries if one.type == "belief"]
    table(f"Beliefs: {len(beliefs)}", ["since", "sure", "until", "", "what, and its id"], map(_belief, beliefs))
    _reflections("Reflections", [one for one in reflections if not one.pinned])


def _goal(goal: "MindGoal") -> tuple[str, ...]:
    notes = [*goal.progress, *filter(None, [goal.outcome])]
    return day(goal.created_at), goal.priority, goal.status, goal.due_by or "", _what(goal, notes)


def _belief(belief: "MindBelief") -> tuple[str, ...]:
    before = [f"before: {one.content} ({one.confidence})" for one in belief.earlier]
    return day(belief.created_at), belief.confidence, day(belief.expires_at), _marks(belief), _what(belief, before)


def _reflections(title: str, reflections: "Sequence[MindReflection]") -> None:
    rows = [
        (day(one.created_at), day(one.expires_at), _marks(one), _what(one, filter(None, [one.related_to])))
        for one in reflections
    ]
    table(f"{title}: {len(rows)}", ["since", "until", "", "what, and its id"], rows)


def _marks(entry: "MindBelief | MindReflection") -> str:
    return "of a failed run" if entry.error else ""


def _what(entry: "MindEntry", notes: Iterable[str]) -> str:
    tags = [f"tags: {', '.join(entry.tags)}"] if entry.tags else []
    return " | ".join([entry.text, *notes, *tags, *_why(entry), entry.id])


def _why(entry: "MindEntry") -> list[str]:
    """Return where an entry comes from: the turn whose message it was written after."""
    said = entry.source
    if said is None:
        return []
    return [f"from turn {said.turn} of {said.session}" + (f" with {said.user}" if said.user else "")]


def show_found(found: "Sequence[MindRecallResult]") -> None:
    """Write what was recalled, with the parts of each score; goals have none."""
    for one in found:
        score = f"{bar(one.score)} {one.score:.2f}" if one.score is not None else " " * 21
        say(f"{score}  {plain(one.content)}")
        kind = {"goal": f"goal, {one.status}", "belief": f"belief, {one.confidence} confidence"}.get(one.type, one.type)
        say(f"{' ' * 22} {kind}, {one.id}")
        if one.parts is not None:
            alike, new, sure = one.parts.similarity, one.parts.recency, one.parts.confidence
            say(f"{' ' * 22} similarity {alike:.2f}, recency {new:.2f}, confidence {sure}")
    say()
