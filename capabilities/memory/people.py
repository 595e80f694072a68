"""Whom a cue asks about, by the subjects of what is remembered and by what turns and facts call them."""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fabric.language import stem
from fabric.resource import Collection, Transaction
from fabric.text import words

from ..kin.names import alike, is_spoken_of, may_be_word, names_asked
from ..kin.reading import kin_in, starts_with_kin
from ..kin.tokens import MINE, SOMEBODY, Kin
from ..kin.words import FORMS, GRAMMAR, IMPLIED, means
from ..retrieval.people import USER, People, asks_who, named_subjects, people_of
from ..retrieval.pool import Pool, Pools
from ..semantic import Fact
from .layout import MemoryLayout

if TYPE_CHECKING:
    from ..retrieval.question import Question

MOST_READ = 500
"""How many of a tier's rows that hold a word for somebody are read, the newest; older ones count without being read."""
SHORTEST = 5
"""A word of another language than the question's tells of kin from so many letters on: "kind" and "far" do not."""
MOST_BESIDE = 40
"""How many of a tier's rows are read to see whether they say of kin what is asked of the user."""
BEGIN = 80
"""By how many characters of a text it is seen whom it is about."""
NOWHERE = -1
"""The number of a fact that is read for the names in it, where no facts are looked for."""
FOLLOWING = 2
"""How many turns behind one that speaks of somebody may call them "he" or "she"."""


def asked_about(tx: Transaction, layout: MemoryLayout, question: "Question", pools: Pools) -> People:
    """Return whom the question asks about, and the rows that speak of them where it asks about others only."""
    cue = question.cue
    grammar = GRAMMAR.get(cue.language, GRAMMAR["english"])
    columns = [pool.index.columns.get("subject") for pool in pools]
    subjects = frozenset[str]().union(*(column.names.keys() for column in columns if column is not None)) - {"", USER}
    own = kin_in(cue.text, cue.language)
    asked = [one for one in own if one.of != SOMEBODY and not one.is_beside and one.kin[-1] not in IMPLIED]
    owners = {one.of for one in own}
    names = (
        {*names_asked(cue.text, cue.language), *named_subjects(cue, subjects)}
        - owners
        - {one.name.lower() for one in own}
    )
    speakers = _first_names(pools)
    if question.speakers or any(name in speakers or any(alike(name, speakers)) for name in names | owners):
        return people_of(cue, subjects, {})
    reader = _Reader(tx, layout, pools, cue.language, subjects)
    called: dict[str, frozenset[str]] = {}
    spoken: list[tuple[frozenset[str], NDArray[np.bool_]]] = []
    for one in asked:
        found = reader.somebody(one)
        said = frozenset(one.word.split()) | {one.name.lower(), one.of}
        spoken.append((said, found.rows))
        known = found.names & subjects
        if len(known) == 1:
            called |= dict.fromkeys(known, said)
    spoken += [(frozenset({name}), reader.named(name)) for name in names]
    people = people_of(cue, subjects, called | named_subjects(cue, names & subjects))
    if spoken and not grammar.i.intersection(words(cue.text)):
        rows = np.logical_or.reduce([rows for _, rows in spoken])
        others = {name: spoken for name, spoken in people.asked.items() if name != USER or asks_who(cue)}
        return People(others, rows=rows, spoken=spoken)
    about_user = not own and set(people.asked) == {USER} and not asks_who(cue)
    return replace(people, spoken=spoken, rows=reader.without_kin(question) if about_user else None)


def _first_names(pools: Pools) -> frozenset[str]:
    columns = [pool.index.columns.get("speaker") for pool in pools]
    spoken = (name for column in columns if column is not None for name in column.names)
    return frozenset(name.casefold().split()[0] for name in spoken if name.strip())


@dataclass(frozen=True, eq=False, slots=True)
class _Somebody:
    """Somebody as the memory knows them: their names in lower case, and the rows that speak of them."""

    names: frozenset[str]
    rows: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Row:
    """A row that was read. ``subject`` is whom a memory is about, None for a turn."""

    number: int
    text: str
    subject: str | None
    is_reply: bool
    tells_names: bool
    """Whether what it calls somebody is still so."""


