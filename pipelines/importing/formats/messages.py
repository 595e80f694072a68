"""Plain chat logs: lists of OpenAI-style messages, alone or one conversation a record, also as fine-tuning data."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, cast

from fabric.errors import ScopeError
from fabric.narrowing import is_dict, is_list
from fabric.record.items import drafts_from_message, words_of
from fabric.scope import ScopeIds
from pipelines.chat import turn_name

from ..elements import Piece
from ..problems import Problem, kind_of
from ..records import MAX_TEXT_CHARS, Entry, Said, Told, digest, mapping, moment, name_of, text_of

TURN_APART = timedelta(minutes=1)
"""How much later each turn of a conversation is said than the one before, where only its beginning is told."""
MESSAGE_APART = timedelta(milliseconds=1)
"""How much later each message of a turn is said than the one before."""
NAMES = ("session", "session_id", "thread_id", "conversation_id", "id")
"""The fields that may name a conversation."""
TIMES = ("created_at", "timestamp", "create_time", "said_at")


def claims(piece: Piece) -> bool:
    """Return whether a record looks like a message, or like a conversation of messages."""
    record = mapping(piece.value)
    if not {"message_type", "role_type", "mapping"}.isdisjoint(record):
        return False
    if piece.key in ("", "messages") and isinstance(record.get("role"), str):
        return not {"content", "tool_calls", "function_call"}.isdisjoint(record)
    return piece.key == "" and isinstance(record.get("messages"), list)


def is_surveyed(piece: Piece) -> bool:
    """Return whether a conversation says whose it is, or is the whole file, of which fields may follow its messages."""
    return bool(piece.key) or bool(mapping(piece.value).get("user_id"))


def name_turn(message: Mapping[str, Any], texts: "Counter[str]") -> str:
    """Return the name that a turn always gets: of its message's id, else of its text and how often it came before."""
    named = turn_name(message)
    if named is not None:
        return named
    text = digest(message.get("content"))
    texts[text] += 1
    return f"text-{text}-{texts[text]}"


@dataclass(slots=True)
class Conversation:
    """One conversation while its messages are read: which turn it is at, and what stands before the first one.

    The id of a message is made of the session, its turn and its role, so that it is the same whenever it is read.
    """

    session: str
    started_at: datetime | None = None
    owner: str = ""
    turn: int = -1
    name: str = ""
    said_at: datetime | None = None
    texts: "Counter[str]" = field(default_factory=Counter[str])
    roles: "Counter[str]" = field(default_factory=Counter[str])
    waiting: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list[tuple[str, Mapping[str, Any]]])
    ids: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    """What the ids that users' messages have of their own stand for, in all sessions of the file."""

    def add(self, where: str, message: object) -> Iterator[Entry]:
        """Yield what a message holds; those before the first of the user wait for it."""
        if not is_dict(message):
            yield Problem(where, f"expected a message, got {kind_of(message)}")
            return
        try:
            drafts_from_message(message)
            opens = message.get("role") == "user"
            if opens:
                self._check_id(message)
        except (ValueError, TypeError) as error:
            yield Problem(where, str(error))
            return
        if opens:
            self._open(message)
        self.waiting.append((where, message))
        if self.turn >= 0:
            yield from self._told()

    def end(self, where: str) -> Iterator[Entry]:
        """Yield a problem where no user ever spoke."""
        if self.waiting:
            yield Problem(where, "no user message in it, so there is no turn")

    def _check_id(self, message: Mapping[str, Any]) -> None:
        name = message.get("id")
        content = digest(message.get("content"))
        if name is not None and self.ids.setdefault((self.session, str(name)), content) != content:
            raise ValueError(f"id {name!r} names two different messages; the second was left out")

    def _open(self, message: Mapping[str, Any]) -> None:
        self.turn += 1
        self.name = name_turn(message, self.texts)
        self.roles.clear()
        if self.started_at is not None:
            self.said_at = self.started_at + self.turn * TURN_APART

    def _told(self) -> Iterator[Entry]:
        for where, message in self.waiting:
            try:
                yield self._said(where, message)
            except ValueError as error:
                yield Problem(where, str(error))
        self.waiting.clear()

    def _said(self, where: str, message: Mapping[str, Any]) -> Said:
        draft, *_ = drafts_from_message(message)
        is_kept = draft.kind == "message" and draft.role in ("user", "assistant") and bool(words_of(draft).strip())
        number = self.roles[draft.role]
        self.roles[draft.role] += is_kept
        return Said(
            where=where,
            session=self.session,
            id=f"imported_{digest(self.session, f'{self.name} {draft.role} {number}')}" if is_kept else "",
            role=draft.role,
            text=text_of(words_of(draft), "the message", MAX_TEXT_CHARS) if is_kept else "",
            said_at=self._time(message),
            speaker=name_of(draft.name) if is_kept else "",
            owner=self.owner,
            turn=self.name,
            message=message,
        )

    def _time(self, message: Mapping[str, Any]) -> datetime | None:
        """Return when a message was said: by itself, else right after the one before it."""
        at = next((at for name in TIMES if (at := moment(message.get(name))) is not None), self.said_at)
        self.said_at = None if at is None else at + MESSAGE_APART
        return at


