"""Reading whom a text speaks of by what they are to somebody: "my brother's wife", "die Frau meines Bruders"."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from fabric.language import guess_language, is_stop_word, stem
from fabric.text import word_set

from .tokens import LONGEST, MINE, SOMEBODY, Kin, Token, tokens_of
from .unspaced import unspaced_kin
from .words import ARTICLES, FORMS, GRAMMAR, IMPLIED, OWN_TITLES, QUALITIES, THINGS, UNSPACED, Grammar

BETWEEN = 2
"""How many words may stand between "my" and who is meant."""
_NO_OWNERS = word_set("what where who how when it that there here let he she")
_ALONE = word_set("ma pa ex")
"""Words that mean somebody only behind "my"."""
_LEAST = 3
"""Shorter words and stems are compared as they are spelled."""


def kin_in(text: str, also: str = "", *, is_memory: bool = False) -> list[Kin]:
    """Return whom a text speaks of by what they are; a memory says "Sister" for the sister of whom it is about.

    A text whose own language names nobody is read in English, and in the language ``also``.

    >>> [(one.of, one.kin) for one in kin_in("Where does my brother's wife live?")]
    [('', ('brother', 'wife'))]
    >>> [(one.of, one.kin) for one in kin_in("wo wohnt die Frau von Peter, und meine Schwester?")]
    [('peter', ('wife',)), ('', ('sister',))]
    """
    return list(_kin_in(text[:LONGEST], also, is_memory))


@lru_cache(maxsize=8_192)
def starts_with_kin(text: str, *, is_memory: bool = False) -> bool:
    """Return whether a text begins with somebody's kin and says something of them, not only what they are called.

    >>> [starts_with_kin(text) for text in ("My sister lives in Rome", "I live with my sister", "My sister is Anna")]
    [True, False, False]
    """
    tokens = list(tokens_of(text))
    language = guess_language([token.low for token in tokens])
    if language not in FORMS or language in UNSPACED:
        return False
    found = _Reading(tokens, language, is_memory=is_memory).mentions()
    return bool(found) and found[0].start <= 1 - is_memory and found[0].end < len(tokens) and not found[0].kin.name


@lru_cache(maxsize=1_024)
def _kin_in(text: str, also: str, is_memory: bool) -> tuple[Kin, ...]:
    tokens = list(tokens_of(text))
    own = guess_language([token.low for token in tokens])
    for language in dict.fromkeys((own, "english", also)):
        found = tuple[Kin, ...]()
        if language in UNSPACED:
            found = tuple(unspaced_kin(text, language, is_memory=is_memory))
        elif language in FORMS:
            found = tuple(one.kin for one in _Reading(tokens, language, is_memory=is_memory).mentions())
        if language != own:
            found = tuple(one for one in found if not is_stop_word(one.word, own))
        if found:
            return found
    return ()


@dataclass(frozen=True, slots=True)
class _Mention:
    """Where somebody is spoken of, with "my" and what stands between. ``is_said``: whether it says whose they are."""

    start: int
    end: int
    kin: Kin
    is_said: bool


@dataclass(slots=True)
class _Reading:
    """One text, read in one language."""

    tokens: Sequence[Token]
    language: str
    is_memory: bool
    grammar: Grammar = field(init=False)

    def __post_init__(self) -> None:
        self.grammar = GRAMMAR[self.language]

    def mentions(self) -> list[_Mention]:
        """Return who is spoken of, in order, each once with whose they are."""
        found: list[_Mention] = []
        at = 0
        while at < len(self.tokens):
            kin, end = self._kin_at(at)
            if kin and not (self._is_thing(end) or (kin in IMPLIED and not self.is_memory and self._is_mine(at))):
                one = self._mention(at, end, kin, found[-1] if found else None)
                if found and len(one.kin.kin) > 1:
                    found.pop()
                found.append(one)
            at = end
        return self._joined(found)

    def _is_thing(self, end: int) -> bool:
        return end < len(self.tokens) and self.tokens[end].low in THINGS and not self.tokens[end - 1].has_s

    def _is_mine(self, at: int) -> bool:
        return at > 0 and self.tokens[at - 1].low in self.grammar.mine

    def _kin_at(self, at: int) -> tuple[str, int]:
        """Return whom the words from a place on mean, and the place behind them; "" for nobody."""
        forms = FORMS[self.language]
        for size in range(min(_longest(self.language), len(self.tokens) - at), 0, -1):
            said = tuple(token.low for token in self.tokens[at : at + size])
            kin = forms.get(said) or (
                _by_stem(self.language).get(stem(said[0], self.language), "") if size == 1 else ""
            )
            if kin and (said[0] not in _ALONE or self._is_mine(at)):
                return kin, at + size
        return "", at + 1

    def _mention(self, start: int, end: int, kin: str, previous: _Mention | None) -> _Mention:
        left = self._left(start, previous.end if previous is not None else 0)
        qualities = frozenset(QUALITIES[token.low] for token in self.tokens[left:start] if token.low in QUALITIES)
        chain: tuple[str, ...] = (kin,)
        word = " ".join(token.low for token in self.tokens[start:end])
        if previous is not None and previous.end == left and self._is_genitive(left - 1, start):
            chain, of, is_said = (*previous.kin.kin, kin), previous.kin.of, True
            word = f"{previous.kin.word} {word}"
        else:
            of, is_said = self._owner(left, start, end, kin)
        one = Kin(
            of,
            chain,
            word,
            qualities,
            self._name_after(end) or self._name_before(left),
            self._is_beside(left),
        )
        return _Mention(left, end, one, is_said)

    def _left(self, start: int, first: int) -> int:
        """Return where the words begin that say more of somebody: "older", "new"."""
        left = start
        while left > first and start - left < BETWEEN and self._says_more(self.tokens[left - 1]):
            left -= 1
        return left

    def _says_more(self, token: Token) -> bool:
        low, grammar = token.low, self.grammar
        if low in QUALITIES:
            return not token.has_s
        if token.has_s or token.begins or token.is_name or not low.isalpha() or low in ARTICLES:
            return False
        small = (grammar.mine, grammar.others, grammar.of, grammar.beside, grammar.i, grammar.called)
        return not any(low in words for words in small)

    def _is_genitive(self, at: int, following: int) -> bool:
        """Return whether a word is a genitive: "brother's", "brors"."""
        token = self.tokens[at]
        return token.has_s or (token.low.endswith("s") and not self.tokens[following].begins)

    def _owner(self, left: int, start: int, end: int, kin: str) -> tuple[str, bool]:
        """Return whose somebody is, and whether that is said."""
        before = self.tokens[left - 1] if left else None
        if (before is not None and before.low in self.grammar.mine) or self._is_mine_behind(end):
            return MINE, True
        if before is not None and before.low in self.grammar.others | {"user"}:
            return MINE if self.is_memory or before.low == "user" else SOMEBODY, True
        if before is not None and self._is_owner(before, self.tokens[start]):
            return before.low if before.has_s else before.low.removesuffix("s"), True
        is_own = kin in OWN_TITLES and not (before is not None and before.low in ARTICLES)
        return (MINE if self.is_memory or self.grammar.is_suffixed or is_own else SOMEBODY), False

    def _is_owner(self, token: Token, following: Token) -> bool:
        if following.begins or token.low in GRAMMAR["english"].called:
            return False
        is_german = token.is_name and token.low.endswith("s") and not token.begins and len(token.low) > _LEAST
        return (token.has_s and token.low not in _NO_OWNERS) or is_german

    def _is_mine_behind(self, end: int) -> bool:
        if not self.grammar.is_behind or end >= len(self.tokens) or self.tokens[end].begins:
            return False
        is_last = end + 1 == len(self.tokens) or self.tokens[end + 1].begins
        low = self.tokens[end].low
        return low in self.grammar.mine and (is_last or low not in self.grammar.genitive)

    def _is_beside(self, left: int) -> bool:
        for at in range(left - 1, max(left - 1 - BETWEEN, -1), -1):
            if self.tokens[at].low in self.grammar.beside:
                return True
            if self.tokens[at].low not in self.grammar.mine | ARTICLES:
                return False
        return False

    def _name_after(self, end: int) -> str:
        """Return the name in "sister Anna" and "sister is called Anna"."""
        at, tokens = end, self.tokens
        while (
            at < len(tokens) and at - end <= BETWEEN and not tokens[at].begins and tokens[at].low in self.grammar.called
        ):
            at += 1
        if at >= len(tokens) or tokens[at].begins or not tokens[at].is_name:
            return ""
        return "" if at == end and tokens[at].has_s else tokens[at].text

    def _name_before(self, left: int) -> str:
        """Return the name in "Anna is my sister"."""
        at = left
        while at > 0 and self.tokens[at - 1].low in self.grammar.mine | ARTICLES:
            at -= 1
        is_called = at > 1 and self.tokens[at - 1].low in self.grammar.called and self.tokens[at - 2].is_name
        return self.tokens[at - 2].text if is_called else ""

    def _joined(self, mentions: Sequence[_Mention]) -> list[_Mention]:
        """Return the mentions with whose they are, where that is said behind them: "the wife of my brother"."""
        found: list[_Mention] = []
        for one in reversed(mentions):
            owner = self._owner_behind(one.end)
            if one.is_said:
                found.append(one)
            elif found and self._belongs(one, found[-1]):
                whose = found.pop().kin
                word = f"{whose.word} {one.kin.word}"
                found.append(replace(one, kin=replace(one.kin, of=whose.of, kin=(*whose.kin, *one.kin.kin), word=word)))
            else:
                found.append(replace(one, kin=replace(one.kin, of=owner, name="")) if owner else one)
        return found[::-1]

    def _belongs(self, one: _Mention, following: _Mention) -> bool:
        between = [token.low for token in self.tokens[one.end : following.start]]
        links = self.grammar.of | self.grammar.genitive
        return (
            bool(between)
            and between[0] in links
            and all(word in links | self.grammar.mine | ARTICLES for word in between)
        )

    def _owner_behind(self, end: int) -> str:
        if end + 1 < len(self.tokens) and self.tokens[end].low in self.grammar.of and self.tokens[end + 1].is_name:
            return self.tokens[end + 1].low
        return ""


@lru_cache(maxsize=32)
def _longest(language: str) -> int:
    return max(map(len, FORMS[language]))


@lru_cache(maxsize=32)
def _by_stem(language: str) -> dict[str, str]:
    """Return whom the stems of a language mean that mean one person only: "hermano" and "hermana" have the same."""
    found: dict[str, set[str]] = {}
    for said, kin in FORMS[language].items():
        if len(said) == 1 and len(said[0]) > _LEAST:
            found.setdefault(stem(said[0], language), set()).add(kin)
    return {stemmed: next(iter(kin)) for stemmed, kin in found.items() if len(kin) == 1 and len(stemmed) >= _LEAST}
