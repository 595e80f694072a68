"""Feedback: whether a trace that was found was of use, told by somebody or read from the answer."""

import re
from collections.abc import Iterable

from .record import Feedback, FeedbackNote

USED_SHARE = 0.3
LONGER_THAN = 4
_OUTSIDE = re.compile(r"[^a-z0-9]")


def feedback_by_overlap(content: str, response: str) -> Feedback:
    """Return whether an answer used a trace: it holds more than 30 % of the trace's words of more than four letters.

    A word counts once, in lower case, without anything but a-z and 0-9; it may stand inside another word of the answer.

    >>> feedback_by_overlap("Prefers green tea from Kyoto", "Have a green tea.")
    'used'
    >>> feedback_by_overlap("I like tea", "Have a tea.")
    'ignored'
    """
    words = {_OUTSIDE.sub("", word) for word in content.lower().split()}
    long = [word for word in words if len(word) > LONGER_THAN]
    said = response.lower()
    used = sum(word in said for word in long)
    return "used" if long and used / len(long) > USED_SHARE else "ignored"


def used_together(notes: Iterable[FeedbackNote]) -> list[list[str]]:
    """Return, per query, the traces that were used for it, where there are at least two; the last word on each counts.

    Notes without a query say nothing about what belongs together.
    """
    last: dict[str, dict[str, bool]] = {}
    for note in notes:
        if note.query.strip():
            last.setdefault(note.query, {})[note.trace_id] = note.signal == "used"
    used = ([trace for trace, was in traces.items() if was] for traces in last.values())
    return [group for group in used if len(group) >= 2]
