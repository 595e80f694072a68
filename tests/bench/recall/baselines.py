"""What recall is compared with: BM25 over stems, and exact vector search; both as plain as people build them."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from snowballstemmer import stemmer

from fabric.text.words import estimate_tokens, word_set, words

from .data import Haystack, Question, Said
from .system import Answer

Floats = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Floats]
K1, B = 1.5, 0.75
_STEM = stemmer("english")
_STOP = word_set(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they"
    " this to was will with"
)


@lru_cache(maxsize=200_000)
def _stemmed(word: str) -> str:
    stem: str = _STEM.stemWord(word)
    return stem


def terms(text: str) -> list[str]:
    """Return the stems of a text without the commonest words."""
    return [_stemmed(word) for word in words(text) if word not in _STOP]


class Bm25:
    """Okapi BM25 in the form that Lucene uses, over Snowball stems; k1 = 1.5, b = 0.75."""

    def __init__(self, texts: Sequence[str]) -> None:
        held: dict[str, dict[int, int]] = {}
        lengths = np.zeros(len(texts))
        for row, text in enumerate(texts):
            found = terms(text)
            lengths[row] = len(found)
            for term in found:
                rows = held.setdefault(term, {})
                rows[row] = rows.get(row, 0) + 1
        self._size = len(texts)
        self._norm = K1 * (1 - B + B * lengths / max(lengths.mean(), 1e-9))
        self._held = held

    def scores(self, query: str) -> Floats:
        """Return the score of every text."""
        total = np.zeros(self._size)
        for term in set(terms(query)):
            rows = self._held.get(term, {})
            where, often = np.fromiter(rows, np.int64, len(rows)), np.fromiter(rows.values(), float, len(rows))
            idf = np.log(1 + (self._size - len(rows) + 0.5) / (len(rows) + 0.5))
            total[where] += idf * often * (K1 + 1) / (often + self._norm[where])
        return total.astype(np.float32)


class Plain:
    """A system that scores every turn, and fills a context with the best of them in order of their scores."""

    def __init__(self, name: str, index: Callable[[Sequence[str]], Callable[[str], Floats]]) -> None:
        self.name = name
        self._index = index
        self._opened: tuple[Haystack, Callable[[str], Floats]] | None = None

    def answer(self, haystack: Haystack, question: Question, limit: int) -> Answer:
        """Rank the haystack's turns."""
        turns, scores = self._scored(haystack, question)
        best = np.argsort(-scores, kind="stable")[:limit]
        return Answer([turns[row].id for row in best], float(scores.max(initial=0.0)))

    def context(self, haystack: Haystack, question: Question, tokens: int) -> str:
        """Return the best turns that fit, the last one cut."""
        turns, scores = self._scored(haystack, question)
        lines, left = list[str](), tokens
        for row in np.argsort(-scores, kind="stable"):
            line = turns[row].line
            if left <= 0:
                break
            lines.append(line[: left * 4])
            left -= estimate_tokens(line + "\n")
        return "\n".join(lines)

    def _scored(self, haystack: Haystack, question: Question) -> tuple[list[Said], Floats]:
        if self._opened is None or self._opened[0] is not haystack:
            self._opened = (haystack, self._index([turn.line for turn in haystack.turns]))
        return haystack.turns, self._opened[1](question.text)

    def close(self) -> None:
        """Let go of the index."""
        self._opened = None


def bm25() -> Plain:
    """Return BM25 over the turns."""
    return Plain("BM25, stemmed", lambda texts: Bm25(texts).scores)


def vectors(name: str, embed: Embed) -> Plain:
    """Return exact cosine search over the turns; ``embed`` gives vectors of unit length."""

    def index(texts: Sequence[str]) -> Callable[[str], Floats]:
        matrix = embed(texts)
        return lambda query: matrix @ embed([query])[0]

    return Plain(name, index)


class WholeSessions:
    """BM25 over sessions, each one text: all its turns joined. It ranks sessions, not turns."""

    name = "BM25, whole sessions"

    def answer(self, haystack: Haystack, question: Question, limit: int) -> Answer:
        """Rank the haystack's sessions; the ids are those of each session's first turn."""
        joined: dict[str, list[Said]] = {}
        for turn in haystack.turns:
            joined.setdefault(turn.session, []).append(turn)
        scores = Bm25(["\n".join(turn.line for turn in turns) for turns in joined.values()]).scores(question.text)
        first = [turns[0].id for turns in joined.values()]
        best = np.argsort(-scores, kind="stable")[:limit]
        return Answer([first[row] for row in best], float(scores.max(initial=0.0)))

    def context(self, haystack: Haystack, question: Question, tokens: int) -> str:
        """Return the best sessions that fit, the last one cut."""
        order = self.answer(haystack, question, len(haystack.sessions)).ranked
        of = {turn.id: turn.session for turn in haystack.turns}
        texts = ("\n".join(turn.line for turn in haystack.turns if turn.session == of[one]) for one in order)
        return "\n".join(texts)[: tokens * 4]

    def close(self) -> None:
        """Nothing is held."""
