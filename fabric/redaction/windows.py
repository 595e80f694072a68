"""Windows: a long text is looked at in pieces that overlap, so that nobody waits for the whole of it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ..slices import gap_after, paced
from .finding import Finding, apart

WINDOW = 12_000
"""How many characters are looked at together: a few milliseconds."""
BEFORE, BEHIND = 800, 1_200
"""How much of a text is seen in front of where a secret may begin in a window, and from there on at least."""
LONGEST = 24_000
"""How long a secret is at most: a private key in lines."""
AT_THE_END = 8
"""So near to the end of its window a secret may go on behind it."""


def in_windows(text: str, find: Callable[[str], Sequence[Finding]]) -> list[Finding]:
    """Return what ``find`` finds in a text of any length, calling it with pieces of it.

    The pieces are cut between words and overlap: a secret counts in the one piece that shows enough on both sides of
    where it begins. A secret that reaches the end of its piece is looked at again in a longer one.
    """
    return apart(one for some in paced(_windows(text, find)) for one in some)


def _windows(text: str, find: Callable[[str], Sequence[Finding]]) -> Iterator[list[Finding]]:
    """Yield the findings of each window."""
    begin = own = 0
    while own < len(text):
        end = gap_after(text, begin + WINDOW)
        seen = _shifted(find(text[begin:end]), begin)
        cut = [one.start for one in seen if one.end >= end - AT_THE_END and one.start >= own]
        if cut and end < len(text):
            end = gap_after(text, cut[0] + LONGEST)
            seen = _shifted(find(text[begin:end]), begin)
        until = len(text) if end >= len(text) else end - BEHIND
        yield [one for one in seen if own <= one.start < until]
        own, begin = until, until - BEFORE


def _shifted(findings: Sequence[Finding], by: int) -> list[Finding]:
    return [replace(one, start=one.start + by, end=one.end + by) for one in findings]
