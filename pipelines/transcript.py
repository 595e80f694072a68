"""Transcripts: messages as chat APIs have them, cut into turns, and only what a session does not hold yet."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from capabilities.vocabulary import Tag
from fabric.block import Block
from fabric.context import Context
from fabric.errors import SchemaError
from fabric.handler import handler
from fabric.items import Draft, Item, drafts_from_message
from fabric.validation import shown, wrong

from .chat import RecordedTurn
from .conversations import turns_of

Message = Mapping[str, Any]
_TAGS = TypeAdapter(list[Tag])


@dataclass(frozen=True, slots=True)
class Transcript:
    """What is new in a list of messages: those that belong to the turn before, the turns, how many were known."""

    answers: Sequence[dict[str, Any]]
    turns: Sequence[RecordedTurn]
    known: int = 0


@dataclass(frozen=True, slots=True)
class Given:
    """Messages as somebody gave them; ``alone`` when it was one, not a list that may repeat a history."""

    messages: Sequence[dict[str, Any]]
    alone: bool
    tags: Sequence[str] = ()
    """What all of them are filed under."""


def given(value: Any, tags: Any = ()) -> Given:
    """Return what was given as messages: a text is one of the user's. SchemaError names the message that is none.

    >>> given("hello", tags=["Trip to Rome"])
    Given(messages=[{'role': 'user', 'content': 'hello'}], alone=True, tags=['trip-to-rome'])
    """
    filed = _checked(tags)
    if isinstance(value, str):
        return Given([{"role": "user", "content": value}], alone=True, tags=filed)
    if not isinstance(value, Iterable) or isinstance(value, bytes):
        raise SchemaError(f"capture: got {value!r}; expected a text, a message, or a list of messages")
    messages: list[Any] = [value] if isinstance(value, Mapping) else list(value)
    for number, message in enumerate(messages, 1):
        reason = _wrong(message)
        if reason:
            raise SchemaError(f"capture: message {number} of {len(messages)}: {reason}; nothing was captured")
    return Given([dict(message) for message in messages], alone=isinstance(value, Mapping), tags=filed)


def _checked(tags: Any) -> list[str]:
    try:
        return _TAGS.validate_python(list(tags) if isinstance(tags, tuple | set | frozenset) else tags)
    except ValidationError as error:
        raise SchemaError(f"capture: tags are {shown(tags)}: {wrong(error)}; expected a list of texts") from error


def _wrong(message: Any) -> str:
    """Return why something is no message to capture, "" when it is one."""
    if not isinstance(message, Mapping):
        return f'{message!r} is no message, which is {{"role": "user" or "assistant", "content": ...}}'
    if "said_at" in message:
        return "capture keeps what is said now, without said_at; import_turns takes it"
    if "tags" in message:
        return "a message has no tags of its own here: capture(messages, tags=[...]) files all of them"
    try:
        drafts_from_message(message)
    except (ValueError, TypeError, AttributeError) as error:
        return str(error)
    return ""


def unseen_block(name: str) -> Block[Any, Transcript]:
    """Return the block that takes messages and returns what of them the session does not hold yet.

    A chat's whole history is often sent again with each turn: the longest beginning that repeats the end of the
    session is left out. What is compared is what was said: system prompts change from call to call, and calls of tools
    are reported in parts. A user's message with an ``id`` is told apart by it instead, when its turn runs.
    """

    @handler(name=name)
    def unseen(said: Given, ctx: Context) -> Transcript:
        messages = new = said.messages
        if not said.alone and all(one.get("id") is None for one in messages):
            new = messages[_held(messages, ctx) :]
        first = next((at for at, one in enumerate(new) if one["role"] == "user"), len(new))
        known = sum(one["role"] == "user" for one in messages[: len(messages) - len(new)])
        turns = [turn.model_copy(update={"tags": said.tags}) for turn in turns_of(list(new[first:]))]
        return Transcript(new[:first], turns, known)

    return unseen


def answers_block(name: str) -> Block[Any, None]:
    """Return the block that adds messages to the session's last turn."""

    @handler(name=name)
    def add(messages: Sequence[dict[str, Any]], ctx: Context) -> None:
        ctx.record(*(draft for message in messages for draft in drafts_from_message(message)))

    return add


def _held(messages: Sequence[Message], ctx: Context) -> int:
    """Return how many of the messages, from the first, the session holds."""
    held = [item for item in ctx.items if _is_said(item)]
    drafts = [drafts_from_message(message) for message in messages]
    asked = [(at, one.role, ctx.redact(one.text)) for at, (one, *_) in enumerate(drafts) if _is_said(one)]
    whole = [item for item in held if not any(part.get("type") == "interrupted" for part in item.parts)]
    repeated = max(
        _overlap([(one.role, one.text) for one in known], [said[1:] for said in asked]) for known in (held, whole)
    )
    if not repeated:
        return 0
    start = asked[repeated - 1][0] + 1
    last = held[-1].seq
    calls = {(item.kind, item.call_id) for item in ctx.items if item.seq > last}
    while start < len(drafts) and all((one.kind, one.call_id) in calls for one in drafts[start]):
        start += 1
    return start


def _overlap(held: Sequence[Any], asked: Sequence[Any]) -> int:
    """Return the length of the longest beginning of one sequence that ends the other."""
    return next((n for n in range(min(len(held), len(asked)), 0, -1) if held[-n:] == asked[:n]), 0)


def _is_said(one: Item | Draft) -> bool:
    """Return whether the user or the assistant said something; an answer without words is only calls of tools."""
    return one.kind == "message" and (one.role == "user" or (one.role == "assistant" and bool(one.text)))
