"""Facts that another system holds: how they relate to the versions of the same record that are stored here."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ..sources import Source
from ..vocabulary import FactCategory, Moment, Subject, Unit
from .record import Fact, FactInput
from .state import first_version, invalidate, supersede

Arrival = Literal["new", "known", "changed", "older"]
"""How a record relates to what is stored of it: not there yet, the same, another version, or one from before."""


class ForeignFact(BaseModel):
    """One version of one record. ``id`` stands for the record, whatever it says, and becomes the id of its first fact.

    ``known_from`` is when the other system wrote this text, ``is_dated`` whether that is known. A record that was given
    up there at ``given_up`` is a closed fact here, true until ``valid_to``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    content: str
    known_from: Moment
    is_dated: bool = False
    valid_from: Moment
    valid_to: Moment | None = None
    given_up: Moment | None = None
    subject: Subject = "user"
    category: FactCategory = "attribute"
    confidence: Unit = 0.8
    made_by: str = ""


def arrive(
    offered: ForeignFact, facts: Sequence[Fact], sources: Sequence[Source], version_id: str
) -> tuple[Arrival, list[Fact]]:
    """Return how a record relates to its versions, oldest first and the current one last, and the versions to write.

    ``sources`` are the turns that it rests on, ``version_id`` is the id that a second or later version gets. A version
    that somebody here changed or withdrew stays as it is until the record is newer.
    """
    if not facts:
        return "new", [_first(offered, offered.id, sources)]
    latest = facts[-1]
    if latest.content == offered.content:
        return _same(offered, latest)
    if any(fact.id == version_id for fact in facts):
        return "known", []
    if offered.is_dated:
        if offered.known_from <= latest.recorded_at:
            return "known" if any(fact.content == offered.content for fact in facts) else "older", []
    elif any(fact.content == offered.content for fact in facts):
        return "known", []
    closed, new = supersede(
        latest,
        fact_id=version_id,
        content=offered.content,
        confidence=offered.confidence,
        now=max(offered.known_from, latest.recorded_at),
        changed=True,
        sources=sources,
        valid_from=offered.known_from,
        made_by=offered.made_by,
        reason=f"changed: {offered.made_by}",
    )
    new = new.model_copy(update={"subject": offered.subject, "category": offered.category})
    return "changed", [closed, _ended(new, offered)]


def _first(offered: ForeignFact, fact_id: str, sources: Sequence[Source]) -> Fact:
    given = FactInput(
        subject=offered.subject,
        content=offered.content,
        confidence=offered.confidence,
        category=offered.category,
        sources=list(sources),
        valid_from=offered.valid_from,
    )
    return _ended(first_version(given, fact_id=fact_id, now=offered.known_from, made_by=offered.made_by), offered)


def _same(offered: ForeignFact, latest: Fact) -> tuple[Arrival, list[Fact]]:
    if offered.given_up is None or latest.status != "current":
        return "known", []
    return "changed", [_ended(latest, offered)]


def _ended(fact: Fact, offered: ForeignFact) -> Fact:
    """Return the fact closed, if the record was given up, else with the end that it will have, if it has one."""
    if offered.given_up is None:
        return fact.model_copy(update={"valid_to": offered.valid_to}) if offered.valid_to is not None else fact
    closed = invalidate(fact, now=max(offered.given_up, fact.recorded_at), reason=f"no longer so: {offered.made_by}")
    return closed.model_copy(update={"valid_to": max(offered.valid_to or offered.given_up, fact.valid_from)})
