"""Who a user is as a subject: their exact id, so that two users are never one, and no word for anybody is a user."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import unquote

from fabric.text.words import uncontrolled

from ..relations.mentions import is_no_name
from ..relations.words import EVERYBODY
from .attributes import ATTRIBUTES, words_of
from .record import USER

CACHED = 4_096
MARK = "%"
"""What stands before the number of a byte in a subject that no name can be."""
LONGEST = 120
"""The longest subject."""
_NUMBERED = re.compile(r"%[0-9a-f]{2}")


@lru_cache(maxsize=CACHED)
def subject_key(subject: str) -> str:
    """Return the one spelling of a subject: "fixpoint labs", "Fixpoint-Labs" and "fixpoint_labs" are one."""
    return "-".join(uncontrolled(subject).casefold().replace("_", " ").replace("-", " ").split()) or USER


@lru_cache(maxsize=CACHED)
def user_subject(user: str) -> str:
    """Return what a user's own statements are filed under where several users share a memory: one for each exact id.

    A plain id stands for itself, and is the same subject as that name in a text. Whatever spelling a subject would lose
    (capitals, spaces, hyphens, control characters) is numbered, as in an address of the web, and so is the first letter
    of an id that is a word for anybody: "user", "me", "mother".

    >>> [user_subject(one) for one in ("anna", "Anna", "anna s", "anna-s", "user")]
    ['anna', '%41nna', 'anna%20s', 'anna%2ds', '%75ser']
    """
    told = "".join(char if _is_kept(char) else _numbered(char) for char in user)
    if told == user and is_anybody(user):
        told = _numbered(user[0]) + user[1:]
    if len(told) <= LONGEST:
        return told
    return f"{told[:40]}{MARK}{MARK}{hashlib.sha256(user.encode('utf-8', 'surrogatepass')).hexdigest()}"


def filed_as(subject: str, user: str | None, scope: str) -> str:
    """Return what a statement is filed under where it is kept: the user's own, in a scope of several, under their id.

    >>> filed_as("user", "Anna", "project"), filed_as("user", "Anna", "user"), filed_as("bob", "Anna", "project")
    ('%41nna', 'user', 'bob')
    """
    is_own = subject == USER and user and scope not in ("user", "session")
    return user_subject(user) if is_own and user else subject


def is_anybody(word: str) -> bool:
    """Return whether a word, in lower case, stands for whoever is meant, and is nobody's name.

    >>> [is_anybody(word) for word in ("user", "me", "assistant", "mother", "home", "anna", "may")]
    [True, True, True, True, True, False, False]
    """
    return word in words_of("anybody") or word in ATTRIBUTES or (word,) in EVERYBODY or is_no_name(word)


@lru_cache(maxsize=CACHED)
def user_id(subject: str) -> str:
    """Return the id of the user whose subject it is, as people read it; a name stays as it is.

    What cannot be seen stays numbered, so that ids that look alike do not.

    >>> user_id("%41nna"), user_id("anna%20s"), user_id("anna"), user_id("anna%e2%80%8b")
    ('Anna', 'anna s', 'anna', 'anna%e2%80%8b')
    """
    if MARK not in subject:
        return subject
    told = unquote(subject, errors="replace") if _NUMBERED.search(subject) else subject
    return told if told.isprintable() and "\ufffd" not in told else subject


@lru_cache(maxsize=CACHED)
def name_of(subject: str) -> str:
    """Return the name that a subject goes by, in the one spelling of names.

    >>> name_of("%41nna"), name_of("anna%20s"), name_of("fixpoint-labs")
    ('anna', 'anna-s', 'fixpoint-labs')
    """
    return subject_key(user_id(subject)) if MARK in subject else subject


def named_so(asked: str, known: Iterable[str]) -> frozenset[str]:
    """Return which of the known subjects somebody means who names one: the user of that exact id, else all so called.

    >>> known = ["anna", "%41nna", "%42ob"]
    >>> [sorted(named_so(one, known)) for one in ("Anna", "ANNA", "bob", "%42ob", "Tom")]
    [['%41nna'], ['%41nna', 'anna'], ['%42ob'], ['%42ob'], []]
    """
    subjects = {subject for subject in known if subject}
    for exact in (user_subject(asked) if asked else USER, asked):
        if exact in subjects:
            return frozenset({exact})
    key = subject_key(asked)
    return frozenset(subject for subject in subjects if key in (subject, name_of(subject)))


def _is_kept(char: str) -> bool:
    """Return whether a character is the same in every spelling of a subject."""
    plain = char.casefold() == char == char.lower()
    return plain and char not in "_-%" and unicodedata.category(char)[0] not in "CZ"


def _numbered(char: str) -> str:
    return "".join(f"{MARK}{byte:02x}" for byte in char.encode("utf-8", "surrogatepass"))
