"""What of a conversation is kept: the words of user and assistant, with a marker around each message."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from fabric.clock import utc
from fabric.record.forgotten import ERASED
from fabric.record.items import Item
from fabric.scope import ScopeIds
from fabric.text.prompt import strip_memory_blocks

from ..sources import Source
from .record import Transcript

MIN_CHARS = 10
"""Below so many characters nothing is kept."""
Span = Literal["full-session", "last-turn", "suffix"]
"""All of a session each time, its last turns, or what was not kept yet."""
_OF_USER = re.compile(r"^\[user\]\n(.*?)\n\[/user\]$", re.DOTALL | re.MULTILINE)
_MESSAGE = re.compile(r"^\[(?P<role>user|assistant)\]\n(?P<text>.*?)\n\[/(?P=role)\]$", re.DOTALL | re.MULTILINE)
_MARKER = re.compile(r"\[(/?(?:user|assistant))\]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the user or the assistant, without what a memory had put into it."""

    role: Literal["user", "assistant"]
    text: str
    turn: int
    at: datetime
    id: str = ""
    counts_as: datetime | None = None


def said_in_session(items: Iterable[Item]) -> list[Said]:
    """Return what user and assistant said in words, oldest first.

    Tool calls, results, parts that are no text, forgotten messages, blocks of memories, and messages without a letter
    or a digit are left out.
    """
    told: list[Said] = []
    for item in items:
        if item.kind != "message" or item.role not in ("user", "assistant") or item.text == ERASED:
            continue
        text = strip_memory_blocks(item.text).strip()
        if any(character.isalnum() for character in text):
            role: Literal["user", "assistant"] = "user" if item.role == "user" else "assistant"
            told.append(Said(role, text, item.turn, item.created_at, item.id, item.counts_as))
    return told


@dataclass(frozen=True, slots=True)
class Window:
    """Which part of a session is kept: the user's turns after ``after``, up to ``through``.

    ``every`` and ``overlap`` are how many turns one of the span "last-turn" has at least, and how many before them.
    """

    span: Span
    after: int
    through: int
    every: int = 1
    overlap: int = 0

    @property
    def first(self) -> int:
        """The number of its first turn, 0 for the beginning of the session."""
        if self.span == "full-session" or self.after == 0:
            return 0
        if self.span == "suffix":
            return self.after + 1
        return max(0, self.through - max(self.every, self.through - self.after) - self.overlap + 1)


def transcript_of(said: Sequence[Said], window: Window, ids: ScopeIds) -> Transcript | None:
    r"""Return the transcript of a part of a session with these ids, None where it is shorter than `MIN_CHARS`.

    >>> from datetime import UTC
    >>> told = [Said("user", "Use tabs here.", 1, datetime(2026, 1, 2, tzinfo=UTC))]
    >>> transcript_of(told, Window("full-session", 0, 1), ScopeIds("monday")).text
    '[user]\nUse tabs here.\n[/user]'
    """
    messages = [message for message in said if window.first <= message.turn <= window.through]
    plain = "\n\n".join(message.text for message in messages)
    if len(plain) < MIN_CHARS:
        return None
    return Transcript(
        text=marked((message.role, message.text) for message in messages),
        user_text="\n\n".join(message.text for message in messages if message.role == "user"),
        plain=plain,
        document=_document(document_name(ids), window, messages[-1].at),
        turns=window.through,
        sources=tuple(_source(message, ids) for message in messages if message.role == "user"),
    )


def marked(messages: Iterable[tuple[str, str]]) -> str:
    """Return messages, by role and text, as the text of a transcript."""
    return "\n\n".join(f"[{role}]\n{_unmarked(text)}\n[/{role}]" for role, text in messages)


def turns_in(text: str) -> list[list[tuple[str, str]]]:
    r"""Return the messages of a transcript, by role and text: those before the user's first, then turn by turn.

    >>> turns_in("[user]\nUse tabs.\n[/user]\n\n[assistant]\nI will.\n[/assistant]")
    [[], [('user', 'Use tabs.'), ('assistant', 'I will.')]]
    """
    turns: list[list[tuple[str, str]]] = [[]]
    for found in _MESSAGE.finditer(text):
        turns += [[]] if found["role"] == "user" else []
        turns[-1].append((found["role"], found["text"]))
    return turns


def _source(message: Said, ids: ScopeIds) -> Source:
    return Source(
        turn_id=message.id,
        session=ids.session,
        turn=message.turn,
        user=ids.user,
        said_at=message.at,
        counts_as=message.counts_as,
    )


def said_by_user(text: str) -> str:
    r"""Return what of a transcript the user said; "" for a text that is none.

    >>> said_by_user("[user]\nUse tabs.\n[/user]\n\n[assistant]\nI will.\n[/assistant]")
    'Use tabs.'
    """
    return "\n\n".join(_OF_USER.findall(text))


def document_name(ids: ScopeIds) -> str:
    """Return what the documents of a session are called: its id, and where it has an owner a hash that tells whose.

    >>> document_name(ScopeIds("monday"))
    'monday'
    """
    if not ids.has("user") and not ids.has("org"):
        return ids.session
    return f"{ids.session}-{hashlib.sha256(ids.scope('session').key.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def _document(session: str, window: Window, at: datetime) -> str:
    """Return what a later transcript of the same part is known by, also one that is made after a crash."""
    if window.span == "full-session":
        return session
    if window.span == "suffix":
        return f"{session}#{window.first}"
    return f"{session}-{utc(at):%Y%m%dT%H%M%S%fZ}"


def _unmarked(text: str) -> str:
    """Return a message that cannot end itself and begin another."""
    return _MARKER.sub(r"(\1)", text)
