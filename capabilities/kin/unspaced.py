"""Reading kin in a text without spaces between its words: "我哥哥的妻子"."""

from collections.abc import Iterator
from functools import lru_cache

import regex

from .tokens import MINE, SOMEBODY, Kin
from .words import FORMS, GRAMMAR

_LINKS = ("", "的", "の")


def unspaced_kin(text: str, language: str, *, is_memory: bool) -> Iterator[Kin]:
    """Yield whom a text speaks of by what they are, in a language without spaces between words.

    >>> [(one.of, one.kin) for one in unspaced_kin("我哥哥的妻子住在哪里", "chinese", is_memory=False)]
    [('', ('brother', 'wife'))]
    """
    grammar, words = GRAMMAR[language], _words(language)
    previous: tuple[int, Kin] | None = None
    for found in _pattern(language).finditer(text):
        before, kin = text[: found.start()], words[found[0]]
        if previous is not None and before[previous[0] :] in _LINKS:
            made = Kin(previous[1].of, (*previous[1].kin, kin), found[0])
        else:
            is_own = is_memory or grammar.is_suffixed or before.endswith(tuple(grammar.mine))
            made = Kin(MINE if is_own and not before.endswith(tuple(grammar.others)) else SOMEBODY, (kin,), found[0])
            yield from () if previous is None else (previous[1],)
        previous = found.end(), made
    yield from () if previous is None else (previous[1],)


@lru_cache(maxsize=4)
def _words(language: str) -> dict[str, str]:
    return {"".join(said): kin for said, kin in FORMS[language].items()}


@lru_cache(maxsize=4)
def _pattern(language: str) -> "regex.Pattern[str]":
    return regex.compile("|".join(map(regex.escape, sorted(_words(language), key=len, reverse=True))))
