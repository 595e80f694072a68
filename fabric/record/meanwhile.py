"""Forgotten meanwhile: what a run under way holds of rows that go is blanked before it is stored or sent to a model."""

import threading
from collections import defaultdict
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar
from weakref import WeakSet

from ..models.base import Message
from ..narrowing import is_list_or_tuple
from ..scope import Scope, ScopeIds
from ..text.json_text import redacted
from ..text.prompt import strip_data_blocks
from .forgotten import ERASED
from .items import Draft, Item

T = TypeVar("T")
OWN = ("session", "user")
"""Whose conversation a run's own is."""
_DRAWN: ContextVar[set[str] | None] = ContextVar("drawn", default=None)


class Told(Protocol):
    """How what went is recognised."""

    def names(self, ids: Collection[str], value: Any, /) -> bool:
        """Return whether a JSON value, made of the rows with these ids, tells of what went: by an id or a text."""
        ...

    def repeats(self, value: Any, /) -> bool:
        """Return whether a JSON value tells of it word for word, or by an id; stock phrases of an answer do not."""
        ...

    def cut(self, text: str, /) -> str:
        """Return a text without what went, word for word."""
        ...


@dataclass(frozen=True, slots=True)
class Gone:
    """Rows of one scope that were forgotten, or with ``told`` None, everything that the scope owned."""

    by: ScopeIds
    owner: Scope
    told: Told | None = None

    def concerns(self, ids: ScopeIds) -> bool:
        """Return whether a session with these ids may have read what went."""
        if ids.has(self.owner.kind) and ids.scope(self.owner.kind) == self.owner:
            return True
        if self.told is None and self.owner.kind == "session":
            return False
        return self.by.user is not None and (ids.org, ids.user) == (self.by.org, self.by.user)


class Meanwhile:
    """What was forgotten since a run began, and which rows the results of its tools came from."""

    def __init__(self, ids: ScopeIds) -> None:
        self._ids = ids
        self._gone: tuple[Gone, ...] = ()
        self._rows: dict[str, set[str]] = defaultdict(set)

    def __bool__(self) -> bool:
        return bool(self._gone)

    def note(self, gone: Iterable[Gone]) -> bool:
        """Take note of what went; return whether it concerns this run."""
        new = tuple(forgotten for forgotten in gone if forgotten.concerns(self._ids))
        self._gone += new
        return bool(new)

    def came_from(self, call_id: str, rows: Collection[str]) -> None:
        """Take note of the rows that the result of a tool call came from."""
        if rows:
            self._rows[call_id].update(rows)

    def rows_of(self, call_id: str) -> Collection[str]:
        """Return the ids of the rows that the result of a tool call came from."""
        return self._rows.get(call_id, ())

    def is_told(self, item: Item | Draft) -> bool:
        """Return whether an item that a run recorded tells of what went; the user's own words are theirs."""
        if item.role == "user":
            return False
        value = [item.text, dict(item.data), [dict(part) for part in item.parts]]
        if item.kind == "message":
            return any(gone.told is not None and gone.told.repeats(value) for gone in self._gone)
        return self._is_told(item.kind, item.call_id, value)

    def told_among(self, items: Sequence[Item]) -> set[str]:
        """Return the ids of the items that tell of what went, each tool call with its result."""
        told = {item.id for item in items if self.is_told(item)}
        calls = {(item.turn, item.call_id) for item in items if item.id in told and item.call_id}
        return told | {item.id for item in items if (item.turn, item.call_id) in calls}

    def value(self, value: Any) -> Any:
        """Return a JSON value, such as the input of a job, without the texts that went."""
        return redacted(value, self._cut) if self._gone else value

    def messages(self, messages: Sequence[Message]) -> Sequence[Message]:
        """Return the messages of a request as they may still be sent."""
        if not self._gone:
            return messages
        blank = {
            str(message.get("tool_call_id"))
            for message in messages
            if message.get("role") == "tool"
            and self._is_told("tool_result", str(message.get("tool_call_id")), message.get("content"))
        }
        kept = [self._message(message, blank) for message in messages]
        if any(gone.told is None and gone.owner.kind in OWN for gone in self._gone):
            return _without_memory(kept)
        return kept

    def _message(self, message: Message, blank: Collection[str]) -> Message:
        if message.get("role") == "tool" and message.get("tool_call_id") in blank:
            return {**message, "content": ERASED}
        kept: dict[str, Any] = {**message, "content": redacted(message.get("content"), self._cut)}
        if message.get("tool_calls"):
            kept["tool_calls"] = [_without_arguments(call, blank) for call in message["tool_calls"]]
        return kept

    def _is_told(self, kind: str, call_id: str, value: Any) -> bool:
        rows = self.rows_of(call_id) if call_id else ()
        is_result = kind == "tool_result"
        return any(is_result if gone.told is None else gone.told.names(rows, value) for gone in self._gone)

    def _cut(self, text: str) -> str:
        for gone in self._gone:
            text = text if gone.told is None else gone.told.cut(text)
        return text


def _without_memory(messages: Sequence[Message]) -> list[Message]:
    """Return messages without what a memory put into instructions, and without earlier turns."""
    last = max((at for at, message in enumerate(messages) if message.get("role") == "user"), default=0)
    kept: list[Message] = []
    for at, message in enumerate(messages):
        content = message.get("content")
        if message.get("role") == "system":
            content = redacted(content, strip_data_blocks)
        elif at < last and content is not None:
            content = ERASED
        kept.append({**message, "content": content})
    return kept


def _without_arguments(call: Mapping[str, Any], blank: Collection[str]) -> Mapping[str, Any]:
    return {**call, "function": {**call["function"], "arguments": "{}"}} if call.get("id") in blank else call


class Concerned(Protocol):
    """A run under way, as far as it is told of what was forgotten."""

    @property
    def includes(self) -> Collection[str]:
        """Its id, and those of the runs that became part of it."""
        ...

    def forget(self, gone: Sequence[Gone]) -> None:
        """Blank what the run holds of it."""
        ...


class UnderWay:
    """The runs of one open file that have not ended. From any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: WeakSet[Any] = WeakSet()

    def begin(self, run: Concerned) -> None:
        """Take note of a run that began."""
        with self._lock:
            self._runs.add(run)

    def end(self, run: Concerned) -> None:
        """Take note that a run has ended."""
        with self._lock:
            self._runs.discard(run)

    def has(self, run_id: str) -> bool:
        """Return whether one of them is the run with this id, or includes it."""
        return any(run_id in run.includes for run in self._all())

    def forget(self, gone: Sequence[Gone]) -> None:
        """Tell all of them what was forgotten."""
        for run in self._all() if gone else ():
            run.forget(gone)

    def _all(self) -> "list[Concerned]":
        with self._lock:
            return list(self._runs)


@contextmanager
def drawing() -> Generator[set[str]]:
    """Give the ids of the rows that are read in this context for somebody to see, as they are read."""
    drawn: set[str] = set()
    token = _DRAWN.set(drawn)
    try:
        yield drawn
    finally:
        _DRAWN.reset(token)


def drawn(rows: T) -> T:
    """Take note that these rows, or the only one, are handed out; they are returned as they are."""
    noted = _DRAWN.get()
    if noted is not None and rows is not None:
        each: Iterable[Any] = rows if is_list_or_tuple(rows) else [rows]
        noted.update(row.id for row in each)
    return rows
