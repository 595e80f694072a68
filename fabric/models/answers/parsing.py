"""From a model's text to JSON values: strict where it is JSON, repaired where it nearly is, cut where it ends early."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabric.lazy import lazy

from ..wire import sendable

if TYPE_CHECKING:
    import json_repair
else:
    json_repair = lazy("json_repair")

LONGEST_REPAIR = 60_000
"""Characters that are repaired: more than 25 items of 2,000 characters. Only strict JSON may be longer."""
MOST_STARTS = 64
"""Places in a text at which a JSON value is looked for."""
MOST_SCANNED = 2_000_000
"""Characters of a text in which JSON values are looked for, and that may be read in vain."""
LONGEST_NUMBER = 300
"""Digits of an integer; a longer one is no number anybody meant."""

_THOUGHT = re.compile(r"<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_THOUGHT_END = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_FENCE = re.compile(r"```(?:json5?|jsonc|javascript|js|python)?", re.IGNORECASE)
_OPENING = re.compile(r"[{\[]")
_LINE_OPENING = re.compile(r"^[ \t]*[{\[]", re.MULTILINE)
_TOKEN = re.compile(r'\\.|["{}\[\],]', re.DOTALL)
_CLOSERS = {"{": "}", "[": "]"}


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of a text; ``exact`` says that the text is nothing else, ``cut`` that its end is missing."""

    value: Any
    exact: bool = False
    cut: bool = False


def readings(text: str) -> Iterator[Reading]:
    """Yield what JSON ``text`` can be read as; nothing when there is no JSON in it; never raises.

    >>> [reading.value for reading in readings('Sure! {"a": [1, 2,]}')][-1]
    {'a': [1, 2]}
    """
    whole = _decode(text.strip().removeprefix("\ufeff"))
    if whole is not None:
        yield Reading(whole, exact=True)
        return
    body = plain(text).strip()
    values = _embedded(body[:MOST_SCANNED])
    part = complete_part(body[:LONGEST_REPAIR])
    if part is not None:
        yield from _repaired(part, cut=True)
    if len(values) > 1:
        yield Reading(values, cut=part is not None)
    yield from (Reading(value, cut=part is not None) for value in values)
    if part is None:
        yield from _repaired(body[:LONGEST_REPAIR], cut=False)


def plain(text: str) -> str:
    r"""Return ``text`` without byte order mark, thinking (closed or not) and code fences.

    >>> plain('<think>maybe {"a": 0}</think> ```json {"a": 1} ```').strip()
    '{"a": 1}'
    """
    return _FENCE.sub(" ", _without_thoughts(text.removeprefix("\ufeff")))


def complete_part(text: str) -> str | None:
    """Return the JSON in ``text`` up to the last complete element of its outermost open list, closed properly.

    None when nothing is left open. Only double quotes open a string.

    >>> complete_part('{"items": [{"a": 1}, {"a": 2}, {"a"')
    '{"items": [{"a": 1}, {"a": 2}]}'
    """
    open_at, ends, in_string = _left_open(text)
    closers = "".join(_CLOSERS[text[at]] for at in reversed(open_at))
    if in_string and "".join(text[-100:].split()).endswith(closers):  # whole after all: a quote was not escaped
        return None
    if not open_at:
        return None
    depth = next((index for index, at in enumerate(open_at) if text[at] == "["), 0)
    return text[open_at[0] : ends[depth]] + closers[len(closers) - depth - 1 :]


def _left_open(text: str) -> tuple[list[int], list[int], bool]:
    """Return where the brackets are that never close, the end of the last complete element in each, an open string."""
    open_at: list[int] = []
    ends: list[int] = []
    in_string = False
    for token in _TOKEN.finditer(text):
        sign = token.group()
        if sign == '"':
            in_string = not in_string and bool(open_at)
        elif in_string or sign[0] == "\\":
            continue
        elif sign in _CLOSERS:
            open_at.append(token.start())
            ends.append(token.end())
        elif sign == "," and ends:
            ends[-1] = token.start()
        elif open_at and sign != ",":
            open_at.pop()
            ends.pop()
            ends[-1:] = [token.end()] if ends else []
    return open_at, ends, in_string


def _without_thoughts(text: str) -> str:
    kept: list[str] = []
    position = 0
    while (opening := _THOUGHT.search(text, position)) is not None:
        kept.append(text[position : opening.start()])
        end = _THOUGHT_END.search(text, opening.end())
        if end is None:  # the answer, if there is one, begins on a line of its own
            answer = _LINE_OPENING.search(text, opening.end())
            return "".join(kept) + text[answer.start() if answer else opening.end() :]
        position = end.end()
    rest = text[position:]
    lonely = _THOUGHT_END.search(rest)  # some servers swallow the opening tag
    return "".join(kept) + (rest[lonely.end() :] if lonely else rest)


def _embedded(body: str) -> list[Any]:
    """Return the strict JSON objects and arrays in ``body``, in order."""
    values: list[Any] = []
    position = scanned = 0
    for _ in range(MOST_STARTS):
        opening = _OPENING.search(body, position)
        if opening is None or scanned > MOST_SCANNED:
            break
        position = opening.start()
        try:
            value, position = _DECODER.raw_decode(body, position)
            values.append(sendable(value))
        except json.JSONDecodeError as error:
            scanned += error.pos - position
            position += 1
        except (ValueError, RecursionError):
            break
    return values


def _decode(text: str) -> Any:
    try:
        value = _DECODER.decode(text)
        return sendable(value) if isinstance(value, dict | list) else None
    except (ValueError, RecursionError):
        return None


def _repaired(text: str, *, cut: bool) -> Iterator[Reading]:
    strict = _decode(text)
    if strict is not None:
        yield Reading(strict, cut=cut)
        return

    start = _OPENING.search(text)
    if start is None:
        return
    try:
        value = sendable(json_repair.loads(text[start.start() :], skip_json_loads=True))
    except (ValueError, RecursionError):
        return
    if isinstance(value, dict | list):
        yield Reading(value, cut=cut)


def _integer(digits: str) -> int | None:
    return int(digits) if len(digits) <= LONGEST_NUMBER else None


def _number(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def _no_number(_: str) -> None:
    """NaN and the infinities are no JSON and no value anybody can use."""


_DECODER = json.JSONDecoder(strict=False, parse_int=_integer, parse_float=_number, parse_constant=_no_number)
