"""Words of a trace: how its text is cut, stemmed and indexed, so that a search need not read it.

It is indexed twice: by the terms of the one ranker, as everything else that is recalled, and, each with a mark, by the
words of a search with operators. For ASCII text these are those of SQLite FTS5 with ``tokenize = 'porter ascii'``.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import regex

from fabric.lazy import lazy
from fabric.text.terms import terms
from fabric.text.words import normalise, split_words

from ..claims import OTHER, Claim, Claimed, rival_slots, slot
from ..vocabulary import written_day

if TYPE_CHECKING:
    import snowballstemmer
else:
    snowballstemmer = lazy("snowballstemmer")

WORD = "="
"""Marks a term as a stem, or as two of them, that a search with operators looks for."""
FIRST = "^"
"""Marks a term as the first word of its text."""
SPELLED = "~"
"""Marks a term as a word as it was spelled, where its stem differs."""
TAGGED = "#"
"""Marks a term as a word of a tag."""
ENTITY = "@"
"""Marks a term as somebody or something that the trace names."""
CLAIM = "!"
"""Marks a term as what the trace says something about, where one thing is so at a time."""
NEXT = "+"
"""Stands between the stems of two neighbouring words."""
_MARKS = (WORD, FIRST, SPELLED, TAGGED, ENTITY, CLAIM)
_LONGEST_STEMMED = 64
_SHORTEST_STEMMED = 3
_DEPARTING = regex.compile(r"(?:log|bl)(?:y|i|ie[sd])$")
_MEASURED = regex.compile(r"[^aeiou]*?(?:[aeiou]|(?<=[^aeiou])y)[aeiouy]*[^aeiouy]|[^aeiou]*[aeiou]+y")
_RUN = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*|(?!\p{N})\p{Extended_Pictographic}")
_SIGNED = regex.compile(r"(?<![\p{L}\p{N}_])[\p{L}][\p{L}\p{N}]*+(?:\+\+|#)(?![\p{L}\p{N}+#])")
"""What is another name with its sign than without: C++, F#."""
_ASCII_RUN = regex.compile(r"[a-z0-9]+")


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802  the library's name


def trace_words(text: str) -> list[str]:
    """Return the stems of the words of ``text``, in order, as they are indexed and asked for.

    Case, width and composition of characters do not matter; scripts without spaces are cut into pairs of characters,
    and a picture is a word.

    >>> trace_words("Deployments run on Fridays.")
    ['deploy', 'run', 'on', 'fridai']
    >>> trace_words("The user's ÉCOLE 🍕 東京都")
    ['the', 'user', 's', 'école', '🍕', '東京', '京都']
    """
    return [stem(word) for word in spelled_words(text)]


def spelled_words(text: str) -> list[str]:
    """Return the words of ``text`` in order, normalised but not stemmed.

    >>> spelled_words("C++ and blue-green")
    ['c', 'and', 'blue', 'green']
    """
    return [word for run in _runs(text) for word in _cut(run)]


def count_words(content: str, tags: Sequence[str]) -> int:
    """Return how long a trace is for BM25: its words and those of its tags, a run of a script without spaces as one.

    >>> count_words("Café Müller opens at 9:30.", ["alpha"]), count_words("我喜欢东京", ["alpha"])
    (7, 2)
    """
    return sum(len(_runs(text)) for text in (content, *tags))


def trace_terms(row: Mapping[str, Any]) -> list[str]:
    r"""Return what a stored trace is found by; nothing when it is deleted, so that it counts in no statistic.

    First the terms of the ranker, with who said it, when, and its tags. Then, each marked as such, stems, neighbours,
    first words, words of tags, spellings, and whom or what it names.

    >>> trace_terms({"content": "dark modes", "tags": ["ui"], "deleted": False})[:3]
    ['dark', 'mode\tmodes', 'ui']
    >>> trace_terms({"content": "dark modes", "tags": ["ui"], "entities": ["KDE"], "deleted": False})[3:]
    ['=dark', '=mode', '~modes', '=dark+mode', '^dark', '=ui', '^ui', '#ui', '@kde']
    >>> trace_terms({"content": "dark modes", "tags": [], "deleted": True})
    []
    """
    if row.get("deleted"):
        return []
    tags = row.get("tags") or ()
    found = terms(row["content"], " ".join([row.get("speaker") or "", _day(row.get("said_at")), *tags]))
    found += _terms(row["content"])
    for tag in tags:
        found += _terms(tag)
        found += [TAGGED + word for word in trace_words(tag)]
    found += [entity_term(name) for name in row.get("entities") or ()]
    about = _about(row.get("attribute") or OTHER, row.get("value") or "", row.get("of") or "")
    return [*found, about] if about else found


