"""How languages name a time: a table for the words for days gone by, Babel for months, weekdays and "days ago"."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from fabric.lazy import lazy
from fabric.text.language import STOP_WORDS
from fabric.text.words import normalise

if TYPE_CHECKING:
    import babel
    from babel import dates
else:
    babel = lazy("babel")
    dates = lazy("babel.dates")

_TABLE: Mapping[str, Mapping[str, Any]] = json.loads(
    Path(__file__).with_name("time_words.json").read_text(encoding="utf-8")
)
LANGUAGES = tuple(language for language, words in _TABLE.items() if "locale" in words)
_UNITS: Mapping[Literal["day", "week", "month", "year"], int] = {"day": 1, "week": 7, "month": 30, "year": 365}


@dataclass(frozen=True, slots=True)
class TimeWords:
    """The patterns of one language, over text that `normalise` made.

    Each of ``spans`` has how many days ago it begins and how many days it has; ``ago`` a group with a number, and how
    many days each of it stands for. ``weekday`` finds a ``name``; ``date`` a ``day``, a ``name`` and maybe a ``year``;
    each of ``month`` a ``name`` and maybe a ``year``.
    """

    spans: tuple[tuple[re.Pattern[str], int, int], ...]
    ago: tuple[tuple[re.Pattern[str], int], ...]
    weekdays: Mapping[str, int]
    months: Mapping[str, int]
    weekday: re.Pattern[str]
    date: re.Pattern[str]
    month: tuple[re.Pattern[str], ...]


@lru_cache(maxsize=32)
def time_words(language: str) -> TimeWords | None:
    """Return how a language names times; None for English, which has patterns of its own, and where none are known."""
    words = _TABLE.get(language, {})
    if "locale" not in words:
        return None
    locale = babel.Locale.parse(words["locale"])
    edge = "" if words.get("unspaced") else r"\b"
    weekdays, months = _numbered(locale.days), _numbered(locale.months)
    day, month = f"(?P<name>{_any(weekdays)})", f"(?P<name>{_any(months)})"
    year = r"(?:[ ,]*(?:de |del )?(?P<year>\d{4}))"
    date = rf"{edge}(?P<day>\d{{1,2}})(?:\.|st|er|º)?\s*(?:de |of )?{month}{edge}{year}?"
    if words.get("unspaced"):
        date = rf"(?:(?P<year>\d{{4}})年)?{month}(?P<day>\d{{1,2}})[日号]"
    return TimeWords(
        (*_spans(words["days"], edge, 1), *_spans(words["past"], edge)),
        tuple(_ago(words["locale"], edge)),
        weekdays,
        months,
        re.compile(rf"{edge}(?:(?:{words['on']}) )?{day}{edge}"),
        re.compile(date),
        (
            re.compile(rf"\b(?:{words['in'] or '(?!)'}) ?{month}{edge}{year}?"),
            re.compile(rf"{edge}{month}{year}"),
        ),
    )


@lru_cache(maxsize=256)
def only_frames(rest: str, language: str) -> bool:
    """Return whether what a question says beside a time only asks what there was.

    >>> only_frames("what did i do ?", "english"), only_frames("what did i eat ?", "english")
    (True, False)
    >>> only_frames("was habe ich gemacht", "german"), only_frames("何をしましたか", "japanese")
    (True, True)
    """
    words = _TABLE.get(language, {})
    frame = normalise(str(words.get("frame", ""))).split()
    if words.get("unspaced"):
        return not re.search(r"\w", re.sub(_any(frame), "", rest))
    known_words = STOP_WORDS.get(language, frozenset()) | set(frame)
    return all(
        word in known_words or set(re.split(r"['-]", word)) <= known_words
        for word in re.findall(r"[^\W_]+(?:['-][^\W_]+)*", rest)
    )


def asks_before(text: str, language: str) -> bool:
    """Return whether a question asks for what was so before, in its language or in English.

    >>> asks_before("Where did I live before?", "english"), asks_before("Wo habe ich früher gewohnt?", "german")
    (True, True)
    """
    return any(_before(spoken).search(normalise(text)) for spoken in dict.fromkeys((language, "english")))


@lru_cache(maxsize=32)
def _before(language: str) -> re.Pattern[str]:
    words = _TABLE.get(language, {})
    edge = "" if words.get("unspaced") else r"\b"
    return re.compile(f"{edge}(?:{normalise(words['before'])}){edge}" if "before" in words else "(?!)")


def _spans(listed: Mapping[str, int], edge: str, days: int = 0) -> Iterator[tuple[re.Pattern[str], int, int]]:
    """Yield the patterns of a table, those further back first: "vorgestern" holds "gestern"."""
    for spelled, back in sorted(listed.items(), key=lambda pair: -pair[1]):
        yield re.compile(f"{edge}(?:{normalise(spelled)}){edge}"), back, days or back


def _ago(locale: str, edge: str) -> Iterator[tuple[re.Pattern[str], int]]:
    """Yield what "3 days ago" looks like, with a group for the number, and how many days one of the unit has."""
    for unit, days in _UNITS.items():
        forms = {
            normalise(
                dates.format_timedelta(
                    timedelta(days=-days * count), granularity=unit, threshold=9_999, add_direction=True, locale=locale
                )
            )
            for count in (1, 2, 3, 5)
        }
        shapes = {re.sub(r"\d+", "#", form, count=1) for form in forms if re.search(r"\d", form)}
        for shape in sorted(shapes):
            pattern = re.escape(shape).replace(re.escape("#"), r"(\d{1,3})").replace("\\ ", r"\s*")
            yield re.compile(f"{edge}{pattern}{edge}"), days


def _numbered(held: Mapping[str, Any]) -> dict[str, int]:
    """Return the numbers of months, or of weekdays from Monday on, by their names."""
    return {
        normalise(name): number
        for context in ("format", "stand-alone")
        for number, name in held[context]["wide"].items()
    }


def _any(names: Any) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) or "(?!)"