@dataclass(slots=True)
class _Reader:
    """Looks up in all tiers who somebody is, and where they are spoken of."""

    tx: Transaction
    layout: MemoryLayout
    pools: Pools
    language: str
    subjects: frozenset[str]
    _texts: dict[int, _Row] = field(default_factory=dict[int, _Row])

    def somebody(self, one: Kin) -> _Somebody:
        """Return who is meant by what they are, and the rows that speak of them."""
        rows = np.zeros(self.pools.size, np.bool_)
        said = list(self._said(one, self._ways(one)))
        said = _told_apart(one, said)
        names = frozenset(name for _, name, _ in said if name) if not one.name else frozenset({one.name.lower()})
        for number, name, _ in said:
            if number != NOWHERE:
                rows[number] = not name or not names or name in names
        for name in names:
            rows |= self.named(name)
        self._follow(rows)
        return _Somebody(names, rows)

    def _ways(self, one: Kin) -> list[Kin]:
        """Return the ways to say who it is: "my brother's wife" is also "Tom's wife", where Tom is my brother."""
        if len(one.kin) == 1:
            return [one]
        owner = self.somebody(Kin(one.of, one.kin[:-1], ""))
        return [one, *(Kin(name, one.kin[-1:], one.word, one.qualities) for name in owner.names)]

    def _said(self, one: Kin, ways: Sequence[Kin]) -> Iterator[tuple[int, str, frozenset[str]]]:
        """Yield by row what somebody is called there, "" for no name, and what tells them from others of the kind."""
        for row in self._holding(_kin_terms(one.kin[-1], self.language)):
            for kin in kin_in(row.text, self.language, is_memory=row.subject is not None):
                if any(_is_same(kin, way, row) for way in ways):
                    names = self._names_in(row, kin, one) if row.tells_names else [""]
                    yield from ((row.number, name, kin.qualities) for name in names)

    def _names_in(self, row: _Row, kin: Kin, one: Kin) -> list[str]:
        if kin.name:
            return [kin.name.lower()]
        if row.subject is None or len(kin_in(row.text, self.language, is_memory=True)) > 1:
            return [""]
        spoken = frozenset(words(row.text))
        return [name for name in self.subjects - {one.of, row.subject} if spoken.issuperset(words(name))] or [""]

    def without_kin(self, question: "Question") -> NDArray[np.bool_] | None:
        """Return all rows but those that say of the user's kin what is asked of the user; None where there are none."""
        asked = {term for word in question.cue.words for term in word.terms}
        theirs = [
            row.number for row in self._holding(_all_terms(self.language), asked) if _tells_of_kin(row, self.language)
        ]
        if not theirs:
            return None
        rows = np.ones(self.pools.size, np.bool_)
        rows[theirs] = False
        return rows

    def named(self, name: str) -> NDArray[np.bool_]:
        """Return the rows about somebody of this name, or that speak of them."""
        rows = np.zeros(self.pools.size, np.bool_)
        spellings = {name, *self._alike(name)}
        for pool in self.pools:
            subject = pool.index.columns.get("subject")
            for spelling in spellings if subject is not None else ():
                if subject is not None and spelling in subject.names:
                    rows[pool.start : pool.end] |= subject.view == subject.names[spelling]
        if may_be_word(name):
            for row in self._holding(_spelled(name)):
                if row.number != NOWHERE and is_spoken_of(row.text, name):
                    rows[row.number] = True
        else:
            for pool in self.pools:
                rows[pool.start : pool.end] |= _holds(pool, {term for one in spellings for term in _spelled(one)})
        self._follow(rows)
        return rows

    def _alike(self, name: str) -> set[str]:
        if any(self.pools.holding(term) for term in _spelled(name)):
            return set()
        return {found for pool in self.pools for found in alike(name, iter(pool.index.postings.terms))}

    def _follow(self, rows: NDArray[np.bool_]) -> None:
        """Add the turns behind some that only say "he" or "she"."""
        third = GRAMMAR["english"].third | GRAMMAR.get(self.language, GRAMMAR["english"]).third
        terms = {term for word in third for term in (stem(word, self.language), word)}
        for pool in self.pools:
            if not pool.index.thread:
                continue
            at: NDArray[np.integer[Any]] = np.flatnonzero(rows[pool.start : pool.end])
            held = _holds(pool, terms) if len(at) else rows
            for _ in range(FOLLOWING):
                at = pool.index.after.view[at]
                at = at[at >= 0]
                rows[pool.start + at[held[at]]] = True

    def _holding(self, terms: AbstractSet[str], beside: Iterable[str] = ()) -> Iterator[_Row]:
        """Yield the rows that may be found and hold one of the terms, and one of those ``beside`` if there are any."""
        further = set(beside)
        for pool in self.pools:
            held = pool.allowed & _holds(pool, further) if further else pool.allowed
            slots = np.flatnonzero(held & _holds(pool, terms))[-(MOST_BESIDE if further else MOST_READ) :]
            self._read(pool, [slot for slot in slots.tolist() if pool.start + slot not in self._texts])
            yield from (self._texts[pool.start + slot] for slot in slots.tolist() if pool.start + slot in self._texts)
        if further:
            return
        if self.layout.semantic is not None and all(pool.tier != "semantic" for pool in self.pools):
            matches = self.tx.match(self.layout.semantic, sorted(terms), MOST_READ)
            facts = self.tx.get_many(self.layout.semantic, [match.id for match in matches])
            yield from (_row(NOWHERE, fact) for fact in facts)

    def _read(self, pool: Pool, slots: Sequence[int]) -> None:
        ids = {pool.index.ids[slot]: pool.start + slot for slot in slots}
        if not ids:
            return
        if pool.tier == "working":
            held: Sequence[Any] = [one for one in self.tx.read(self.layout.working).entries if one.id in ids]
        else:
            collections: dict[str, Collection[Any] | None] = {
                "turn": self.layout.turns,
                "episodic": self.layout.episodic,
                "semantic": self.layout.semantic,
            }
            collection = collections[pool.tier]
            held = [] if collection is None else self.tx.get_many(collection, list(ids))
        for one in held:
            self._texts[ids[one.id]] = _row(ids[one.id], one)


