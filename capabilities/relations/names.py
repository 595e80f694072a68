"""Reading names: whom a question asks about by name, and whether a text speaks of somebody of that name."""

from collections.abc import Iterable, Iterator, Sequence

import regex

from fabric.text.language import is_stop_word

from .kin_reading import LONGEST, Token, tokens_of
from .words import ARTICLES, FORMS, GRAMMAR, HAN_NAME, NOT_NAMES, WORD_NAMES, listed

_ASKED_PLAINLY = regex.compile(
    r"^\W*(?:where|what|who|when)(?:'s|\s+(?:does|did|is|was))\s+(?P<name>\p{Ll}{3,})(?:'s|\s+(?:lives?|living|from|works?|"
    r"working|study(?:ing)?|like|love|hate|drive|teach|born|married|come from|do for a living|move[d]?)\b)"
)
"""A name in a question that is all in small letters."""
_VERB = regex.compile(r"is|was|has|said|\p{L}+ed|\p{L}{2,}s|went|got")
_HAN = regex.compile(
    rf"^(?:请问|那么?|现在)?(?P<name>{HAN_NAME})(?=的|现在|目前|住|在|是|叫|多大|几岁|做|喜欢|从|有|会|干|搬|吃|喝|养|对)"
)
"""A Chinese question that opens with somebody's name."""
SHORTEST, LONG = 4, 5
"""How many letters a name has at least that is found in other spellings, and one of which one letter may be another."""
_MOSTLY = 0.6
"""From this share of words in capitals on, capitals tell nothing."""


def names_asked(text: str, language: str = "english") -> list[str]:
    """Return the names, in lower case, of those whom a question asks about.

    >>> names_asked("Where does Will live?"), names_asked("When will May move?"), names_asked("what may I eat in May?")
    (['will'], ['may'], [])
    """
    text = text[:LONGEST].replace("\u2019", "'")
    named = _HAN.match(text) if language == "chinese" else None
    if named is not None:
        return [named["name"]]
    plain = _ASKED_PLAINLY.match(text)
    if plain is not None and text.islower():
        return [] if plain["name"] in listed("nobodies") or (plain["name"],) in FORMS["english"] else [plain["name"]]
    tokens = tokens_of(text)
    if not tokens or sum(token.text[:1].isupper() for token in tokens) > max(2, _MOSTLY * len(tokens)):
        return []
    return list(dict.fromkeys(token.low for at, token in enumerate(tokens) if _is_asked(tokens, at, language)))


def _is_asked(tokens: Sequence[Token], at: int, language: str) -> bool:
    token = tokens[at]
    if not token.is_name or len(token.text) < 2 or token.text.isupper() or (token.low,) in FORMS.get(language, ()):
        return False
    if token.has_s or at == 0 or token.begins:
        return token.has_s and not (token.begins and token.text in NOT_NAMES)
    before = tokens[at - 1]
    if language == "english":
        is_second = before.low == "and" and at > 1 and _is_asked(tokens, at - 2, language)
        return before.low in listed("auxiliaries") or is_second
    grammar = GRAMMAR.get(language)
    if grammar is None or before.low in grammar.mine | grammar.others | grammar.of | grammar.prepositions | ARTICLES:
        return False
    if before.text[:1].isupper() and at > 1:
        return False
    return language != "german" or before.low.endswith("t") or before.low in ("war", "mag", "kann", "will", "soll")


def may_be_word(name: str) -> bool:
    """Return whether a name, in lower case, is a common word too."""
    return name.capitalize() in WORD_NAMES


def is_spoken_of(text: str, name: str) -> bool:
    """Return whether a text speaks of somebody of this name, given in lower case; a month or a helping verb is nobody.

    >>> is_spoken_of("I moved to Rome in May. May I ask?", "may"), is_spoken_of("Yesterday May moved out", "may")
    (False, True)
    """
    tokens = tokens_of(text)
    places = (at for at, token in enumerate(tokens) if token.low in (name, f"{name}s"))
    return any(not may_be_word(name) or _is_person(tokens, at) for at in places)


def _is_person(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    before, after = tokens[at - 1] if at else None, tokens[at + 1] if at + 1 < len(tokens) else None
    if not token.text[:1].isupper():
        return False
    if token.has_s or (after is not None and not after.begins and _VERB.fullmatch(after.low)):
        return True
    if token.begins or before is None or (after is not None and after.low[:1].isdigit()):
        return False
    return before.low not in listed("months_before") and not before.low[:1].isdigit()


def similar_names(name: str, terms: Iterable[str]) -> Iterator[str]:
    """Yield the terms that may be the same name otherwise spelled: by one letter more or less, a long one by another.

    >>> list(similar_names("anna", ["ana", "annah", "anne", "hanna", "bob"])), list(similar_names("steven", ["stefen"]))
    (['ana', 'annah'], ['stefen'])
    """
    if len(name) >= SHORTEST and not may_be_word(name):
        for term in terms:
            near = term[:1] == name[0] and len(term) >= SHORTEST - 1 and _is_near(name, term)
            if near and not is_stop_word(term, "english"):
                yield term


def _is_near(name: str, other: str) -> bool:
    shorter, longer = sorted((name, other), key=len)
    more = len(longer) - len(shorter)
    if more > 1 or name == other or (not more and len(name) < LONG):
        return False
    same = next((at for at, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b), len(shorter))
    return shorter[same + 1 - more :] == longer[same + 1 :]
