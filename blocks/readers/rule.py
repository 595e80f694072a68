"""The form of one rule: a pattern over a clause, the sentence and the claim it yields, and how much that is worth."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property

from capabilities.claims.attributes import ATTRIBUTES
from capabilities.claims.read import claim_of
from capabilities.vocabulary import Category, Durability, Observation

from .patterns import Patterns, listed, written
from .voice import about, conjugated, third, trimmed

_RULE = Patterns("rule")
_PASSING = frozenset({"task", "event", "attribute"})
_BUSY = ("Is {x}", "Has been", "Is going", "Wants", "Does not want", "Needs", "Must", "Plans")
"""What somebody is coding or repairing this minute is told in these words: their request, not a lasting fact."""


@dataclass(frozen=True)
class Rule:
    """One row of ``rules.json``.

    ``say`` is the sentence, with the names of the pattern's groups in braces; so are the values of ``claim``, the
    fields of a claim that the rule is sure of. The pattern is anchored at the clause's start.
    """

    pattern: str | list[str]
    say: str
    category: Category
    importance: float
    durability: Durability = "persistent"
    cased: bool = False
    """Whether capital letters count."""
    claim: Mapping[str, str] = field(default_factory=dict[str, str])

    @cached_property
    def form(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(written(self.pattern), 0 if self.cased else re.IGNORECASE)

    def apply(self, clause: str) -> Observation | None:
        """Return the observation in ``clause``, or None when the rule does not fit."""
        found = self.form.match(clause)
        if found is None:
            return None
        groups = {name: trimmed(value) for name, value in found.groupdict(default="").items()}
        if ("x" in groups and not _means_something(groups["x"])) or self._is_at_the_bench(groups.get("x", "")):
            return None
        groups["neg"] = "not" if groups.get("neg") else ""
        if self.say.startswith("{verb}"):
            groups["verb"] = conjugated(groups["verb"])
        if "again" in groups:
            groups["again"] = conjugated(groups["again"])
        claim = {name: third(trimmed(value.format_map(groups))) for name, value in self.claim.items()}
        seen = observed(self.say.format_map(groups), self.category, self.durability, self.importance, claim=claim)
        return seen if seen is None or seen.category != "event" else _lasting(seen)

    def _is_at_the_bench(self, text: str) -> bool:
        busy = self.say.startswith(_BUSY) and self.category in _PASSING
        return busy and _RULE["at_the_bench"].search(text) is not None


@cache
def families() -> tuple[tuple[Rule, ...], ...]:
    """Return the rules of ``rules.json`` by family, in the order in which they are asked."""
    return tuple(tuple(Rule(**row) for row in rows) for rows in listed("english/rules").values())


def first_of(rules: tuple[Rule, ...], clause: str) -> Iterator[Observation]:
    """Yield what the first fitting rule of ``rules`` says about ``clause``, or nothing."""
    for rule in rules:
        seen = rule.apply(clause)
        if seen is not None:
            yield seen
            return


def observed(
    content: str,
    category: Category,
    durability: Durability,
    importance: float,
    subject: str = "user",
    claim: Mapping[str, object] | None = None,
) -> Observation | None:
    """Return the observation with ``content`` turned into a sentence about its subject; None when nothing is left.

    ``claim`` holds the fields of a claim that are known; one without a value is none.
    """
    content = " ".join(about(content).split())
    if len(content) < 3:
        return None
    worth = {"category": category, "durability": durability, "importance": importance}
    known: Mapping[str, object] = claim if claim and claim.get("value") else {}
    return Observation.model_validate({"subject": subject, "content": content, **worth, **known})


def _lasting(seen: Observation) -> Observation:
    """Return something that happened as what is so from then on, where it is: a car that was bought is had.

    >>> _lasting(Observation(content="Bought a Volvo", importance=0.4, category="event")).category
    'attribute'
    """
    attribute = ATTRIBUTES[claim_of(seen).attribute]
    passing = attribute.category == "event" or _RULE["of_then"].match(seen.content) is not None
    if passing or attribute.detail or not attribute.single:
        return seen
    worth = max(seen.importance, attribute.importance)
    return seen.model_copy(update={"category": attribute.category, "importance": worth})


def _means_something(value: str) -> bool:
    """Return whether an object means something alone: it points at nothing said before, nor at the listener."""
    return bool(value) and _RULE["points_away"].match(value) is None and _RULE["listener"].search(value) is None
