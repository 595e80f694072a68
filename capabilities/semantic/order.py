"""Which of two statements was made last: background work may read them in any order, and the last one counts."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from ..claims import claim_of, compare
from ..sources import Source
from .record import Fact, FactInput


def last_said(sources: Iterable[Source], otherwise: datetime | None) -> datetime | None:
    """Return when the last of the turns was said, or what to take where there is none."""
    return max((source.ordered for source in sources), default=otherwise)


def stated(fact: Fact) -> tuple[datetime, datetime]:
    """Return what facts are sorted by to have what was said last at the end: when it was said, when it was written."""
    return last_said(fact.sources, None) or fact.valid_from, fact.recorded_at


def is_late(sources: Sequence[Source], fact: Fact, since: datetime | None = None) -> bool:
    """Return whether a statement that rests on these turns was made before the fact was stated last.

    What rests on several turns must rest on one that came after all of the fact's: those before it prove nothing
    about now. Two statements of one turn came in the order in which they are told. Without turns ``since`` decides,
    and None is now.
    """
    held, said = stated(fact)[0], last_said(sources, since)
    if said is None or said > held:
        return False
    return any(source.ordered != held for source in sources) if sources else said < held


def successor(offered: FactInput, known: Sequence[Fact]) -> Fact | None:
    """Return the first fact that was stated after the offered one and makes it untrue; None when none does."""
    said = claim_of(offered)
    for fact in known:
        if is_late(offered.sources, fact, offered.valid_from) and compare(said, claim_of(fact)) in ("replaces", "ends"):
            return fact
    return None