class Conversations:
    """Reads files of conversations of some shape, and files that are one conversation, message by message."""

    alone: tuple[str, ...] = ("messages",)
    """The fields that hold messages, of a file that is one conversation."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._fields: dict[str, Any] = {}
        self._alone: Conversation | None = None
        self._ids: dict[tuple[str, str], str] = {}
        self._nameless: Counter[str] = Counter()

    def stands_alone(self, piece: Piece) -> bool:
        """Return whether it is a message, not a conversation."""
        record = mapping(piece.value)
        return piece.key in self.alone or ("role" in record and "messages" not in record)

    def listed(self, record: Any) -> list[Any]:
        """Return the messages of a conversation; ValueError where there are none."""
        if not is_dict(record):
            raise ValueError(f'expected an object with "messages", got {kind_of(record)}')
        messages = record.get("messages")
        if not is_list(messages):
            raise ValueError(f'"messages" must be a list, got {kind_of(messages)}')
        return messages

    def message(self, value: Any) -> Any:
        """Return a message as OpenAI spells it; ValueError where it cannot be one."""
        return value

    def survey(self, piece: Piece) -> None:
        """Note the fields of a file that is one conversation, which may stand behind its messages."""
        if piece.is_field and piece.key not in self.alone:
            self._fields[piece.key] = piece.value

    def read(self, piece: Piece) -> Iterator[Entry]:
        """Yield the messages of a conversation, or a message that stands alone."""
        if piece.key and piece.key not in self.alone:
            self._fields[piece.key] = piece.value
        elif self.stands_alone(piece):
            try:
                self._alone = self._alone or self._begun(self._fields, self._told.name)
            except ValueError as error:
                yield Problem(piece.where, str(error))
                return
            yield from self._added(self._alone, piece.where, piece.value)
        else:
            yield from self._conversation(piece.where, piece.value)

    def end(self) -> Iterator[Entry]:
        """Yield what is wrong with the messages that stood alone."""
        if self._alone is not None:
            yield from self._alone.end("the file")
        elif self._fields:
            missing = kind_of(self._fields.get(self.alone[0]))
            yield Problem("the file", f'"{self.alone[0]}" must be a list, got {missing}')

    def _conversation(self, where: str, record: Any) -> Iterator[Entry]:
        try:
            messages = self.listed(record)
            begun = self._begun(mapping(record), "")
            begun.session = begun.session or self._name(messages)
        except ValueError as error:
            yield Problem(where, str(error))
            return
        for number, message in enumerate(messages, 1):
            yield from self._added(begun, f"{where}, message {number}", message)
        yield from begun.end(where)

    def _added(self, begun: Conversation, where: str, value: Any) -> Iterator[Entry]:
        try:
            message = self.message(value)
        except ValueError as error:
            yield Problem(where, str(error))
            return
        yield from begun.add(where, message)

    def _name(self, messages: list[Any]) -> str:
        """Return a name for one of several nameless conversations: of how it begins, so that it may grow."""
        first = digest(next((message for message in messages if mapping(message).get("role", "") != "system"), None))[
            :8
        ]
        self._nameless[first] += 1
        number = self._nameless[first]
        return f"{self._told.name}-{first}" if number == 1 else f"{self._told.name}-{first}-{number}"

    def _begun(self, record: Mapping[str, Any], nameless: str) -> Conversation:
        given = [record.get(name) for name in NAMES]
        name = next((name for name in given if name is not None), None)
        return Conversation(
            session=nameless if name is None else session_name(name),
            started_at=moment(record.get("started_at", record.get("created_at"))),
            owner=name_of(record.get("user_id")),
            ids=self._ids,
        )


Messages = Conversations


def session_name(name: object) -> str:
    """Return a name that a session can have; ValueError where it cannot."""
    try:
        ScopeIds(session=cast("str", name))
    except ScopeError as error:
        raise ValueError(str(error)) from error
    return str(name)
