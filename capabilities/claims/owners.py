"""Whose a sentence is: the subject's own, or somebody's whom it opens with, as "Mother lives in Rome" does."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from fabric.text.language import language_of
from fabric.text.words import normalise, words

from ..relations.words import ARTICLES, EVERYBODY, FORMS, IMPLIED, NOT_NAMES, QUALITIES, UNSPACED
from .attributes import form, words_of
from .identity import name_of
from .record import USER

CACHED = 4_096
_POSSESSIVE = regex.compile(r"['’]s$|(?<=s)['’]$")
_PLAIN = regex.compile(r"[\p{L}\p{M}\p{N}.'’-]+")
_LONGEST = 4
"""Of how many words whoever a sentence is about may be made up: "My best friend Anna's mother"."""
SINGLE_KIN = words_of("single_kin")
"""Whom one has one of: what is said of them later takes the place of what was said before."""
_KIN = {" ".join(said): kin for said, kin in EVERYBODY.items() if kin not in IMPLIED}
"""Words for somebody by what they are to the subject, and what that is called in English."""
_UNSPACED_KIN = sorted(
    (
        *((said[0], kin) for language in UNSPACED for said, kin in FORMS[language].items()),
        *zip("姉妹兄弟母父", ("sister", "sister", "brother", "brother", "mother", "father"), strict=True),
    ),
    key=lambda pair: -len(pair[0]),
)


@dataclass(frozen=True, slots=True)
class Owner:
    """Somebody whom a sentence opens with: the subject of its claim, and the rest."""

    subject: str
    rest: str


def own(content: str, subject: str = USER) -> str:
    """Return a text without the words for its own subject that it opens with.

    >>> own("The user's boss is Karen"), own("Anna works at Acme", "anna"), own("Anna works at Acme")
    ('boss is Karen', 'works at Acme', 'Anna works at Acme')
    """
    text = content.strip()
    found = form("self").match(text)
    if found is not None and is_name_too(found.group().strip(), text):
        return text
    if found is None and subject != USER:
        found = form("third").match(text) or _named(name_of(subject)).match(text)
    return text[found.end() :] if found is not None else text


@lru_cache(maxsize=1)
def _names_too() -> dict[str, str]:
    pairs = (pair.partition(":") for pair in words_of("names_too"))
    return {name: language for name, _, language in pairs}


def is_name_too(word: str, text: str) -> bool:
    """Return whether a word that a text opens with is a name in it: "Anne" is a mother, and "mia" mine, elsewhere.

    >>> is_name_too("Mia", "Mia ist sechs"), is_name_too("Mia", "Mia madre vive a Roma")
    (True, False)
    """
    language = _names_too().get(word.casefold())
    return language is not None and word[:1].isupper() and language_of(text) != language


@lru_cache(maxsize=256)
def _named(subject: str) -> "regex.Pattern[str]":
    name = r"[\s_-]+".join(regex.escape(part) for part in regex.split(r"[\s_-]+", subject))
    return regex.compile(rf"(?i:{name})(?:\s\p{{Lu}}[\p{{L}}-]+)?(?:['’]s?)?\s+")


@lru_cache(maxsize=CACHED)
def owners(text: str, subject: str = USER) -> tuple[Owner, ...]:
    """Return every way to read a text as said of somebody whom it opens with, the longest name first.

    >>> [(owner.subject, owner.rest) for owner in owners("Older sister lives in Rome")]
    [('older sister of user', 'lives in Rome'), ('older', 'sister lives in Rome')]
    """
    return tuple(_owners(text, subject))


def _owners(text: str, subject: str) -> Iterator[Owner]:
    for said, kin in _UNSPACED_KIN if text[:1] > "\u3000" else ():
        if text.startswith(said) and (len(said) > 1 or text[1:2] in tuple("はがの")):
            yield Owner(f"{kin} of {subject}", text[len(said) :].lstrip("はがの的 "))
            return
    tokens = text.split()
    if tokens and is_name_too(tokens[0], text):
        yield Owner(tokens[0].casefold(), " ".join(tokens[1:]))
        return
    for size in range(min(_LONGEST, len(tokens) - 1), 0, -1):
        if _is_owner(tokens[:size]) or (size == 1 and _is_verb_and_name(tokens)):
            yield Owner(_subject(tokens[:size], subject), " ".join(tokens[size:]))


def _is_verb_and_name(tokens: Sequence[str]) -> bool:
    """Return whether Will or May is somebody: they live, where a helping verb would have "live" behind it."""
    return tokens[0] in ("Will", "May") and tokens[1].endswith("s")


def _is_owner(tokens: Sequence[str]) -> bool:
    """Return whether words may be whoever a sentence is about: "Anna Berg", "older sister", "Anna's mother"."""
    first = _bare(tokens[0])
    if " ".join(tokens).lower() in _KIN:
        return True
    if first in words_of("no_owners") or tokens[0] in NOT_NAMES or first in ARTICLES:
        return False
    return all(
        _PLAIN.fullmatch(token) is not None and _continues(before, token)
        for before, token in zip(("", *tokens), tokens, strict=False)
    )


def _continues(before: str, token: str) -> bool:
    if _is_sort(_bare(token)):
        return True
    if not before:
        return token[:1].isupper() or _bare(token) in QUALITIES
    if _POSSESSIVE.search(before):
        return _bare(token) in QUALITIES
    return token[:1].isupper() or _bare(before) in QUALITIES


def _is_sort(word: str) -> bool:
    """Return whether a word says what somebody is, and is no name."""
    plain = word.replace("-", " ")
    return plain in _KIN or plain in words_of("sorts") or plain.removesuffix("s") in words_of("sorts")


def _bare(token: str) -> str:
    return normalise(_POSSESSIVE.sub("", token).strip("."))


def _subject(tokens: Sequence[str], subject: str) -> str:
    """Return "mother of user" for kin, "anna" for a name, "mother of anna" for Anna's mother."""
    if " ".join(tokens).lower() in _KIN:
        return f"{_KIN[' '.join(tokens).lower()]} of {subject}"
    spoken_words = words(" ".join(_POSSESSIVE.sub("", token) for token in tokens))
    if not _is_sort(_bare(tokens[-1])):
        return " ".join(word for word in spoken_words if word not in _KIN and word not in QUALITIES) or " ".join(
            spoken_words
        )
    begins = next((at for at, token in enumerate(tokens[:-1]) if _POSSESSIVE.search(token)), -1) + 1
    named = " ".join(QUALITIES.get(word, _KIN.get(word, word)) for word in spoken_words[begins:])
    return f"{named} of {_subject(tokens[:begins], subject) if begins else subject}"
