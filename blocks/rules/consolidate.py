"""Distilling episodes into facts without a model: like episodes are grouped and each group is set against the facts."""

import re
from collections.abc import Sequence
from typing import cast

from capabilities.contradiction import Existing, find_replaced, only_ends, slot_of
from capabilities.vocabulary import (
    FACT_CATEGORIES,
    MAX_OBSERVATIONS,
    ConsolidationPlan,
    FactAction,
    FactCategory,
    FactProposal,
    Observation,
)

from .overlap import SAME, agree, shared

ONE_EPISODE = 0.5
SEVERAL_EPISODES = 0.6
EACH_MORE = 0.05
MOST_FOR_NEW = 0.8
REINFORCED = 0.8


def group_episodes(episodes: Sequence[Existing], facts: Sequence[Existing]) -> ConsolidationPlan:
    """Return what ``episodes``, oldest first, change about ``facts``; events and tasks become no facts.

    Confidence follows the evidence: one episode 0.5, two 0.6 and more up to 0.8, a reinforced fact 0.8 to 1.

    >>> said = [Existing(ident, "user", "Likes green tea", "preference") for ident in ("e1", "e2")]
    >>> [(fact.action, fact.confidence, fact.source_episode_ids) for fact in group_episodes(said, []).facts]
    [('new', 0.6, ['e1', 'e2'])]
    """
    groups = _current(_grouped([episode for episode in episodes if episode.category in FACT_CATEGORIES]))
    proposals = [_proposal(group, facts) for group in groups]
    return ConsolidationPlan(facts=[one for one in proposals if one is not None][:MAX_OBSERVATIONS])


def _grouped(episodes: Sequence[Existing]) -> list[list[Existing]]:
    """Return the episodes in groups that say the same, that of the newest episode last."""
    groups: list[list[Existing]] = []
    for episode in episodes:
        for group in groups:
            if _together(group[-1], episode):
                group.append(episode)
                break
        else:
            groups.append([episode])
    place = {episode.id: position for position, episode in enumerate(episodes)}
    return sorted(groups, key=lambda group: place[group[-1].id])


def _together(a: Existing, b: Existing) -> bool:
    return (
        a.subject.lower() == b.subject.lower()
        and a.category == b.category
        and agree(a.content, b.content, a.subject.lower())
    )


def _current(groups: list[list[Existing]]) -> list[list[Existing]]:
    """Leave out a group that a later episode replaces: the older value is history before it became a fact."""
    latest = [group[-1] for group in groups]
    retired: set[str] = set()
    for position, episode in enumerate(latest):
        replaced = find_replaced(_as_observation(episode), latest[:position])
        retired |= {replaced} if replaced else set()
    return [group for group in groups if group[-1].id not in retired]


def _proposal(group: Sequence[Existing], facts: Sequence[Existing]) -> FactProposal | None:
    newest = group[-1]
    content = max((episode.content for episode in group), key=len)
    replaced = find_replaced(_as_observation(newest), facts)
    if replaced:
        return _proposed(
            group,
            newest.content,
            "invalidate" if only_ends(newest.content) else "update",
            replaced,
            _evidence(len(group)),
        )
    match = _matching(newest, facts)
    if match is None and _moved_on(newest, facts):
        return None
    if match is None:
        return _proposed(group, content, "new", "", _evidence(len(group)))
    confidence = min(1.0, max(REINFORCED, match.confidence) + EACH_MORE * len(group))
    refined = len(content) > len(match.content) and shared(content, match.content)[1] < SAME
    action: FactAction = "update" if refined else "reinforce"
    return _proposed(group, content if refined else match.content, action, match.id, confidence)


_ENDING = re.compile(r"^(?:is )?(?:no longer|not) ", re.IGNORECASE)


def _moved_on(episode: Existing, facts: Sequence[Existing]) -> bool:
    """Return whether ``episode`` only ends a value in whose place another one is known: history, and no fact."""
    if not only_ends(episode.content):
        return False
    subject = episode.subject.lower()
    ended = slot_of(_ENDING.sub("", episode.content), subject)
    current = (slot_of(fact.content, subject) for fact in facts if fact.subject.lower() == subject)
    return ended is not None and any(held is not None and held.slot == ended.slot for held in current)


def _matching(episode: Existing, facts: Sequence[Existing]) -> Existing | None:
    alike = [
        fact
        for fact in facts
        if fact.subject.lower() == episode.subject.lower()
        and agree(fact.content, episode.content, fact.subject.lower())
    ]
    return max(alike, key=lambda fact: shared(fact.content, episode.content), default=None)


def _evidence(count: int) -> float:
    if count == 1:
        return ONE_EPISODE
    return min(MOST_FOR_NEW, SEVERAL_EPISODES + EACH_MORE * (count - 2))


def _proposed(
    group: Sequence[Existing], content: str, action: FactAction, target: str, confidence: float
) -> FactProposal:
    return FactProposal(
        subject=group[-1].subject,
        content=content,
        confidence=round(confidence, 3),
        category=cast("FactCategory", group[-1].category),
        action=action,
        target_fact_id=target,
        source_episode_ids=[episode.id for episode in group],
    )


def _as_observation(entry: Existing) -> Observation:
    return Observation.model_validate(
        {"subject": entry.subject, "content": entry.content, "category": entry.category, "importance": entry.confidence}
    )
