"""Which stems of an index are a word's but for accents: "cafe" finds "café", and the other way round."""

from typing import TYPE_CHECKING

from fabric.text.folding import folded

from ..words import NEXT, WORD, stem

if TYPE_CHECKING:
    from fabric.search.base import PostingsView, SearchView


def accented(index: "SearchView", term: str) -> list[str]:
    """Return the stems of the index that differ from a stem by nothing but accents, without that stem."""
    return index.derived(_Stems).like(term, index.postings)


class _Stems:
    """The stems with accents of one index; terms are never taken out of an index, so only new ones are looked at."""

    def __init__(self) -> None:
        self._seen = 0
        self._stems: dict[str, list[str]] = {}

    def like(self, term: str, postings: "PostingsView") -> list[str]:
        for new in postings.terms_from(self._seen):
            if not new.isascii() and new[0] == WORD and NEXT not in new:
                self._stems.setdefault(_plain(new[1:]), []).append(new[1:])
        self._seen = len(postings.terms)
        plain = _plain(term)
        return [stem for stem in (plain, *self._stems.get(plain, ())) if stem != term]


def _plain(term: str) -> str:
    return stem(folded(term))
