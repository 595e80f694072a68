"""From a JSON value that a model wrote to the fields its schema asks for: no wrappers, lists read item by item."""

import json
import math
import types
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Union, get_args, get_origin

from annotated_types import MaxLen
from pydantic import BaseModel, TypeAdapter, ValidationError

from fabric.narrowing import is_dict, is_list, is_list_or_tuple, is_mapping, is_set
from fabric.text.words import words
from fabric.validation import is_model

from .mending import mended, reason
from .schema import Refused
from .slips import folded, keys_of

LONGEST_TEXT = 2_000
"""Characters of one text of an answer; a longer one is refused as absurd."""
MOST_REPEATS = 20
"""Times that one word may make up half of a text or more."""
DEEPEST_WRAPPER = 6
_SCHEMA_WORDS = frozenset({"type", "items", "$ref", "anyOf", "allOf", "properties"})


@dataclass(frozen=True, slots=True)
class ListField:
    """A list of the schema: its key, how one item is validated, and how many there may be."""

    key: str
    item: TypeAdapter[Any]
    model: type[BaseModel] | None
    limit: int | None


@dataclass(slots=True)
class Fields:
    """The fields of an answer: plain ones as they came, of lists the items that are good, and those that are not."""

    values: dict[str, Any]
    kept: int = 0
    refused: list[Refused] = field(default_factory=list[Refused])


@lru_cache(maxsize=256)
def list_fields(schema: type[BaseModel]) -> Mapping[str, ListField]:
    """Return the list fields of ``schema`` by key; the limit is the field's ``max_length``.

    >>> from pydantic import Field, create_model
    >>> Answer = create_model("Answer", names=(list[str], Field(max_length=3)))
    >>> list_fields(Answer)["names"].limit
    3
    """
    found: dict[str, ListField] = {}
    for name, info in schema.model_fields.items():
        item = _item_type(info.annotation)
        if item is None:
            continue
        key = info.alias or name
        limit = next((each.max_length for each in info.metadata if isinstance(each, MaxLen)), None)
        model = item if is_model(item) else None
        found[key] = ListField(key, TypeAdapter(item), model, limit)
    return found


def unwrapped(value: Any, schema: type[BaseModel], depth: int = DEEPEST_WRAPPER) -> dict[str, Any] | None:
    """Return the part of ``value`` that has fields of ``schema``, under the schema's own keys; None without any.

    Looks through wrappers, JSON in strings, tool calls and an echoed schema. A bare list, a list under another key and
    a single item become the one list of a schema that has one.
    """
    own = _with_own_keys(value, schema, depth)
    if own is not None:
        return own
    lists = list(list_fields(schema).values())
    if len(lists) != 1 or isinstance(value, str):
        return None
    items = _bare_items(value, lists[0])
    return None if items is None else {lists[0].key: items}


def taken(values: dict[str, Any], schema: type[BaseModel], longest: int | None) -> Fields:
    """Return the fields of an answer with every list read item by item; one bad item never costs the others."""
    fields = Fields(dict(values))
    for key, wanted in list_fields(schema).items():
        if key in values:
            fields.values[key] = _take_items(fields, wanted, _as_list(values[key], wanted), longest)
    return fields


def absurd(value: Any, longest: int | None) -> str | None:
    """Return why a text (or number) anywhere in ``value`` is nothing anybody meant, None when all are sensible.

    >>> absurd("no " * 30, longest=2000)
    "one word ('no') repeated 30 times"
    """
    for leaf in _leaves(value):
        if isinstance(leaf, float) and not math.isfinite(leaf):
            return f"{leaf} is not a number"
        if isinstance(leaf, str):
            if longest is not None and len(leaf) > longest:
                return f"a text of {len(leaf):,} characters (at most {longest:,})"
            if (complaint := _repetition(leaf)) is not None:
                return complaint
    return None


def _item_type(annotation: Any) -> Any:
    """Return X of list[X], tuple[X, ...], Sequence[X] or one of them or None; None for anything else."""
    if get_origin(annotation) in {Union, types.UnionType}:
        inner = [each for each in get_args(annotation) if each is not type(None)]
        return _item_type(inner[0]) if len(inner) == 1 else None
    origin, given = get_origin(annotation), get_args(annotation)
    if origin is tuple and given[1:] != (Ellipsis,):
        return None
    if origin in {list, tuple, set, frozenset, Sequence, Iterable}:
        return given[0]
    return Any if annotation is list else None


