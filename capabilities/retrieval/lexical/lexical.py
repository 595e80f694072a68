"""Which rows hold the words of a question, or words of like meaning, and how much that says."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fabric.text.terms import Asked

from ..candidates import Pool, Pools
from ..question import Question
from .bm25 import saturation
from .spellings import Spellings

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False, slots=True)
class Lexical:
    """What the words of the question give: the sum per row, and what each is worth where, at most its idf."""

    sums: Floats
    values: Floats
    """Shape (words, rows)."""
    idfs: Floats
    weights: Floats
    """What each word is worth in the sums at most."""
    by_content: Floats
    """The sums without the words that stand for whom a memory is about."""

    spelled: Floats | None = None
    """As ``values``, by words as they are spelled alone; None where no other spelling was found."""

    def matched(self, rows: NDArray[np.int64], *, as_spelled: bool = False) -> Floats:
        """Return shape (words, rows): how far each word is found in each of some rows, from 0 to 1."""
        values = self.spelled if as_spelled and self.spelled is not None else self.values
        found = values[:, rows]
        found /= np.where(self.weights > 0, self.idfs, np.inf)[:, None]
        return np.minimum(found, 1, out=found)


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of the question: its terms that some row holds, and what it weighs by them."""

    held: tuple[str, ...]
    idf: float
    alike: tuple[dict[int, float], ...] = ()
    """By pool, the numbers of terms that are written otherwise, and what each counts."""


def look_up(question: Question, pools: Pools) -> Lexical:
    """Return what the words of the question give to the rows of all pools.

    A word counts in a row as its best matching term: its own with cosine 1, one of like meaning with its cosine
    squared, times the lower idf of the two. A word for somebody of whom a row speaks counts in it as its own.
    """
    words = [_read(word, pools) for word in question.cue.words]
    values = np.zeros((len(words), pools.size), np.float32)
    for pool in pools:
        held = [_numbered(word.held, pool) for word in words]
        nearest = [{term: cosine**2 for term, cosine in near.items()} for near in _nearest(question, pool)]
        _fill(values, pool, words, [near | own for near, own in zip(nearest, held, strict=True)], pools)
    spelled = values.copy() if any(any(word.alike) for word in words) else None
    for at, pool in enumerate(pools) if spelled is not None else ():
        _fill(values, pool, words, [word.alike[at] for word in words], pools)
    weights = np.array(question.weights, np.float32)
    idfs = np.array([word.idf for word in words], np.float32)
    by_content: Floats = np.einsum("w,wr->r", weights, values)
    sums = by_content
    if any(question.people.asked.values()) or question.people.spoken:
        for some in (values, *([] if spelled is None else [spelled])):
            for pool in pools:
                _fill_subjects(some, pool, question, words)
            _fill_spoken(some, question, words)
        sums = np.einsum("w,wr->r", weights, values)
    return Lexical(sums, values, idfs, idfs * weights, by_content, spelled)


def _fill_subjects(values: Floats, pool: Pool, question: Question, words: Sequence[_Word]) -> None:
    """Set ``values`` where a word of the question stands for the one whom a memory is about."""
    subject = pool.index.columns.get("subject")
    for name, called in question.people.asked.items() if subject is not None else ():
        if subject is None or name not in subject.names:
            continue
        rows = pool.start + np.flatnonzero((subject.values == subject.names[name]) & pool.allowed)
        for place, (asked, word) in enumerate(zip(question.cue.words, words, strict=True)):
            if asked.spelling in called:
                values[place, rows] = np.maximum(values[place, rows], np.float32(word.idf))


def _fill_spoken(values: Floats, question: Question, words: Sequence[_Word]) -> None:
    """Set ``values`` where a row speaks of whom a word of the question means."""
    for called, rows in question.people.spoken:
        for place, (asked, word) in enumerate(zip(question.cue.words, words, strict=True)):
            if asked.spelling in called:
                values[place, rows] = np.maximum(values[place, rows], np.float32(word.idf))


def exact_rows(question: Question, pools: Pools) -> Floats:
    """Return by number which share of the question's exact tokens each row holds; common tokens stand for nothing."""
    found = np.zeros(pools.size, np.float32)
    exact = [token for token in question.cue.exact if 0 < pools.holding(token) <= max(3, pools.rows // 20)]
    for token in exact:
        for pool in pools:
            number = pool.index.postings.terms.get(token)
            if number is not None:
                found[pool.index.postings.of(number)[0] + pool.start] += np.float32(1 / len(exact))
    return found


def _read(word: Asked, pools: Pools) -> _Word:
    held = tuple(term for term in word.terms if pools.holding(term))
    alike = tuple(_spelled(pool).alike(word.spelling, pool.index.postings) for pool in pools)
    if not held and not any(alike):
        alike = tuple(_spelled(pool).stemmed(word.spelling, pool.index.postings) for pool in pools)
    if held or not any(alike):
        return _Word(held, pools.idf(held[0] if held else word.terms[0]), alike)
    names = {pool.index.postings.name(term) for pool, terms in zip(pools, alike, strict=True) for term in terms}
    return _Word((), pools.idf(max(sorted(names), key=pools.holding)), alike)


def _numbered(terms: Sequence[str], pool: Pool) -> dict[int, float]:
    known = pool.index.postings.terms
    return {known[term]: 1.0 for term in terms if term in known}


def _spelled(pool: Pool) -> Spellings:
    return pool.index.derived(Spellings)


def _nearest(question: Question, pool: Pool) -> list[dict[int, float]]:
    if question.word_vectors is None or pool.vocabulary is None:
        return [{} for _ in question.cue.words]
    return pool.vocabulary.nearest(question.word_vectors, pool.index.postings)


def _fill(
    values: Floats, pool: Pool, words: Sequence[_Word], standing: Sequence[dict[int, float]], pools: Pools
) -> None:
    """Raise ``values``, shape (words, rows), to what each word is worth in each row of the pool.

    ``standing`` are the numbers of the terms that stand for each word, and what each counts.
    """
    postings, index = pool.index.postings, pool.index
    terms, shares, owners = list[int](), list[float](), list[int]()
    for place, known in enumerate(standing):
        terms += known.keys()
        shares += known.values()
        owners += [place] * len(known)
    if not terms:
        return
    factors = np.minimum([words[place].idf for place in owners], pools.idfs_in(pool, terms)) * shares
    lists = postings.lists(terms)
    of, sizes = [place for place, _, _ in lists], [len(slots) for _, slots, _ in lists]
    slots, counts = np.concatenate([slots for _, slots, _ in lists]), np.concatenate([counts for *_, counts in lists])
    worth = np.repeat(factors[of].astype(np.float32), sizes)
    worth *= saturation(counts, index.lengths[slots], index.total_length / max(1, len(index)))
    if not pool.is_open:
        worth *= pool.allowed[slots]
    firsts = np.array(owners, np.int64)[of] * pools.size + pool.start
    np.maximum.at(values.reshape(-1), np.repeat(firsts, sizes) + slots, worth)
