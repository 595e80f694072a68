"""Values: secrets taken out of JSON values, wherever in them a text stands, with the name that each text has."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from ..narrowing import is_list_or_tuple, is_mapping
from .answered_secrets import answered
from .finding import REDACTED, without
from .json_form import NAMES, VALUES, named_secret
from .text import redact

KEPT = frozenset(("id", "ids", "session", "user", "agent", "project", "org"))
"""Under which names an id stands: changed, it would point nowhere."""
LEAST_NAME = 12
"""How long a name is at least that may be a secret itself."""
TEXTS = ("content", "text")
"""Under what a message has its words."""
_IDS = ("_id", "_ids", "_at")
"""How names of ids, and of times, end."""
_NO_TEXT = (int, float, type(None))
_HARMLESS: dict[tuple[str, str], None] = {}
"""Texts without a secret, each with its name: rows are written again with most of them as they were."""
LONGEST_KNOWN, MOST_KNOWN = 400, 20_000
MOST_KINDS, MOST_KEYS = 1_000, 100
"""Of how many kinds of records, by their names, it is known what is looked at, and how many names one has then."""


def redact_value(value: Any) -> Any:
    """Return a JSON value with every recognised secret in its texts replaced; numbers and ids stay as they are.

    A text is also a secret by the name it has, and a name may be one. What holds none is returned itself.

    >>> redact_value({"password": "hunter2", "note": ["my pin is 4711", 5], "id": "a"})
    {'password': '[redacted]', 'note': ['my pin is [redacted]', 5], 'id': 'a'}
    """
    return _cleaned(value, "")


def _cleaned(value: Any, name: str) -> Any:
    if isinstance(value, str):
        return value if (name, value) in _HARMLESS else _cleaned_text(value, name)
    if isinstance(value, _NO_TEXT):
        return value
    if is_mapping(value):
        return _cleaned_record(value)
    if is_list_or_tuple(value):
        if not value:
            return value
        each = _after_each([_cleaned(child, name) for child in value])
        return each if _differ(each, value) else value
    return value


def _cleaned_text(text: str, name: str) -> str:
    if name and named_secret(name, text):
        return REDACTED
    made = redact(text)
    if made == text and len(text) <= LONGEST_KNOWN:
        if len(_HARMLESS) >= MOST_KNOWN:
            _HARMLESS.clear()
        _HARMLESS[name, text] = None
    return made


def _cleaned_record(value: Mapping[Any, Any]) -> Any:
    keys = tuple(value)
    fields = _known_fields(keys) if len(keys) <= MOST_KEYS else _fields(keys)
    named = ""
    if fields.has_names:
        named = next((child for key, child in value.items() if key in NAMES and isinstance(child, str)), "")
    changed: dict[Any, Any] = {}
    for key in fields.looked_at:
        child = value[key]
        made = _cleaned(child, named if named and key in VALUES else str(key))
        if made is not child:
            changed[key] = made
    if fields.secret:
        each = enumerate({**value, **changed}.items(), 1)
        return {_renamed(key, number, fields.secret): child for number, (key, child) in each}
    return {**value, **changed} if changed else value


class _Fields(NamedTuple):
    """Of a record's names: those whose values are looked at, those that are secrets, and whether one tells a name."""

    looked_at: tuple[Any, ...]
    secret: tuple[str, ...]
    has_names: bool


def _fields(keys: tuple[Any, ...]) -> _Fields:
    secret = (key for key in keys if isinstance(key, str) and len(key) >= LEAST_NAME and redact(key) != key)
    return _Fields(tuple(key for key in keys if not _is_id(key)), tuple(secret), not NAMES.isdisjoint(keys))


_known_fields = lru_cache(MOST_KINDS)(_fields)
"""Records of a kind have the same names, and rows are written by the thousand."""


def _renamed(key: Any, number: int, secret: tuple[str, ...]) -> Any:
    """Return a name without the secret that it is; several in one record stay apart."""
    return key if key not in secret else redact(key) if len(secret) == 1 else f"{redact(key)} {number}"


def _after_each(values: list[Any]) -> list[Any]:
    """Return messages of a list without the secrets that each is as the answer to the one before it."""
    before, cleaned = "", list[Any]()
    for value in values:
        key = ""
        if is_mapping(value):
            key = next((key for key in TEXTS if isinstance(value.get(key), str)), "")
        text = value[key] if key else ""
        secrets = answered(before, text) if before and text else []
        cleaned.append({**value, key: without(text, secrets)} if secrets else value)
        before = text
    return cleaned


def _is_id(key: object) -> bool:
    return isinstance(key, str) and (key in KEPT or key.endswith(_IDS))


def _differ(some: Any, others: Any) -> bool:
    return any(child is not other for child, other in zip(some, others, strict=True))
