"""Whom a cue asks about, looked up as claims: relations and names, and which rows are theirs."""

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from capabilities.claims import claim_of, name_of
from capabilities.relations.kin_reading import MINE, SOMEBODY, Kin, kin_in, starts_with_kin
from capabilities.relations.names import may_be_word, names_asked, similar_names
from capabilities.relations.words import GRAMMAR, IMPLIED, gender, kin_of, listed
from capabilities.retrieval.candidates import Candidates
from capabilities.retrieval.people import People
from capabilities.working import WorkingEntry
from fabric.flow.context import Context
from fabric.flow.resource import Transaction
from fabric.search.views import holds
from fabric.text.language import language_of, speaks_of_oneself
from fabric.text.words import words

from ..layout import MemoryLayout
from ..recall.ranked import RankedMemory
from .attribute_rows import answers
from .claim_columns import Slots, names_in
from .oneself import subjects_of
from .somebody import Finder, Somebody

if TYPE_CHECKING:
    from capabilities.retrieval.question import Question

_WHO = re.compile(r"\bwho(?:['\u2019]s|\s+(?:is|are|was|were))\b|\bnames?\b|\bcalled\b", re.IGNORECASE)
"""What asks who somebody is, which is told of the user: "Sister is Anna"."""


def asked_about(
    tx: Transaction,
    ctx: Context,
    layout: MemoryLayout,
    question: "Question",
    candidates: Candidates,
    entries: Sequence[WorkingEntry],
) -> People:
    """Return whom the question asks about, the rows that speak of them, and those that tell what is asked of them."""
    return _Reader(tx, ctx, layout, question, candidates, entries).people()


