"""Reading whom a text speaks of by what they are to somebody: "my brother's wife", "die Frau meines Bruders"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import regex

from fabric.text.language import guess_language, is_stop_word, language_of, stem

from .words import ARTICLES, FORMS, GRAMMAR, IMPLIED, NOT_NAMES, QUALITIES, UNSPACED, WORD_NAMES, Grammar, listed

MINE, SOMEBODY = "", "?"
"""The owner of the speaker's own kin, and one who is not said by name: "his brother", "a brother"."""
LONGEST = 4_000
"""How many characters of a text are read."""
BETWEEN = 2
"""How many words may stand between "my" and who is meant."""
_LEAST = 3
"""Shorter words and stems are compared as they are spelled."""
_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['\u2019][\p{L}\p{N}\p{M}]+)*")
_END = regex.compile(r"[.!?;:\u2026\n。！？]")
_NO_GENITIVES = frozenset({"he's", "she's", "it's", "that's", "name's"})


@dataclass(frozen=True, slots=True)
class Kin:
    """Somebody by what they are: ``of`` whom, and how from there, nearest first: a brother, his wife.

    ``of`` is "" for the speaker, a name in lower case, or "?". ``word`` are the words for ``kin``, ``qualities`` tell
    them from others of the kind, ``name`` is what they are called, and ``has_preposition`` that one stands before.
    ``start`` and ``end`` are the places in the text's words.
    """

    of: str
    kin: tuple[str, ...]
    word: str
    qualities: frozenset[str] = frozenset()
    name: str = ""
    has_preposition: bool = False
    start: int = 0
    end: int = 0


class Token(NamedTuple):
    """One word of a text without 's, whether a sentence begins with it, and whether it ends in 's."""

    text: str
    low: str
    begins: bool
    has_s: bool

    @property
    def is_name(self) -> bool:
        """Whether it is spelled like a name."""
        return self.text[:1].isupper() and self.text not in NOT_NAMES - WORD_NAMES


@lru_cache(maxsize=256)
def tokens_of(text: str) -> tuple[Token, ...]:
    """Return the words of a text, which several look at one after another.

    >>> [(token.low, token.has_s) for token in tokens_of("Anna's brother")]
    [('anna', True), ('brother', False)]
    """
    last = 0
    tokens: list[Token] = []
    for found in _WORD.finditer(text[:LONGEST]):
        spelled = found[0].replace("\u2019", "'")
        start = found.start()
        is_next = start - last == 1 and text[last] == " "
        begins = not last or (not is_next and _END.search(text, last, start) is not None)
        has_s = spelled[-2:] in ("'s", "'S") and spelled.lower() not in _NO_GENITIVES
        bare = spelled[:-2] if has_s else spelled
        tokens.append(Token(bare, bare.lower(), begins, has_s))
        last = found.end()
    return tuple(tokens)


@lru_cache(maxsize=4_096)
def kin_in(text: str, also: str = "", *, is_memory: bool = False) -> tuple[Kin, ...]:
    """Return whom a text speaks of by what they are; a memory says "Sister" for the sister of whom it is about.

    A text whose own language names nobody is read in English, and in the language ``also``.

    >>> [(kin.of, kin.kin) for kin in kin_in("wo wohnt die Frau von Peter, und meine Schwester?")]
    [('peter', ('wife',)), ('', ('sister',))]
    """
    tokens = tokens_of(text)
    own = guess_language([token.low for token in tokens])
    for language in dict.fromkeys((own, "english", also)):
        if language not in FORMS:
            continue
        reader = _unspaced(text, language, is_memory) if language in UNSPACED else _spaced(tokens, language, is_memory)
        found = tuple(kin for kin in reader if language == own or not is_stop_word(kin.word, own))
        if found:
            return found
    return ()


def starts_with_kin(text: str, language: str = "") -> bool:
    """Return whether a text begins with the speaker's kin and says something of them, not only what they are called.

    ``language`` is that of the text, where it is known.

    >>> [starts_with_kin(text) for text in ("My sister Anna lives in Rome", "I like my sister", "My sister is Anna")]
    [True, False, False]
    """
    language = language or language_of(text)
    if language not in FORMS or language in UNSPACED or not _begins_with_kin(text, language):
        return False
    tokens = tokens_of(text)
    first = next(iter(_spaced(tokens, language, is_memory=False)), None)
    if first is None or first.of != MINE or first.start > 1 or not tokens[first.end :]:
        return False
    return not first.name or tokens[-1].text != first.name


def _begins_with_kin(text: str, language: str) -> bool:
    """Return whether kin stand so near the beginning that a mention of them can begin with the first two words."""
    near = BETWEEN + 2
    tokens = tokens_of(text)[: near + max(_longest_of(language).values())]
    return any(_kin_at(tokens, at, language)[0] for at in range(min(len(tokens), near)))


def _spaced(tokens: Sequence[Token], language: str, is_memory: bool) -> list[Kin]:
    """Return who is spoken of, in order, each once with whose they are."""
    grammar, found, at = GRAMMAR[language], list[Kin](), 0
    while at < len(tokens):
        kin, end = _kin_at(tokens, at, language)
        thing = end < len(tokens) and tokens[end].low in listed("things") and not tokens[end - 1].has_s
        mine = at > 0 and tokens[at - 1].low in grammar.mine
        if kin and not thing and not (kin in IMPLIED and not is_memory and mine):
            read = _mention(tokens, grammar, at, end, kin, found[-1] if found else None, is_memory)
            if len(read.kin) > 1:
                found.pop()
            found.append(read)
        at = end
    return _joined(tokens, grammar, found, is_memory)


def _kin_at(tokens: Sequence[Token], at: int, language: str) -> tuple[str, int]:
    """Return whom the words from a place on mean, and the place behind them; "" for nobody."""
    longest = _longest_of(language).get(tokens[at].low, 1)
    for size in range(min(longest, len(tokens) - at), 0, -1):
        said = tuple(token.low for token in tokens[at : at + size])
        kin = FORMS[language].get(said) or (_stems(language).get(stem(said[0], language), "") if size == 1 else "")
        alone = said[0] in listed("alone") and not (at and tokens[at - 1].low in GRAMMAR[language].mine)
        if kin and not alone:
            return kin, at + size
    return "", at + 1


def _mention(
    tokens: Sequence[Token], grammar: Grammar, start: int, end: int, kin: str, before: Kin | None, is_memory: bool
) -> Kin:
    left = start
    while left > (before.end if before else 0) and start - left < BETWEEN and _says_more(tokens[left - 1], grammar):
        left -= 1
    qualities = frozenset(QUALITIES[token.low] for token in tokens[left:start] if token.low in QUALITIES)
    word = " ".join(token.low for token in tokens[start:end])
    if before is not None and before.end == left and _is_genitive(tokens[left - 1], tokens[start]):
        of, chain, word = before.of, (*before.kin, kin), f"{before.word} {word}"
    else:
        of, chain = _owner(tokens, grammar, left, start, end, kin, is_memory), (kin,)
    name = _name_after(tokens, grammar, end) or _name_before(tokens, grammar, left)
    return Kin(of, chain, word, qualities, name, _has_preposition(tokens, grammar, left), left, end)


def _says_more(token: Token, grammar: Grammar) -> bool:
    if token.low in QUALITIES:
        return not token.has_s
    small = (grammar.mine, grammar.others, grammar.of, grammar.prepositions, grammar.i, grammar.called, ARTICLES)
    plain = not token.has_s and not token.begins and not token.is_name and token.low.isalpha()
    return plain and not any(token.low in words for words in small)


def _is_genitive(token: Token, following: Token) -> bool:
    return token.has_s or (token.low.endswith("s") and not following.begins)


def _owner(
    tokens: Sequence[Token], grammar: Grammar, left: int, start: int, end: int, kin: str, is_memory: bool
) -> str:
    before = tokens[left - 1] if left else None
    low = before.low if before else ""
    if low in grammar.mine or low == "user" or _is_mine_behind(tokens, grammar, end):
        return MINE
    if low in grammar.others:
        return MINE if is_memory else SOMEBODY
    if before and not tokens[start].begins and low not in GRAMMAR["english"].called:
        if before.has_s and low not in listed("no_owners"):
            return low
        if before.is_name and low.endswith("s") and not before.begins and len(low) > _LEAST:
            return low.removesuffix("s")
    is_own = kin in listed("own_titles") and low not in ARTICLES
    return MINE if is_memory or grammar.is_suffixed or is_own else SOMEBODY


def _is_mine_behind(tokens: Sequence[Token], grammar: Grammar, end: int) -> bool:
    if not grammar.is_behind or end >= len(tokens) or tokens[end].begins or tokens[end].low not in grammar.mine:
        return False
    return end + 1 == len(tokens) or tokens[end + 1].begins or tokens[end].low not in grammar.genitive


def _has_preposition(tokens: Sequence[Token], grammar: Grammar, left: int) -> bool:
    for token in reversed(tokens[max(left - BETWEEN, 0) : left]):
        if token.low in grammar.prepositions:
            return True
        if token.low not in grammar.mine | ARTICLES:
            break
    return False


def _name_after(tokens: Sequence[Token], grammar: Grammar, end: int) -> str:
    """Return the name in "sister Anna" and "sister is called Anna"."""
    at = end
    while at < len(tokens) and at - end <= BETWEEN and not tokens[at].begins and tokens[at].low in grammar.called:
        at += 1
    is_named = at < len(tokens) and not tokens[at].begins and tokens[at].is_name
    return tokens[at].text if is_named and not (at == end and tokens[at].has_s) else ""


def _name_before(tokens: Sequence[Token], grammar: Grammar, left: int) -> str:
    """Return the name in "Anna is my sister"."""
    while left > 0 and tokens[left - 1].low in grammar.mine | ARTICLES:
        left -= 1
    is_called = left > 1 and tokens[left - 1].low in grammar.called and tokens[left - 2].is_name
    return tokens[left - 2].text if is_called else ""


def _joined(tokens: Sequence[Token], grammar: Grammar, mentions: Sequence[Kin], is_memory: bool) -> list[Kin]:
    """Return the mentions with whose they are where that is said behind them: "the wife of my brother"."""
    found: list[Kin] = []
    links = grammar.of | grammar.genitive
    for kin in reversed(mentions):
        between = [token.low for token in tokens[kin.end : found[-1].start]] if found else []
        is_said = kin.of != SOMEBODY and not is_memory and not grammar.is_suffixed
        behind = tokens[kin.end : kin.end + 2]
        if len(kin.kin) == 1 and between and between[0] in links and links | grammar.mine | ARTICLES >= set(between):
            whose = found.pop()
            word = f"{whose.word} {kin.word}"
            found.append(replace(kin, of=whose.of, kin=(*whose.kin, *kin.kin), word=word, end=whose.end))
        elif not is_said and len(behind) == 2 and behind[0].low in grammar.of and behind[1].is_name:
            found.append(replace(kin, of=behind[1].low, name=""))
        else:
            found.append(kin)
    return found[::-1]


def _unspaced(text: str, language: str, is_memory: bool) -> Iterator[Kin]:
    """Yield whom a text speaks of, in a language without spaces between words: "我哥哥的妻子"."""
    grammar = GRAMMAR[language]
    words = {"".join(said): kin for said, kin in FORMS[language].items()}
    pattern = "|".join(map(regex.escape, sorted(words, key=len, reverse=True)))
    previous: Kin | None = None
    for found in regex.finditer(pattern, text[:LONGEST]):
        before = text[: found.start()]
        if previous is not None and before[previous.end :] in ("", "的", "の"):
            previous = replace(previous, kin=(*previous.kin, words[found[0]]), word=found[0], end=found.end())
            continue
        if previous is not None:
            yield previous
        is_own = is_memory or grammar.is_suffixed or before.endswith(tuple(grammar.mine))
        of = MINE if is_own and not before.endswith(tuple(grammar.others)) else SOMEBODY
        previous = Kin(of, (words[found[0]],), found[0], start=found.start(), end=found.end())
    if previous is not None:
        yield previous


@lru_cache(maxsize=32)
def _longest_of(language: str) -> dict[str, int]:
    """Return how many words the longest form has that begins with a word."""
    found: dict[str, int] = {}
    for said in FORMS[language]:
        found[said[0]] = max(len(said), found.get(said[0], 0))
    return found


@lru_cache(maxsize=32)
def _stems(language: str) -> dict[str, str]:
    """Return whom the stems of a language mean that mean one person only: "hermano" and "hermana" have the same."""
    found: dict[str, set[str]] = {}
    for said, kin in FORMS[language].items():
        if len(said) == 1 and len(said[0]) > _LEAST:
            found.setdefault(stem(said[0], language), set()).add(kin)
    return {stemmed: next(iter(kin)) for stemmed, kin in found.items() if len(kin) == 1 and len(stemmed) >= _LEAST}
