"""The turn as it was said, and the exchange that is being captured."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from fabric.flow.resource import Collection
from fabric.scope import ScopeKind
from fabric.search.base import ColumnType
from fabric.store.base import Row
from fabric.text.terms import terms

from ..keys import MEMORY, key_of
from ..sources import Source
from ..vocabulary import Tag, written_day

_WORDLESS = re.compile(r"(?:\[[\w -]{1,40}\]\s*)+")


class Turn(BaseModel):
    """One message that was captured, whole. ``id`` is the id of the session item it was, where there was one."""

    model_config = ConfigDict(frozen=True)

    id: str
    session: str
    turn: int
    user: str | None = None
    role: Literal["user", "assistant"]
    text: str
    said_at: datetime
    counts_as: datetime | None = None
    """When it counts as said among others, where the clock was behind what had been said before."""
    speaker: str = ""
    """The name of who said it, where the role does not tell; "" where it does."""
    tags: list[Tag] = []
    """What it is filed under by whoever gave it; what is drawn from it counts as filed there too."""
    captured: bool = False
    """Whether what is worth remembering was taken from it, unless the memory's state says that it still waits.

    From what was imported nothing was; capturing a turn of the same id, as a replay does, makes up for it.
    """

    @property
    def is_wordless(self) -> bool:
        """Whether it is a picture or the like that nobody wrote a word to: its answer is found, and not itself."""
        return _WORDLESS.fullmatch(self.text) is not None

    def source(self) -> Source:
        """Return the turn as the source of a fact or an episode."""
        return Source(
            turn_id=self.id,
            session=self.session,
            turn=self.turn,
            user=self.user,
            said_at=self.said_at,
            counts_as=self.counts_as,
        )


class Exchange(BaseModel):
    """What one capture looks at: the user's message, the assistant's answer, and the messages before."""

    model_config = ConfigDict(frozen=True)

    user: Turn | None = None
    assistant: Turn | None = None
    missed: list[Turn] = []
    """Messages of the user directly before, whose runs failed before they could be captured."""
    background: list[str] = []
    """Earlier user messages, oldest first, for understanding only: nothing is captured from them again."""
    reason: str = ""
    """Why there is no message of the user to take in."""
    stored: Literal["", "words", "vectors"] = ""
    """What of its messages was stored with the job that captures them: nothing, their words, or also their vectors."""

    @property
    def said(self) -> list[Turn]:
        """What the user said: messages that were missed, then the message."""
        return [*self.missed, *([self.user] if self.user else [])]

    @property
    def text(self) -> str:
        """The same as one text."""
        return "\n\n".join(turn.text for turn in self.said)

    @property
    def turns(self) -> list[Turn]:
        """The messages there are, in order."""
        return [*self.missed, *(turn for turn in (self.user, self.assistant) if turn is not None)]


def turn_terms(row: Row) -> list[str]:
    r"""Return what a stored turn is found by: its words, who said it, its day, month and year, and its tags.

    >>> turn_terms({"text": "We moved!", "speaker": "Ana", "said_at": "2022-01-21T10:00:00Z", "tags": ["flat"]})
    ['we', 'move\tmoved', 'ana', '21', 'januari\tjanuary', '2022', '#flat']
    """
    date = written_day(datetime.fromisoformat(row["said_at"]))
    return terms(row["text"], f"{row.get('speaker') or ''} {date}") + [tag_term(tag) for tag in row.get("tags") or ()]


def tag_term(tag: str) -> str:
    """Return the term that stands for a tag; no word and no exact token of a text begins with this sign."""
    return f"#{tag}"


def create_turns_resource(scope: ScopeKind, system: str = MEMORY) -> Collection[Turn]:
    """Return the collection that holds the captured messages of a scope; in a shared one it is known whose each is."""
    shared: dict[str, ColumnType] = {} if scope in ("session", "user") else {"user": "text"}
    return Collection(
        key=key_of("turns", system),
        schema=Turn,
        scope=scope,
        columns={"session": "text", "turn": "integer", "role": "text", "said_at": "time", "speaker": "text", **shared},
        text="text",
        terms=turn_terms,
        kept=("session", "role", "said_at", "speaker", *shared),
        thread="session",
    )


def turns_behind(content: str, turns: Sequence[Turn]) -> list[Turn]:
    """Return the turns that hold most of the words of what was observed in them; all where no word tells.

    >>> from datetime import UTC, datetime
    >>> said = {"session": "s", "role": "user", "said_at": datetime(2026, 1, 1, tzinfo=UTC)}
    >>> texts = {"a": "I live in Oslo.", "b": "Please retry."}
    >>> turns = [Turn(id=name, turn=1, text=text, **said) for name, text in texts.items()]
    >>> [turn.id for turn in turns_behind("Lives in Oslo", turns)], len(turns_behind("Is impatient", turns))
    (['a'], 2)
    """
    if len(turns) <= 1:
        return list(turns)
    sought = set(terms(content))
    shared = [len(sought & set(terms(turn.text))) for turn in turns]
    most = max(shared)
    return [turn for turn, count in zip(turns, shared, strict=True) if count == most]
