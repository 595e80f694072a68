"""How facts change: pure functions from facts to facts, with ids and times as arguments."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from ..claims import (
    Claim,
    claim_of,
    compare,
    fields,
    fuller,
    is_single,
    overtaken,
    read_as,
    says_change,
    slot,
    subject_key,
)
from ..claims.values.same_value import same_value, tokens
from ..sources import Source, unite
from .record import REINFORCEMENT, ClosedAs, Fact, FactInput


@dataclass(frozen=True, slots=True)
class Decision:
    """How an offered fact relates to the known ones: ``new``, or of ``fact`` a ``repeat``, ``refine`` or ``change``.

    ``also`` are further facts that a change closes: "retired" ends an employer and a role.
    """

    kind: Literal["new", "repeat", "refine", "change"]
    fact: Fact | None = None
    also: tuple[Fact, ...] = ()


def first_version(offered: FactInput, *, fact_id: str, now: datetime, made_by: str) -> Fact:
    """Return the first version of a fact."""
    claim = claim_of(offered)
    return Fact(
        id=fact_id,
        subject=offered.subject,
        content=offered.content,
        confidence=offered.confidence,
        category=offered.category,
        source_episode_ids=offered.source_episode_ids,
        sources=offered.sources,
        extracted_at=now,
        valid_from=offered.valid_from or now,
        recorded_at=now,
        slot=slot(claim, subject_key(offered.subject)),
        made_by=made_by,
        **fields(claim, subject_key(offered.subject)),
    )


def decide(offered: FactInput, current: Sequence[Fact]) -> Decision:
    """Compare an offered fact with the current facts of its subject, last said last (`capabilities.claims.compare`).

    What says the same is a repeat, what says more a refinement, and what cannot hold beside it is changed: all of it,
    but of several of a kind only the last. Two values of one place that came without an order are both kept.
    """
    named = next((fact for fact in current if offered.replaces and fact.id == offered.replaces), None)
    if named is not None and named.category == offered.category:
        return Decision("repeat" if tokens(offered.content) == tokens(named.content) else "change", named)
    said, known = claim_of(offered), [claim_of(fact) for fact in current]
    verdicts = [compare(claim, said) for claim in known]
    for kind, verdict in (("repeat", "same"), ("refine", "refines")):
        places = [at for at in range(len(known) - 1, -1, -1) if verdicts[at] == verdict]
        if places and kind == "refine" and fuller(known[places[0]], said) is not said:
            return Decision("repeat", current[places[0]])
        if places:
            return Decision("repeat" if kind == "repeat" else "refine", current[places[0]])
    over = [
        current[at]
        for at in overtaken(known, said)
        if not contests(said, offered.sources, known[at], current[at].sources)
    ]
    return Decision("change", over[0], tuple(over[1:])) if over else Decision("new")


def contests(said: Claim, sources: Sequence[Source], held: Claim, known: Sequence[Source]) -> bool:
    """Return whether two values of one place came without an order, so that neither can be said to be the later one.

    They do in one message, unless it says that something changed, and where two people disagree in a shared memory.
    """
    if not is_single(said) or said.attribute != held.attribute or said.polarity != "holds" or said.former:
        return False
    speakers = {sources[-1].user, known[-1].user} if sources and known else set[str | None]()
    if len(speakers) == 2 and None not in speakers:
        return True
    shared = {source.turn_id for source in sources} & {source.turn_id for source in known}
    return bool(shared) and not says_change(said.text)


def history(offered: FactInput, later: Fact, *, fact_id: str, now: datetime, made_by: str) -> Fact:
    """Return a fact that was stated before the one that holds, and is told after it: it was true until that began."""
    first = first_version(offered, fact_id=fact_id, now=now, made_by=made_by)
    return first.model_copy(
        update={
            "status": "superseded",
            "valid_to": max(first.valid_from, later.valid_from),
            "superseded_at": now,
            "superseded_by": later.id,
            "reason": "changed",
            "closed_as": "over",
        }
    )


def reinforce(fact: Fact, *, sources: Iterable[Source], episode_ids: Iterable[str], now: datetime) -> Fact:
    """Return the fact said once more: confidence min(1, c + 0.05), one count more, sources united.

    A turn that is already among the sources is not counted again.
    """
    offered = list(sources)
    united = unite(fact.sources, offered)
    if offered and len(united) == len(fact.sources):
        return fact
    return fact.model_copy(
        update={
            "confidence": min(1.0, fact.confidence + REINFORCEMENT),
            "reinforcement_count": fact.reinforcement_count + 1,
            "sources": united,
            "source_episode_ids": _join(fact.source_episode_ids, episode_ids),
            "last_reinforced": now,
        }
    )


def supersede(
    old: Fact,
    *,
    fact_id: str,
    content: str,
    confidence: float,
    now: datetime,
    changed: bool,
    sources: Iterable[Source] = (),
    episode_ids: Iterable[str] = (),
    valid_from: datetime | None = None,
    made_by: str = "",
    reason: str = "",
    claim: Claim | None = None,
) -> tuple[Fact, Fact]:
    """Return the closed old version and the version that takes its place.

    A changed fact was true until the new one began. A refined one (``changed`` False) is the same truth in better
    words: the new version takes over its beginning and its count (and one more, if another turn said it), and the old
    one held at no time.
    """
    began = max(valid_from or now, old.valid_from) if changed else old.valid_from
    said = list(sources)
    united = unite(old.sources, said)
    again = not said or len(united) > len(old.sources)
    claim = claim or read_as(content, old.subject)
    if claim.former and claim.attribute != old.attribute and same_value(claim.former, old.value):
        claim = replace(claim, attribute=old.attribute, of=old.of)  # "switched from A to B": what A was, B is now
    new = Fact(
        id=fact_id,
        subject=old.subject,
        content=content,
        confidence=confidence,
        category=old.category,
        source_episode_ids=_join(old.source_episode_ids if not changed else (), episode_ids),
        sources=unite([], said) if changed else united,
        extracted_at=now,
        last_reinforced=None if changed else now,
        reinforcement_count=1 if changed else old.reinforcement_count + int(again),
        valid_from=began,
        recorded_at=now,
        slot=slot(claim, subject_key(old.subject)),
        made_by=made_by,
        **fields(claim, subject_key(old.subject)),
    )
    closed = old.model_copy(
        update={
            "status": "superseded",
            "valid_to": began,
            "superseded_at": now,
            "superseded_by": fact_id,
            "reason": reason or ("changed" if changed else "refined"),
            "closed_as": "over" if changed else "reworded",
        }
    )
    return closed, new


def overtake(fact: Fact, by: Fact, now: datetime) -> Fact:
    """Return the fact closed because another one, which has a place of its own, makes it untrue."""
    return fact.model_copy(
        update={
            "status": "superseded",
            "valid_to": max(by.valid_from, fact.valid_from),
            "superseded_at": now,
            "superseded_by": by.id,
            "reason": "changed",
            "closed_as": "over",
        }
    )


REOPENED: Mapping[str, Any] = {
    "status": "current",
    "valid_to": None,
    "superseded_at": None,
    "superseded_by": "",
    "reason": "",
    "closed_as": "",
}
"""What a fact says of its end that holds again."""


def invalidate(fact: Fact, *, now: datetime, reason: str, closed_as: ClosedAs = "over") -> Fact:
    """Return the fact closed with nothing in its place: it is no longer true from now on, or no longer kept."""
    return fact.model_copy(
        update={
            "status": "invalidated",
            "valid_to": now,
            "superseded_at": now,
            "superseded_by": "",
            "reason": reason,
            "closed_as": closed_as,
        }
    )


def _join(one: Iterable[str], other: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([*one, *other]))
