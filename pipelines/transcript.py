"""Transcripts: messages as chat APIs have them, cut into turns, and only what a session does not hold yet."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fabric.block import Block
from fabric.context import Context
from fabric.errors import SchemaError
from fabric.handler import handler
from fabric.items import Draft, drafts_from_message

from .chat import RecordedTurn
from .conversations import turns_of

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Transcript:
    """What is new in a list of messages: those that belong to the turn before, and the turns."""

    answers: Sequence[dict[str, Any]]
    turns: Sequence[RecordedTurn]


def messages_of(given: "str | Message | Iterable[Message]") -> list[dict[str, Any]]:
    """Return what was given as messages: a text is one of the user's. SchemaError names the message that is none.

    >>> messages_of("hello")
    [{'role': 'user', 'content': 'hello'}]
    """
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    messages: list[Any] = [given] if isinstance(given, Mapping) else list(given)
    for number, message in enumerate(messages, 1):
        try:
            drafts_from_message(message)
        except (ValueError, TypeError, AttributeError) as error:
            raise SchemaError(
                f"capture: message {number} of {len(messages)}: {error}; nothing was captured. "
                'A message is {"role": "user" or "assistant", "content": ...}'
            ) from error
    return [dict(message) for message in messages]


def unseen_block(name: str) -> Block[Any, Transcript]:
    """Return the block that takes messages and returns what of them the session does not hold yet.

    A chat's whole history is often sent again with each turn: the longest beginning that repeats the end of the
    session is left out. A user's message with an ``id`` is told apart by it instead, when its turn runs.
    """

    @handler(name=name)
    def unseen(messages: Sequence[dict[str, Any]], ctx: Context) -> Transcript:
        new = messages
        if all(one.get("id") is None for one in messages):
            held = [(item.role, item.text) for item in ctx.items if item.kind == "message"]
            given = [_said(message, ctx) for message in messages]
            most = min(len(held), len(given))
            new = messages[next((n for n in range(most, 0, -1) if held[-n:] == given[:n]), 0) :]
        first = next((at for at, one in enumerate(new) if one["role"] == "user"), len(new))
        return Transcript(new[:first], list(turns_of(list(new[first:]))))

    return unseen


def answers_block(name: str) -> Block[Any, None]:
    """Return the block that adds messages to the session's last turn."""

    @handler(name=name)
    def add(messages: Sequence[dict[str, Any]], ctx: Context) -> None:
        ctx.record(*(draft for message in messages for draft in drafts_from_message(message)))

    return add


def _said(message: Message, ctx: Context) -> tuple[str, str]:
    draft: Draft = drafts_from_message(message)[0]
    return draft.role, ctx.redact(draft.text)
