"""A message that takes back what the same person said right before it: what of that is over, and what is meant."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from capabilities.claims import claim_of, compare
from capabilities.memory.layout import MemoryLayout
from capabilities.semantic import Fact, Reconciliation
from capabilities.semantic.state import REOPENED
from capabilities.sources import Outcome, Source
from capabilities.turns import Exchange, Turn
from capabilities.vocabulary import Observation
from capabilities.working import WorkingState
from capabilities.working import state as working
from fabric.flow.resource import Collection, Transaction
from fabric.store.base import Where
from fabric.text.words import printable

from ..readers.corrections import behind_correction, corrects
from ..readers.moods import Spoken, said_in
from ..readers.observe import observe_text
from ..readers.withdrawals import withdrawal
from .contradicted import REASONS, contradiction
from .reach import Named, Reach, Told, named_by, reach_of, told_by

_NEAR = 4
"""How many messages of the person are looked through for the one right before."""
_SHOWN = 80
"""How much of a message is told as the reason."""


@dataclass(frozen=True, slots=True)
class Retraction:
    """The message that was taken back, the two read as one, and how much of the first is over."""

    before: Turn
    text: str
    both: str
    pieces: Sequence[Spoken]
    reach: Reach
    named: Named

    @property
    def reason(self) -> str:
        """Why what was said before is over."""
        return f"taken back: {self.text[:_SHOWN]!r}"

    def rests_on_it(self, sources: Iterable[Source]) -> bool:
        """Return whether something rests on the message before alone."""
        return {source.turn_id for source in sources} == {self.before.id}

    def among(self, found: Iterable[Told]) -> "Retraction":
        """Return a copy that chooses what is taken back among all that the message before said: what it names best."""
        return replace(self, named=self.named.among([*found, *told_by(self.before.text)]))

    def takes_back(self, subject: str, content: str, sources: Iterable[Source]) -> bool:
        """Return whether something that rests on the message before alone is no longer meant."""
        if not self.rests_on_it(sources):
            return False
        if self.reach != "last":
            return self.reach == "all" or self.named.means(subject, content)
        said = Observation(subject=subject, content=content, importance=0)
        return contradiction(said, self.pieces) == REASONS["taken back"]

    def meant(self) -> list[Observation]:
        """Return what only the two messages together say: "I live in Rome." "Sorry, I meant Milan."."""
        if self.reach == "all":
            return []
        alone = {content for text in (self.before.text, self.text) for _, content in told_by(text)}
        return [seen for seen in observe_text(self.both) if seen.content not in alone]


def find_retraction(tx: Transaction, layout: MemoryLayout, exchange: Exchange) -> Retraction | None:
    """Return what a message takes back of the one right before it by the same person, None for most messages."""
    said = exchange.user
    if said is None:
        return None
    withdrawn, is_correction = withdrawal(said.text), corrects(said.text)
    if withdrawn is None and not is_correction:
        return None
    where = [Where("session", "=", said.session), Where("turn", "<=", said.turn)]
    where.append(Where("turn", ">", 0))  # what a program stated, or imported, is no message of a conversation
    found = tx.find(layout.turns, Where("role", "=", "user"), *where, order="-said_at", limit=_NEAR)
    same = (turn for turn in found if turn.id != said.id and (turn.user, turn.speaker) == (said.user, said.speaker))
    before = next(same, None)
    if before is None:
        return None
    rest = withdrawn.rest if withdrawn is not None else behind_correction(said.text)
    named = named_by(rest, before.text, withdrawn)
    since = [Where("role", "=", "assistant"), Where("turn", ">=", before.turn)]
    answers = tx.find(layout.turns, *since, *where) if withdrawn is not None else []
    between = [answer.text for answer in answers if answer.said_at < said.said_at]
    reach = reach_of(withdrawn, named, before.text, between, is_correction=is_correction)
    if reach is None:
        return None
    both = f"{printable(before.text)}\n{printable(said.text)}"
    return Retraction(before, said.text, both, tuple(said_in(both)), reach, named)


def corrected(found: Sequence[Observation], retraction: Retraction | None) -> list[Observation]:
    """Return a message's observations, and those that it makes only together with the message that it corrects.

    "I live in Rome." "Sorry, I meant Milan." gives one: that the user lives in Milan. None is added whose claim is
    anything but unrelated to an observation that is there.
    """
    if retraction is None:
        return list(found)
    known = [claim_of(seen) for seen in found]
    new = (seen for seen in retraction.meant() if all(compare(claim_of(seen), claim) == "unrelated" for claim in known))
    return [*found, *new]


def take_back(
    tx: Transaction, layout: MemoryLayout, exchange: Exchange, state: WorkingState, facts: Reconciliation | None
) -> tuple[WorkingState, list[Outcome], list[str]]:
    """End what a message takes back of the one before it and nothing took the place of.

    Returned are working memory without it, an outcome for each fact and entry, and the ids of their episodes.
    """
    retraction = find_retraction(tx, layout, exchange)
    if retraction is None:
        return state, [], []
    facts_said = [] if facts is None else _facts_since(tx, layout, facts, retraction)
    entries_said = [entry for entry in state.entries if retraction.rests_on_it(entry.sources)]
    known = [(fact.subject, fact.content) for fact in facts_said]
    retraction = retraction.among([*known, *((entry.subject, entry.content) for entry in entries_said)])
    outcomes: list[Outcome] = []
    episodes: list[str] = []
    for entry in entries_said:
        if retraction.takes_back(entry.subject, entry.content, entry.sources):
            state, _ = working.evict(state, entry.id)
            episodes += [entry.episode_id] if entry.episode_id else []
            outcomes.append(_ended("working", entry.id, entry.content, retraction))
    if facts is not None and layout.semantic is not None:
        for fact in facts_said:
            is_over = retraction.takes_back(fact.subject, fact.content, fact.sources)
            if is_over and facts.close(fact, retraction.reason):
                episodes += fact.source_episode_ids
                outcomes.append(_ended("semantic", fact.id, fact.content, retraction))
                _reopen(tx, layout.semantic, facts, fact)
    return state, outcomes, episodes


def _facts_since(tx: Transaction, layout: MemoryLayout, facts: Reconciliation, retraction: Retraction) -> list[Fact]:
    """Return the facts that rest on the message before alone, as they stand now, also those that are over."""
    if layout.semantic is None:
        return []
    facts.write()  # a message that was missed is read together with the one that takes it back
    since = Where("recorded_at", ">=", retraction.before.said_at.isoformat())
    found = [facts.get(fact.id) or fact for fact in tx.find(layout.semantic, since)]
    return [fact for fact in found if retraction.rests_on_it(fact.sources)]


def _reopen(tx: Transaction, semantic: Collection[Fact], facts: Reconciliation, gone: Fact) -> None:
    """Let what a fact had taken the place of hold again."""
    before = tx.find(semantic, Where("status", "=", "superseded"), Where("superseded_by", "=", gone.id))
    facts.put(*(fact.model_copy(update=REOPENED) for fact in before))


def _ended(tier: str, record_id: str, content: str, retraction: Retraction) -> Outcome:
    return Outcome.model_validate(
        {"status": "superseded", "tier": tier, "content": content, "replaced": record_id, "reason": retraction.reason}
    )
