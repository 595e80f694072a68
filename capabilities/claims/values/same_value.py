"""When two values are one: their tokens with numbers, dates and case made alike, and every symbol kept."""

import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import regex

from fabric.lazy import lazy
from fabric.text.language import language_of, stem
from fabric.text.words import normalise

from ..attributes import CODES, LANGUAGES, grammar, words_of

if TYPE_CHECKING:
    import babel
    import num2words as spelling
else:
    babel = lazy("babel")
    spelling = lazy("num2words")

COMPARED = 8_192
"""How many texts' tokens are kept in memory: the same facts are compared over and over."""
_LETTER = r"[\p{Latin}\p{Cyrillic}\p{Greek}]"
_PATTERN = regex.compile(
    rf"\p{{Nd}}{{4}}-\p{{Nd}}{{2}}-\p{{Nd}}{{2}}|(?=\p{{Nd}}*{_LETTER})(?={_LETTER}*\p{{Nd}})(?:{_LETTER}|\p{{Nd}})+"
    r"|\p{Nd}{1,3}(?:,\p{Nd}{3})+(?!\p{Nd})|\p{Nd}+(?:[.,:/]\p{Nd}+)*"
    r"|[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*|[^\s\p{L}\p{M}\p{Nd}]"
)
"""A date, a word with digits in it ("B12"), a number, a word, or one sign."""
_CLOSING = regex.compile(r"[\s.!?。！？…,，;；:：\"”“«»」「]+$|^[\s\"“„«「]+")
_QUOTES = frozenset('"“”„«»「」')
CLAUSE_SIGNS = frozenset(",;:()!?，；：、（）")
"""Signs that part clauses: they may come with words that are added."""
_WHEN = regex.compile(r"[md]\d+|\d*/m\d+/\d+")
_ISO = regex.compile(r"(\d{4})-(\d\d)-(\d\d)")
_MONTH = regex.compile(r"m\d+")
_DAY = regex.compile(r"\d{1,2}")
_YEAR = regex.compile(r"\d{4}")
_THOUSANDS = regex.compile(r"\d{1,3}(?:,\d{3})+")
_ORDINAL = regex.compile(r"(\p{Nd}+)(?:st|nd|rd|th)", regex.IGNORECASE)
_COUNTED = regex.compile(r"([〇一二三四五六七八九十两兩])(?=[個个只隻匹條条歳岁歲人本台回次點点つ才])")
_CYRILLIC = regex.compile(r"\p{Cyrillic}")
_KANJI = frozenset({"chinese", "japanese"})
_HIGHEST = 99


def trimmed(text: str) -> str:
    """Return a text without the punctuation, quotes and spaces around it."""
    return _CLOSING.sub("", text).strip()


@lru_cache(maxsize=COMPARED)
def tokens(text: str) -> tuple[str, ...]:
    """Return a text as tokens to compare: folded, numbers and dates in one spelling, symbols as tokens of their own.

    >>> tokens("Three cats, 1,000 fish!"), tokens("C++"), tokens("5 May 2025") == tokens("2025-05-05")
    (('3', 'cats', ',', '1000', 'fish'), ('c', '+', '+'), True)
    """
    folded = " ".join(unicodedata.normalize("NFKC", trimmed(text)).split())
    folded = _COUNTED.sub(lambda found: f" {unicodedata.numeric(found[1]):.0f} ", folded)
    language = language_of(folded[:200]) or "english"
    folded = _number_phrases(language).sub(lambda found: _number_words(language)[normalise(found[0])], folded)
    found = [_token(token, language) for token in _PATTERN.findall(folded) if token not in _QUOTES]
    return tuple(_dated(found))


def _token(token: str, language: str) -> str:
    ordinal = _ORDINAL.fullmatch(token)
    token = ordinal[1] if ordinal is not None else token
    if token[0].isdecimal() and not any(char.isalpha() for char in token):
        plain = "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in token)
        return plain.replace(",", "") if _THOUSANDS.fullmatch(plain) else plain
    low = normalise(token)
    number = _number_words(language).get(low)
    if number is not None:
        return number
    months = _calendar(language)
    return (
        months.get(token.capitalize() if len(token) <= 4 else low, low) if token[0].isupper() or len(low) > 4 else low
    )


@lru_cache(maxsize=32)
def _number_words(language: str) -> Mapping[str, str]:
    """Return the words for 0 to 99 in a language, without those that are articles; {} for one that is not known."""
    spelled: Mapping[str, str] = _spelled(CODES[language]) if language in CODES and language not in _KANJI else {}
    return {word: number for word, number in spelled.items() if word not in words_of("articles_counted")}


@lru_cache(maxsize=32)
def _spelled(code: str) -> Mapping[str, str]:
    """Return the words for 0 to 99 as `num2words` spells them."""
    spell = spelling.num2words  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  it has no types
    return {normalise(spell(number, lang=code)): str(number) for number in range(_HIGHEST + 1)}


@lru_cache(maxsize=32)
def _number_phrases(language: str) -> "regex.Pattern[str]":
    """Return what finds the number words that consist of several words: "forty-one", "treinta y ocho"."""
    several = [regex.escape(word) for word in _number_words(language) if not word.isalpha()]
    several.sort(key=len, reverse=True)
    return regex.compile(rf"(?<!\w)(?:{'|'.join(several) or '(?!)'})(?!\w)", regex.IGNORECASE)


