"""Somebody as the memory knows them: who they are by relation claims and names, and the rows that speak of them."""

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from capabilities.claims import USER, SlotParts, claim_of, name_of, user_subject
from capabilities.relations.kin_reading import MINE, SOMEBODY, Kin, kin_in
from capabilities.relations.names import is_spoken_of, may_be_word, similar_names
from capabilities.relations.words import GRAMMAR, kin_of, kin_terms, listed, means
from capabilities.retrieval.candidates import CandidateGroup, Candidates
from capabilities.semantic import Fact
from capabilities.semantic.namesakes import Namesakes, bearer_of, namesakes
from capabilities.semantic.selves import introductions, is_namesake, self_of
from capabilities.working import WorkingEntry
from fabric.flow.resource import Transaction
from fabric.search.views import holds, ids_at
from fabric.text.language import stem
from fabric.text.words import words

from ..layout import MemoryLayout
from ..recall.ranked import RankedMemory
from .claim_columns import Mask, Slots, names_in
from .oneself import is_shared

FEW = 12
"""How many rows are read at most to learn a name: facts of a relation, the newest turns that hold its word."""
MOST_KNOWN = 64
"""Of how many who are known by name it is looked whether two share one."""
FOLLOWING = 2
"""How many turns behind one that speaks of somebody may call them "he" or "she"."""
_TELLING = {"relation": "", "partner": "spouse", "boss": "boss", "doctor": "doctor"}
"""The attributes that tell who somebody is, and whom they mean where they do not say it."""


@dataclass(eq=False, slots=True)
class Somebody:
    """Somebody as the memory knows them: their names, the rows that speak of them, and those that tell who they are.

    ``unsure`` are rows that hold a word for somebody like them, and are looked at once they are read.
    """

    names: frozenset[str]
    rows: Mask
    told: Mask
    owns: Callable[[str], bool] = lambda _: False
    """Whether they are whom a slot's owner names: "mother", "older sister"."""
    unsure: Mask | None = None
    is_other: Callable[[RankedMemory], bool] = lambda _: False


