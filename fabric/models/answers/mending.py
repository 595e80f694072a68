"""Small repairs of a value that nearly fits its schema, told by what the validation complains about."""

import copy
import json
import re
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from fabric.narrowing import is_dict
from fabric.validation import complaints

from .slips import fields_of, folded, keys_of, meant, one_text, slips_of, text_key

MOST_ROUNDS = 3
"""Rounds of validating and mending one value."""
T = TypeVar("T")
_QUOTED = re.compile(r"'([^']*)'")
_WORDS = re.compile(r"[^\W_]+")


def mended(adapter: TypeAdapter[T], value: Any, model: type[BaseModel] | None) -> T:
    """Return ``value`` as ``adapter`` validates it, after small repairs where they are needed.

    Keys are matched without case and separators before a default is taken. Repairs: an object given as JSON text, as
    its one text or inside another; the one unknown text for the one missing; null where there is a default; a choice
    in other words; a number for a text or on another scale; one value for a list; what is no
    text where none is needed. `Slips` of a field say more.
    Raises ValidationError when that is not enough.
    """
    if model is not None:
        value = _with_absent(spelled(_from_text(value, model) if isinstance(value, str) else value, model), model)
    for _ in range(MOST_ROUNDS):
        try:
            return adapter.validate_python(value)
        except ValidationError as error:
            repaired = copy.deepcopy(value)
            if not _mend(repaired, error, model):
                raise
            value = repaired
    return adapter.validate_python(value)


def spelled(value: Any, model: type[BaseModel]) -> Any:
    """Return an object under the model's own keys, with the text that is meant for its text; anything else as it is."""
    if not is_dict(value):
        return value
    if len(value) == 1:
        ((key, inner),) = value.items()
        value = inner if is_dict(inner) and folded(str(key)) not in keys_of(model) else value
    fields = fields_of(model)
    own = {key: each for key, each in value.items() if key in fields}
    for key, each in value.items():
        name = keys_of(model).get(folded(str(key)), key)
        if key not in fields and name not in own:
            own[name] = each
    return _with_text(own, model)


def _with_absent(value: Any, model: type[BaseModel]) -> Any:
    """Give an object what the slips of its fields say of keys that were left out."""
    absent = {key: slips.absent for key, info in fields_of(model).items() if (slips := slips_of(info))}
    filled = {key: each for key, each in absent.items() if each is not None}
    return {**filled, **value} if is_dict(value) else value


def _with_text(own: dict[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    """Give the field for a text the one text, or the one of several words, that stands under an unknown key."""
    wanted = text_key(model)
    if wanted is None or str(own.get(wanted) or "").strip():
        return own
    strange = {key: each for key, each in own.items() if key not in fields_of(model)}
    unknown = [key for key, each in strange.items() if isinstance(each, str) and each.strip()]
    if len(unknown) > 1:
        unknown = [key for key in unknown if len(own[key].split()) > 1]
    if len(unknown) != 1:
        return own
    return {wanted: own[unknown[0]], **{key: each for key, each in own.items() if key not in (wanted, unknown[0])}}


def reason(error: ValidationError) -> str:
    """Return the first complaints of ``error`` in one line, without the refused input."""
    return "; ".join([*complaints(error)][:3])[:300]


def _from_text(text: str, model: type[BaseModel]) -> Any:
    try:
        decoded = json.loads(text)
    except (ValueError, RecursionError):
        decoded = None
    if is_dict(decoded):
        return decoded
    wanted = text_key(model)
    return {wanted: text} if wanted is not None and text.strip() else text


def _mend(value: Any, error: ValidationError, model: type[BaseModel] | None) -> bool:
    complaints_last_first = reversed(error.errors(include_url=False))  # what is taken out of a list moves the others
    changed = [_mend_one(value, dict(complaint), model) for complaint in complaints_last_first]
    return any(changed)


def _mend_one(value: Any, complaint: Mapping[str, Any], model: type[BaseModel] | None) -> bool:
    *path, key = complaint["loc"] or ("",)
    parent = _at(value, path)
    info = fields_of(model).get(key) if model is not None and not path else None
    if complaint["type"] == "missing":
        return is_dict(parent) and _fill(parent, key, info)
    if isinstance(parent, list) and isinstance(key, int):
        replacement = _replacement(parent[key], complaint, info)
    elif not isinstance(parent, dict) or key not in parent:
        return False
    elif complaint["type"] == "extra_forbidden" or (_is_nothing(parent[key]) and not _needs(info)):
        del parent[key]
        return True
    else:
        replacement = _replacement(parent[key], complaint, info)
    if replacement is None and _is_dispensable(parent, complaint, info):
        del cast("dict[Any, Any]", parent)[key]
        return True
    if replacement is None:
        return False
    cast("dict[Any, Any]", parent)[key] = replacement
    return True


def _is_nothing(given: Any) -> bool:
    """Return whether a refused value says that there is none."""
    return given is None or given is False or given in ([], {})


def _is_dispensable(parent: Any, complaint: Mapping[str, Any], info: FieldInfo | None) -> bool:
    """Return whether a value that is no text stands where none need be, or among other texts."""
    if complaint["type"] != "string_type":
        return False
    return isinstance(parent, list) or (info is not None and not info.is_required())


def _needs(info: FieldInfo | None) -> bool:
    """Return whether null stands for what the field's slips say: there is no default that it could stand for."""
    return info is not None and info.is_required() and meant(info, None) is not None


def _replacement(given: Any, complaint: Mapping[str, Any], info: FieldInfo | None) -> Any:
    kind = complaint["type"]
    found: Any = None
    if kind in {"literal_error", "enum"} and isinstance(given, str):
        found = _choice(given, _QUOTED.findall(complaint.get("ctx", {}).get("expected", "")))
    elif kind == "string_type" and isinstance(given, int | float) and not isinstance(given, bool):
        found = str(given)
    elif kind == "string_type" and isinstance(given, list | dict):
        found = one_text(given)
    elif kind in {"list_type", "tuple_type"} and isinstance(given, str | int | float | dict):
        found = [given]
    if found is not None or info is None:
        return found
    choice = meant(info, given)
    return choice if choice != given else None


def _choice(given: str, expected: list[str]) -> str | None:
    """Return the choice in another spelling, or the one that stands among other words."""
    same = next((each for each in expected if folded(each) == folded(given) and each != given), None)
    if same is not None:
        return same
    inside = {each for each in expected for word in _WORDS.findall(given) if folded(word) == folded(each)}
    return inside.pop() if len(inside) == 1 else None


def _fill(parent: dict[str, Any], key: str, info: FieldInfo | None) -> bool:
    """Give a missing key the value of the same key in other spelling, or what its slips say."""
    for given in list(parent):
        if given != key and folded(str(given)) == folded(key):
            parent[key] = parent.pop(given)
            return True
    filled = meant(info, None) if info is not None else None
    if filled is None:
        return False
    parent[key] = filled
    return True


def _at(value: Any, path: list[Any]) -> Any:
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value