@lru_cache(maxsize=32)
def _calendar(language: str) -> Mapping[str, str]:
    """Return the names of months and days, long ones folded and short ones with a capital, as "m5" and "d0"."""
    found: dict[str, str] = {}
    for code in dict.fromkeys(("en", CODES.get(language, "en"))):
        locale = babel.Locale(code)
        for kind, named in (("m", locale.months), ("d", locale.days)):
            for context in ("format", "stand-alone"):
                for number, name in named[context]["abbreviated"].items():
                    short = name.rstrip(".")
                    found[short[:1].upper() + short[1:]] = f"{kind}{number}"
                for number, name in named[context]["wide"].items():
                    found[normalise(name)] = found[name[:1].upper() + name[1:]] = f"{kind}{number}"
    return found


def _dated(found: Sequence[str]) -> list[str]:
    """Return the tokens, each date as one: day, month and year in whatever order they were written."""
    told: list[str] = []
    at = 0
    while at < len(found):
        iso = _ISO.fullmatch(found[at])
        size, date = (1, f"{iso[1]}/m{int(iso[2])}/{int(iso[3])}") if iso else _date(found, at)
        told.append(date or found[at])
        at += max(1, size)
    return told


def _date(found: Sequence[str], at: int) -> tuple[int, str]:
    first, second = found[at], found[at + 1] if at + 1 < len(found) else ""
    for month, day in ((first, second), (second, first)):
        if month[:1] == "m" and _MONTH.fullmatch(month) and _DAY.fullmatch(day):
            follows = next((sign for sign in found[at + 2 : at + 4] if sign != ","), "")
            year = follows if _YEAR.fullmatch(follows) else ""
            return 2 + bool(year) + (bool(year) and found[at + 2] == ","), f"{year}/{month}/{int(day)}"
    return 0, ""


def same_value(a: str, b: str) -> bool:
    """Return whether two values are one: nothing but case, width, spacing, closing punctuation or spelling differs.

    Spelling: numbers in words or digits, dates in any order, and an abbreviation of capitals for what it stands for.

    >>> same_value("Stripe", "stripe."), same_value("A+", "A-"), same_value("NYC", "New York City")
    (True, False, True)
    """
    return tokens(a) == tokens(b) or _abbreviates(a, b) or _abbreviates(b, a) or _declined(a, b)


def _declined(a: str, b: str) -> bool:
    """Return whether two Russian values differ by case only: Казань and Казани, but not Александр and Александра."""
    if _CYRILLIC.search(a) is None or _CYRILLIC.search(b) is None:
        return False
    one, other = tokens(a), tokens(b)
    return len(one) == len(other) and all(
        word == form or (stem(word, "russian") == stem(form, "russian") and word + "а" != form and form + "а" != word)
        for word, form in zip(one, other, strict=True)
    )


def _abbreviates(short: str, long: str) -> bool:
    if not (1 < len(short) <= 6 and short.isupper() and short.isalpha()):
        return False
    parts = long.split()
    return len(parts) == len(short) and "".join(part[0] for part in parts) == short


def holds_all(longer: Sequence[str], shorter: Sequence[str]) -> bool:
    """Return whether one run of tokens holds all of another, in its order and from the same beginning.

    >>> holds_all(["works", "at", "stripe", "in", "dublin"], ["works", "at", "stripe"]), holds_all(["b", "a"], ["a"])
    (True, False)
    """
    if not shorter or not longer or longer[0] != shorter[0]:
        return False
    rest = iter(longer)
    return all(any(token == other for other in rest) for token in shorter)


def is_symbol(token: str) -> bool:
    """Return whether a token is neither a word nor a number nor a date."""
    return not any(char.isalnum() for char in token)


def is_number(token: str) -> bool:
    """Return whether a token is a number."""
    return token[:1].isdecimal() and not any(char.isalpha() for char in token)


def is_when(token: str) -> bool:
    """Return whether a token names a day, a month or a date."""
    return _WHEN.fullmatch(token) is not None


@lru_cache(maxsize=1)
def day_names() -> frozenset[str]:
    """Return what months and days of the week are called in the languages that are read, in small letters."""
    return frozenset(name for language in LANGUAGES for name in _calendar(language) if name.islower())


def in_digits(value: str, language: str) -> str:
    """Return a value that is a number in words as digits, any other as it is; a name has a capital, and stays one.

    English stays as it is, too: values of which the language cannot be guessed are compared as English ones.

    >>> in_digits("trente", "french"), in_digits("quarant'", "italian"), in_digits("Otto", "italian")
    ('30', '40', 'Otto')
    """
    if language in _KANJI:
        return _spelled("ja").get(value.replace("两", "二").replace("兩", "二"), value)
    low = normalise(value)
    if language == "english" or not (value.islower() or value.isupper()):
        return value
    spelled = _number_words(language)
    elided = (number for word, number in spelled.items() if low[-1:] in "'’" and word[:-1] == low[:-1])
    return spelled.get(low) or next(elided, value)


@lru_cache(maxsize=COMPARED)
def stems(text: str) -> tuple[str, ...]:
    """Return the tokens of a text without its symbols, each by the stem of its language."""
    language = language_of(text[:200]) or "english"
    return tuple(token if is_number(token) else stem(token, language) for token in tokens(text) if not is_symbol(token))


def distinctive(text: str) -> frozenset[str]:
    """Return what a text names: its numbers, dates, symbols, and words with a capital inside the sentence.

    >>> sorted(distinctive("Paid Anna 20 $ in May"))
    ['$', '20', 'anna', 'm5']
    """
    capitals = {word for part in trimmed(text).split()[1:] if part[:1].isupper() for word in tokens(part)}
    signs = {found for found in tokens(text) if is_symbol(found) and found not in CLAUSE_SIGNS}
    return frozenset(capitals | signs | {found for found in tokens(text) if is_number(found) or is_when(found)})


def denials(language: str) -> frozenset[str] | None:
    """Return the words that deny in a language, None where they are not known."""
    known = grammar(language)
    return known.negations | known.no_longer or None
