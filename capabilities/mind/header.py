"""The header: what an agent has in mind, as the beginning of its prompt."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from fabric.text.prompt import DATA_NOTICE, OWN_NOTICE, data_block
from fabric.text.words import CHARS_PER_TOKEN, estimate_tokens

from ..formulas.prompt_budget import pack
from .provider import MindTable, Wanted
from .record import ConfidenceLevel, MindBelief, MindGoal, MindReflection

TITLE = "agent mind"
"""What a block that holds the header, or what was recalled, is called in a prompt."""
_SHORTEST_BELIEF = "- x (low confidence)\n"
_LEAST_SHOWN = 60
_SHORTEST_REFLECTION = "- [2026-05-20] x\n"


def assemble(
    table: MindTable,
    now: datetime,
    *,
    token_budget: int,
    recency_window_days: float,
    confidence: ConfidenceLevel = "high",
) -> str:
    """Return the header as a block of the agent's own notes, "" when there is nothing to show.

    All active goals and all pinned reflections, by creation. Beliefs at least as sure as ``confidence``, newest first,
    then the reflections of the last ``recency_window_days``, newest first, as far as ``token_budget`` goes; each of the
    two ends at its first line that does not fit, and shows so much of a long entry that a third of the budget is enough
    for it. What is expired or was written in a failed run is left out of both.
    """
    goals = [goal_line(goal) for goal in table.find(MindGoal, Wanted(status="active"))]
    pinned = [f"- {_flat(reflection.content)}" for reflection in table.find(MindReflection, Wanted(pinned=True))]
    beliefs = _beliefs(table, now, confidence, token_budget)
    left = token_budget - estimate_tokens("\n".join(beliefs))
    recent = _reflections(table, now, now - timedelta(days=recency_window_days), left)
    sections = {
        "Goals": goals,
        "Standing Rules (Pinned)": pinned,
        "Beliefs": beliefs,
        "Recent Reflections": recent,
    }
    return data_block(TITLE, _drawn(sections), notice=OWN_NOTICE if goals or pinned else DATA_NOTICE)


def goal_line(goal: MindGoal) -> str:
    """Return a goal on one line, with its last progress note and the day it is due, if it has them."""
    progress = f" — last progress: {_flat(goal.progress[-1])}" if goal.progress else ""
    due = f" (due: {goal.due_by})" if goal.due_by else ""
    return f"[{goal.priority}] {_flat(goal.description)}{progress}{due}"


def belief_line(belief: MindBelief, most: int = 4_000) -> str:
    """Return a belief on one line, with how sure it is, and at most so many characters of its content."""
    return f"- {_begin(belief.content, most)} ({belief.confidence} confidence)"


def reflection_line(reflection: MindReflection, most: int = 4_000) -> str:
    """Return a reflection on one line, with the day it was made, and at most so many characters of its content."""
    return f"- [{reflection.created_at:%Y-%m-%d}] {_begin(reflection.content, most)}"


def _beliefs(table: MindTable, now: datetime, confidence: ConfidenceLevel, budget: int) -> list[str]:
    most = _most(_SHORTEST_BELIEF, budget)
    wanted = Wanted(at_least=confidence, alive_at=now, without_errors=True, newest_first=True, limit=most)
    if not most:
        return []
    return pack((belief_line(belief, _longest(budget)) for belief in table.find(MindBelief, wanted)), budget)


def _reflections(table: MindTable, now: datetime, since: datetime, budget: int) -> list[str]:
    most = _most(_SHORTEST_REFLECTION, budget)
    wanted = Wanted(pinned=False, alive_at=now, made_since=since, without_errors=True, newest_first=True, limit=most)
    if not most:
        return []
    return pack(
        (reflection_line(reflection, _longest(budget)) for reflection in table.find(MindReflection, wanted)), budget
    )


def _most(shortest: str, budget: int) -> int:
    """Return how many lines can fit at most, so that no more entries are read than may be shown."""
    return max(0, budget * CHARS_PER_TOKEN + 1) // len(shortest)


def _longest(budget: int) -> int:
    """Return how many characters of one entry are shown: one long entry must not hide all others."""
    return max(_LEAST_SHOWN, budget * CHARS_PER_TOKEN // 3 - len(_SHORTEST_BELIEF))


def _drawn(sections: Mapping[str, Sequence[str]]) -> str:
    lines = [line for title, rows in sections.items() if rows for line in (f"## {title}", *rows)]
    return "\n".join(["--- AGENT MIND ---", *lines, "---"]) if lines else ""


def _begin(text: str, most: int) -> str:
    flat = _flat(text)
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def _flat(text: str) -> str:
    return " ".join(text.split())
