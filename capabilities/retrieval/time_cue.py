"""When a question says that something happened: spans of time named in words, and how near a turn lies to them.

English expressions; dates in ISO form work in any language. A general date parser was left out: it finds dates in
ordinary words ("may", "sat"), and takes a hundred times as long.
"""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

Span = tuple[datetime, datetime]
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


def named_spans(text: str, now: datetime) -> list[Span]:
    """Return the spans of time that a question asked at ``now`` names; [] for none.

    >>> now = datetime(2024, 3, 20, 12, tzinfo=UTC)
    >>> [(start.date().isoformat(), end.date().isoformat()) for start, end in named_spans("in May 2022", now)]
    [('2022-05-01', '2022-06-01')]
    >>> [start.date().isoformat() for start, _ in named_spans("what did I buy 10 days ago?", now)]
    ['2024-03-10']
    """
    lowered = text.casefold()
    found: list[Span] = []
    for patterns in (_EXACT, _MONTH_ONLY, _YEAR_ONLY):
        for pattern, read in patterns:
            for match in pattern.finditer(lowered):
                try:
                    found.append(read(match, now))
                except (ValueError, OverflowError):  # a day that no month has, a year before the first
                    continue
        if found:
            break
    return sorted(set(found))


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