@dataclass(frozen=True, slots=True)
class Finder:
    """Looks up who somebody is, and where they are spoken of. ``mine`` are the subjects of the one who asks."""

    tx: Transaction
    layout: MemoryLayout
    candidates: Candidates
    entries: Sequence[WorkingEntry]
    mine: frozenset[str]
    language: str

    def own_names(self) -> set[str]:
        """Return what the one who asks is called."""
        return set(self_of(self.tx, self.layout.semantic, is_shared=is_shared(self.layout)).names)

    def kin(self, asked: Kin) -> Somebody:
        """Return who is meant by what they are, and the rows that speak of them."""
        is_own = asked.of == MINE or (asked.of != SOMEBODY and asked.of in self.own_names())
        whose: set[str] = set(self.mine) if is_own else {asked.of}
        is_mine = whose <= self.mine and len(asked.kin) == 1
        told = np.zeros(self.candidates.size, np.bool_)
        names = {asked.name.lower()} if asked.name else whose
        for place, kin in enumerate(asked.kin if not asked.name else ()):
            whose = names
            qualities = asked.qualities if place == len(asked.kin) - 1 else frozenset[str]()
            names, told = self._related(whose, kin, qualities) if whose else (set[str](), told)
            names = names or (self._called(kin, qualities, whose) if whose else set[str]())
        names = self._namesakes(names, asked.kin[-1])
        shared: Namesakes = self._shared() if is_mine and names - self.mine else {}
        names = {bearer_of(shared, name, asked.kin[-1]) or name for name in names}

        *_, last = asked.kin

        def owns(owner: str) -> bool:
            word, _, of = owner.partition(" of ")
            kin, qualities = kin_of(word)
            apart = asked.qualities and qualities and not qualities & asked.qualities
            right = of in whose or (len(asked.kin) > 1 and kin_of(of)[0] == asked.kin[-2]) if of else is_mine
            return owner in names or (bool(kin) and means(last, kin) and not apart and right)

        rows = told.copy()
        for name in names:
            rows |= self.named(name, shared).rows
        for group in self.candidates:
            slots = Slots.of(group.index)
            if slots is not None:
                rows[group.start : group.end] |= slots.of_owners(owns)
        unsure = self._worded(asked, whose) & ~rows
        rows |= unsure
        self._follow(rows)

        def is_other(memory: RankedMemory) -> bool:
            return self._is_other(asked, names, memory)

        return Somebody(frozenset(names), rows, told, owns, unsure, is_other)

    def _shared(self) -> Namesakes:
        """Return who of those that are known by name to the one who asks share a name."""

        def telling(slots: Slots) -> Mask:
            found: Mask = np.logical_or.reduce([slots.filled(name) for name in _TELLING])
            return found

        found = self._facts(telling, self.mine, most=MOST_KNOWN)
        found.sort(key=lambda fact: (fact.valid_from, fact.recorded_at))
        return namesakes(introductions(map(claim_of, found)), names_in(self.candidates, "subject"), self.own_names())

    def _namesakes(self, names: set[str], kin: str) -> set[str]:
        """Return the names with what others are filed under who are called as the one who asks is."""
        own = names & self.own_names() if names else names
        if not own or own <= self.mine:
            return names
        found: set[str] = set()
        for subject in names_in(self.candidates, "subject") - self.mine - own:
            first, _, more = subject.partition("-")
            is_such = more and not own.isdisjoint(subject.split("-"))
            who = kin_of(subject.rpartition("-")[0])[0]
            found |= {subject} if is_such and (means(kin, who) if who else first in own) else set()
        return (names - own) | found

    def _related(self, of: AbstractSet[str], kin: str, qualities: AbstractSet[str]) -> tuple[set[str], Mask]:
        """Return the names of whoever is that to somebody, by claims, and the rows that tell them."""

        def fits(place: SlotParts) -> bool:
            meant, told = kin_of(place.detail) if place.detail else ("", frozenset[str]())
            meant = meant or _TELLING[place.attribute]
            return (
                bool(meant)
                and (means(kin, meant) or (meant == "doctor" and kin == place.detail))
                and not (qualities and told and not told & qualities)
            )

        def telling(slots: Slots, owner: str = "") -> Mask:
            found: Mask = np.logical_or.reduce([slots.filled(name, owner, fits) for name in _TELLING])
            return found

        facts = self._facts(telling, of)
        for name in of - self.mine:
            facts += self._facts(partial(telling, owner=name))
        names: set[str] = set()
        rows = np.zeros(self.candidates.size, np.bool_)
        for fact in facts:
            claim = claim_of(fact)
            meant = kin_of(claim.of)[0]
            if claim.polarity != "holds" or (meant and claim.attribute == "partner" and not means(kin, meant)):
                continue
            spoken_words = [word for word in words(claim.value) if word not in listed("titles")]
            names |= set(spoken_words[:1])
            for group in self.candidates:
                position = group.index.position_of(fact.id) if group.tier == "semantic" else -1
                if position >= 0:
                    rows[group.start + position] = True
        return names, rows

    def _called(self, kin: str, qualities: AbstractSet[str], of: AbstractSet[str]) -> set[str]:
        """Return what the newest rows that hold the word for somebody call them."""
        own = MINE if of <= self.mine else next(iter(of), MINE)
        found: set[str] = set()
        for group in self.candidates:
            mask = group.allowed & self._holding(group, kin_terms(kin, self.language))
            newest = np.flatnonzero(mask & self._said_by_me(group) if own == MINE else mask)[-FEW:]
            for text in self._texts(group, ids_at(group.index, newest)):
                for mention in kin_in(text, self.language, is_memory=group.tier != "turn"):
                    right = mention.of == own and len(mention.kin) == 1 and means(kin, mention.kin[0])
                    apart = qualities and mention.qualities and not qualities & mention.qualities
                    found |= {mention.name.lower()} if right and mention.name and not apart else set()
        return found

    def _said_by_me(self, group: CandidateGroup) -> Mask:
        """Return which rows the one who asks has said, or are about them: their "my boss" is nobody else's."""
        user = group.index.columns.get("user")
        if self.mine <= {USER}:
            return np.ones(group.index.size, np.bool_)  # nobody else says anything here
        if user is None:
            return holds(group.index, "subject", self.mine)
        return holds(group.index, "user", [name for name in user.names if name and user_subject(name) in self.mine])

    def named(self, name: str, apart: Namesakes | None = None) -> Somebody:
        """Return somebody of this name, and the rows about them or that speak of them.

        Of those who share the name all are meant, unless ``apart`` has them: then whoever has it as their subject.
        """
        rows, unsure = np.zeros(self.candidates.size, np.bool_), None
        nobody = np.zeros(self.candidates.size, np.bool_)
        if apart and any(bearer.subject == name for bearers in apart.values() for bearer in bearers):
            for group in self.candidates:
                rows[group.start : group.end] = holds(group.index, "subject", {name})
            return Somebody(frozenset({name}), rows, nobody, lambda owner: owner == name)
        also: set[str] = set() if apart is not None else self._also(name)
        spellings = {name, *self._similar_names(name), *also}
        terms = {term for spelling in spellings - also for term in _spelled(spelling)}
        for group in self.candidates:
            slots, part = Slots.of(group.index), slice(group.start, group.end)
            rows[part] = holds(group.index, "subject", {*spellings, *_so_called(group, name)})
            if slots is not None:
                rows[part] |= slots.of_owners(lambda owner: owner == name)
        worded = np.concatenate([self._holding(group, terms) for group in self.candidates])
        if may_be_word(name):
            unsure = worded & ~rows
        self._follow(worded)

        def is_other(memory: RankedMemory) -> bool:
            return not is_spoken_of(memory.content, name)

        return Somebody(frozenset(spellings), rows | worded, nobody, lambda owner: owner == name, unsure, is_other)

    def _also(self, name: str) -> set[str]:
        """Return what others who bear a name are filed under, where there are such: "boss-anna"."""
        subjects = names_in(self.candidates, "subject")
        such = {subject for subject in subjects if subject.endswith(f"-{name}") and is_namesake(subject, name)}
        return such & {bearer.subject for bearer in self._shared().get(name, ())} if such else such

    def _similar_names(self, name: str) -> set[str]:
        if any(self.candidates.document_frequency(term) for term in _spelled(name)):
            return set()
        return {found for group in self.candidates for found in similar_names(name, iter(group.index.postings.terms))}

    def _worded(self, asked: Kin, of: AbstractSet[str]) -> Mask:
        """Return the rows that hold a word for somebody, and one for whose they are where that is not the user."""
        found = np.zeros(self.candidates.size, np.bool_)
        whose = {term for name in of - self.mine for term in _spelled(name)}
        *owners, last = asked.kin
        whose |= kin_terms(owners[-1], self.language) if owners else frozenset()
        for group in self.candidates:
            mask = self._holding(group, kin_terms(last, self.language)) & group.allowed
            if asked.of == MINE and group.tier == "turn":
                mask &= self._said_by_me(group)
            found[group.start : group.end] = mask & self._holding(group, whose) if whose else mask
        return found

    def _is_other(self, asked: Kin, names: AbstractSet[str], memory: RankedMemory) -> bool:
        """Return whether a text that holds a word for somebody speaks of somebody else of the kind."""
        is_turn = memory.source == "turn"
        for kin in kin_in(memory.content, self.language, is_memory=not is_turn):
            of = kin.of
            if of == MINE and not is_turn and memory.subject not in self.mine:
                of = memory.subject
            elif of == SOMEBODY and memory.role == "assistant":
                of = MINE  # an answer says "your brother" of the user's
            same = len(kin.kin) == len(asked.kin) and all(map(means, asked.kin, kin.kin)) and of == asked.of
            apart = asked.qualities and kin.qualities and not asked.qualities & kin.qualities
            if same and not apart and not (kin.name and names and kin.name.lower() not in names):
                return False
        return True

    def _follow(self, rows: Mask) -> None:
        """Add the turns behind some that only say "he" or "she"."""
        third = GRAMMAR["english"].third | GRAMMAR[self.language].third
        terms = {term for word in third for term in (stem(word, self.language), word)}
        for group in self.candidates:
            if not group.index.thread:
                continue
            at: NDArray[Any] = np.flatnonzero(rows[group.start : group.end])
            holding = self._holding(group, terms) if len(at) else rows
            for _ in range(FOLLOWING):
                at = group.index.after[at]
                at = at[at >= 0]
                rows[group.start + at[holding[at]]] = True

    def slots(self) -> Slots | None:
        """Return the slots of all facts."""
        index = self.tx.index(self.layout.semantic) if self.layout.semantic is not None else None
        return None if index is None else Slots.of(index)

    def _facts(
        self, chosen: Callable[[Slots], Mask], subjects: AbstractSet[str] = frozenset(), most: int = FEW
    ) -> list[Fact]:
        """Return the few current facts in some slots, of some subjects if they are given, the newest."""
        index = self.tx.index(self.layout.semantic) if self.layout.semantic is not None else None
        slots = None if index is None else Slots.of(index)
        if self.layout.semantic is None or index is None or slots is None:
            return []
        rows = chosen(slots) & index.alive & holds(index, "status", ["current"])
        if subjects:
            rows &= holds(index, "subject", subjects)
        return self.tx.get_many(self.layout.semantic, ids_at(index, np.flatnonzero(rows)[-most:]))

    def _texts(self, group: CandidateGroup, ids: list[str]) -> Iterator[str]:
        if group.tier == "working":
            yield from (entry.content for entry in self.entries if entry.id in ids)
        else:
            layout = self.layout
            tiers: dict[str, Any] = {"turn": layout.turns, "episodic": layout.episodic, "semantic": layout.semantic}
            rows: list[Any] = self.tx.get_many(tiers[group.tier], ids) if ids else []
            yield from (row.text if group.tier == "turn" else row.content for row in rows)

    @staticmethod
    def _holding(group: CandidateGroup, terms: AbstractSet[str]) -> Mask:
        """Return which rows of a group hold one of the terms."""
        postings = group.index.postings
        found = np.zeros(group.index.size, np.bool_)
        for number in [postings.terms[term] for term in terms if term in postings.terms]:
            found[postings.of(number)[0]] = True
        return found


def _so_called(group: CandidateGroup, name: str) -> Iterator[str]:
    """Yield the subjects of a group that are users who go by a name."""
    column = group.index.columns.get("subject")
    yield from (subject for subject in column.names if subject != name and name_of(subject) == name) if column else ()


def _spelled(name: str) -> set[str]:
    return {name, f"{name}s", stem(name, "english"), stem(f"{name}s", "english"), stem(name, "german")}
