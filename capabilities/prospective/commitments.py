"""Which notes about a conversation become intentions: commitments, and preferences that look ahead."""

from dataclasses import dataclass
from typing import Literal

from ..formulas.bounds import unit
from .record import MAX_CONTENT_CHARS

NoteKind = Literal["factual", "emotional", "commitment", "preference", "creative", "correction"]
"""What a note of an observer is about."""
LEAST_COMMITMENT = 0.5
LEAST_PREFERENCE = 0.6
"""From which importance on a note becomes an intention."""
PREFERENCE_FACTOR = 0.7
"""What the importance of a preference counts as an intention."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """An intention to be: ``await ctx.cap.prospective.take_up(proposal)`` makes it one.

    ``when`` is a time in words, "" for none; without one it comes back when it is talked about.
    """

    content: str
    importance: float
    when: str = ""
    derived_from: tuple[str, ...] = ()


def intention_of(
    kind: NoteKind,
    content: str,
    importance: float,
    *,
    looks_ahead: bool = False,
    when: str = "",
    derived_from: tuple[str, ...] = (),
) -> Proposal | None:
    """Return the intention that a note proposes; None for one that is none.

    Commitments of an importance of at least 0.5 are, and preferences of at least 0.6 that look ahead, which count 0.7
    of their importance. Source: the cognitive memory's specification and its reference.

    >>> intention_of("commitment", "Will send the report", 0.8)
    Proposal(content='Will send the report', importance=0.8, when='', derived_from=())
    >>> intention_of("preference", "Wants to try Rust next", 0.8, looks_ahead=True).importance
    0.56
    >>> intention_of("preference", "Likes tea", 0.9) is intention_of("commitment", "Might call", 0.4) is None
    True
    """
    weight, said = unit("importance", importance), content.strip()[:MAX_CONTENT_CHARS]
    if not said:
        return None
    if kind == "commitment" and weight >= LEAST_COMMITMENT:
        return Proposal(said, weight, when, derived_from)
    if kind == "preference" and looks_ahead and weight >= LEAST_PREFERENCE:
        return Proposal(said, round(weight * PREFERENCE_FACTOR, 10), when, derived_from)
    return None