def signed_names(text: str) -> list[str]:
    """Return the names of a text that end in a sign, normalised.

    >>> signed_names("From C++ to C#, item #3")
    ['c++', 'c#']
    """
    return _SIGNED.findall(normalise(text)) if "++" in text or "#" in text else []


def entity_term(name: str) -> str:
    """Return the term that stands for somebody or something that a trace names.

    >>> entity_term("New  York")
    '@new_york'
    """
    return ENTITY + "_".join(normalise(name).split())


def rival_terms(trace: Claimed) -> list[str]:
    """Return the terms of what a trace may repeat, replace or end: another employer ends a role at the one before."""
    claim = Claim(attribute=trace.attribute or OTHER, value=trace.value, of=trace.of, former=trace.former)
    return list(dict.fromkeys(_term(key) for key in rival_slots(claim) if key))


def _about(attribute: str, value: str, of: str) -> str:
    key = slot(Claim(attribute=attribute, value=value, of=of))
    return _term(key) if key else ""


def _term(key: str) -> str:
    return CLAIM + "_".join(key.split())


def indexed(term: str) -> str:
    """Return a term of a query as it is indexed: with a mark.

    >>> indexed("deploi"), indexed("^deploi")
    ('=deploi', '^deploi')
    """
    return term if term[0] in _MARKS else WORD + term


def _day(said_at: str | None) -> str:
    if not said_at:
        return ""
    return written_day(datetime.fromisoformat(said_at))


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the Porter stem of a word that `spelled_words` returned.

    With the two rules that Porter added to his paper: -bli becomes -ble, -logi becomes -log.

    >>> stem("deployments"), stem("typing"), stem("is"), stem("possibly"), stem("psychology")
    ('deploy', 'type', 'is', 'possibl', 'psycholog')
    """
    if not _SHORTEST_STEMMED <= len(word) <= _LONGEST_STEMMED:
        return word
    found = _stemmer().stemWord(word)
    if _DEPARTING.search(word):
        if found.endswith("logi") and _MEASURED.match(found[:-4]):
            return found[:-1]
        if found.endswith("bli") and _MEASURED.match(found[:-3]):
            return _stemmer().stemWord(found[:-1] + "e")
    return found


def other_stem(stemmed: str) -> str:
    """Return the stem under which Porter files other forms of the same word: a final y and i behind a vowel.

    >>> other_stem(stem("deploy")), other_stem(stem("deployment")), other_stem("happi")
    ('deploy', 'deploi', 'happi')
    """
    if len(stemmed) < _SHORTEST_STEMMED or stemmed[-2] not in "aeou" or stemmed[-1] not in "iy":
        return stemmed
    return stemmed[:-1] + ("y" if stemmed[-1] == "i" else "i")


def is_unspaced(word: str) -> bool:
    """Return whether the word is of a script without spaces, whose words here are pairs of characters.

    >>> is_unspaced("東京"), is_unspaced("東"), is_unspaced("café")
    (True, True, False)
    """
    return not word.isascii() and len(split_words(word * 3)) > 1


def _terms(text: str) -> Iterator[str]:
    found = spelled_words(text)
    stems = [stem(word) for word in found]
    signed = signed_names(text)
    yield from (WORD + name for name in signed)
    yield from (WORD + stemmed for stemmed in _unsigned(stems, signed))
    yield from (SPELLED + word for word, stemmed in zip(found, stems, strict=True) if word != stemmed)
    yield from (WORD + one + NEXT + other for one, other in pairwise(stems))
    if stems:
        yield FIRST + stems[0]
    # The last character of a run begins no pair; it stands alone, so that each character is found by itself.
    for word, following in pairwise([*found, ""]):
        if len(word) == 2 and following[:1] != word[1] and is_unspaced(word):
            yield WORD + word[1]


def _unsigned(stems: Sequence[str], signed: Sequence[str]) -> list[str]:
    """Return stems without the one letter of each name such as C++: it is no C."""
    left = list(stems)
    for name in signed:
        letter = name.rstrip("+#")
        if len(letter) == 1 and letter in left:
            left.remove(letter)
    return left


def _runs(text: str) -> list[str]:
    plain = normalise(text)
    return (_ASCII_RUN if plain.isascii() else _RUN).findall(plain)


def _cut(run: str) -> list[str]:
    """Return a run as it is, or in pairs of characters where its script has no spaces; it has at least one word."""
    return [run] if run.isascii() else split_words(run) or [run]


@lru_cache(maxsize=1)
def _stemmer() -> _Stemmer:

    return snowballstemmer.stemmer("porter")  # type: ignore[no-any-return]
