"""Working memory as text: for the prompt of the block that answers, and for the block that observes."""

from collections.abc import Iterable

from ..vocabulary import about
from .record import WorkingEntry

HEADING = "Active memories:"


def format_entries(entries: Iterable[WorkingEntry]) -> str:
    """Return one line per entry, in the order given; "" when there are none.

    A line break inside an entry becomes a space, so that no entry can pass for two.

    >>> format_entries([WorkingEntry(id="wm_1", content="Likes tea", importance=0.5, pinned=True)])
    '- (pinned) Likes tea'
    """
    return "\n".join(f"- {_text(entry)}" for entry in entries)


def format_active(entries: Iterable[WorkingEntry]) -> str:
    """Return `format_entries` under the heading "Active memories:"; "" when there are none."""
    lines = format_entries(entries)
    return f"{HEADING}\n{lines}" if lines else ""


def format_for_observer(entries: Iterable[WorkingEntry]) -> str:
    """Return one numbered line per entry with its id and salience, so that an observation can name what it replaces.

    >>> format_for_observer([WorkingEntry(id="wm_1", content="Works at Google", importance=0.8, salience=0.4)])
    '1. [wm_1] Works at Google (salience 0.40)'
    """
    lines = (f"{n}. [{entry.id}] {_text(entry)} (salience {entry.salience:.2f})" for n, entry in enumerate(entries, 1))
    return "\n".join(lines)


def _text(entry: WorkingEntry) -> str:
    content = about(entry.subject, " ".join(entry.content.split()))
    return f"(pinned) {content}" if entry.pinned else content
