"""Other ways to write a word of a cue: without its accents, or with the ending that another language takes off.

A text is indexed by the stems of its own language, which one word alone does not tell. So a word of a cue is looked up
by how it is spelled, and, where no row holds it in any way, by the stems of the languages that the rows are in.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from threading import Lock

from fabric.search.base import PostingsView
from fabric.text.folding import folded
from fabric.text.language import STOP_WORDS, stem
from fabric.text.terms import SPELLED, split_term

SHARE = 0.9
"""What a word counts that is spelled alike but for accents, or has its stem in another language."""
FEW_TERMS = 1_000
"""Up to so many terms, one word that builds sentences tells that a language is there."""
LEAST = 0.3
"""The share of such words that are needed where there are more."""
_OWN = {language: words - STOP_WORDS["english"] for language, words in STOP_WORDS.items() if language != "english"}
"""The words that build sentences in a language other than English."""


class Spellings:
    """The terms of one index by how they are spelled without accents, brought up to date by any thread that asks."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._seen = 0
        self._terms: dict[str, tuple[int, ...]] = {}
        self._languages: tuple[str, ...] = ()
        self._looked_at = -1

    def variants(self, word: str, postings: PostingsView) -> dict[int, float]:
        """Return the terms that are spelled as the word is, or like it but for accents, and what each counts."""
        if self._seen < len(postings.tokens):
            with self._lock:
                self._update(postings)
        form = folded(word)
        numbers = self._terms.get(form, ())
        if not numbers and form == word:
            return {}
        count = len(postings.terms)
        shares = {number: SHARE for number in numbers if number < count}
        if form != word and (plain := postings.terms.get(form)) is not None:
            shares[plain] = SHARE
        exact = (number for number in shares if f"{postings.name(number)}{SPELLED}{word}" in postings.tokens)
        return shares | dict.fromkeys(exact, 1.0)

    def stemmed(self, word: str, postings: PostingsView) -> dict[int, float]:
        """Return the terms that the word has in the languages of the rows, and what each counts."""
        shares: dict[int, float] = {}
        for stemmed in dict.fromkeys(stem(word, language) for language in self._languages_of(postings)):
            number = postings.terms.get(stemmed)
            shares |= {} if number is None else {number: SHARE}
            shares |= self.variants(stemmed, postings)
        return shares

    def _update(self, postings: PostingsView) -> None:
        for token in postings.tokens_from(self._seen):
            term, spelling = split_term(token)
            number = postings.terms[term]
            for form in {folded(spelling), folded(term)} - {term}:
                numbers = self._terms.get(form, ())
                if number not in numbers:
                    self._terms[form] = (*numbers, number)
        self._seen = max(self._seen, len(postings.tokens))

    def _languages_of(self, postings: PostingsView) -> tuple[str, ...]:
        count = len(postings.terms)
        if not 0 <= self._looked_at <= count <= self._looked_at * 1.1 + 20:
            self._languages, self._looked_at = tuple(_languages(postings.terms)), count
        return self._languages


def _languages(terms: Mapping[str, int]) -> Iterator[str]:
    """Yield the languages other than English whose words for building sentences are among the terms."""
    few = list(terms) if len(terms) <= FEW_TERMS else None
    for language, own in _stemmed().items():
        if few is not None:
            is_there = not own.keys().isdisjoint(few) or not _stems(language).isdisjoint(few)
        else:
            is_there = sum(word in terms or stemmed in terms for word, stemmed in own.items()) >= LEAST * len(own)
        if is_there:
            yield language


@cache
def _stemmed() -> dict[str, dict[str, str]]:
    """Return the words that build sentences, with the stem of each, by language."""
    return {language: {word: stem(word, language) for word in own} for language, own in _OWN.items()}


@cache
def _stems(language: str) -> frozenset[str]:
    return frozenset(_stemmed()[language].values())
