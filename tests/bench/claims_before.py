"""What the code before claims says of pairs of statements; run by `tests.bench.claims` with that code on the path.

Reads pairs as JSON lines from the standard input and prints one verdict a line. The mapping of the old functions
onto the five verdicts is the order in which its ``decide`` asked them.
"""

import json
import sys
from importlib import import_module
from typing import Any

CATEGORY = "identity"
"""The rules asked for a category, which a pair does not have: with this one they are right most often."""
ALIKE, SAME = 0.6, 0.95


def verdict(a: str, b: str, subject: str) -> str:
    """Return the verdict of the old functions on ``b``, said after ``a``, both about ``subject``."""
    old: Any = import_module("capabilities.contradiction")
    new = import_module("capabilities.vocabulary").Observation(
        subject=subject, content=b, importance=0.7, durability="persistent", category=CATEGORY
    )
    known = old.Existing("known", subject, a, CATEGORY)
    larger, smaller = _shared(a, b)
    rival = import_module("capabilities.formulas.similarity").rival(_content(a), _content(b))
    if larger >= ALIKE and not rival and not old.changes_value(a, b, subject):
        return "same" if smaller >= SAME else "refines"
    if old.same_claim(a, b, subject) or old.restates(new, known):
        return "refines" if len(_content(b)) > len(_content(a)) else "same"
    if old.find_replaced(new, [known]):
        return "ends" if old.negated(b) or old.only_ends(b) else "replaces"
    return "unrelated"


def _content(text: str) -> Any:
    return import_module("fabric.text").content_words(text)


def _shared(a: str, b: str) -> tuple[float, float]:
    words = import_module("fabric.text").words
    overlap = import_module("capabilities.formulas.similarity").overlap
    shares = overlap(words(a), words(b)), overlap(words(b), words(a))
    return max(shares), min(shares)


def main() -> None:
    """Print the verdict for each pair that is read."""
    for line in sys.stdin:
        pair = json.loads(line)
        print(verdict(pair["a"], pair["b"], pair.get("subject", "user")))


if __name__ == "__main__":
    main()
