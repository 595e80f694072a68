"""Reading names: whom a question asks about by name, and whether a text speaks of somebody of that name."""

from collections.abc import Iterable, Iterator, Sequence

import regex

from fabric.language import is_stop_word
from fabric.text import word_set

from .tokens import LONGEST, Token, tokens_of
from .words import ARTICLES, FORMS, GRAMMAR, NOT_NAMES, WORD_NAMES

_AUXILIARIES = word_set(
    "does did do is was are were has have had can could will would should might must doesn't didn't isn't wasn't"
)
_ASKED_PLAINLY = regex.compile(
    r"^\W*(?:where|what|who|when)(?:'s|\s+(?:does|did|is|was))\s+(?P<name>[\p{Ll}]{3,})(?:'s|\s+(?:lives?|living|from|works?|"
    r"working|study(?:ing)?|like|love|hate|drive|teach|born|married|come from|do for a living|move[d]?)\b)"
)
"""A name in a question that is all in small letters."""
_SMALL = word_set(
    "the this that these those there here everyone everybody someone anyone your you they she her his its"
)
SHORTEST = 4
"""How many letters a name has at least that is found in other spellings."""
LONG = 5
"""How many letters a name has at least of which one may be another."""
_MOSTLY = 0.6
"""From this share of words in capitals on, capitals tell nothing."""


def names_asked(text: str, language: str = "english") -> list[str]:
    """Return the names, in lower case, of those whom a question asks about.

    >>> names_asked("Where does Will live?"), names_asked("When will May move?"), names_asked("what may I eat in May?")
    (['will'], ['may'], [])
    >>> names_asked("wo wohnt Anna?", "german"), names_asked("Wie ist das Wetter in Bonn?", "german")
    (['anna'], [])
    """
    text = text[:LONGEST].replace("\u2019", "'")
    plain = _ASKED_PLAINLY.match(text)
    if plain is not None and text.islower():
        name = plain["name"]
        return [] if name in _SMALL or (name,) in FORMS["english"] else [name]
    tokens = list(tokens_of(text))
    if not tokens or sum(token.text[:1].isupper() for token in tokens) > max(2, _MOSTLY * len(tokens)):
        return []
    found = (token for at, token in enumerate(tokens) if _is_asked(tokens, at, language))
    return list(dict.fromkeys(token.low for token in found))


def _is_asked(tokens: Sequence[Token], at: int, language: str) -> bool:
    token = tokens[at]
    if not token.is_name or len(token.text) < 2 or token.text.isupper() or (token.low,) in FORMS.get(language, ()):
        return False
    if token.has_s or at == 0 or token.begins:
        return token.has_s and not (token.begins and token.text in NOT_NAMES)
    before = tokens[at - 1]
    if language == "english":
        return before.low in _AUXILIARIES or (before.low == "and" and at > 1 and _is_asked(tokens, at - 2, language))
    return _follows_verb(before, language, begins=at == 1)


def _follows_verb(before: Token, language: str, *, begins: bool) -> bool:
    """Return whether a word is likely the verb in front of whom a question is about, in a language but English."""
    grammar = GRAMMAR.get(language)
    if grammar is None or before.low in grammar.mine | grammar.others | grammar.of | grammar.beside | ARTICLES:
        return False
    if before.text[:1].isupper() and not begins:
        return False
    return language != "german" or before.low.endswith("t") or before.low in ("war", "mag", "kann", "will", "soll")


def may_be_word(name: str) -> bool:
    """Return whether a name, in lower case, is a common word too."""
    return name.capitalize() in WORD_NAMES


def is_spoken_of(text: str, name: str) -> bool:
    """Return whether a text speaks of somebody of this name, given in lower case; a month or a helping verb is nobody.

    >>> is_spoken_of("I moved to Rome in May. May I ask?", "may"), is_spoken_of("Yesterday May moved out", "may")
    (False, True)
    >>> is_spoken_of("annas Bruder", "anna")
    True
    """
    tokens = list(tokens_of(text))
    places = (at for at, token in enumerate(tokens) if token.low in (name, f"{name}s"))
    if not may_be_word(name):
        return any(True for _ in places)
    return any(_is_person(tokens, at) for at in places)


_MONTH_BEFORE = word_set(
    "in since last next this until till by of early late mid from through every before after during and"
)
_VERB = regex.compile(r"is|was|has|said|\p{L}+ed|\p{L}{2,}s|went|got")


def _is_person(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    if not token.text[:1].isupper():
        return False
    before, after = tokens[at - 1] if at else None, tokens[at + 1] if at + 1 < len(tokens) else None
    if token.has_s or (after is not None and not after.begins and _VERB.fullmatch(after.low)):
        return True
    if token.begins or before is None or (after is not None and after.low[:1].isdigit()):
        return False
    return before.low not in _MONTH_BEFORE and not before.low[:1].isdigit()


def alike(name: str, terms: Iterable[str]) -> Iterator[str]:
    """Yield the terms that may be the same name otherwise spelled: by one letter more or less, a long one by another.

    >>> list(alike("anna", ["ana", "annah", "anne", "hanna", "bob"])), list(alike("theo", ["they", "the"]))
    (['ana', 'annah'], [])
    >>> list(alike("steven", ["stefen"]))
    ['stefen']
    """
    if len(name) >= SHORTEST and not may_be_word(name):
        for term in terms:
            if term[:1] == name[0] and len(term) >= SHORTEST - 1 and _is_near(name, term):
                yield from () if is_stop_word(term, "english") else (term,)


def _is_near(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    more = len(longer) - len(shorter)
    if more > 1 or one == other or (not more and len(one) < LONG):
        return False
    same = next((at for at, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b), len(shorter))
    return shorter[same + 1 - more :] == longer[same + 1 :]
