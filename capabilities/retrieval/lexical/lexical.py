"""Which rows hold the words of a question, or words of like meaning, and how much that says."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fabric.text.terms import Asked

from ..candidates import CandidateGroup, Candidates
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
        shares = values[:, rows]
        shares /= np.where(self.weights > 0, self.idfs, np.inf)[:, None]
        return np.minimum(shares, 1, out=shares)


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of the question: those of its terms that some row contains, and their idf."""

    terms: tuple[str, ...]
    idf: float
    variants: tuple[dict[int, float], ...] = ()
    """By group, the numbers of terms that spell the word in another way, and the share that each counts."""


def look_up(question: Question, candidates: Candidates) -> Lexical:
    """Return what the words of the question score in the rows of all candidates.

    A word counts in a row as its best matching term: its own with cosine 1, one of like meaning with its cosine
    squared, times the lower idf of the two. A word for somebody of whom a row speaks counts in it as its own.
    """
    words = [_read(word, candidates) for word in question.cue.words]
    values = np.zeros((len(words), candidates.size), np.float32)
    for group in candidates:
        own_terms = [_numbered(word.terms, group) for word in words]
        expanded = [{term: cosine**2 for term, cosine in near.items()} for near in _expanded(question, group)]
        _fill(values, group, words, [more | own for more, own in zip(expanded, own_terms, strict=True)], candidates)
    spelled = values.copy() if any(any(word.variants) for word in words) else None
    for place, group in enumerate(candidates) if spelled is not None else ():
        _fill(values, group, words, [word.variants[place] for word in words], candidates)
    weights = np.array(question.weights, np.float32)
    idfs = np.array([word.idf for word in words], np.float32)
    by_content: Floats = np.einsum("w,wr->r", weights, values)
    sums = by_content
    if any(question.people.asked.values()) or question.people.spoken:
        for matrix in (values, *([] if spelled is None else [spelled])):
            for group in candidates:
                _fill_subjects(matrix, group, question, words)
            _fill_spoken(matrix, question, words)
        sums = np.einsum("w,wr->r", weights, values)
    return Lexical(sums, values, idfs, idfs * weights, by_content, spelled)


def _fill_subjects(values: Floats, group: CandidateGroup, question: Question, words: Sequence[_Word]) -> None:
    """Set ``values`` where a word of the question stands for the one whom a memory is about."""
    subject = group.index.columns.get("subject")
    for name, called in question.people.asked.items() if subject is not None else ():
        if subject is None or name not in subject.names:
            continue
        rows = group.start + np.flatnonzero((subject.values == subject.names[name]) & group.allowed)
        for place, (asked, word) in enumerate(zip(question.cue.words, words, strict=True)):
            if asked.spelling in called:
                values[place, rows] = np.maximum(values[place, rows], np.float32(word.idf))


def _fill_spoken(values: Floats, question: Question, words: Sequence[_Word]) -> None:
    """Set ``values`` where a row speaks of whom a word of the question means."""
    for called, rows in question.people.spoken:
        for place, (asked, word) in enumerate(zip(question.cue.words, words, strict=True)):
            if asked.spelling in called:
                values[place, rows] = np.maximum(values[place, rows], np.float32(word.idf))


def exact_rows(question: Question, candidates: Candidates) -> Floats:
    """Return by number which share of the question's exact tokens each row holds; common tokens stand for nothing."""
    shares = np.zeros(candidates.size, np.float32)
    exact = [
        token
        for token in question.cue.exact
        if 0 < candidates.document_frequency(token) <= max(3, candidates.rows // 20)
    ]
    for token in exact:
        for group in candidates:
            number = group.index.postings.terms.get(token)
            if number is not None:
                shares[group.index.postings.of(number)[0] + group.start] += np.float32(1 / len(exact))
    return shares


def _read(word: Asked, candidates: Candidates) -> _Word:
    present = tuple(term for term in word.terms if candidates.document_frequency(term))
    variants = tuple(_spelled(group).variants(word.spelling, group.index.postings) for group in candidates)
    if not present and not any(variants):
        variants = tuple(_spelled(group).stemmed(word.spelling, group.index.postings) for group in candidates)
    if present or not any(variants):
        return _Word(present, candidates.idf(present[0] if present else word.terms[0]), variants)
    names = {
        group.index.postings.name(term) for group, terms in zip(candidates, variants, strict=True) for term in terms
    }
    return _Word((), candidates.idf(max(sorted(names), key=candidates.document_frequency)), variants)


def _numbered(terms: Sequence[str], group: CandidateGroup) -> dict[int, float]:
    numbers = group.index.postings.terms
    return {numbers[term]: 1.0 for term in terms if term in numbers}


def _spelled(group: CandidateGroup) -> Spellings:
    return group.index.derived(Spellings)


def _expanded(question: Question, group: CandidateGroup) -> list[dict[int, float]]:
    if question.word_vectors is None or group.vocabulary is None:
        return [{} for _ in question.cue.words]
    return group.vocabulary.nearest(question.word_vectors, group.index.postings)


def _fill(
    values: Floats,
    group: CandidateGroup,
    words: Sequence[_Word],
    shares_of: Sequence[dict[int, float]],
    candidates: Candidates,
) -> None:
    """Raise ``values``, shape (words, rows), to what each word is worth in each row of the group.

    ``shares_of`` are, for each word, the numbers of the terms that count for it, and the share that each counts.
    """
    postings, index = group.index.postings, group.index
    terms, shares, owners = list[int](), list[float](), list[int]()
    for place, share_of in enumerate(shares_of):
        terms += share_of.keys()
        shares += share_of.values()
        owners += [place] * len(share_of)
    if not terms:
        return
    factors = np.minimum([words[place].idf for place in owners], candidates.idfs_in(group, terms)) * shares
    lists = postings.lists(terms)
    of, sizes = [place for place, _, _ in lists], [len(positions) for _, positions, _ in lists]
    positions, counts = (
        np.concatenate([positions for _, positions, _ in lists]),
        np.concatenate([counts for *_, counts in lists]),
    )
    worth = np.repeat(factors[of].astype(np.float32), sizes)
    worth *= saturation(counts, index.lengths[positions], index.total_length / max(1, len(index)))
    if not group.is_open:
        worth *= group.allowed[positions]
    firsts = np.array(owners, np.int64)[of] * candidates.size + group.start
    np.maximum.at(values.reshape(-1), np.repeat(firsts, sizes) + positions, worth)
