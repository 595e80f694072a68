"""When a question says that something happened: spans of time named in words, and how near a turn lies to them.

Expressions of English are here, those of other languages in `time_words`; dates in ISO form work in any language. A
general date parser was left out: it finds dates in ordinary words ("may", "sat"), and takes a hundred times as long.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fabric.text.language import STOP_WORDS
from fabric.text.words import normalise

from .time_words import LANGUAGES, TimeWords, only_frames, time_words

Span = tuple[datetime, datetime]
_Pattern = tuple[re.Pattern[str], Callable[[re.Match[str]], Span]]
DECAY_BEFORE = 1.0
"""Days before a span in which nearness falls to 1/e."""
DECAY_AFTER = 4.0
"""Days after it: what happened is told later."""
_DAY = timedelta(days=1)
_MONTHS = [
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
]
_MONTH = {written: number for number, name in enumerate(_MONTHS, 1) for written in (name, name[:3])} | {"sept": 9}
_WEEKDAY = {
    name: number
    for number, name in enumerate(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"))
}
_COUNT = {
    name: number
    for number, name in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
} | {"a": 1, "an": 1, "couple": 2, "few": 3, "several": 4}
_UNIT_DAYS = {"day": 1.0, "week": 7.0, "month": 30.44, "year": 365.25}
_N = rf"(\d{{1,3}}|{'|'.join(_COUNT)})(?: of)?"
_U = r"(day|week|month|year)s?"
_M = f"({'|'.join(sorted(_MONTH, key=len, reverse=True))})"
_NEAR_MONTH = r"(?:in|during|of|since|early|late|mid|last|by|until|this|from|between|and|to)"


@dataclass(frozen=True, slots=True)
class TimeCue:
    """The spans of time that a question names, and whether it asks about nothing but what was then."""

    spans: tuple[Span, ...] = ()
    is_all: bool = False


def read_time(text: str, language: str, now: datetime) -> TimeCue:
    """Return when a question that is asked at ``now`` says that something was.

    >>> now = datetime(2024, 3, 20, 12, tzinfo=UTC)
    >>> read_time("What did I do yesterday?", "english", now).is_all
    True
    >>> read_time("What did I buy yesterday?", "english", now).is_all
    False
    >>> [start.date().isoformat() for start, _ in read_time("Was war vor 3 Tagen los?", "german", now).spans]
    ['2024-03-17']
    """
    plain = normalise(text)
    spans, rest = _english(plain, now)
    if spans:
        return TimeCue(spans, only_frames(rest, "english") or only_frames(rest, language))
    if language == "english" and not STOP_WORDS["english"].isdisjoint(plain.split()):
        return TimeCue()
    for other in LANGUAGES if language in {"", "english"} else (language,):
        words = time_words(other)
        spans, rest = _found(_of(words, now), plain, at_once=False) if words is not None else ((), plain)
        if spans:
            return TimeCue(spans, only_frames(rest, other))
    return TimeCue()


def named_spans(text: str, now: datetime) -> list[Span]:
    """Return the spans of time that a question in English, asked at ``now``, names; [] for none.

    >>> now = datetime(2024, 3, 20, 12, tzinfo=UTC)
    >>> [(start.date().isoformat(), end.date().isoformat()) for start, end in named_spans("in May 2022", now)]
    [('2022-05-01', '2022-06-01')]
    >>> [start.date().isoformat() for start, _ in named_spans("what did I buy 10 days ago?", now)]
    ['2024-03-10']
    """
    return list(_english(text.casefold(), now)[0])


def _english(lowered: str, now: datetime) -> tuple[tuple[Span, ...], str]:
    for patterns in (_EXACT, _MONTH_ONLY, _YEAR_ONLY):
        spans, rest = _found([(pattern, partial(_called, read, now)) for pattern, read in patterns], lowered)
        if spans:
            return spans, rest
    return (), lowered


def _called(read: "_Reader", now: datetime, match: re.Match[str]) -> Span:
    return read(match, now)


def _found(patterns: Iterable[_Pattern], text: str, *, at_once: bool = True) -> tuple[tuple[Span, ...], str]:
    """Return the spans that the patterns find, and the text without what named them.

    They look at the text ``at_once``, or one after the other, each at what those before it left.
    """
    found: list[Span] = []
    rest = text
    for pattern, read in patterns:
        for match in pattern.finditer(text if at_once else rest):
            try:
                found.append(read(match))
            except (ValueError, OverflowError):  # a day that no month has, a year before the first
                continue
            rest = rest.replace(match[0], " ")
    return tuple(sorted(set(found))), rest


def _of(words: TimeWords, now: datetime) -> Iterator[_Pattern]:
    """Yield the patterns of a language, each with what reads a span from what it finds."""
    today = _midnight(now)

    def back(days: int, length: int) -> Callable[[re.Match[str]], Span]:
        start = today - timedelta(days=days)
        return lambda _: (start, min(start + timedelta(days=length), now) if days else now)

    def ago(unit: int) -> Callable[[re.Match[str]], Span]:
        slack = timedelta(days=0 if unit == 1 else unit / 3)

        def read(match: re.Match[str]) -> Span:
            start = today - timedelta(days=int(match[1]) * unit)
            return start - slack, start + _DAY + slack

        return read

    def weekday(match: re.Match[str]) -> Span:
        start = today - timedelta(days=(now.weekday() - words.weekdays[match["name"]]) % 7 or 7)
        return start, start + _DAY

    for pattern, days, length in words.spans:
        yield pattern, back(days, length)
    yield from ((pattern, ago(unit)) for pattern, unit in words.ago)
    yield words.weekday, weekday
    yield words.date, lambda match: _day(now, match["year"], words.months[match["name"]], match["day"])
    for pattern in words.month:
        yield pattern, lambda match: _month(now, match["year"], words.months[match["name"]])


def nearness(times: NDArray[np.float64], spans: Sequence[Span]) -> NDArray[np.float32]:
    """Return how near times in seconds lie to the nearest span: 1 inside, less before (`DECAY_BEFORE`) and after it.

    >>> day = datetime(2024, 3, 1, tzinfo=UTC).timestamp()
    >>> spans = named_spans("on 2024-03-01", datetime(2024, 4, 1, tzinfo=UTC))
    >>> nearness(np.array([day, day + 5 * 86400, np.nan]), spans).astype(float).round(2).tolist()
    [1.0, 0.37, 0.0]
    """
    found = np.zeros(len(times), np.float32)
    for start, end in spans:
        early = (start.timestamp() - times) / DECAY_BEFORE
        late = np.maximum(times - end.timestamp(), 0) / DECAY_AFTER
        days = np.where(times < start.timestamp(), early, late) / 86_400
        found = np.maximum(found, np.exp(-np.minimum(np.nan_to_num(days, nan=np.inf), 60)).astype(np.float32))
    found[found < 1e-6] = 0
    return found


def _ago(match: re.Match[str], now: datetime) -> Span:
    days = _UNIT_DAYS[match[2]]
    then = _midnight(now) - timedelta(days=_count(match[1]) * days)
    slack = timedelta(days=0 if days == 1 else days / 3)
    return then - slack, then + _DAY + slack


def _past(match: re.Match[str], now: datetime) -> Span:
    days = _UNIT_DAYS[match[2]]
    count = _count(match[1]) if match[1] else 1 + (days < 300)
    return _midnight(now) - timedelta(days=count * days), now


def _this(match: re.Match[str], now: datetime) -> Span:
    return _midnight(now) - timedelta(days=_UNIT_DAYS[match[1]]), now


def _weekday(match: re.Match[str], now: datetime) -> Span:
    back = (now.weekday() - _WEEKDAY[match[1]]) % 7 or 7
    start = _midnight(now) - timedelta(days=back)
    return start, start + _DAY


def _day(now: datetime, year: str | None, month: int, day: str) -> Span:
    start = datetime(int(year) if year else _year_of(month, now), month, int(day), tzinfo=UTC)
    return start, start + _DAY


def _month(now: datetime, year: str | None, month: int) -> Span:
    first = datetime(int(year) if year else _year_of(month, now), month, 1, tzinfo=UTC)
    return first, (first + timedelta(days=32)).replace(day=1)


def _year(match: re.Match[str], _: datetime) -> Span:
    return datetime(int(match[1]), 1, 1, tzinfo=UTC), datetime(int(match[1]) + 1, 1, 1, tzinfo=UTC)


def _year_of(month: int, now: datetime) -> int:
    """Return the year of the last such month."""
    return now.year if month <= now.month else now.year - 1


def _count(word: str) -> float:
    return float(word) if word.isdigit() else float(_COUNT[word])


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


_Reader = Callable[[re.Match[str], datetime], Span]
_EXACT: list[tuple[re.Pattern[str], _Reader]] = [
    (re.compile(rf"\b{_N} {_U} ago\b"), _ago),
    (re.compile(rf"\b(?:last|past|previous) (?:{_N} )?{_U}\b"), _past),
    (re.compile(rf"\bthis {_U}\b"), _this),
    (re.compile(r"\b(?:yesterday|last night)\b"), lambda _, now: (_midnight(now) - _DAY, _midnight(now))),
    (re.compile(r"\btoday\b"), lambda _, now: (_midnight(now), now)),
    (re.compile(rf"\b(?:last|this|on|past) ({'|'.join(_WEEKDAY)})\b"), _weekday),
    (
        re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_M}\b(?:,? (\d{{4}}))?"),
        lambda match, now: _day(now, match[3], _MONTH[match[2]], match[1]),
    ),
    (
        re.compile(rf"\b{_M} (\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (\d{{4}}))?"),
        lambda match, now: _day(now, match[3], _MONTH[match[1]], match[2]),
    ),
    (
        re.compile(r"\b(\d{4})[-/](\d{1,2})[-/](\d{1,2})\b"),
        lambda match, now: _day(now, match[1], int(match[2]), match[3]),
    ),
]
_MONTH_ONLY: list[tuple[re.Pattern[str], _Reader]] = [
    (
        re.compile(rf"\b{_NEAR_MONTH}[ -]{_M}\b(?:,? (?:of )?(\d{{4}}))?"),
        lambda match, now: _month(now, match[2], _MONTH[match[1]]),
    ),
    (re.compile(rf"\b{_M},? (\d{{4}})\b"), lambda match, now: _month(now, match[2], _MONTH[match[1]])),
]
_YEAR_ONLY: list[tuple[re.Pattern[str], _Reader]] = [(re.compile(r"\b(?:in|during|of|since) ((?:19|20)\d\d)\b"), _year)]
"""Months count only where no day is named, and years only where no month is."""
