"""What was so then: the facts that answer a cue about another time, those that are over now among them."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from capabilities.claims import claim_of, is_single
from capabilities.retrieval.chatter import names
from capabilities.retrieval.time.time_cue import Span, read_time
from capabilities.retrieval.time.time_words import asks_before
from capabilities.semantic import Fact
from fabric.text.terms import Cue

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def valid_then(cue: Cue, told: Sequence[Fact], now: datetime) -> list[Fact]:
    """Return which of the facts that tell what is asked for were so when the cue says, the best one first.

    That is in a while that the cue names; or, where it only says "before", before the one that the cue names, or that
    is so now. None where the cue asks about no other time. Only of what holds one value at a time.
    """
    single = sorted((fact for fact in told if _is_value(fact)), key=lambda fact: fact.valid_from, reverse=True)
    spans = tuple(_spans(cue, now)) if single else ()
    if spans:
        return [fact for fact in single if any(_valid_in(fact, span) for span in spans)]
    if not single or not asks_before(cue.text, cue.language):
        return []
    later = next((fact for fact in single if names(cue.text, claim_of(fact).value)), None)
    since = now if later is None else later.valid_from
    return [fact for fact in single if fact.is_over and fact.valid_to is not None and fact.valid_to <= since]


def _is_value(fact: Fact) -> bool:
    claim = claim_of(fact)
    return claim.polarity == "holds" and is_single(claim) and (fact.is_over or fact.status == "current")


def _spans(cue: Cue, now: datetime) -> Iterator[Span]:
    """Yield the spans that a cue names; a number in another language than English may be a year, whatever is before."""
    spans = read_time(cue.text, cue.language, now).spans
    yield from spans
    for year in _YEAR.findall(cue.text) if not spans and cue.language not in ("", "english") else ():
        yield datetime(int(year), 1, 1, tzinfo=UTC), datetime(int(year) + 1, 1, 1, tzinfo=UTC)


def _valid_in(fact: Fact, span: Span) -> bool:
    begin, end = span
    return fact.valid_from < end and (fact.valid_to is None or fact.valid_to > begin)
