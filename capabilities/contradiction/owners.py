"""Whose something is: the subject's own, or that of somebody or something that the sentence opens with."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from fabric.text import normalise, word_set, words

from ..relations.words import FORMS, IMPLIED, QUALITIES

CACHED = 4_096
USER = "user"
_SELF = regex.compile(r"(?:the\s+)?user(?:['’]s)?\s+|(?:their|they|my|our|we|i)\s+", regex.IGNORECASE)
_THIRD = regex.compile(r"(?:his|her|he|she)\s+", regex.IGNORECASE)
_POSSESSIVE = regex.compile(r"['’]s$|(?<=s)['’]$")
_PLAIN = regex.compile(r"[\p{L}\p{M}\p{N}.'’-]+")
_LONGEST = 4
"""Of how many words whoever a sentence is about may be made up: "My best friend Anna's mother"."""
_ONE_OF_A_KIND = word_set("mother father wife husband spouse partner fiance boyfriend girlfriend boss")
_KIN = {
    " ".join(said): kin for said, kin in FORMS["english"].items() if kin not in IMPLIED and said[0] not in {"dr", "gp"}
}
"""Words for somebody by what they are to the subject, and what that is called."""
_SORTS = word_set(
    "dog cat puppy kitten hamster parrot rabbit horse pet student client customer tenant guest nanny babysitter "
    "employee intern secretary patient"
)
"""What somebody may have several of, none of them kin."""
NO_OWNERS = word_set(
    "it that this these those there here he she they you who what when where why how which whoever and or but so if "
    "then because since while not no never always often usually sometimes rarely really also still just only even too "
    "very currently recently actually mostly barely hardly finally already previously formerly apparently probably "
    "certainly definitely absolutely especially occasionally frequently generally normally typically now soon once "
    "today tomorrow yesterday everything something nothing anything everyone someone nobody anybody everybody in on "
    "at for with from as by to of about into over under let one both all some many most few maybe perhaps please "
    "thanks is was are were has have had does did will would can could may might must should"
)
_SAYS = word_set(
    "is are was were has have had does do did will would can could should must may might cannot works work worked "
    "lives live lived likes like loves love hates hate wants want prefers prefer owns own plays studies study moved "
    "moves joined joins goes went speaks drives drove uses drinks eats needs enjoys dislikes knows thinks makes runs "
    "teaches got gets took takes bought sold lost left quit became becomes turned turns started starts stopped "
    "married divorced died retired resigned collects reads writes cooks bakes sings paints wears keeps visits visited "
    "plans came comes smokes weighs earns attends attended graduated resides reports majors pays paid cancelled "
    "canceled cancels postponed rescheduled called doesn't isn't wasn't don't didn't hasn't won't can't no never "
    "always often usually still also really just recently currently now relocated switched transferred hired follows "
    "converted says said broke split"
)
_THINGS = word_set(
    "name surname nickname birthday birthdate birthplace hometown home city residence location address employer "
    "company job title role position profession occupation diet religion nationality citizenship age height weight "
    "salary phone mobile cell telephone email e-mail language locale timezone pronouns project team car school "
    "university college major budget rent mortgage goal favorite favourite"
)
"""What belongs to the subject: a sentence that opens with it is about the subject."""


_FROM_THERE = regex.compile(
    r"(?:ish|ese|ian|can|man|tch|eek|iss|ench|elsh|olic|slim|dhist|indu|theist|gnostic|mon|ant)$"
)
"""Irish, Catholic: what somebody is, and not what they are called."""


@dataclass(frozen=True, slots=True)
class Opening:
    """Somebody whom a sentence may open with, and what it says of them.

    ``is_one``: nobody else is meant by the words; ``tells``: a verb follows, or what is theirs.
    """

    owner: str
    is_one: bool
    rest: str
    tells: bool = True


def own(content: str, subject: str = USER) -> str:
    """Return ``content`` without the words for its own subject that it opens with.

    >>> own("The user's boss is Karen"), own("Anna works at Acme", "anna"), own("Anna works at Acme")
    ('boss is Karen', 'works at Acme', 'Anna works at Acme')
    """
    text = content.strip()
    found = _SELF.match(text)
    if found is None and subject != USER:
        found = _THIRD.match(text) or _named(subject).match(text)
    return text[found.end() :] if found is not None else text


@lru_cache(maxsize=256)
def _named(subject: str) -> "regex.Pattern[str]":
    name = r"[\s-]+".join(regex.escape(part) for part in regex.split(r"[\s-]+", subject))
    return regex.compile(rf"(?i:{name})(?:\s\p{{Lu}}[\p{{L}}-]+)?(?:['’]s?)?\s+")


@lru_cache(maxsize=CACHED)
def openings(text: str) -> tuple[Opening, ...]:
    """Return every way to read ``text`` as said of somebody or something that it opens with, shortest name first.

    >>> [(one.owner, one.is_one, one.rest) for one in openings("Older sister lives in Rome")]
    [('older', True, 'sister lives in Rome'), ('older sister', False, 'lives in Rome')]
    """
    return tuple(_openings(text))


def _openings(text: str) -> Iterator[Opening]:
    tokens = text.split()
    for size in range(1, min(_LONGEST, len(tokens) - 1) + 1):
        if not _is_owner(tokens[:size]) and not (size == 1 and _is_verb_and_name(tokens)):
            continue
        yield Opening(_key(tokens[:size]), _is_one(tokens[:size]), " ".join(tokens[size:]), _tells(tokens, size))


def spoken_of(content: str, subject: str = USER) -> Opening:
    """Return whom ``content`` is about where it opens with them, as `own` leaves it; "" is the owner for its subject.

    >>> [spoken_of(text).owner for text in ("Mother likes tea", "Likes tea", "Anna's boss is Tom", "Name is Tom")]
    ['mother', '', 'anna', '']
    """
    return _spoken_of(own(content, subject))


@lru_cache(maxsize=CACHED)
def _spoken_of(text: str) -> Opening:
    said = [one for one in openings(text) if one.tells]
    return max(said, key=lambda one: len(one.owner), default=Opening("", True, text))


def _tells(tokens: Sequence[str], size: int) -> bool:
    return _POSSESSIVE.search(tokens[size - 1]) is not None or _says(tokens, size)


def _says(tokens: Sequence[str], size: int) -> bool:
    """Return whether a verb follows whoever a sentence opens with, and no thing of the subject's own."""
    verb, after = tokens[size].replace("’", "'"), tokens[size + 1 : size + 2]
    if verb not in _SAYS or _bare_word(tokens[0]) in _THINGS:
        return False
    is_told_by_name = bool(after) and after[0][:1].isupper() and _FROM_THERE.search(after[0]) is None
    return not (verb in ("is", "was") and is_told_by_name and _is_sort(_bare_word(tokens[size - 1])))