def _holds(pool: Pool, terms: AbstractSet[str]) -> NDArray[np.bool_]:
    """Return which rows of a pool hold one of the terms."""
    postings = pool.index.postings
    found = np.zeros(len(pool.index.ids), np.bool_)
    for term in terms & postings.terms.keys():
        found[postings.of(postings.terms[term])[0]] = True
    return found


def _row(number: int, one: Any) -> _Row:
    text = str(getattr(one, "text", None) or getattr(one, "content", ""))
    subject = getattr(one, "subject", None)
    tells_names = not isinstance(one, Fact) or one.status == "current"
    return _Row(number, text, subject, getattr(one, "role", "") == "assistant", tells_names)


def _tells_of_kin(row: _Row, language: str) -> bool:
    if row.subject not in (None, USER) or not starts_with_kin(row.text[:BEGIN], is_memory=row.subject is not None):
        return False
    said = words(row.text)
    return not any(GRAMMAR[one].i.intersection(said) for one in ("english", language) if one in GRAMMAR)


def _is_same(kin: Kin, way: Kin, row: _Row) -> bool:
    """Return whether the one whom a row speaks of is the one that is asked about."""
    of = kin.of
    if of == MINE and row.subject not in (None, USER):
        of = row.subject or MINE
    elif of == SOMEBODY and row.is_reply:
        of = MINE  # an answer says "your brother" of the user's
    return of == way.of and len(kin.kin) == len(way.kin) and all(map(means, way.kin, kin.kin))


def _told_apart(one: Kin, said: Sequence[tuple[int, str, frozenset[str]]]) -> list[tuple[int, str, frozenset[str]]]:
    """Return what is said of the one of the kind who is meant: of "my older sister", nothing that is of the younger."""
    if not one.qualities:
        return list(said)
    others = {name for _, name, qualities in said if name and qualities and not qualities & one.qualities}
    right = {name for _, name, qualities in said if name and qualities & one.qualities}
    return [
        each
        for each in said
        if (not each[2] or each[2] & one.qualities)
        and (each[1] not in others - right)
        and (not right or each[1] in right | {""})
    ]


def _kin_terms(kin: str, language: str) -> frozenset[str]:
    """Return the terms under which rows may hold a word for somebody, in any language."""
    return frozenset[str]().union(*(held for meant, held in _terms_by_kin(language).items() if means(kin, meant)))


@lru_cache(maxsize=32)
def _terms_by_kin(language: str) -> dict[str, set[str]]:
    """Return the terms for everybody, for a question in this language."""
    found: dict[str, set[str]] = {}
    for spoken, forms in FORMS.items():
        for said, meant in forms.items():
            word = max(said, key=len)
            if spoken in (language, "english") or len(word) >= SHORTEST or not word.isascii():
                found.setdefault(meant, set()).update((word, stem(word, spoken), stem(word, "english")))
    return found


@lru_cache(maxsize=32)
def _all_terms(language: str) -> frozenset[str]:
    return frozenset[str]().union(*_terms_by_kin(language).values())


def _spelled(name: str) -> set[str]:
    return {name, f"{name}s", stem(name, "english"), stem(f"{name}s", "english"), stem(name, "german")}
