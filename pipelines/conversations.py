"""Conversation files: what is read from them, and one line for everything in them that cannot be."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import MAXYEAR, MINYEAR, datetime
from pathlib import Path
from typing import Any, cast

from fabric.errors import ScopeError
from fabric.items import drafts_from_message
from fabric.scope import ScopeIds

from .chat import RecordedTurn
from .problems import Problem, kind_of, parsed


@dataclass(frozen=True, slots=True)
class Conversation:
    """One recorded session. ``started_at`` is None where the file does not tell."""

    session: str
    turns: list[RecordedTurn]
    started_at: datetime | None = None


@dataclass(slots=True)
class ConversationFile:
    """What a file holds, and what in it could not be read."""

    conversations: list[Conversation] = field(default_factory=list[Conversation])
    problems: list[Problem] = field(default_factory=list[Problem])

    @property
    def turns(self) -> int:
        """The number of user messages."""
        return sum(len(one.turns) for one in self.conversations)


def read_conversations(path: Path, session: str = "") -> ConversationFile:
    """Read a conversation file; malformed records become problems and the others are read.

    A file is JSON lines of ``{"session", "started_at", "messages"}``, one such object, a list of them, or a list of
    OpenAI-style messages. ``session`` names the conversations that have no name, in place of the file's name. Raises
    OSError when the file cannot be read.
    """
    return parse_conversations(path.read_bytes(), session or path.stem)


def parse_conversations(data: bytes, session: str) -> ConversationFile:
    r"""Do the same for the file's bytes.

    >>> found = parse_conversations(b'{"messages": [{"role": "user", "content": "hi"}]}\nnonsense', "today")
    >>> found.turns, [str(problem) for problem in found.problems]
    (1, ['line 2: not JSON: Expecting value at column 1'])
    """
    found = ConversationFile()
    for where, record in _records(data, found.problems):
        try:
            found.conversations.extend(_conversation(record, where, session, found.problems))
        except ValueError as error:
            found.problems.append(Problem(where, str(error)))
    _refuse_reused_ids(found)
    return found


def _records(data: bytes, problems: list[Problem]) -> Iterator[tuple[str, Any]]:
    whole = _document(data)
    if isinstance(whole, list):
        if whole and all(isinstance(one, dict) and "role" in one and "messages" not in one for one in whole):
            yield "the file", {"messages": whole}
            return
        yield from ((f"record {number}", one) for number, one in enumerate(whole, 1))
        return
    if isinstance(whole, dict):
        yield "the file", whole
        return
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.strip():
            try:
                yield f"line {number}", parsed(line)
            except ValueError as error:
                problems.append(Problem(f"line {number}", str(error)))


def _document(data: bytes) -> Any:
    """Return the file as one JSON value, or None when it must be read by lines."""
    try:
        return parsed(data.removeprefix(b"\xef\xbb\xbf"))
    except ValueError:
        return None


def _conversation(record: Any, where: str, session: str, problems: list[Problem]) -> Iterator[Conversation]:
    if not isinstance(record, dict):
        raise ValueError(f'expected an object with "messages", got {kind_of(record)}')  # noqa: TRY004  a problem to list
    name = record.get("session", session)
    messages = record.get("messages")
    if not isinstance(messages, list):
        raise ValueError(f'"messages" must be a list, got {kind_of(messages)}')  # noqa: TRY004
    try:
        ScopeIds(session=cast("str", name))
    except ScopeError as error:
        raise ValueError(str(error)) from error
    started_at = _moment(record.get("started_at"))
    good = list(_messages(messages, where, problems))
    turns = list(turns_of(good))
    if turns:
        yield Conversation(str(name), turns, started_at)
    elif good:
        problems.append(Problem(where, "no user message in it, so there is no turn"))


def _moment(value: Any) -> datetime | None:
    if value is None:
        return None
    wrong = f'"started_at" must be a date and time as 2026-03-02T09:00:00+00:00, got {value!r}'
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise ValueError(wrong) from error
    if not MINYEAR < moment.year < MAXYEAR:  # the turns that follow, and other time zones, need room
        raise ValueError(wrong)
    return moment


def _messages(messages: list[Any], where: str, problems: list[Problem]) -> Iterator[dict[str, Any]]:
    for number, message in enumerate(messages, 1):
        place = f"{where}, message {number}"
        if not isinstance(message, dict):
            problems.append(Problem(place, f"expected an object, got {kind_of(message)}"))
            continue
        try:
            drafts_from_message(message)
        except (ValueError, TypeError) as error:
            problems.append(Problem(place, str(error)))
            continue
        yield message


def turns_of(messages: list[dict[str, Any]]) -> Iterator[RecordedTurn]:
    """Yield one turn per user message; what stands before the first belongs to it."""
    starts = [index for index, message in enumerate(messages) if message["role"] == "user"]
    for position, start in enumerate(starts):
        end = starts[position + 1] if position + 1 < len(starts) else len(messages)
        yield RecordedTurn(messages=messages[0 if position == 0 else start : end])


def _refuse_reused_ids(found: ConversationFile) -> None:
    """Take out user messages whose id another message of the session has: they would pass for that one."""
    known: dict[tuple[str, str], Any] = {}
    for place, conversation in enumerate(found.conversations):
        kept: list[RecordedTurn] = []
        for turn in conversation.turns:
            name = turn.user.get("id")
            content = turn.user.get("content")
            if name is not None and known.setdefault((conversation.session, str(name)), content) != content:
                reason = f"id {name!r} names two different messages; the second was left out"
                found.problems.append(Problem(f"session {conversation.session!r}", reason))
                continue
            kept.append(turn)
        found.conversations[place] = Conversation(conversation.session, kept, conversation.started_at)
