"""What is in a mind as tables: goals, standing rules, beliefs, reflections, and what was recalled of them."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from .output import bar, plain, say, table
from .tiers import day

if TYPE_CHECKING:
    from capabilities.mind import MindBelief, MindEntry, MindGoal, MindRecallResult, MindReflection


def show_mind(entries: "Sequence[MindEntry]") -> None:
    """Write the entries of a mind, each with its id."""
    goals = [goal for goal in entries if goal.type == "goal"]
    reflections = [reflection for reflection in entries if reflection.type == "reflection"]
    table(f"Goals: {len(goals)}", ["since", "priority", "status", "due", "what, and its id"], map(_goal, goals))
    _reflections("Standing rules", [reflection for reflection in reflections if reflection.pinned])
    beliefs = [belief for belief in entries if belief.type == "belief"]
    table(f"Beliefs: {len(beliefs)}", ["since", "sure", "until", "", "what, and its id"], map(_belief, beliefs))
    _reflections("Reflections", [reflection for reflection in reflections if not reflection.pinned])


def _goal(goal: "MindGoal") -> tuple[str, ...]:
    notes = [*goal.progress, *filter(None, [goal.outcome])]
    return day(goal.created_at), goal.priority, goal.status, goal.due_by or "", _what(goal, notes)


def _belief(belief: "MindBelief") -> tuple[str, ...]:
    before = [f"before: {revision.content} ({revision.confidence})" for revision in belief.earlier]
    return day(belief.created_at), belief.confidence, day(belief.expires_at), _marks(belief), _what(belief, before)


def _reflections(title: str, reflections: "Sequence[MindReflection]") -> None:
    rows = [
        (
            day(reflection.created_at),
            day(reflection.expires_at),
            _marks(reflection),
            _what(reflection, filter(None, [reflection.related_to])),
        )
        for reflection in reflections
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
    for result in found:
        score = f"{bar(result.score)} {result.score:.2f}" if result.score is not None else " " * 21
        say(f"{score}  {plain(result.content)}")
        kind = {"goal": f"goal, {result.status}", "belief": f"belief, {result.confidence} confidence"}.get(
            result.type, result.type
        )
        say(f"{' ' * 22} {kind}, {result.id}")
        if result.parts is not None:
            alike, new, sure = result.parts.similarity, result.parts.recency, result.parts.confidence
            say(f"{' ' * 22} similarity {alike:.2f}, recency {new:.2f}, confidence {sure}")
    say()