@dataclass(slots=True)
class _Reader:
    """Reads whom a question asks about."""

    tx: Transaction
    ctx: Context
    layout: MemoryLayout
    question: "Question"
    candidates: Candidates
    entries: Sequence[WorkingEntry]
    mine: frozenset[str] = field(init=False)
    language: str = field(init=False)
    find: Finder = field(init=False)
    named: frozenset[str] = field(init=False)
    """The names of people in the question."""

    def __post_init__(self) -> None:
        self.mine = subjects_of(self.ctx.user, self.layout)
        self.language = self.question.cue.language if self.question.cue.language in GRAMMAR else "english"
        self.named = frozenset(names_asked(self.question.cue.text, self.question.cue.language))
        self.find = Finder(self.tx, self.layout, self.candidates, self.entries, self.mine, self.language)

    def people(self) -> People:
        """Return whom the question asks about."""
        cue = self.question.cue
        kin = kin_in(cue.text, self.language)
        owners = {person.of for person in kin}
        subjects = names_in(self.candidates, "subject") - self.mine
        names = {*self.named, *self._named_subjects(subjects)} - owners
        names -= {person.name.lower() for person in kin}
        speakers = self._speakers()
        named = names | owners
        if self.question.speakers or any(name in speakers or any(similar_names(name, speakers)) for name in named):
            return self._people({name: {name} for name in self._named_subjects(subjects)})
        own = names & self.find.own_names() if names else set[str]()
        asked = [
            person
            for person in kin
            if person.of != SOMEBODY and not person.has_preposition and person.kin[-1] not in IMPLIED
        ]
        found = [({*kin.word.split(), kin.name.lower(), kin.of}, self.find.kin(kin)) for kin in asked]
        found += [({name}, self.find.named(name)) for name in names - own]
        says_i = not GRAMMAR[self.language].i.isdisjoint(words(cue.text))
        spoken = None
        if not found and not own and not kin and not says_i and not speaks_of_oneself(cue.text, cue.language):
            spoken = self._spoken_of()
            found += [({""}, spoken)] if spoken is not None else []
            own = self._pronouns() if spoken is None else set[str]()
        if found and not says_i:
            return self._about(found)
        people = self._people({name: said for said, person in found for name in person.names & subjects})
        if own or (not kin and not names and set(people.asked) <= self.mine and people.is_told):
            return self._about_me(own)
        return self._with(people, found)

    def _people(self, called: dict[str, set[str]]) -> People:
        asked = {name: frozenset(said) for name, said in called.items()}
        if self._asks_who() or (not asked and speaks_of_oneself(self.question.cue.text, self.question.cue.language)):
            asked |= dict.fromkeys(self.mine, frozenset())
        return People(asked, is_told=bool(asked), mine=self.mine)

    def _about(self, found: Sequence[tuple[set[str], Somebody]]) -> People:
        """Return that somebody else is asked about: what does not speak of them counts less."""
        subjects = names_in(self.candidates, "subject")
        called: dict[str, frozenset[str]] = {}
        for said, person in found:
            known = {name for name in person.names if name in subjects}
            called |= dict.fromkeys(known, frozenset(said)) if len(known) == 1 else {}
        if self._asks_who():
            called |= dict.fromkeys(self.mine, frozenset())
        return self._with(People(called, mine=self.mine), found, narrow=True)

    def _with(self, people: People, found: Sequence[tuple[set[str], Somebody]], *, narrow: bool = False) -> People:
        if not found:
            return people
        somebody = [person for _, person in found]
        rows = np.logical_or.reduce([person.rows for person in somebody])
        unsure = np.zeros(self.candidates.size, np.bool_)
        told = answers(self.question.cue, self.candidates, somebody, asks_who=self._asks_who())
        if told is not None and not self._asks_who():  # who they are is known, and no answer
            rows &= ~np.logical_or.reduce([person.told for person in somebody])
        for person in somebody:
            unsure |= person.unsure if person.unsure is not None else False
        others = [person.is_other for person in somebody if person.unsure is not None]
        return People(
            people.asked,
            people.is_told,
            self.mine,
            rows=rows if narrow else None,
            spoken=[(frozenset(said), person.rows) for said, person in found],
            answers=told,
            is_other=(lambda memory: all(is_other(memory) for is_other in others)) if narrow and others else None,
            unsure=unsure,
        )

    def _about_me(self, own: AbstractSet[str]) -> People:
        """Return that the user is asked about: what tells the same of others, or is another user's, counts less."""
        me = Somebody(self.mine, np.zeros(self.candidates.size, np.bool_), np.zeros(self.candidates.size, np.bool_))
        rows, mine = np.ones(self.candidates.size, np.bool_), np.zeros(self.candidates.size, np.bool_)
        told = answers(self.question.cue, self.candidates, [me], asks_who=False)
        theirs = answers(self.question.cue, self.candidates, [me], asks_who=False, others=True)
        for group in self.candidates:
            slots, part = Slots.of(group.index), slice(group.start, group.end)
            if slots is not None:
                rows[part] &= ~slots.of_owners(lambda _: True)
            if theirs is not None and slots is not None:
                rows[part] &= ~(theirs[part] > 0)
            if own and told is not None and slots is not None:  # what they are called is known, and no answer
                rows[part] &= ~(slots.filled("name") | slots.filled("nickname"))
            if "user" in group.index.columns:
                rows[part] &= holds(group.index, "user", [self.ctx.user or ""])
            by_role = "role" in group.index.columns
            mine[part] = holds(group.index, "role", ["user"]) if by_role else holds(group.index, "subject", self.mine)
        return People(
            dict.fromkeys(self.mine, frozenset(own)),
            mine=self.mine,
            is_about_me=True,
            rows=None if rows.all() else rows,
            spoken=[(frozenset(own), mine)] if own else (),
            roles=frozenset({"user"}) if own else frozenset(),
            answers=told,
            is_other=None if self._asks_who() else _tells_of_kin,
        )

    def _asks_who(self) -> bool:
        return _WHO.search(self.question.cue.text) is not None

    def _named_subjects(self, subjects: Iterable[str]) -> Iterator[str]:
        cue = self.question.cue
        spoken = self.named.union(word.spelling for word in cue.words if not may_be_word(word.spelling))
        for name in subjects:
            own = words(name_of(name))
            if own and (own[0] in spoken if " " in name else spoken.issuperset(own)):
                yield name

    def _speakers(self) -> frozenset[str]:
        spoken = names_in(self.candidates, "speaker")
        return frozenset(name.casefold().split()[0] for name in spoken if name.strip())

    def _pronouns(self) -> set[str]:
        third = GRAMMAR[self.language].third | GRAMMAR["english"].third
        spoken = listed("he") | listed("she") | listed("they")
        return set(words(self.question.cue.text)) & third & spoken

    def _spoken_of(self) -> Somebody | None:
        """Return whom "he" or "she" means: who else the conversation spoke of last; None for nobody.

        Somebody who is known to be a "she" is meant before one of whom that is not known.
        """
        said = self._pronouns()
        wanted = {name for name, of in (("male", "he"), ("female", "she")) if said & listed(of)}
        spoken = list(self._others_last_first()) if said else []
        for fitting in (wanted, {""}) if wanted else ({"male", "female", ""},):
            for name, kin, known in spoken:
                if known in fitting:
                    return self.find.kin(Kin(MINE, (kin,), name)) if kin else self.find.named(name)
        return None

    def _others_last_first(self) -> Iterator[tuple[str, str, str]]:
        """Yield who was spoken of: a name, or the words for kin and who they are, and "male", "female" or ""."""
        for entry in reversed(self.entries):
            if entry.subject not in self.mine:
                yield entry.subject, "", self._gender(entry.subject)
            owner, _, of = claim_of(entry).subject.partition(" of ")
            kin = kin_of(owner)[0]
            if of and kin:
                yield owner, kin, gender(kin)

    def _gender(self, name: str) -> str:
        slots = self.find.slots()
        places = slots.places.places if slots is not None else []
        known = [
            gender(kin_of(place.detail)[0]) for place in places if place.attribute == "relation" and place.value == name
        ]
        is_woman = name_of(name).endswith("a") or name_of(name).partition("-")[0] in listed("women")
        return next(iter(known), "female" if is_woman else "")


def _tells_of_kin(memory: RankedMemory) -> bool:
    """Return whether a turn speaks of the user's kin, and not of the user."""
    return memory.source == "turn" and _speaks_of_kin(memory.content)


@lru_cache(maxsize=8_192)
def _speaks_of_kin(text: str) -> bool:
    spoken_words = words(text)
    language = language_of(text)
    if any(not GRAMMAR[name].i.isdisjoint(spoken_words) for name in ("english", language) if name in GRAMMAR):
        return False
    return starts_with_kin(text[:80], language)