def _with_own_keys(value: Any, schema: type[BaseModel], depth: int) -> dict[str, Any] | None:
    if isinstance(value, str):
        value = _decoded(value)
    if depth == 0 or not (is_dict(value) or is_list(value)):
        return None
    if is_list(value):
        return _merged([_with_own_keys(each, schema, depth - 1) for each in value[:100]], schema)
    keys = {folded(info.alias or name): info.alias or name for name, info in schema.model_fields.items()}
    own = {keys[folded(key)]: each for key, each in value.items() if folded(key) in keys}
    if own and not all(_is_schema(each) for each in own.values()):
        return own
    inner = (_with_own_keys(each, schema, depth - 1) for each in value.values())
    return next((found for found in inner if found), None)


def _merged(parts: Sequence[dict[str, Any] | None], schema: type[BaseModel]) -> dict[str, Any] | None:
    """Return one answer from several objects: the lists joined, of the other fields the last."""
    merged: dict[str, Any] = {}
    for part in parts:
        for key, value in (part or {}).items():
            joined = key in list_fields(schema) and isinstance(value, list) and isinstance(merged.get(key), list)
            merged[key] = merged[key] + value if joined else value
    return merged or None


def _bare_items(value: Any, wanted: ListField, depth: int = DEEPEST_WRAPPER) -> list[Any] | None:
    """Return the items when ``value`` is a list, one item, or something around one of the two."""
    if is_list(value):
        return value
    if not is_dict(value) or depth == 0 or _is_schema(value):
        return None
    if _fits(value, wanted):
        return [value]
    lists = [each for each in value.values() if is_list(each)]
    if len(lists) == 1 or (value and all(str(key).isdigit() for key in value)):
        return list(lists[0] if len(lists) == 1 else value.values())
    objects = [each for each in value.values() if is_dict(each)]
    if objects and len(objects) == len(value) and all(_fits(each, wanted) for each in objects):
        return objects
    return _bare_items(objects[0], wanted, depth - 1) if len(objects) == 1 else None


def _fits(value: dict[str, Any], wanted: ListField) -> bool:
    """Return whether ``value`` is an item; a schema without required keys must share at least one."""
    if wanted.model is None or not {folded(str(key)) for key in value} & keys_of(wanted.model).keys():
        return False
    try:
        mended(wanted.item, value, wanted.model)
    except ValidationError:
        return False
    return True


def _as_list(value: Any, wanted: ListField) -> list[Any]:
    if isinstance(value, str):
        decoded = _decoded(value)
        value = decoded if decoded is not None else value
    if value is None:
        return []
    if isinstance(value, dict):
        return (_bare_items(value, wanted) or [value]) if value else []
    if is_list(value) and value and all(is_list(each) for each in value):
        return [item for each in value for item in each]
    return value if is_list(value) else [value]


def _take_items(fields: Fields, wanted: ListField, items: list[Any], longest: int | None) -> list[Any]:
    kept: list[Any] = []
    places: dict[str, int] = {}
    for index, item in enumerate(items):
        complaint: str | None = None
        if wanted.limit is not None and len(kept) >= wanted.limit:
            complaint = f"over the limit of {wanted.limit} items"
        else:
            try:
                good = mended(wanted.item, item, wanted.model)
            except ValidationError as error:
                complaint = reason(error)
            else:
                complaint = absurd(good, longest) or _repeated(good, index, places)
                kept += [good] if complaint is None else []
        if complaint is not None:
            fields.refused.append(Refused(wanted.key, index, item, complaint))
    fields.kept += len(kept)
    return kept


def _repeated(item: Any, index: int, places: dict[str, int]) -> str | None:
    """Return the complaint that an equal object came before; equal plain values may be meant."""
    if not isinstance(item, BaseModel):
        return None
    first = places.setdefault(item.model_dump_json(), index)
    return None if first == index else f"repeats item {first}"


def _repetition(text: str) -> str | None:
    if len(text) < 2 * MOST_REPEATS:
        return None
    if len(set(text)) == 1:
        return f"one character ({text[0]!r}) repeated {len(text)} times"
    found = words(text)
    word, count = Counter(found).most_common(1)[0] if found else ("", 0)
    if count >= MOST_REPEATS and count * 2 >= len(found):
        return f"one word ({word[:50]!r}) repeated {count} times"
    return None


def _leaves(value: Any) -> Iterable[Any]:
    """Yield the single values in ``value``, however nested, without recursion."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, BaseModel):
            waiting.extend(getattr(each, name) for name in type(each).model_fields)
        elif is_mapping(each):
            waiting.extend(each.values())
        elif is_list_or_tuple(each) or is_set(each):
            waiting.extend(each)
        else:
            yield each


def _is_schema(value: Any) -> bool:
    """Return whether ``value`` describes data instead of being data."""
    if not is_dict(value) or not _SCHEMA_WORDS & value.keys():
        return False
    described = value.get("type")
    return described in {"object", "array", "string", "number", "integer", "boolean", "null"} or "type" not in value


def _decoded(text: str) -> Any:
    if not text.lstrip().startswith(("{", "[", '"')):
        return None
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
