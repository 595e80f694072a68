"""Small repairs of a value that nearly fits its schema, told by what the validation complains about."""

import copy
import json
import re
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from ..validation import complaints

MOST_ROUNDS = 3
"""Rounds of validating and mending one value."""
T = TypeVar("T")
_QUOTED = re.compile(r"'([^']*)'")


def mended(adapter: TypeAdapter[T], value: Any, model: type[BaseModel] | None) -> T:
    """Return ``value`` as ``adapter`` validates it, after small repairs where they are needed.

    Repairs: an object given as JSON text or as its one text; a key in other spelling, or the one unknown text for the
    one missing; null where there is a default; a choice in other case; a number for a text; one value for a list.
    Raises ValidationError when that is not enough.
    """
    if isinstance(value, str) and model is not None:
        value = _from_text(value, model)
    for _ in range(MOST_ROUNDS):
        try:
            return adapter.validate_python(value)
        except ValidationError as error:
            repaired = copy.deepcopy(value)
            if not _mend(repaired, error, model):
                raise
            value = repaired
    return adapter.validate_python(value)


def folded(key: str) -> str:
    """Return ``key`` as it is compared: without case and separators.

    >>> folded("Replaces-Id") == folded("replaces_id")
    True
    """
    return "".join(letter for letter in key.casefold() if letter.isalnum())


def reason(error: ValidationError) -> str:
    """Return the first complaints of ``error`` in one line, without the refused input."""
    return "; ".join([*complaints(error)][:3])[:300]


def required_texts(model: type[BaseModel]) -> list[str]:
    """Return the keys of ``model`` that must be given and hold text."""
    return [
        field.alias or name
        for name, field in model.model_fields.items()
        if field.is_required() and field.annotation is str
    ]


def _from_text(text: str, model: type[BaseModel]) -> Any:
    try:
        decoded = json.loads(text)
    except (ValueError, RecursionError):
        decoded = None
    if isinstance(decoded, dict):
        return decoded
    texts = required_texts(model)
    return {texts[0]: text} if len(texts) == 1 and text.strip() else text


def _mend(value: Any, error: ValidationError, model: type[BaseModel] | None) -> bool:
    changed = [_mend_one(value, dict(complaint), model) for complaint in error.errors(include_url=False)]
    return any(changed)


def _mend_one(value: Any, complaint: Mapping[str, Any], model: type[BaseModel] | None) -> bool:
    *path, key = complaint["loc"] or ("",)
    parent = _at(value, path)
    if complaint["type"] == "missing":
        return isinstance(parent, dict) and _rename(parent, key, model if not path else None)
    if not isinstance(parent, dict) or key not in parent:
        return False
    if parent[key] is None or complaint["type"] == "extra_forbidden":
        del parent[key]
        return True
    replacement = _replacement(parent[key], complaint)
    if replacement is None:
        return False
    parent[key] = replacement
    return True


def _replacement(given: Any, complaint: Mapping[str, Any]) -> Any:
    kind = complaint["type"]
    if kind in {"literal_error", "enum"} and isinstance(given, str):
        expected = _QUOTED.findall(complaint.get("ctx", {}).get("expected", ""))
        return next((each for each in expected if folded(each) == folded(given) and each != given), None)
    if kind == "string_type" and isinstance(given, int | float) and not isinstance(given, bool):
        return str(given)
    if kind in {"list_type", "tuple_type"} and isinstance(given, str | int | float | dict):
        return [given]
    return None


def _rename(parent: dict[str, Any], key: str, model: type[BaseModel] | None) -> bool:
    """Give ``key`` the value of the same key in other spelling, or the one unknown text when it is the one missing."""
    for given in list(parent):
        if given != key and folded(str(given)) == folded(key):
            parent[key] = parent.pop(given)
            return True
    if model is None or [each for each in required_texts(model) if each not in parent] != [key]:
        return False
    known = {folded(field.alias or name) for name, field in model.model_fields.items()}
    unknown = [given for given, text in parent.items() if isinstance(text, str) and folded(str(given)) not in known]
    if len(unknown) == 1 and parent[unknown[0]].strip():
        parent[key] = parent.pop(unknown[0])
        return True
    return False


def _at(value: Any, path: list[Any]) -> Any:
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value
