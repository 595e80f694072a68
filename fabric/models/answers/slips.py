"""Slips of a model in one value, and what it meant: another word for a choice, a number on another scale."""

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from annotated_types import Ge, Le
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from fabric.narrowing import is_list, is_mapping

from .schema import Slips

TEN, HUNDRED = 10.0, 100.0
_NUMBER = re.compile(r"(\d+(?:[.,]\d+)?)\s*(%|/\s*(\d+))?")
_SCALE: dict[str, float] = json.loads((Path(__file__).parent / "scales.json").read_text(encoding="utf-8"))


def folded(key: str) -> str:
    """Return ``key`` as it is compared: without case and separators.

    >>> folded("Replaces-Id") == folded("replaces_id")
    True
    """
    return "".join(letter for letter in key.casefold() if letter.isalnum())


def share(given: Any) -> float | None:
    """Return what was meant by a value that should be between 0 and 1; None when that cannot be told.

    Whole numbers up to 10 are taken as so many of ten, others up to 100 as percent.

    >>> [share(one) for one in ("high", 8, "85%", "3/4", 1.2, -1)]
    [0.8, 0.8, 0.85, 0.75, 1.0, None]
    """
    if isinstance(given, str):
        return _share_in_text(given)
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= HUNDRED:
        return None
    if given < 2:
        return min(1.0, float(given))
    return given / (TEN if given <= TEN else HUNDRED)


def _share_in_text(text: str) -> float | None:
    number = _NUMBER.search(text)
    if number is None:
        words = [folded(text), *map(folded, text.split())]
        return next((_SCALE[word] for word in words if word in _SCALE), None)
    value = float(number[1].replace(",", "."))
    if number[3] is not None:
        return min(1.0, value / float(number[3])) if float(number[3]) else None
    return min(1.0, value / HUNDRED) if number[2] else share(value)


def one_text(given: Any) -> str | None:
    """Return the text that a list of texts, or an object with one text, was given for; None where there is none.

    >>> [one_text(given) for given in (["tea", "jazz"], {"id": 7, "name": "anna"}, {"a": "b", "c": "d"}, [7])]
    ['tea, jazz', 'anna', None, None]
    """
    if is_mapping(given):
        texts = [each for each in given.values() if isinstance(each, str) and each.strip()]
        return texts[0] if len(texts) == 1 else None
    if is_list(given) and given and all(isinstance(each, str) for each in given):
        return ", ".join(given)
    return None


def is_share(info: FieldInfo) -> bool:
    """Return whether a field takes numbers from 0 to 1."""
    low = any(isinstance(entry, Ge) and entry.ge == 0 for entry in info.metadata)
    return low and any(isinstance(entry, Le) and entry.le == 1 for entry in info.metadata)


def slips_of(info: FieldInfo) -> Slips | None:
    """Return what the field's annotation says of slips."""
    return next((entry for entry in info.metadata if isinstance(entry, Slips)), None)


def meant(info: FieldInfo, given: Any) -> Any:
    """Return what a refused value of a field was meant to be; None when nothing is known."""
    slips = slips_of(info)
    if slips is not None and isinstance(given, str) and folded(given) in slips.words:
        return slips.words[folded(given)]
    found = share(given) if is_share(info) else None
    return found if found is not None else slips.other if slips is not None else None


@lru_cache(maxsize=256)
def keys_of(model: type[BaseModel]) -> dict[str, str]:
    """Return the keys of a model by their folded spelling."""
    return {folded(info.alias or name): info.alias or name for name, info in model.model_fields.items()}


@lru_cache(maxsize=256)
def fields_of(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields of a model by key."""
    return {info.alias or name: info for name, info in model.model_fields.items()}


@lru_cache(maxsize=256)
def text_key(model: type[BaseModel]) -> str | None:
    """Return the key that a bare text is meant for: the marked one, else the one text that must be given."""
    marked = [key for key, info in fields_of(model).items() if (slips := slips_of(info)) and slips.is_text]
    texts = marked or [key for key, info in fields_of(model).items() if info.is_required() and info.annotation is str]
    return texts[0] if len(texts) == 1 else None
