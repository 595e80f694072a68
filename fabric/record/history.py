"""History: which of a session's earlier turns a model is shown, and how items become messages again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError
from ..lazy import lazy
from ..models.base import Message
from .items import Item

if TYPE_CHECKING:
    from ..text import words
else:
    words = lazy("..text.words", __package__)


@dataclass(frozen=True, slots=True)
class History:
    """At most so many turns, and whole turns from the end within so many tokens; None sets no limit.

    A turn is one user message and all that followed it. At least one turn is always shown, however long.
    """

    turns: int | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("turns", self.turns), ("tokens", self.tokens)):
            if value is not None and (isinstance(value, bool) or value < 1):
                raise ConfigurationError(f"history {name}={value!r}: give a number of at least 1, or leave it out")


def history_of(option: "bool | int | History") -> History | None:
    """Return the limits that a ``history=`` argument means: True is everything, a number counts turns."""
    if isinstance(option, History):
        return option
    if isinstance(option, bool):
        return History() if option else None
    return History(turns=option)


def history_messages(items: Sequence[Item], limits: History) -> list[Message]:
    """Return the messages of the last turns of ``items``, oldest first.

    A tool call stands with its result or not at all, and the result directly after it. Outcomes, errors, system
    messages and messages without content are left out.
    """
    spoken = [item for item in items if item.kind not in ("outcome", "error") and item.role != "system"]
    placed = _Conversation(_answers(spoken)).messages(spoken)
    turns = [[message for _, message in group] for _, group in groupby(placed, key=lambda pair: pair[0])]
    return [message for turn in _last(turns, limits) for message in turn]


def message_tokens(message: Message) -> int:
    """Return the estimated tokens of a message: its text and the arguments of its tool calls."""
    texts = [str(message.get("content") or "")]
    for call in message.get("tool_calls") or ():
        function: Mapping[str, Any] = call.get("function") or {}
        texts += [str(function.get("name") or ""), str(function.get("arguments") or "")]
    return sum(words.estimate_tokens(text) for text in texts)


def _last(turns: Sequence[list[Message]], limits: History) -> Sequence[list[Message]]:
    newest = turns[-limits.turns :] if limits.turns is not None else turns
    if limits.tokens is None:
        return newest
    room = limits.tokens
    for count, turn in enumerate(reversed(newest)):
        room -= sum(message_tokens(message) for message in turn)
        if room < 0:
            return newest[-max(1, count) :]
    return newest


def _answers(items: Sequence[Item]) -> Mapping[int, Item]:
    """Return the result of each answered call by the call's place; ids may come again, the nearest call counts."""
    open_calls: dict[str, list[int]] = {}
    answers: dict[int, Item] = {}
    for place, item in enumerate(items):
        if not item.call_id:
            continue
        if item.kind == "tool_call":
            open_calls.setdefault(item.call_id, []).append(place)
        elif item.kind == "tool_result" and open_calls.get(item.call_id):
            answers[open_calls[item.call_id].pop()] = item
    return answers


class _Conversation:
    """Items on their way to messages: calls made in one breath become one message."""

    def __init__(self, answers: Mapping[int, Item]) -> None:
        self.answers = answers
        self.placed: list[tuple[int, Message]] = []
        self.calls: list[tuple[Item, Item]] = []
        self.said: Item | None = None

    def messages(self, items: Sequence[Item]) -> list[tuple[int, Message]]:
        """Return the messages, each with its turn."""
        for place, item in enumerate(items):
            if item.kind == "tool_call":
                if self.calls and self.calls[0][0].turn != item.turn:
                    self._flush()
                if place in self.answers:
                    self.calls.append((item, self.answers[place]))
                continue
            self._flush()
            if item.kind == "message":
                self._say(item)
        self._flush()
        return self.placed

    def _say(self, item: Item) -> None:
        content = _content(item)
        if content:
            self.placed.append((item.turn, {"role": item.role, "content": content}))
            self.said = item if item.role == "assistant" else None

    def _flush(self) -> None:
        if self.calls:
            turn = self.calls[0][0].turn
            content = None
            if self.said is not None and self.said.turn == turn:
                content = self.placed.pop()[1]["content"]
            calls = [_call(call) for call, _ in self.calls]
            self.placed.append((turn, {"role": "assistant", "content": content, "tool_calls": calls}))
            self.placed.extend((turn, _result(call, answer)) for call, answer in self.calls)
            self.calls = []
        self.said = None


def _content(item: Item) -> str:
    notes = [f"[{part.get('note') or part.get('type') or 'part, not text'}]" for part in item.parts]
    return "\n".join(filter(None, (item.text if item.text.strip() else "", *notes)))


def _call(item: Item) -> dict[str, Any]:
    return {"id": item.call_id, "type": "function", "function": {"name": item.name, "arguments": item.text or "{}"}}


def _result(call: Item, answer: Item) -> Message:
    return {"role": "tool", "tool_call_id": call.call_id, "content": _content(answer)}
