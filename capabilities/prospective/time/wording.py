"""Wording: a time in words that the library dateparser reads rightly. The words are data in ``words.json``."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

_WORDS: dict[str, Any] = json.loads((Path(__file__).parent / "words.json").read_text(encoding="utf-8"))
LANGUAGES: list[str] = _WORDS["languages"]
_FIRST_AFTERNOON_HOURS = range(1, 7)
"""Bare hours that are meant after noon unless a word says otherwise: nobody is reminded at 3 in the night by "at 3"."""


def readings(text: str, is_month: Callable[[str], bool]) -> Iterator[str]:
    """Yield a text with its bare hour, "at 9", as a time of the day, the likelier one first; else the text as it is.

    A number before the name of a month, as ``is_month`` knows it, is a day. An hour that no day has yields nothing.
    """
    plain = _rewritten(text)
    match = next((found for pattern in _bare_hours() if (found := pattern.search(plain))), None)
    behind = "" if match is None else plain[match.end() :].strip()
    if match is None or is_month(behind.partition(" ")[0]):
        yield plain
        return
    hour = int(match["hour"])
    if hour > 23:
        if behind:
            yield plain
        return
    for candidate in _hours(hour, plain):
        yield f"{plain[: match.start('hour')]}{candidate % 24:02d}:00{plain[match.end() :]}"


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


def is_day(day: int, text: str) -> bool:
    """Return whether a number in a text is said to be a day: "the 17th", "le 17", "17."."""
    before = "|".join(map(re.escape, _WORDS["before_days"]))
    marks = r"(?:st|nd|rd|th|er|e|ste|de|[.ºª])"
    return re.search(rf"(?<!\w)(?:(?:{before})\s+0?{day}(?!\w)|0?{day}{marks}(?!\w))", text, re.IGNORECASE) is not None


def _rewritten(text: str) -> str:
    """Return a text in words that the library reads: "half an hour" as 30 minutes, "14h30" as 14:30, "at nine" as 9."""
    if not text.replace(" ", "")[:-1].isdigit():  # "2h" alone is a span
        text = _hour_marks().sub(_hour_mark, text)
    for words, plain in _WORDS["rewrites"].items():
        text = re.sub(rf"\b{re.escape(words)}\b", plain, text, flags=re.IGNORECASE)
    hours: dict[str, int] = _WORDS["hours"]
    return _hour_words().sub(lambda found: f"{found['before']}{hours[found['hour'].casefold()]}", text)


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
def _hour_words() -> re.Pattern[str]:
    """Return what finds an hour in a word, behind "at" or at the beginning."""
    before, hours = ("|".join(map(re.escape, _WORDS[name])) for name in ("before_hours", "hours"))
    return re.compile(rf"(?P<before>^|(?<!\w)(?:{before})\s+)(?P<hour>{hours})(?!\w)", re.IGNORECASE)


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
        re.compile(rf"(?<!\w)(?:{before})\s*{number}(?P<rest>\s?[hu]|\s*uur)?(?!\w){no_more}", re.IGNORECASE),
    )
