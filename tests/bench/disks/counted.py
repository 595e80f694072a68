"""Checks, how often each was made, and where it did not hold."""

from collections import Counter
from dataclasses import dataclass, field

KEPT = "what was acknowledged is there, or it is said that it may not be"
CLEAR = "each failure is an error of ours that says what to do"
WHOLE = "nothing is replaced, emptied or left behind, and it opens again once what was wrong is mended"
FLIPPED = "a flipped byte is found, or changes nothing"
TOLD = "doctor says so where a byte is found"
CHECKS = (KEPT, CLEAR, WHOLE, FLIPPED, TOLD)


@dataclass(slots=True)
class Counted:
    """What was checked, and what did not hold."""

    checked: Counter[str] = field(default_factory=Counter[str])
    wrong: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def check(self, what: str, holds: bool, told: str) -> None:
        """Count a check; note what is told where it does not hold."""
        self.checked[what] += 1
        if not holds:
            self.wrong.append((what, told))
            print(f"{what}: {told}", flush=True)
