"""Cleaning the facts without a model: near-duplicates become one, and what a later fact contradicts goes."""

import re
from collections.abc import Sequence

from capabilities.contradiction import Existing, changes_value, find_replaced
from capabilities.vocabulary import Merge, Observation, PrunePlan, Removal
from fabric.text import words

from .overlap import agree, shared

PROTECTED_REINFORCEMENTS = 5
"""A fact reinforced at least this often is neither removed nor rewritten."""

PROTECTED_CONFIDENCE = 0.8
"""A fact at least this certain goes only when another holds all of its words or fills its slot anew."""

_SESSION = re.compile(
    r"^(?:(?:the )?user )?(?:asked|asks|requested|requests|inquired|is asking|wants help|needs help|"
    r"looked up|is looking up|greeted|thanked|said (?:hi|hello|thanks))\b",
    re.IGNORECASE,
)


def plan_prune(facts: Sequence[Existing]) -> PrunePlan:
    """Return which of ``facts``, oldest first, to remove and which to merge; never across subjects or a changed value.

    >>> known = [Existing(text, "user", text, "preference") for text in ("Likes tea", "Likes green tea")]
    >>> [(merge.source_fact_ids, merge.merged_content) for merge in plan_prune(known).merges]
    [(['Likes tea', 'Likes green tea'], 'Likes green tea')]
    """
    removals = _contradicted(facts) + [
        Removal(fact_id=fact.id, reason="an artefact of one session") for fact in facts if _is_artefact(fact)
    ]
    gone = {removal.fact_id for removal in removals}
    rest = [fact for fact in facts if fact.id not in gone]
    copies = _copies_of_protected(rest)
    gone |= {removal.fact_id for removal in copies}
    merges = _merges([fact for fact in rest if fact.id not in gone and not _protected(fact)])
    return PrunePlan(removals=_once(removals + copies), merges=merges)


def _protected(fact: Existing) -> bool:
    return fact.reinforcement_count >= PROTECTED_REINFORCEMENTS


def _certain(fact: Existing) -> bool:
    return fact.confidence >= PROTECTED_CONFIDENCE


def _contradicted(facts: Sequence[Existing]) -> list[Removal]:
    found: list[Removal] = []
    for position, fact in enumerate(facts):
        older = [
            other
            for other in facts[:position]
            if not _protected(other) and other.confidence <= max(fact.confidence, PROTECTED_CONFIDENCE)
        ]
        replaced = find_replaced(_as_observation(fact), older)
        if replaced:
            found.append(Removal(fact_id=replaced, reason=f"contradicted by a newer fact: {fact.content}"))
    return found


def _is_artefact(fact: Existing) -> bool:
    weak = not _protected(fact) and not _certain(fact)
    return weak and (_SESSION.match(fact.content) is not None or len(words(fact.content)) < 2)


def _copies_of_protected(facts: Sequence[Existing]) -> list[Removal]:
    """Return the weaker facts whose every word a protected one holds; the protected one stays as it is."""
    return [
        Removal(fact_id=fact.id, reason=f"already said by a well reinforced fact: {strong.content}")
        for fact in facts
        if not _protected(fact)
        for strong in facts
        if _protected(strong) and _covers(strong, fact)
    ]


def _covers(strong: Existing, fact: Existing) -> bool:
    same = strong.subject.lower() == fact.subject.lower() and not changes_value(
        strong.content, fact.content, fact.subject.lower()
    )
    return same and set(words(fact.content)) <= set(words(strong.content))


def _merges(facts: Sequence[Existing]) -> list[Merge]:
    groups: list[list[Existing]] = []
    for fact in facts:
        for group in groups:
            if all(_duplicates(fact, other) for other in group):
                group.append(fact)
                break
        else:
            groups.append([fact])
    return [_merge(group) for group in groups if len(group) > 1]


def _duplicates(a: Existing, b: Existing) -> bool:
    if a.subject.lower() != b.subject.lower() or not agree(a.content, b.content, a.subject.lower()):
        return False
    larger, _ = shared(a.content, b.content)
    needed = 1.0 if _certain(a) or _certain(b) else 0.8
    return larger >= needed


def _merge(group: Sequence[Existing]) -> Merge:
    """Return the merge in which the best evidenced fact survives, with the fullest wording."""
    ordered = sorted(group, key=lambda fact: (-fact.reinforcement_count, -fact.confidence))
    fullest = max(group, key=lambda fact: (len(set(words(fact.content))), fact.confidence))
    return Merge(
        source_fact_ids=[fact.id for fact in ordered],
        merged_content=fullest.content,
        reason="the same fact in other words",
    )


def _once(removals: Sequence[Removal]) -> list[Removal]:
    return list({removal.fact_id: removal for removal in reversed(removals)}.values())[::-1]


def _as_observation(fact: Existing) -> Observation:
    return Observation.model_validate(
        {"subject": fact.subject, "content": fact.content, "category": fact.category, "importance": fact.confidence}
    )
