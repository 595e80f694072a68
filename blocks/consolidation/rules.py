"""Distilling episodes into facts without a model: like episodes are grouped and each group is set against the facts."""

from collections.abc import Sequence
from typing import cast

from capabilities.claims import (
    Claim,
    Known,
    compare,
    fields,
    find_replaced,
    fuller,
    fullest,
    grouped,
    is_single,
    subject_key,
)
from capabilities.semantic.record import REINFORCEMENT
from capabilities.vocabulary import (
    FACT_CATEGORIES,
    MAX_OBSERVATIONS,
    ConsolidationPlan,
    FactAction,
    FactCategory,
    FactProposal,
)

ONE_EPISODE = 0.5
"""How sure a fact is that one episode tells."""
SEVERAL_EPISODES = 0.6
"""How sure one is that two tell; each more adds `REINFORCEMENT`, as a repetition does to a fact."""
MOST_FOR_NEW = 0.8
"""How sure a new fact is at most, however many tell it."""
REINFORCED = 0.8
"""What a known fact that is told again counts at least, before what the episodes add."""


def plan_from_episodes(episodes: Sequence[Known], facts: Sequence[Known]) -> ConsolidationPlan:
    """Return what ``episodes``, oldest first, change about ``facts``; events and tasks become no facts.

    Confidence follows the evidence: one episode 0.5, two 0.6 and more up to 0.8, a reinforced fact 0.85 to 1.

    >>> said = [Known(ident, "user", "Likes green tea", "preference") for ident in ("e1", "e2")]
    >>> [(fact.action, fact.confidence, fact.source_episode_ids) for fact in plan_from_episodes(said, []).facts]
    [('new', 0.6, ['e1', 'e2'])]
    """
    groups = _current(_by_last_episode([episode for episode in episodes if episode.category in FACT_CATEGORIES]))
    proposals = [_proposal(group, facts) for group in groups]
    return ConsolidationPlan(facts=[proposal for proposal in proposals if proposal is not None][:MAX_OBSERVATIONS])


def _agree(known: Claim, new: Claim) -> bool:
    return compare(known, new) in ("same", "refines")


def _by_last_episode(episodes: Sequence[Known]) -> list[list[Known]]:
    """Return the episodes in groups that say the same, that of the newest episode last."""
    groups = grouped(episodes, lambda group, episode: _together(group[-1], episode))
    place = {episode.id: position for position, episode in enumerate(episodes)}
    return sorted(groups, key=lambda group: place[group[-1].id])


def _together(known: Known, new: Known) -> bool:
    return known.category == new.category and _agree(known.claim, new.claim)


def _current(groups: list[list[Known]]) -> list[list[Known]]:
    """Leave out a group that a later episode replaces: the older value is history before it became a fact."""
    latest = [group[-1] for group in groups]
    retired = {find_replaced(episode.claim, latest[:position]) for position, episode in enumerate(latest)}
    return [group for group in groups if group[-1].id not in retired]


def _proposal(group: Sequence[Known], facts: Sequence[Known]) -> FactProposal | None:
    newest = group[-1]
    replaced = find_replaced(newest.claim, facts)
    if replaced:
        action: FactAction = "update" if newest.claim.polarity == "holds" else "invalidate"
        return _proposed(group, newest, action, replaced, _evidence(len(group)))
    match = next((fact for fact in reversed(facts) if _agree(fact.claim, newest.claim)), None)
    if match is None and _moved_on(newest.claim, facts):
        return None
    most = fullest(group)
    if match is None:
        return _proposed(group, most, "new", "", _evidence(len(group)))
    confidence = min(1.0, max(REINFORCED, match.confidence) + REINFORCEMENT * len(group))
    refined = compare(match.claim, most.claim) == "refines" and fuller(match.claim, most.claim) is most.claim
    return _proposed(group, most if refined else match, "update" if refined else "reinforce", match.id, confidence)


def _moved_on(claim: Claim, facts: Sequence[Known]) -> bool:
    """Return whether a claim only ends a value in whose place another one is known: history, and no fact."""
    if claim.polarity == "holds" or not is_single(claim):
        return False
    same = (fact.claim for fact in facts if fact.claim.subject == claim.subject)
    return any(known.attribute == claim.attribute and known.polarity == "holds" for known in same)


def _evidence(count: int) -> float:
    if count == 1:
        return ONE_EPISODE
    return min(MOST_FOR_NEW, SEVERAL_EPISODES + REINFORCEMENT * (count - 2))


def _proposed(group: Sequence[Known], said: Known, action: FactAction, target: str, confidence: float) -> FactProposal:
    return FactProposal(
        subject=group[-1].subject,
        content=said.content,
        confidence=round(confidence, 3),
        category=cast("FactCategory", group[-1].category),
        action=action,
        target_fact_id=target,
        source_episode_ids=[episode.id for episode in group],
        **fields(said.claim, subject_key(group[-1].subject)),
    )
