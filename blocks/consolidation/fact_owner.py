"""Whose a distilled fact is: it rests on episodes of one person, whatever a model joined, and on none of a namesake."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from capabilities.claims import USER, name_of
from capabilities.episodic import Episode
from capabilities.relations.mentions import mention
from capabilities.vocabulary import FactProposal
from fabric.text.words import content_words


class Told(NamedTuple):
    """A proposal under whom it is about, the episodes that bear it out, and why it is refused, or ""."""

    proposal: FactProposal
    episodes: Sequence[Episode] = ()
    refused: str = ""


def told_of_one(proposal: FactProposal, evidence: Mapping[str, Episode], *, is_shared: bool) -> Told:
    """Return whom a proposal is about, by the episodes that it rests on.

    An episode is about its subject and about whom it names, and for a fact about the user, whoever that fact names. In
    a memory that users share, what a model says of "the user" is about whom its episodes are about, if that is one.
    """
    rests_on = [
        evidence[episode_id] for episode_id in dict.fromkeys(proposal.source_episode_ids) if episode_id in evidence
    ]
    if is_shared and proposal.subject == USER:
        whose = {episode.subject for episode in rests_on or evidence.values()}
        if len(whose) > 1:
            return Told(proposal, (), f"it does not say whose it is: {_names(whose)} are several people")
        proposal = proposal.model_copy(update={"subject": next(iter(whose), USER)})
    own = [episode for episode in rests_on if _bears_on(episode, proposal)]
    others = [episode for episode in rests_on if episode not in own]
    if others and (not own or (_words(others) - _words(own)) & content_words(proposal.content)):
        told = _names({episode.subject for episode in others})
        return Told(proposal, (), f"it says of {proposal.subject} what was said of {told}: one fact is of one person")
    return Told(proposal, own)


def _bears_on(episode: Episode, proposal: FactProposal) -> bool:
    if episode.subject == proposal.subject or mention(episode.content, name_of(proposal.subject)) == "yes":
        return True
    return proposal.subject == USER and mention(proposal.content, name_of(episode.subject)) == "yes"


def _words(episodes: Sequence[Episode]) -> frozenset[str]:
    return frozenset[str]().union(*(content_words(episode.content) for episode in episodes))


def _names(subjects: set[str]) -> str:
    return " and ".join(sorted(subjects))
