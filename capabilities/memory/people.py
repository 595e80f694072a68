"""Whom a cue asks about, looked up as claims: relations and names, and which rows are theirs."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fabric.context import Context
from fabric.language import guess_language, speaks_of_oneself, stem
from fabric.resource import Transaction
from fabric.text import words

from ..claims import Place, claim_of
from ..relations.names import alike, is_spoken_of, may_be_word, names_asked
from ..relations.reading import MINE, SOMEBODY, Kin, kin_in, starts_with_kin
from ..relations.words import GRAMMAR, IMPLIED, gender, kin_of, kin_terms, listed, means
from ..retrieval.people import People
from ..retrieval.pool import Pool, Pools
from ..semantic import Fact
from ..semantic.selves import self_of
from ..working import WorkingEntry
from .asked import answers
from .layout import MemoryLayout
from .oneself import self_subjects
from .ranked import RankedMemory
from .slots import Mask, Slots, with_subject

if TYPE_CHECKING:
    from ..retrieval.question import Question

FEW = 12
"""How many rows are read at most to learn a name: facts of a relation, the newest turns that hold its word."""
FOLLOWING = 2
"""How many turns behind one that speaks of somebody may call them "he" or "she"."""
_WHO = re.compile(r"\bwho(?:['\u2019]s|\s+(?:is|are|was|were))\b|\bnames?\b|\bcalled\b", re.IGNORECASE)
"""What asks who somebody is, which is told of the user: "Sister is Anna"."""
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


def asked_about(
    tx: Transaction,
    ctx: Context,
    layout: MemoryLayout,
    question: "Question",
    pools: Pools,
    entries: Sequence[WorkingEntry] = (),
) -> People:
    """Return whom the question asks about, the rows that speak of them, and those that tell what is asked of them."""
    return _Reader(tx, ctx, layout, question, pools, entries).people()


@dataclass(slots=True)
class _Reader:
    """Looks up who somebody is, and where they are spoken of."""

    tx: Transaction
    ctx: Context
    layout: MemoryLayout
    question: "Question"
    pools: Pools
    entries: Sequence[WorkingEntry]
    mine: frozenset[str] = field(init=False)
    language: str = field(init=False)

    def __post_init__(self) -> None:
        self.mine = self_subjects(self.ctx, self.layout)
        self.language = self.question.cue.language if self.question.cue.language in GRAMMAR else "english"

    def people(self) -> People:
        """Return whom the question asks about."""
        cue = self.question.cue
        kin = kin_in(cue.text, self.language)
        owners = {one.of for one in kin}
        subjects = self._subjects() - self.mine - {""}
        names = {*names_asked(cue.text, cue.language), *self._named_subjects(subjects)} - owners
        names -= {one.name.lower() for one in kin}
        speakers = self._speakers()
        if self.question.speakers or any(name in speakers or any(alike(name, speakers)) for name in names | owners):
            return self._people({name: {name} for name in self._named_subjects(subjects)})
        own = names & self._own_names() if names else set[str]()
        asked = [one for one in kin if one.of != SOMEBODY and not one.is_beside and one.kin[-1] not in IMPLIED]
        found = [({*one.word.split(), one.name.lower(), one.of}, self.kin(one)) for one in asked]
        found += [({name}, self.named(name)) for name in names - own]
        says_i = not GRAMMAR[self.language].i.isdisjoint(words(cue.text))
        spoken = None
        if not found and not own and not kin and not says_i and not speaks_of_oneself(cue.text, cue.language):
            spoken = self._spoken_of()
            found += [({""}, spoken)] if spoken is not None else []
            own = self._pronouns() if spoken is None else set()
        if found and not says_i:
            return self._about(found)
        people = self._people({name: said for said, one in found for name in one.names & subjects})
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
        subjects = self._subjects()
        called: dict[str, frozenset[str]] = {}
        for said, one in found:
            known = {name for name in one.names if name in subjects}
            called |= dict.fromkeys(known, frozenset(said)) if len(known) == 1 else {}
        if self._asks_who():
            called |= dict.fromkeys(self.mine, frozenset())
        return self._with(People(called, mine=self.mine), found, narrow=True)

    def _with(self, people: People, found: Sequence[tuple[set[str], Somebody]], *, narrow: bool = False) -> People:
        if not found:
            return people
        somebody = [one for _, one in found]
        rows = np.logical_or.reduce([one.rows for one in somebody])
        unsure = np.zeros(self.pools.size, np.bool_)
        told = answers(self.question.cue, self.pools, somebody, asks_who=self._asks_who())
        if told is not None and not self._asks_who():  # who they are is known, and no answer
            rows &= ~np.logical_or.reduce([one.told for one in somebody])
        for one in somebody:
            unsure |= one.unsure if one.unsure is not None else False
        others = [one.is_other for one in somebody if one.unsure is not None]
        return People(
            people.asked,
            people.is_told,
            self.mine,
            rows=rows if narrow else None,
            spoken=[(frozenset(said), one.rows) for said, one in found],
            answers=told,
            is_other=(lambda memory: all(is_other(memory) for is_other in others)) if narrow and others else None,
            unsure=unsure,
        )

    def _about_me(self, own: AbstractSet[str]) -> People:
        """Return that the user is asked about: what tells the same of others, or is another user's, counts less."""
        me = Somebody(self.mine, np.zeros(self.pools.size, np.bool_), np.zeros(self.pools.size, np.bool_))
        rows, mine = np.ones(self.pools.size, np.bool_), np.zeros(self.pools.size, np.bool_)
        told = answers(self.question.cue, self.pools, [me], asks_who=False)
        theirs = answers(self.question.cue, self.pools, [me], asks_who=False, others=True)
        for pool in self.pools:
            slots, own_rows, part = Slots.of(pool), with_subject(pool, self.mine), slice(pool.start, pool.end)
            if slots is not None:
                rows[part] &= ~slots.of_owners(lambda _: True)
            if theirs is not None and slots is not None:
                rows[part] &= ~(theirs[part] > 0)
            if own and told is not None and slots is not None:  # what they are called is known, and no answer
                rows[part] &= ~(slots.filled("name") | slots.filled("nickname"))
            user = pool.index.columns.get("user")
            if user is not None:
                rows[part] &= user.view == user.names.get(self.ctx.user or "", -2)
            role = pool.index.columns.get("role")
            mine[part] = own_rows if role is None else role.view == role.names.get("user", -2)
        return People(
            dict.fromkeys(self.mine, frozenset(own)),
            mine=self.mine,
            rows=None if rows.all() else rows,
            spoken=[(frozenset(own), mine)] if own else (),
            roles=frozenset({"user"}) if own else frozenset(),
            answers=told,
            is_other=None if self._asks_who() else _tells_of_kin,
        )

    def _asks_who(self) -> bool:
        return _WHO.search(self.question.cue.text) is not None

    def _subjects(self) -> frozenset[str]:
        columns = [pool.index.columns.get("subject") for pool in self.pools]
        return frozenset[str]().union(*(column.names.keys() for column in columns if column is not None))

    def _named_subjects(self, subjects: Iterable[str]) -> Iterator[str]:
        cue = self.question.cue
        plain = frozenset(word.spelling for word in cue.words if not may_be_word(word.spelling))
        spoken = plain | frozenset(names_asked(cue.text, cue.language))
        for name in subjects:
            own = words(name)
            if own and (own[0] in spoken if " " in name else spoken.issuperset(own)):
                yield name

    def _speakers(self) -> frozenset[str]:
        columns = [pool.index.columns.get("speaker") for pool in self.pools]
        spoken = (name for column in columns if column is not None for name in column.names)
        return frozenset(name.casefold().split()[0] for name in spoken if name.strip())

    def _own_names(self) -> set[str]:
        return set(self_of(self.tx, self.layout.semantic).names)

    def _pronouns(self) -> set[str]:
        third = GRAMMAR[self.language].third | GRAMMAR["english"].third
        spoken = listed("he") | listed("she") | listed("they")
        return set(words(self.question.cue.text)) & third & spoken

    def _spoken_of(self) -> Somebody | None:
        """Return whom "he" or "she" means: who else the conversation spoke of last; None for nobody."""
        said = self._pronouns()
        wanted = {name for name, of in (("male", "he"), ("female", "she")) if said & listed(of)}
        for entry in reversed(self.entries if said else ()):
            if entry.subject not in self.mine:
                is_right = not wanted or self._gender(entry.subject) in {*wanted, ""}
                if is_right and not (wanted == {"male"} and entry.subject.endswith("a")):
                    return self.named(entry.subject)
            owner = claim_of(entry).subject.partition(" of ")
            kin = kin_of(owner[0])[0]
            if owner[1] and kin and (not wanted or gender(kin) in {*wanted, ""}):
                return self.kin(Kin(MINE, (kin,), owner[0]))
        return None

    def _gender(self, name: str) -> str:
        slots = self._slots()
        places = slots.places.places if slots is not None else []
        known = [gender(kin_of(one.detail)[0]) for one in places if one.attribute == "relation" and one.value == name]
        return next(iter(known), "")

    def kin(self, asked: Kin) -> Somebody:
        """Return who is meant by what they are, and the rows that speak of them."""
        is_own = asked.of == MINE or (asked.of != SOMEBODY and asked.of in self._own_names())
        whose: set[str] = set(self.mine) if is_own else {asked.of}
        is_mine = whose <= self.mine and len(asked.kin) == 1
        told = np.zeros(self.pools.size, np.bool_)
        names = {asked.name.lower()} if asked.name else whose
        for place, kin in enumerate(asked.kin if not asked.name else ()):
            whose = names
            qualities = asked.qualities if place == len(asked.kin) - 1 else frozenset[str]()
            names, told = self._related(whose, kin, qualities) if whose else (set[str](), told)
            names = names or (self._called(kin, qualities, whose) if whose else set[str]())

        def owns(owner: str) -> bool:
            word, _, of = owner.partition(" of ")
            kin, qualities = kin_of(word)
            apart = asked.qualities and qualities and not qualities & asked.qualities
            right = of in whose or (len(asked.kin) > 1 and kin_of(of)[0] == asked.kin[-2]) if of else is_mine
            return owner in names or (bool(kin) and means(asked.kin[-1], kin) and not apart and right)

        rows = told.copy()
        for name in names:
            rows |= self.named(name).rows
        for pool in self.pools:
            slots = Slots.of(pool)
            if slots is not None:
                rows[pool.start : pool.end] |= slots.of_owners(owns)
        unsure = self._worded(asked, whose) & ~rows
        rows |= unsure
        self._follow(rows)

        def is_other(memory: RankedMemory) -> bool:
            return self._is_other(asked, names, memory)

        return Somebody(frozenset(names), rows, told, owns, unsure, is_other)

    def _related(self, of: AbstractSet[str], kin: str, qualities: AbstractSet[str]) -> tuple[set[str], Mask]:
        """Return the names of whoever is that to somebody, by claims, and the rows that tell them."""

        def fits(place: Place) -> bool:
            meant, told = kin_of(place.detail) if place.detail else ("", frozenset[str]())
            meant = meant or _TELLING[place.attribute]
            return (
                bool(meant)
                and (means(kin, meant) or (meant == "doctor" and kin == place.detail))
                and not (qualities and told and not told & qualities)
            )

        def telling(slots: Slots, owner: str = "") -> Mask:
            return np.logical_or.reduce([slots.filled(name, owner, fits) for name in _TELLING])

        facts = self._facts(telling, of)
        for name in of - self.mine:
            facts += self._facts(lambda slots, owner=name: telling(slots, owner))
        names: set[str] = set()
        rows = np.zeros(self.pools.size, np.bool_)
        for fact in facts:
            claim = claim_of(fact)
            meant = kin_of(claim.of)[0]
            if claim.polarity != "holds" or (meant and claim.attribute == "partner" and not means(kin, meant)):
                continue
            said = [word for word in words(claim.value) if word not in listed("titles")]
            names |= set(said[:1])
            for pool in self.pools:
                slot = pool.index.slot_of(fact.id) if pool.tier == "semantic" else -1
                if slot >= 0:
                    rows[pool.start + slot] = True
        return names, rows

    def _called(self, kin: str, qualities: AbstractSet[str], of: AbstractSet[str]) -> set[str]:
        """Return what the newest rows that hold the word for somebody call them."""
        own = MINE if of <= self.mine else next(iter(of), MINE)
        found: set[str] = set()
        for pool in self.pools:
            slots = np.flatnonzero(pool.allowed & self._holding(pool, kin_terms(kin, self.language)))[-FEW:]
            for text in self._texts(pool, [pool.index.ids[slot] for slot in slots.tolist()]):
                for one in kin_in(text, self.language, is_memory=pool.tier != "turn"):
                    right = one.of == own and len(one.kin) == 1 and means(kin, one.kin[0])
                    apart = qualities and one.qualities and not qualities & one.qualities
                    found |= {one.name.lower()} if right and one.name and not apart else set()
        return found

    def named(self, name: str) -> Somebody:
        """Return somebody of this name, and the rows about them or that speak of them."""
        rows, unsure = np.zeros(self.pools.size, np.bool_), None
        spellings = {name, *self._alike(name)}
        terms = {term for spelling in spellings for term in _spelled(spelling)}
        for pool in self.pools:
            slots, part = Slots.of(pool), slice(pool.start, pool.end)
            rows[part] = with_subject(pool, spellings)
            if slots is not None:
                rows[part] |= slots.of_owners(lambda owner: owner == name)
        worded = np.concatenate([self._holding(pool, terms) for pool in self.pools])
        if may_be_word(name):
            unsure = worded & ~rows
        self._follow(worded)
        nobody = np.zeros(self.pools.size, np.bool_)
        is_other: Callable[[RankedMemory], bool] = lambda memory: not is_spoken_of(memory.content, name)  # noqa: E731
        return Somebody(frozenset(spellings), rows | worded, nobody, lambda owner: owner == name, unsure, is_other)

    def _alike(self, name: str) -> set[str]:
        if any(self.pools.holding(term) for term in _spelled(name)):
            return set()
        return {found for pool in self.pools for found in alike(name, iter(pool.index.postings.terms))}

    def _worded(self, asked: Kin, of: AbstractSet[str]) -> Mask:
        """Return the rows that hold a word for somebody, and one for whose they are where that is not the user."""
        found = np.zeros(self.pools.size, np.bool_)
        whose = {term for name in of - self.mine for term in _spelled(name)}
        whose |= kin_terms(asked.kin[-2], self.language) if len(asked.kin) > 1 else frozenset()
        for pool in self.pools:
            held = self._holding(pool, kin_terms(asked.kin[-1], self.language)) & pool.allowed
            found[pool.start : pool.end] = held & self._holding(pool, whose) if whose else held
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
        for pool in self.pools:
            if not pool.index.thread:
                continue
            at: NDArray[Any] = np.flatnonzero(rows[pool.start : pool.end])
            held = self._holding(pool, terms) if len(at) else rows
            for _ in range(FOLLOWING):
                at = pool.index.after.view[at]
                at = at[at >= 0]
                rows[pool.start + at[held[at]]] = True

    def _slots(self) -> Slots | None:
        index = self.tx.index(self.layout.semantic) if self.layout.semantic is not None else None
        return None if index is None else Slots.of_index(index)

    def _facts(self, chosen: Callable[[Slots], Mask], subjects: AbstractSet[str] = frozenset()) -> list[Fact]:
        """Return the few current facts in some slots, of some subjects if they are given, the newest."""
        index = self.tx.index(self.layout.semantic) if self.layout.semantic is not None else None
        slots = None if index is None else Slots.of_index(index)
        if self.layout.semantic is None or index is None or slots is None:
            return []
        rows = chosen(slots) & index.alive.view
        status, subject = index.columns["status"], index.columns["subject"]
        rows &= status.view == status.names.get("current", -2)
        if subjects:
            rows &= np.isin(subject.view, [subject.names[name] for name in subjects if name in subject.names])
        newest = np.flatnonzero(rows)[-FEW:].tolist()
        return self.tx.get_many(self.layout.semantic, [index.ids[slot] for slot in newest])

    def _texts(self, pool: Pool, ids: list[str]) -> Iterator[str]:
        if pool.tier == "working":
            yield from (entry.content for entry in self.entries if entry.id in ids)
        else:
            tiers: dict[str, Any] = {"turn": self.layout.turns, "episodic": self.layout.episodic}
            rows: list[Any] = self.tx.get_many(tiers.get(pool.tier, self.layout.semantic), ids) if ids else []
            yield from (row.text if pool.tier == "turn" else row.content for row in rows)

    @staticmethod
    def _holding(pool: Pool, terms: AbstractSet[str]) -> Mask:
        """Return which rows of a pool hold one of the terms."""
        postings = pool.index.postings
        found = np.zeros(pool.index.size, np.bool_)
        for term in terms & postings.terms.keys():
            found[postings.of(postings.terms[term])[0]] = True
        return found


def _tells_of_kin(memory: RankedMemory) -> bool:
    """Return whether a text speaks of the user's kin, and not of the user."""
    if memory.source != "turn" or not starts_with_kin(memory.content[:80]):
        return False
    said = words(memory.content)
    language = guess_language(said)
    return not any(GRAMMAR[name].i.intersection(said) for name in ("english", language) if name in GRAMMAR)


def _spelled(name: str) -> set[str]:
    return {name, f"{name}s", stem(name, "english"), stem(f"{name}s", "english"), stem(name, "german")}
