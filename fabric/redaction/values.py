"""Values: secrets taken out of JSON values, wherever in them a text stands, with the name that each text has."""

from collections.abc import Mapping
from typing import Any

from .finding import REDACTED
from .json_form import NAMES, VALUES, named_secret
from .text import redact

KEPT = frozenset(("id", "ids", "session", "user", "agent", "project", "org"))
"""Under which names an id stands: changed, it would point nowhere."""
_IDS = ("_id", "_ids", "_at")
"""How names of ids, and of times, end."""


def redact_value(value: Any) -> Any:
    """Return a JSON value with every recognised secret in its texts replaced; numbers and ids stay as they are.

    A text is also a secret by the name it has. What holds none is returned itself.

    >>> redact_value({"password": "hunter2", "note": ["my pin is 4711", 5], "id": "a"})
    {'password': '[redacted]', 'note': ['my pin is [redacted]', 5], 'id': 'a'}
    """
    return _cleaned(value, "")


def _cleaned(value: Any, name: str) -> Any:
    if isinstance(value, str):
        if name and named_secret(name, value):
            return REDACTED
        return redact(value)
    if isinstance(value, Mapping):
        named = next((one for key, one in value.items() if key in NAMES and isinstance(one, str)), "")
        names = {key: named if named and key in VALUES else str(key) for key in value}
        cleaned = {key: one if _is_id(key) else _cleaned(one, names[key]) for key, one in value.items()}
        return cleaned if _differ(cleaned.values(), value.values()) else value
    if isinstance(value, list | tuple):
        each = [_cleaned(one, name) for one in value]
        return each if _differ(each, value) else value
    return value


def _is_id(key: object) -> bool:
    return isinstance(key, str) and (key in KEPT or key.endswith(_IDS))


def _differ(some: Any, others: Any) -> bool:
    return any(one is not other for one, other in zip(some, others, strict=True))
