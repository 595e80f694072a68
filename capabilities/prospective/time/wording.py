"""Wording: a time in words that the library dateparser reads rightly. The words are data in ``words.json``."""

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

_WORDS: dict[str, Any] = json.loads((Path(__file__).parent / "words.json").read_text(encoding="utf-8"))
LANGUAGES: list[str] = _WORDS["languages"]
_FIRST_AFTERNOON_HOURS = range(1, 7)
"""Bare hours that are meant after noon unless a word says otherwise: nobody is reminded at 3 in the night by "at 3"."""


def readings(text: str) -> Iterator[str]:
    """Yield a text with its bare hour, "at 9", as a time of the day, the likelier one first; else the text as it is."""
    plain = _rewritten(text)
    match = next((found for pattern in _bare_hours() if (found := pattern.search(plain))), None)
    hour = int(match["hour"]) if match else 99
    if match is None or hour > 23:
        yield plain
        return
    for one in _hours(hour, plain):
        yield f"{plain[: match.start('hour')]}{one % 24:02d}:00{plain[match.end() :]}"


def _hours(hour: int, text: str) -> list[int]:
    if hour > 12 or not hour or _holds(text, _WORDS["mornings"]):
        return [hour]
    if _holds(text, _WORDS["later"]):
        return [hour + 12 if hour < 12 else hour]
    both = [hour, hour + 12] if hour < 12 else [12, 24]
    return both[::-1] if hour in _FIRST_AFTERNOON_HOURS else both


def wordings(text: str) -> Iterator[str]:
    """Yield a text, and then without words that the library does not know beside others."""
    yield text
    if re.search(r"\d:\d", text):
        for lang in _WORDS["todays"].values():
            shorter = _without(text, _WORDS["today"], lang)
            if shorter != text:
                yield shorter
        text = _without(text, [*_WORDS["mornings"], *_WORDS["later"]])
        yield text
    yield _without(text, _WORDS["drops"])


def _rewritten(text: str) -> str:
    """Return a text in words that the library reads: "half an hour" as 30 minutes, "14h30" as 14:30."""
    if not text.replace(" ", "")[:-1].isdigit():  # "2h" alone is a span
        text = _hour_marks().sub(_hour_mark, text)
    for words, plain in _WORDS["rewrites"].items():
        text = re.sub(rf"\b{re.escape(words)}\b", plain, text, flags=re.IGNORECASE)
    return text


def _hour_mark(match: re.Match[str]) -> str:
    hours, minutes = match["hours"], match["minutes"] or "00"
    return f"{match['span']}{hours} h {minutes} min" if match["span"] else f"{hours}:{minutes}"


@cache
def _hour_marks() -> re.Pattern[str]:
    spans, behind = ("|".join(map(re.escape, _WORDS[name])) for name in ("before_spans", "behind_spans"))
    return re.compile(
        rf"(?<!\w)(?P<span>(?:{spans})\s+)?(?P<hours>\d{{1,2}})\s?h\s?(?P<minutes>\d{{2}})?(?!\w)(?!\s*(?:{behind}|\d))",
        re.IGNORECASE,
    )


def _holds(text: str, words: Iterable[str]) -> bool:
    return _any_of(tuple(words)).search(text) is not None


def _without(text: str, words: Iterable[str], instead: str = "") -> str:
    return " ".join(_any_of(tuple(words)).sub(instead, text).split())


@cache
def _any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    longest = sorted(words, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)", re.IGNORECASE)


@cache
def _bare_hours() -> tuple[re.Pattern[str], ...]:
    """Return what finds an hour without minutes, behind "at" or before "o'clock"."""
    before, behind = ("|".join(map(re.escape, _WORDS[name])) for name in ("before_hours", "behind_hours"))
    halves = "|".join(map(re.escape, _WORDS["halves"]))
    number = r"(?P<hour>\d{1,2})"
    rest = rf"(?P<rest>\s*(?:{behind}))"
    no_more = rf"(?!\s*(?:[:.\d/-]|(?:{halves})\b|h\d))"
    return (
        re.compile(rf"\b{number}{rest}(?!\w)", re.IGNORECASE),
        re.compile(rf"(?<!\w)(?:{before})\s*{number}(?P<rest>\s?h|\s*uur)?(?!\w){no_more}", re.IGNORECASE),
    )
