"""What stands behind a word for a secret: something chosen or made by a machine, a placeholder, or plain words."""

import re

from .signs import data

_PLAIN = frozenset(data("labels.json")["not_secret"])
_PLACEHOLDER = re.compile(
    r"""
    ^[$<%@\[({!`] | \$\{ | \{\{ | \}\} | <[a-z_ -]{1,40}>       # ${NAME}, <password>, %s, {{ name }}, !vault
    | ^[*.•_·xX#-]+$ | [xX*•]{6} | \.{3} | …                     # ********, sk-...
    | ^(?:your|my|insert|enter|replace|example|sample|dummy)[-_ ][-_ a-z0-9]*$ | [-_](?:here|goes|placeholder)$
    | ^(?:os|process|env|sys|self|this|config|settings|secrets|ctx|request|req|args|opts|options|params|vars?)[.\[(]
    | ^[a-z_][\w.]*[(\[]                                         # a call, an index
    | ^(?:~|\.{1,2})?/[a-z0-9._-]+(?:/[a-z0-9._-]*)*$             # a path
    | ^(?-i:[a-z0-9_.-]+(?:/[a-z0-9_.-]+){2,})$                   # the same, without a beginning
    """,
    re.VERBOSE | re.IGNORECASE,
)
LONGEST = 100
"""How many characters of a value are looked at."""
_ORDINARY = re.compile(
    r"""
    [\w.+-]+@[\w-]+\.[\w.-]+                         # an address for mail
    | [a-z][a-z0-9+.-]*://.*
    | v?\d+(?:\.\d+)+(?:[-+].*)?                     # a version
    | \d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:T.*)? | \d{1,2}:\d{2}(?:[:.].*)?
    | [$€£]?\d+(?:[.,]\d+)?(?:st|nd|rd|th|[a-z%]{1,3})? | \d+-(?:[a-z]+-?)+
    | [a-z]+ | [a-z]{1,4}\d | [A-Z]\d{1,3}
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SYMBOL = re.compile(r"[!@#$%^&*+~=?§€£](?=.*\w)")


def is_placeholder(value: str) -> bool:
    """Return whether a value only stands for a secret: a variable, a call, a mask, an empty word.

    >>> is_placeholder("${DB_PASSWORD}"), is_placeholder("os.environ['X']"), is_placeholder("********")
    (True, True, True)
    >>> is_placeholder("hunter2")
    False
    """
    return value.casefold() in _PLAIN or _PLACEHOLDER.search(value[:LONGEST]) is not None


def is_chosen(value: str) -> bool:
    """Return whether a value looks like what people choose for a password: no plain word, date, version or address.

    >>> [is_chosen(one) for one in ("hunter2", "Tr0ub4dor&3", "patience", "2.10.3", "jake@example.org")]
    [True, True, False, False, False]
    """
    value = value[:LONGEST]
    if _ORDINARY.fullmatch(value) and not _CAPITALS.search(value):
        return False
    if not _LETTER.search(value):
        return False
    if _DIGIT.search(value) or _SYMBOL.search(value) or _PHRASE.fullmatch(value):
        return True
    return len(value) >= LEAST_CHOSEN and _CAPITALS.search(value) is not None and _is_mixed(value)


def is_random(value: str, least: int) -> bool:
    """Return whether a value of at least so many characters looks made by a machine.

    >>> is_random("c0ffee5a1ad0f00d", 16), is_random("a-long-plain-name", 16)
    (True, False)
    """
    value = value[:LONGEST]
    if len(value) < least or " " in value or not _LETTER.search(value):
        return False
    digits = len(_DIGIT.findall(value))
    return digits >= LEAST_DIGITS or (digits > 0 and len(value) < LONG) or (len(value) >= LONG and _is_mixed(value))


def _is_mixed(value: str) -> bool:
    """Return whether capitals stand inside, as in no word and no name of a variable."""
    return len(_TURNS.findall(value)) * 4 >= len(value)


LEAST_CHOSEN = 8
_PHRASE = re.compile(r"[^\W\d_]{3,}(?:-[^\W\d_]{3,}){3,}")
"""Four words and more joined by hyphens, as managers of passwords make them."""
LEAST_DIGITS = 2
LONG = 16
_LETTER, _DIGIT = re.compile(r"[^\W\d_]"), re.compile(r"\d")
_CAPITALS = re.compile(r"[a-z][A-Z]{2,}[a-z]")
_TURNS = re.compile(r"(?=[a-z][A-Z]|[A-Z][a-z]|\d[A-Za-z]|[A-Za-z]\d)")
