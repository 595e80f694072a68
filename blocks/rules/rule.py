"""The form of one extraction rule: a pattern over a clause, the sentence it yields, and how much that is worth."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from capabilities.vocabulary import Category, Durability, Observation
from fabric.text import word_set

from .voice import about, third_person, trimmed

# An object that starts like this points at something said before, or at the listener: alone it means nothing.
_POINTS_AWAY = re.compile(
    r"""(?:it|its|that|this|them|they|those|these|him|you|your|yours|yourself|he|she|one|ones|so
    |everything|something|anything|nothing|how|what|when|where|why|which
    |who|the\ (?:idea|way|sound|look|same|answer|response|suggestion|first|second|last|one|part
    |thing|other|others|latter|former|point|fact)|doing\ (?:it|that|this)|each|both|all
    |(?:her|his|their)(?:\ (?:work|style|music))?|here|there|such|some\ of|a\ (?:question|problem
    |feeling|point|look|try|moment|minute|second|chance|guess|doubt|hunch|suggestion|request))\b""",
    re.IGNORECASE | re.VERBOSE,
)
_LISTENER = re.compile(r"\b(?:you|your|yours|you're|yourself)\b", re.IGNORECASE)


# What somebody is coding or repairing this minute is their request, not a lasting fact.
_AT_THE_BENCH = re.compile(
    r"\b(?:function|bug|script|regex|query|snippet|loop|exception|stack ?trace|endpoint|css|html|json|"
    r"unit tests?|test suite|compiler"
    r"|python \d|version \d|\w*error|homework|assignment|essay|spreadsheet)\b",
    re.IGNORECASE,
)
_PASSING = frozenset({"task", "event", "attribute"})
_BUSY = ("Is {x}", "Has been", "Is going", "Wants", "{not} wants", "Needs", "Must", "Plans")


@dataclass(frozen=True, slots=True)
class Rule:
    """``say`` is the sentence with the names of the pattern's groups in braces."""

    pattern: re.Pattern[str]
    say: str
    category: Category
    durability: Durability
    importance: float

    def apply(self, clause: str) -> Observation | None:
        """Return the observation in ``clause``, or None when the rule does not fit."""
        found = self.pattern.match(clause)
        if found is None:
            return None
        groups = {name: trimmed(value) for name, value in found.groupdict(default="").items()}
        if not all(_means_something(name, value) for name, value in groups.items()):
            return None
        if self.say.startswith(_BUSY) and self.category in _PASSING and _AT_THE_BENCH.search(groups.get("x", "")):
            return None
        groups |= {"neg": "not" if groups.get("neg") else "", "not": "does not" if groups.get("not") else ""}
        if self.say.startswith("{verb}"):
            groups["verb"] = _conjugated(groups["verb"])
        if "again" in groups:
            groups["again"] = _conjugated(groups["again"])
        content = self.say.format_map(groups).replace("does not wants", "does not want")
        return observed(content, self.category, self.durability, self.importance)


def rule(
    pattern: str,
    say: str,
    category: Category,
    importance: float = 0.7,
    durability: Durability = "persistent",
    *,
    cased: bool = False,
) -> Rule:
    """Return the rule for ``pattern``, anchored at the clause's start; ``cased`` makes capital letters count."""
    flags = re.VERBOSE if cased else re.VERBOSE | re.IGNORECASE
    return Rule(re.compile(pattern.replace(" ", r"\s"), flags), say, category, durability, importance)


def first_of(rules: tuple[Rule, ...], clause: str) -> Iterator[Observation]:
    """Yield what the first fitting rule of ``rules`` says about ``clause``, or nothing."""
    for candidate in rules:
        seen = candidate.apply(clause)
        if seen is not None:
            yield seen
            return


def observed(
    content: str, category: Category, durability: Durability, importance: float, subject: str = "user"
) -> Observation | None:
    """Return the observation with ``content`` turned into a sentence about its subject; None when nothing is left."""
    content = " ".join(about(content).split())
    if len(content) < 3:
        return None
    return Observation(
        subject=subject, content=content, importance=importance, durability=durability, category=category
    )


def _means_something(name: str, value: str) -> bool:
    if name != "x":
        return True
    return bool(value) and _POINTS_AWAY.match(value) is None and _LISTENER.search(value) is None


_PAST = word_set(
    "quit left got went began took built bought broke caught did drove ate fell felt flew gave grew "
    "had held kept knew learnt lost made met paid ran rode said saw sang sold sent spent spoke stood "
    "swam"
    " taught taken thought told won wore wrote became begun beat sang hurt given found read put cut "
    "let set was were been"
)


def _conjugated(verb: str) -> str:
    """Raise a bare present verb to the third person; leave a past form as it is."""
    first, _, rest = verb.partition(" ")
    low = first.lower()
    if (
        low in _PAST
        or (low.endswith("ed") and low not in {"need", "feed", "breed", "bleed", "speed"})
        or low in {"am", "are"}
    ):
        return verb.replace("am ", "is ").replace("are ", "is ")
    return f"{third_person(first)} {rest}".strip()