def _is_owner(tokens: Sequence[str]) -> bool:
    """Return whether words may be whoever a sentence is about: "Anna Berg", "older sister", "Anna's mother"."""
    first = _bare_word(tokens[0])
    if first in NO_OWNERS or first in _SAYS:
        return False
    if " ".join(tokens).lower() in _KIN:
        return True
    for before, token in zip(("", *tokens), tokens, strict=False):
        if _PLAIN.fullmatch(token) is None or not _continues(before, token):
            return False
    return True


def _is_verb_and_name(tokens: Sequence[str]) -> bool:
    """Return whether Will or May is somebody: they live, where a helping verb would have "live" behind it."""
    return tokens[0] in ("Will", "May") and tokens[1].endswith("s") and tokens[1] in _SAYS


def _continues(before: str, token: str) -> bool:
    word = _bare_word(token)
    if not before or _is_sort(word):
        return True
    if _POSSESSIVE.search(before):
        return word in QUALITIES
    return token[:1].isupper() or _bare_word(before) in QUALITIES


def _is_sort(word: str) -> bool:
    """Return whether a word says what somebody is, and is no name."""
    return word.replace("-", " ") in _KIN or word in _SORTS or word.removesuffix("s") in _SORTS


def _bare_word(token: str) -> str:
    return normalise(_POSSESSIVE.sub("", token).strip("."))


def _key(tokens: Sequence[str]) -> str:
    said = words(" ".join(_POSSESSIVE.sub("", token) for token in tokens))
    followed = zip(said, [*said[1:], ""], strict=True)
    return " ".join(QUALITIES.get(word, word) if after in _KIN else _KIN.get(word, word) for word, after in followed)


def _is_one(tokens: Sequence[str]) -> bool:
    """Return whether no two can be so called: one's mother, or somebody by name; of sisters there may be several."""
    last, before = _bare_word(tokens[-1]), tokens[:-1]
    if before and " ".join(tokens).lower() in _KIN:
        return False
    if not _is_sort(last):
        return tokens[-1][:1].isupper()
    alone = not before or (_POSSESSIVE.search(before[-1]) is not None and _is_one(before))
    return alone and _KIN.get(last) in _ONE_OF_A_KIND
