"""How facts change: pure functions from facts to facts, with ids and times as arguments."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from fabric.text import content_words, words

from ..contradiction import Existing, changes_value, find_replaced, restates, slot_of
from ..formulas.similarity import ALIKE, overlap, rival
from ..sources import Source, unite
from .order import as_observation
from .record import REINFORCEMENT, SAME, Fact, FactInput


@dataclass(frozen=True, slots=True)
class Decision:
    """What an offered fact is beside the known ones: ``new``, or of ``fact`` a ``repeat``, ``refine`` or ``change``."""

    kind: Literal["new", "repeat", "refine", "change"]
    fact: Fact | None = None


def first_version(offered: FactInput, *, fact_id: str, now: datetime, made_by: str) -> Fact:
    """Return the first version of a fact."""
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
        slot=slot_name(offered.content, offered.subject),
        made_by=made_by,
    )


def slot_name(content: str, subject: str) -> str:
    """Return the name of the single-valued slot that a text about ``subject`` fills, or ""."""
    filled = slot_of(content, subject)
    return filled.slot if filled is not None else ""


def decide(offered: FactInput, current: Sequence[Fact]) -> Decision:
    """Compare an offered fact with the current facts of its subject.

    The most alike one (share of words in the better direction at least 0.6) is a repeat when both directions reach
    0.95, else refined when one text only says more than the other. A change of number, date, name or negation, and
    words on both sides that the other lacks ("likes chess", "likes jazz"), make it a change of the fact it replaces,
    or a new fact beside it when it replaces none. A fact that holds the same single-valued slot is changed. The same
    value of a slot, or a liking of the same thing, in other words is a repeat, refined when it says more.
    """
    named = next((fact for fact in current if offered.replaces and fact.id == offered.replaces), None)
    if named is not None and named.category == offered.category:
        return Decision("repeat" if _same(offered.content, named.content) else "change", named)
    own, about = words(offered.content), content_words(offered.content)
    alike = sorted(
        ((max(pair), min(pair), fact) for fact in current for pair in [_overlaps(own, fact)] if max(pair) >= ALIKE),
        key=lambda one: (-one[0], -one[1]),
    )
    for _, smaller, fact in alike:
        if rival(content_words(fact.content), about) or changes_value(fact.content, offered.content, offered.subject):
            continue
        return Decision("repeat" if smaller >= SAME else "refine", fact)
    said, known = as_observation(offered), [_as_existing(fact) for fact in current]
    for fact, entry in zip(reversed(current), reversed(known), strict=True):
        if restates(said, entry):
            return Decision("refine" if len(about) > len(content_words(fact.content)) else "repeat", fact)
    replaced = find_replaced(said, known)
    changed = next((fact for fact in current if fact.id == replaced), None)
    return Decision("change", changed) if changed is not None else Decision("new")


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
        slot=slot_name(content, old.subject),
        made_by=made_by,
    )
    closed = old.model_copy(
        update={
            "status": "superseded",
            "valid_to": began,
            "superseded_at": now,
            "superseded_by": fact_id,
            "reason": reason or ("changed" if changed else "refined"),
        }
    )
    return closed, new


def invalidate(fact: Fact, *, now: datetime, reason: str) -> Fact:
    """Return the fact closed with nothing in its place: it is no longer true from now on."""
    return fact.model_copy(
        update={"status": "invalidated", "valid_to": now, "superseded_at": now, "superseded_by": "", "reason": reason}
    )


def alike(one: str, other: str) -> bool:
    """Return whether two texts are about the same thing: 60 % of the words of one are in the other."""
    mine, theirs = words(one), words(other)
    return max(overlap(mine, theirs), overlap(theirs, mine)) >= ALIKE


def longer(one: str, other: str) -> str:
    """Return the longer of two texts, the first on a tie."""
    return other if len(other) > len(one) else one


def _overlaps(own: list[str], fact: Fact) -> tuple[float, float]:
    theirs = words(fact.content)
    return overlap(own, theirs), overlap(theirs, own)


def _same(one: str, other: str) -> bool:
    return words(one) == words(other)


def _join(one: Iterable[str], other: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([*one, *other]))


def _as_existing(fact: Fact) -> Existing:
    return Existing(fact.id, fact.subject, fact.content, fact.category, fact.confidence, fact.reinforcement_count)
