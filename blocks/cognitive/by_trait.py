"""What prompts say to a personality: what to attend to, how to write, and what holds of a contradiction."""

import json
from collections.abc import Mapping

from capabilities.formulas.personality import HIGH, Traits

from ..prompts import PROMPTS

_TOLD: Mapping[str, Mapping[str, str]] = json.loads((PROMPTS / "cognitive_by_trait.json").read_text(encoding="utf-8"))
"""By the gap that it fills, the words for each trait that is high; under "" those for none of them."""


def emphases(traits: Traits) -> list[str]:
    """Return what a personality attends to while it observes, one line for each trait above 0.6.

    As the specification has it; extraversion attends to nothing more.

    >>> emphases(Traits(honesty=0.9))
    ['corrections, retractions, contradictions']
    """
    return [told for name, told in _TOLD["attends_to"].items() if getattr(traits, name) > HIGH]


def style_of_traces(traits: Traits) -> str:
    """Return how a personality writes what it has learned.

    >>> style_of_traces(Traits())
    'concise and factual'
    """
    return _first("writes", traits)


def rule_for_conflicts(traits: Traits) -> str:
    """Return what a personality makes of a note that contradicts what it remembers.

    >>> rule_for_conflicts(Traits(agreeableness=0.9))
    'Where a note contradicts a known memory, keep both versions and say that they differ'
    """
    return _first("contradicted", traits)


def _first(gap: str, traits: Traits) -> str:
    told = _TOLD[gap]
    return told[next((name for name in told if name and getattr(traits, name) > HIGH), "")]
