"""Transcripts: messages as chat APIs have them, cut into turns, and only what a session does not hold yet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from blocks.capture.exchange import turn_of
from blocks.capture.keep import keep_answers_block
from capabilities.memory.layout import MemoryLayout
from capabilities.turns import Turn
from capabilities.vocabulary import Tag
from fabric.errors import SchemaError
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.sequencer import sequencer
from fabric.narrowing import is_iterable, is_list_or_tuple, is_mapping, is_set, is_tuple
from fabric.record.forgotten import ERASED
from fabric.record.items import content_text, drafts_from_message
from fabric.record.log import opens_turn
from fabric.record.tool_parts import is_unsaid, tool_part
from fabric.sessions.session import RunResult
from fabric.store.secrecy import Secrets
from fabric.text.terms import LONG_CHARS, prepare_terms
from fabric.threads.portal import elsewhere
from fabric.validation import shown, wrong

from .chat import RecordedTurn, is_users, tagged, turns_of
from .plain_messages import plain
from .repeated import is_new, repeated_count

Message = Mapping[str, Any]
_TAGS = TypeAdapter(list[Tag])
MAX_MESSAGE_CHARS = 2_000_000
"""How long one captured message may be: some 300,000 words."""


class Answers(BaseModel):
    """What was said after a user's message that the session holds: messages without one, and the turn's number."""

    model_config = ConfigDict(frozen=True)

    messages: list[dict[str, Any]]
    turn: int
    tags: list[Tag] = []
    may_be_held: bool = False
    """Whether the session may hold some of them: their turn was known by its name, whatever followed it."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """What is new in a list of messages: what answers a turn that is held, the turns, how many were known."""

    answers: Answers
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
        if not value.strip():
            raise SchemaError("capture: the text is blank; expected what was said; nothing was captured")
        value = {"role": "user", "content": value}
    value = plain(value)
    if not is_iterable(value) or isinstance(value, bytes):
        raise SchemaError(f"capture: got {value!r}; expected a text, a message, or a list of messages")
    messages: list[Any] = [value] if is_mapping(value) else [plain(message) for message in value]
    for number, message in enumerate(messages, 1):
        reason = _wrong(message)
        if reason:
            raise SchemaError(f"capture: message {number} of {len(messages)}: {reason}; nothing was captured")
    messages = [
        message for message in messages if message.get("role") is not None or not is_unsaid(message)
    ]  # a model's reasoning is no message
    asked = [message for message in messages if is_users(message)]
    if asked and len(asked) == len(messages) and not any(_says(message.get("content")) for message in asked):
        raise SchemaError("capture: the message is blank; expected what was said; nothing was captured")
    return Given([dict(message) for message in messages], alone=isinstance(value, Mapping), tags=filed)


def _checked(tags: Any) -> list[str]:
    try:
        return _TAGS.validate_python(list(tags) if is_tuple(tags) or is_set(tags) else tags)
    except ValidationError as error:
        raise SchemaError(f"capture: tags are {shown(tags)}: {wrong(error)}; expected a list of texts") from error


def _says(content: Any) -> bool:
    text, parts = content_text(content)
    return bool(text.strip() or parts)


def _wrong(message: Any) -> str:
    """Return why something is no message to capture, "" when it is one."""
    if not is_mapping(message):
        return f'{message!r} is no message, which is {{"role": "user" or "assistant", "content": ...}}'
    if "said_at" in message:
        return "capture keeps what is said now, without said_at; import_turns takes it"
    if "tags" in message:
        return "a message has no tags of its own here: capture(messages, tags=[...]) files all of them"
    try:
        drafts_from_message(message)
    except (ValueError, TypeError, AttributeError) as error:
        return str(error)
    return _wrong_content(message.get("content")) or _too_long(message.get("content"))


def _too_long(content: Any) -> str:
    length = len(content_text(content)[0])
    if length <= MAX_MESSAGE_CHARS:
        return ""
    return (
        f"it has {length} characters; at most {MAX_MESSAGE_CHARS} are taken: capture it in several messages, "
        "or keep a long document, cut into its paragraphs, with import_turns"
    )


def _wrong_content(content: Any) -> str:
    parts = content if is_list_or_tuple(content) else [content]
    for part in parts:
        is_typed = is_mapping(part) and ("type" in part or "text" in part or tool_part(part) is not None)
        if part is None or isinstance(part, str) or is_typed:
            continue
        return f'content has {shown(part)}; expected a text, or parts such as {{"type": "text", "text": ...}}'
    return ""


async def looked_through(said: Given, secrets: Secrets) -> Given:
    """Return the same, once a thread has read what is long: on the loop, or the store's thread, others would wait."""
    texts = [content_text(message.get("content"))[0] for message in said.messages]
    if long := [text for text in texts if len(text) >= LONG_CHARS]:
        await elsewhere(lambda: prepare_terms(secrets.redact(text) for text in long))
    return said


