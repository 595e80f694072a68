"""Cleaning the facts without a model: what says the same becomes one, and what a later fact contradicts goes."""

import re
from collections.abc import Iterator, Mapping, Sequence

from capabilities.claims import OTHER, Claim, Known, Verdict, compare, fuller, fullest, grouped, is_single, says_change
from capabilities.claims.values.same_value import tokens
from capabilities.semantic.record import DEFAULT_PRUNE_CONFIG
from capabilities.vocabulary import Merge, PrunePlan, Removal
from fabric.text.words import words

_SESSION = re.compile(
    r"^(?:(?:the )?user )?(?:asked|asks|requested|requests|inquired|is asking|wants help|needs help|"
    r"looked up|is looking up|greeted|thanked|said (?:hi|hello|thanks))\b",
    re.IGNORECASE,
)


def plan_prune(facts: Sequence[Known], unordered: frozenset[frozenset[str]] = frozenset()) -> PrunePlan:
    """Return which of ``facts``, oldest first, to remove and which to merge, as the judge of claims sees them.

    ``unordered`` are pairs of ids that came without an order: neither contradicts the other.

    >>> known = [Known(text, "user", text, "preference") for text in ("Likes tea", "Hates tea", "Likes jazz")]
    >>> [removal.fact_id for removal in plan_prune(known).removals]
    ['Likes tea']
    """
    verdicts: dict[tuple[str, str], Verdict] = {(old.id, new.id): verdict for old, new, verdict in _verdicts(facts)}
    removals = [
        Removal(fact_id=old, reason=f"contradicted by a newer fact: {_content(facts, new)}")
        for (old, new), verdict in verdicts.items()
        if verdict in ("replaces", "ends") and frozenset({old, new}) not in unordered
    ]
    removals += [Removal(fact_id=fact.id, reason="an artefact of one session") for fact in facts if _is_artefact(fact)]
    gone = {removal.fact_id for removal in removals}
    groups = _groups([fact for fact in facts if fact.id not in gone], verdicts)
    removals += [removal for group in groups for removal in _copies_of_protected(group)]
    merges = [_merge(group) for group in groups if len(group) > 1 and not any(map(_protected, group))]
    return PrunePlan(removals=_once(removals), merges=merges)


def _verdicts(facts: Sequence[Known]) -> Iterator[tuple[Known, Known, Verdict]]:
    """Yield the pairs of facts that are not unrelated, older first; only what may concern one another is compared."""
    buckets: dict[tuple[str, str], list[Known]] = {}
    for fact in facts:
        older = buckets.setdefault(_bucket(fact.claim), [])
        ends = _ends_elsewhere(fact.claim)
        others = (other for bucket in buckets.values() if ends and bucket is not older for other in bucket)
        for other in (*older, *others):
            verdict = compare(other.claim, fact.claim)
            if verdict != "unrelated":
                yield other, fact, verdict
        older.append(fact)


def _bucket(claim: Claim) -> tuple[str, str]:
    first = next(iter(tokens(claim.value)), "") if claim.attribute == OTHER and claim.polarity == "holds" else ""
    return claim.subject, "role" if claim.attribute == "employer" else f"{claim.attribute} {first}"


def _ends_elsewhere(claim: Claim) -> bool:
    """Return whether a claim may end one of another attribute, or deny a text that begins with another word."""
    return claim.polarity != "holds" or claim.former != "" or (is_single(claim) and says_change(claim.text))


def _content(facts: Sequence[Known], fact_id: str) -> str:
    return next(fact.content for fact in facts if fact.id == fact_id)


def _protected(fact: Known) -> bool:
    return fact.reinforcement_count >= DEFAULT_PRUNE_CONFIG.protected_reinforcements


def _is_artefact(fact: Known) -> bool:
    weak = not _protected(fact) and fact.confidence < DEFAULT_PRUNE_CONFIG.protected_confidence
    return weak and (_SESSION.match(fact.content) is not None or len(words(fact.content)) < 2)


def _groups(facts: Sequence[Known], verdicts: Mapping[tuple[str, str], Verdict]) -> list[list[Known]]:
    """Return the facts in groups of which each says the same as every other, or more."""
    alike = {pair for pair, verdict in verdicts.items() if verdict in ("same", "refines")}
    near = {fact_id for pair in alike for fact_id in pair}
    return grouped(
        (fact for fact in facts if fact.id in near),
        lambda group, fact: all((old.id, fact.id) in alike for old in group),
    )


def _copies_of_protected(group: Sequence[Known]) -> list[Removal]:
    """Return the weaker facts that say no more than a protected one of their group, which stays as it is."""
    strong = next((fact for fact in group if _protected(fact)), None)
    return [
        Removal(fact_id=fact.id, reason=f"already said by a well reinforced fact: {strong.content}")
        for fact in group
        if strong is not None and not _protected(fact) and fuller(strong.claim, fact.claim) is strong.claim
    ]


def _merge(group: Sequence[Known]) -> Merge:
    """Return the merge in which the best evidenced fact survives, with the fullest wording."""
    ordered = sorted(group, key=lambda fact: (-fact.reinforcement_count, -fact.confidence))
    return Merge(
        source_fact_ids=[fact.id for fact in ordered],
        merged_content=fullest(group).content,
        reason="the same fact in other words",
    )


def _once(removals: Sequence[Removal]) -> list[Removal]:
    return list({removal.fact_id: removal for removal in reversed(removals)}.values())[::-1]
