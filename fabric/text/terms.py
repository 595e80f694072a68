"""Terms: what a text is found by. Stems of its words, and exact tokens such as versions, file names and error codes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from ..slices import slices
from .language import guess_language, is_stop_word, stem
from .words import normalise, split_words, words

SPELLED = "\t"
"""What stands between a term and the spelling it had in the text, where the two differ."""
MAX_CUE = 20_000
"""How many characters of a cue are read; a longer one says nothing more about what is looked for."""
MAX_ASKED = 64
"""How many different terms of a cue are looked up."""
KEPT_CHARS = 2_000
"""From which length on the terms of a text are not kept in memory."""
LONG_CHARS = 20_000
"""From which length on the terms of the last few texts are kept, so that they can be found before a transaction."""
_RUN = regex.compile(r"[\p{L}\p{N}_][-\p{L}\p{N}_./\\:@#+]*+")
"""What may be a compound. It gives nothing back, so that a text without a space is read once."""
_CODE = regex.compile(r"(?=\p{L}*\p{N})(?=\p{N}*\p{L})[\p{L}\p{N}]{3,}")
_MEASURE = regex.compile(r"\p{N}+(?:st|nd|rd|th|am|pm|s|k|m|g|kg|km|cm|mm|gb|mb|kb|tb|hz|min|h|d|x|er|ers)")
_SYMBOL = regex.compile(r"(?!\p{N})\p{Extended_Pictographic}")
_DIGIT = regex.compile(r"\p{N}")
_POSSESSIVE = "'s"
_SIGNS = "-._/\\:@#+"
"""What joins the words of a compound; all but the hyphen make one of words without a digit."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One word of a cue: as it was spelled, and the terms under which a text may hold it, likeliest first."""

    spelling: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cue:
    """What a cue asks for: its words without stop words, and its exact tokens, which stand for one thing each."""

    text: str
    words: tuple[Asked, ...]
    exact: tuple[str, ...]
    language: str = "english"
    """What it is probably written in; "" where that cannot be told."""


def terms(text: str, about: str = "") -> list[str]:
    r"""Return the terms of ``text`` in order; a word that was spelled differently follows its term after a tab.

    ``about`` is text that belongs to it and says nothing about its language: who said it, the date.

    >>> terms("Anna's dogs run v2.3.1")
    ['anna', 'dog\tdogs', 'run', 'v2', '3', '1', 'v2.3.1']
    """
    return list(_kept_terms(text, about) if len(text) < KEPT_CHARS else _terms(text, about))


@lru_cache(maxsize=512)
def _kept_terms(text: str, about: str) -> tuple[str, ...]:
    return _terms(text, about)


def _terms(text: str, about: str) -> tuple[str, ...]:
    own, exact = _long_terms(text) if len(text) >= LONG_CHARS else _own_terms(text)
    about_words = [_bare(word) for word in words(about)] if about else []
    return (*own, *(_term(word, "english") for word in about_words), *exact)


def prepare_terms(texts: Iterable[str]) -> None:
    """Find the terms of long texts now, in this thread, so that `terms` need not: a transaction holds everybody up."""
    for text in texts:
        if len(text) >= LONG_CHARS:
            _long_terms(text)


def _own_terms(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the terms of a text's words, and its exact tokens."""
    plain = "".join(normalise(piece) for piece in slices(text))
    own = [word for piece in slices(plain) for word in _bare_words(piece)]
    language = guess_language(own)
    found = tuple(_term(word, language) for some in slices(own) for word in some)
    exact = (token for read in (compounds, symbols) for piece in slices(plain) for token in read(piece))
    return found, tuple(exact)


_long_terms = lru_cache(maxsize=4)(_own_terms)


def compounds(text: str) -> list[str]:
    """Return the exact tokens of a normalised text that consist of several words: with a digit, or an inner sign.

    >>> compounds("see src/app.py, not a well-known gpt-4o at 10:30")
    ['src/app.py', 'gpt-4o', '10:30']
    """
    if not any(sign in text for sign in _SIGNS):
        return []
    found = (run.rstrip("-./\\:@#+") for run in _RUN.findall(text))
    return [token for token in found if _is_compound(token)]


def _is_compound(run: str) -> bool:
    inner = run[1:-1]
    return any(sign in inner for sign in _SIGNS) and (
        any(sign in run for sign in _SIGNS[1:]) or _DIGIT.search(run) is not None
    )


def symbols(text: str) -> list[str]:
    """Return the pictures in a text, each by its first character, whatever it is combined with.

    >>> symbols("pizza 🍕 night 👩‍🚀")
    ['🍕', '👩', '🚀']
    """
    return [] if text.isascii() else _SYMBOL.findall(text)


def read_cue(cue: str) -> Cue:
    """Return what the cue asks for; no word and no exact token for one that is empty or only signs.

    >>> [one.spelling for one in read_cue("Where does Anna's sister work?").words]
    ['anna', 'sister', 'work']
    >>> read_cue("error E4021 in app.py").exact
    ('app.py', 'e4021')
    """
    return _read_cue(cue[:MAX_CUE])


@lru_cache(maxsize=64)
def _read_cue(cue: str) -> Cue:
    plain = normalise(cue)
    spelled = [_bare(word) for word in split_words(plain)]
    language = guess_language(spelled)
    content = [word for word in spelled if not is_stop_word(word, language)] or spelled
    asked = {symbol: Asked(symbol, (symbol,)) for symbol in symbols(plain)}
    for word in content:
        ways = tuple(dict.fromkeys([stem(word, language), stem(word, "english"), word]))
        asked.setdefault(ways[0], Asked(word, ways))
    codes = [word for word in spelled if _CODE.fullmatch(word) and not _MEASURE.fullmatch(word)]
    exact = dict.fromkeys([*compounds(plain), *codes])
    return Cue(cue, tuple(asked.values())[:MAX_ASKED], tuple(exact)[:MAX_ASKED], language)


def split_term(term: str) -> tuple[str, str]:
    r"""Return a term of `terms` without its spelling, and the spelling.

    >>> split_term("dog\tdogs"), split_term("run")
    (('dog', 'dogs'), ('run', 'run'))
    """
    plain, _, spelling = term.partition(SPELLED)
    return plain, spelling or plain


def plain_terms(text: str) -> Sequence[str]:
    """Return the terms of ``text`` without their spellings, as `match` looks them up."""
    return [split_term(term)[0] for term in terms(text)]


@lru_cache(maxsize=65_536)
def _term(word: str, language: str) -> str:
    stemmed = stem(word, language)
    return word if stemmed == word else f"{stemmed}{SPELLED}{word}"


def _bare_words(plain: str) -> list[str]:
    found = split_words(plain)
    return [_bare(word) for word in found] if _POSSESSIVE in plain else found


def _bare(word: str) -> str:
    return word.removesuffix(_POSSESSIVE) or word
