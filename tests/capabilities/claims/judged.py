"""The labelled pairs of statements, and what the judge says of two texts."""

import json
from dataclasses import dataclass
from pathlib import Path

from capabilities.claims import Claim, Verdict, claim_of, compare
from capabilities.vocabulary import Category, Observation

PAIRS = Path(__file__).parent / "pairs.jsonl"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements about ``subject``, ``a`` said before ``b``, and what ``b`` does to ``a``.

    A trap is a pair whose texts mislead: alike and yet not the same, or unlike and yet the same. What is held out is
    not looked at while the judge is written.
    """

    a: str
    b: str
    verdict: Verdict
    language: str
    trap: bool
    note: str
    subject: str = "user"
    held_out: bool = False


def pairs() -> list[Pair]:
    """Return the labelled pairs."""
    return [Pair(**json.loads(line)) for line in PAIRS.read_text(encoding="utf-8").splitlines()]


@dataclass(frozen=True, slots=True)
class Stated:
    """A text as somebody states it, of no category."""

    subject: str
    content: str


def claim(text: str, subject: str = "user", category: Category | None = None) -> Claim:
    """Return the claim of a text that is stated, or that was observed under a category."""
    if category is None:
        return claim_of(Stated(subject, text))
    return claim_of(
        Observation(subject=subject, content=text, importance=0.7, durability="persistent", category=category)
    )


def verdict(a: str, b: str, subject: str = "user", *, alike: bool = False) -> Verdict:
    """Return what ``b``, said after ``a``, does to it; ``alike`` where vectors say that both are about one thing."""
    return compare(claim(a, subject), claim(b, subject), alike=alike)


def replaced(old: str, fresh: str, old_category: Category = "identity", category: Category = "identity") -> bool:
    """Return whether ``fresh`` makes ``old`` untrue."""
    return compare(claim(old, category=old_category), claim(fresh, category=category)) in ("replaces", "ends")


def says_the_same(a: str, b: str) -> bool:
    """Return whether two texts are one thing said twice, be it that one says more."""
    return verdict(a, b) in ("same", "refines")
