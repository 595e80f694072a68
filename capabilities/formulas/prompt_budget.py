"""How a prompt's budget is spent: how many lines fit, and which part of it each section of a memory may take."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from .bounds import checked_number, unit

CHARS_PER_TOKEN = 4
MOST_PERSISTENT = 2_000
"""Tokens that persistent text takes at most, however large the budget is."""
Section = Literal["persistent", "active", "semantic", "episodic", "reminders", "associated", "observations"]
SECTIONS: tuple[Section, ...] = get_args(Section)
"""In the order in which they stand in a prompt."""
_FILLED: tuple[Section, ...] = (*(section for section in SECTIONS if section != "semantic"), "semantic")
"""In the order in which they are filled: what the others leave goes to the last."""


@dataclass(frozen=True, slots=True)
class Shares:
    """The share of a budget that each section may take, in [0, 1].

    ``semantic`` gets what the others leave, so much of it at least; ``persistent`` takes its share from that.
    """

    active: float = 0.15
    semantic: float = 0.45
    episodic: float = 0.25
    reminders: float = 0.05
    associated: float = 0.05
    observations: float = 0.05
    persistent: float = 0.05

    @classmethod
    def of(cls, given: Mapping[str, object]) -> "Shares":
        """Return the shares that a mapping gives by section; ``semantic`` is what the others leave unless it is named.

        ValueError for a section that there is not, a share outside [0, 1], and shares that are more than the whole.

        >>> Shares.of({"episodic": 0.5}).semantic
        0.2
        """
        unknown = given.keys() - set(SECTIONS)
        if unknown:
            told = ", ".join(sorted(map(str, unknown)))
            raise ValueError(f"no section is named {told}: expected some of {', '.join(SECTIONS)}")
        named = {name: checked_number(name, share) for name, share in given.items()}
        wrong = next((name for name, share in named.items() if not 0 <= share <= 1), None)
        if wrong is not None:
            raise ValueError(f"{wrong} is {named[wrong]}: expected a share from 0 to 1")
        shares = cls(**named)
        others = math.fsum(getattr(shares, name) for name in SECTIONS if name not in {"semantic", "persistent"})
        if "semantic" not in named:
            shares = replace(shares, semantic=round(max(0.0, 1 - others), 9))
        total = others + max(shares.semantic, named.get("persistent", 0.0))
        if total > 1 + 1e-9:
            raise ValueError(f"the shares come to {total:.2f} of a prompt: expected at most 1")
        return shares


SHARES = Shares()


@dataclass(frozen=True, slots=True)
class Spending:
    """How many entries of each section fit, from its first on, and what they take together."""

    kept: Mapping[Section, int]
    used: int


def tokens(characters: int) -> int:
    """Return ``ceil(characters / 4)``, the estimate used when no tokenizer is at hand; ``characters`` at least 0.

    >>> tokens(9)
    3
    """
    if characters < 0:
        raise ValueError(f"characters is {characters}: expected a length of at least 0")
    return -(-characters // CHARS_PER_TOKEN)


def pack(lines: Iterable[str], budget: int) -> list[str]:
    """Return the leading ``lines`` whose text, joined by newlines, is at most ``budget`` tokens by `tokens`.

    Stops at the first line that does not fit, so that what is kept is always the most important part; a budget below 1
    keeps only empty lines at most.

    >>> pack(["likes tea", "works at Stripe", "x"], 4)
    ['likes tea']
    """
    kept: list[str] = []
    used = 0
    for line in lines:
        used += len(line) + (1 if kept else 0)
        if tokens(used) > budget:
            break
        kept.append(line)
    return kept


def allotted(total: int, share: float) -> int:
    """Return ``floor(total * share)``: what a section may take of a ``total``; 0 of a total below 1.

    >>> allotted(1000, 0.15)
    150
    """
    return math.floor(max(0, total) * unit("share", share))


def spend(
    total: int,
    sizes: Mapping[Section, Sequence[int]],
    shares: Shares = SHARES,
    headings: Mapping[Section, int] | None = None,
    *,
    onward: bool = False,
) -> Spending:
    """Return which entries of each section fit into a ``total``, all in one unit: tokens, or characters.

    ``sizes`` are those of a section's entries, best first; ``headings`` what a section takes beside them as soon as it
    shows one. Each section gets its share and stops at the first entry that does not fit, ``active`` goes in whole or
    not at all, and what the others leave flows to ``semantic``; ``onward`` lets what that leaves flow to ``episodic``,
    since a memory of a chat may hold little else. Never more than ``total`` is used. Source: the specification of the
    cognitive memory.

    >>> sizes = {"semantic": [40], "episodic": [20, 20, 20, 20]}
    >>> spend(100, sizes).kept["episodic"], spend(100, sizes, onward=True).kept["episodic"]
    (1, 3)
    """
    headings = headings or {}
    kept: dict[Section, int] = {}
    left = max(0, total)
    for section in _FILLED:
        entries, heading = sizes.get(section, ()), headings.get(section, 0)
        budget = left if section == "semantic" else min(left, allotted(total, getattr(shares, section)))
        number = _fitting(entries, budget - heading)
        if section == "active" and number < len(entries):
            number = 0
        kept[section] = number
        left -= sum(entries[:number]) + (heading if number else 0)
    if onward:
        entries, heading = sizes.get("episodic", ())[kept["episodic"] :], headings.get("episodic", 0)
        extra = 0 if kept["episodic"] else heading
        number = _fitting(entries, left - extra)
        kept["episodic"] += number
        left -= sum(entries[:number]) + (extra if number else 0)
    return Spending(kept, max(0, total) - left)


def _fitting(sizes: Sequence[int], budget: int) -> int:
    """Return how many leading entries take at most ``budget`` together."""
    used = 0
    for number, size in enumerate(sizes):
        used += size
        if used > budget:
            return number
    return len(sizes)