def unseen_block(name: str) -> Block[Any, Transcript]:
    """Return the block that takes messages and returns what of them the session does not hold yet.

    A chat's whole history is often sent again with each turn: the longest beginning that the session holds is left
    out, also where a message of it was edited or answered anew: what differs is kept beside what was. A message that
    was forgotten is known when it is sent again, and stays forgotten. What is compared is what was said: system prompts
    change from call to call, and calls of tools are reported in parts. A user's message with an ``id`` is told apart by
    it instead, when its turn runs.
    """

    @handler(name=name)
    def unseen(said: Given, ctx: Context) -> Transcript:
        messages = new = said.messages
        turn = ctx.turn
        asked = [message for message in messages if is_users(message)]  # an answer has the id that its model gave it
        named = any(message.get("id") is not None for message in asked or messages)
        if not said.alone and not named:
            held, turn = repeated_count(messages, ctx)
            new = messages[held:]
        first = next((at for at, message in enumerate(new) if is_users(message)), len(new))
        before = [message for message in new[:first] if not named or is_new(message, ctx.items, ctx)]
        known = sum(is_users(message) for message in messages[: len(messages) - len(new)])
        turns = [turn.model_copy(update={"tags": said.tags}) for turn in turns_of(list(new[first:]))]
        return Transcript(Answers(messages=before, turn=turn, tags=list(said.tags)), turns, known)

    return unseen


def answers_block(layout: MemoryLayout) -> Block[Answers, Any]:
    """Return the block that adds `Answers` to the session and keeps the last of them with text as the turn's answer.

    As with a captured turn, what is said is recorded at once and its row is written behind it, once. What answers a
    message that was forgotten is not taken in.
    """

    @handler(name=f"{layout.name}/add-answers", input_schema=Answers)
    def add(answers: Answers, ctx: Context) -> list[Turn]:
        if any(item.turn == answers.turn and opens_turn(item) and item.text == ERASED for item in ctx.items):
            return []
        since = [item for item in ctx.items if item.turn >= answers.turn] if answers.may_be_held else []
        new = [message for message in answers.messages if is_new(message, since, ctx)]
        items = ctx.record(*tagged((draft for message in new for draft in drafts_from_message(message)), answers.tags))
        turns = [turn_of(item, ctx) for item in items if item.role == "assistant" and item.kind == "message"]
        return [turn.model_copy(update={"turn": answers.turn}) for turn in turns if turn.text.strip()][-1:]

    later = sequencer(name=f"{layout.name}/answers-later").work(keep_answers_block(layout))
    return sequencer(name=f"{layout.name}/answers").then(add).then_if(bool, later)


def late_answers(new: Transcript, done: Sequence[RunResult[Any]]) -> list[Answers]:
    """Return what follows the users' messages that were known by their ids: it may have come later than they did."""
    return [
        Answers(messages=turn.messages[1:], turn=result.turn, tags=list(new.answers.tags), may_be_held=True)
        for turn, result in zip(new.turns, done, strict=True)
        if result.replayed and turn.messages[1:]
    ]
