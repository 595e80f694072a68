"""What the formats have in common: messages and statements out of records, and why something is not imported."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Literal, Protocol

from capabilities.vocabulary import FactCategory
from fabric.clock import utc
from fabric.narrowing import is_dict, is_list
from fabric.record.items import Draft, Role, drafts_from_message

from .elements import Piece
from .problems import Problem, kind_of

MAX_TEXT_CHARS = 200_000
"""A message longer than this is refused."""
MAX_FACT_CHARS = 20_000
"""A statement longer than this is refused."""
MAX_NAME_CHARS = 512
MAX_TAGS = 100
EARLIEST, LATEST = 1900, 2200
"""Between these years a time is taken for one."""
_LAST_SECONDS = 7_258_118_400.0
"""The last second of the last year, from which on a number is one of milliseconds."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message of a conversation, and the same ``id`` for it whenever it is read.

    ``id`` is "" where its text is not to be found by: the message of a tool, of the system, or one without words.
    ``said_at`` is when it was said and ``owner`` whose it is by the file, None and "" where the file does not tell.
    """

    where: str
    session: str
    id: str
    role: Role
    text: str
    said_at: datetime | None
    speaker: str = ""
    tags: tuple[str, ...] = ()
    owner: str = ""
    turn: str = ""
    """The name of the turn that it belongs to; "" where the id of the user's message is it."""
    message: Mapping[str, Any] | None = None
    """The message as OpenAI spells it, where there is more in it than its text."""
    is_spoken: bool = True
    """Whether somebody said it in a conversation; a document is only kept."""

    @property
    def whole(self) -> Mapping[str, Any]:
        """The message as OpenAI spells it."""
        if self.message is not None:
            return self.message
        named = {"name": self.speaker} if self.speaker else {}
        return {"role": self.role, "content": self.text, **named}

    @property
    def left_out(self) -> "Iterator[LeftOut]":
        """What of it has no text to be found by."""
        drafts = drafts_from_message(self.message) if self.message is not None else []
        for draft in drafts:
            if draft.kind != "message" or draft.role not in ("user", "assistant"):
                yield LeftOut(_kind_of_item(draft))
            elif draft.parts:
                yield LeftOut("parts of messages that are no text", len(draft.parts))
            elif not draft.text.strip():
                yield LeftOut("messages without text")


def _kind_of_item(draft: Draft) -> str:
    if draft.kind == "message":
        return f"{draft.role} messages"
    return "tool calls" if draft.kind == "tool_call" else "tool results"


@dataclass(frozen=True, slots=True)
class Origin:
    """A message of the file that a statement was drawn from: its id as a turn, and where and when it was said."""

    id: str
    session: str
    said_at: datetime | None
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Statement:
    """A memory that becomes a fact.

    ``record`` is its id in the other system. It was true from ``valid_from`` until ``valid_to``, was known from
    ``known_from``, and was given up at ``given_up``; None for what is so still. ``owner`` is that of `Said`.
    """

    where: str
    record: str
    text: str
    known_from: datetime | None = None
    is_dated: bool = False
    """Whether ``known_from`` is when this text was written, so that two texts of a record can be told apart."""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    given_up: datetime | None = None
    subject: str = "user"
    category: FactCategory = "attribute"
    kind: str = "record"
    role: Literal["user", "assistant"] = "user"
    tags: tuple[str, ...] = ()
    owner: str = ""
    origins: tuple[Origin, ...] = ()
    """The messages of the file that it rests on; where there are none, it rests on its own text."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that has no place here by its nature, and is only counted, by its reason."""

    reason: str
    count: int = 1


Entry = Said | Statement | LeftOut | Problem


@dataclass(frozen=True, slots=True)
class Told:
    """What the formats are told: the time now, and a name for conversations that have none."""

    now: datetime
    name: str


class Reader(Protocol):
    """One format. A file may be read twice; what `survey` notes the first time is there the second time."""

    def survey(self, piece: Piece) -> None:
        """Note what other records of the file are read by."""
        ...

    def read(self, piece: Piece) -> Iterator[Entry]:
        """Yield what a record holds."""
        ...

    def end(self) -> Iterator[Entry]:
        """Yield what is left once the file is over."""
        ...


@dataclass(slots=True)
class PlainReader:
    """A reader that needs no survey and keeps nothing for the end."""

    told: Told
    names: dict[str, str] = field(default_factory=dict[str, str])
    """Names by ids, as the survey finds them."""
    fields: dict[str, Any] = field(default_factory=dict[str, Any])
    """The fields of a file that is one record."""

    def survey(self, piece: Piece) -> None:
        """Note nothing."""

    def end(self) -> Iterator[Entry]:
        """Yield nothing."""
        yield from ()


def moment(value: object) -> datetime | None:
    """Return a time that is given as ISO 8601 text or as seconds or milliseconds, None where there is none.

    ValueError for what is no time, or one that nobody can have meant.

    >>> moment("2026-03-02T09:00:00Z") == moment(1772442000) == moment(1772442000000)
    True
    """
    if value is None or value == "":
        return None
    try:
        found = _moment(value)
    except (ValueError, OverflowError, OSError) as error:
        raise ValueError(f"no time: {value!r}"[:80]) from error
    if not EARLIEST <= found.year <= LATEST:
        raise ValueError(f"no time that can be meant: {value!r}"[:80])
    return found


def _moment(value: object) -> datetime:
    if isinstance(value, str):
        return utc(datetime.fromisoformat(value.strip()))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("neither text nor a number")
    seconds = float(value)
    return datetime.fromtimestamp(seconds / 1000 if abs(seconds) > _LAST_SECONDS else seconds, UTC)


def digest(*parts: object) -> str:
    """Return what stands for these parts in an id."""
    return sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def text_of(value: object, what: str, most: int = MAX_FACT_CHARS) -> str:
    """Return a text; ValueError when it is none, blank or too long."""
    if not isinstance(value, str):
        raise ValueError(f"{what} must be text, got {kind_of(value)}")
    if not value.strip():
        raise ValueError(f"{what} is blank")
    if len(value) > most:
        raise ValueError(f"{what} is {len(value):,} characters long; at most {most:,} are taken")
    return value


def name_of(value: object) -> str:
    """Return a name or an id as text, "" for none; ValueError for what is neither, or too long for one."""
    if value is None or value == "":
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"expected a name or an id, got {kind_of(value)}")
    if len(str(value)) > MAX_NAME_CHARS:
        raise ValueError(f"a name or an id of {len(str(value)):,} characters; at most {MAX_NAME_CHARS} are taken")
    return str(value).strip()


def tags_of(*values: object) -> tuple[str, ...]:
    """Return the texts among these values and in the lists among them; ValueError for too many."""
    flat = [item for value in values for item in (value if is_list(value) else [value])]
    named = [text.strip() for text in flat if isinstance(text, str) and text.strip()]
    if len(named) > MAX_TAGS:
        raise ValueError(f"it is filed under {len(named):,} names; at most {MAX_TAGS} are taken")
    return tuple(dict.fromkeys(named))


def mapping(value: object) -> Mapping[str, Any]:
    """Return an object, or an empty one where there is none."""
    return value if is_dict(value) else {}
