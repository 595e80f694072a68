"""What is observed: messages that wait in a buffer, the notes on them, and when a model failed last; all per owner."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from capabilities.formulas.prompt_budget import tokens
from capabilities.prospective.commitments import NoteKind
from capabilities.sources import Source
from capabilities.vocabulary import Moment, Unit
from fabric.flow.resource import Collection, Document, Resource
from fabric.scope import ScopeIds


class HeardMessage(BaseModel):
    """One message that waits to be observed."""

    model_config = ConfigDict(frozen=True)

    id: str
    role: Literal["user", "assistant"]
    text: str
    speaker: str = ""
    said_at: Moment
    source: Source
    valence: Annotated[float, Field(ge=-1, le=1)] = 0.0
    """How the agent felt when it heard it."""

    @property
    def tokens(self) -> int:
        """About how many tokens it has."""
        return tokens(len(self.text))


class Observation(BaseModel):
    """One note on what was said; ``sources`` are the turns that it is drawn from."""

    model_config = ConfigDict(frozen=True)

    id: str
    kind: NoteKind = "factual"
    content: str
    importance: Unit = 0.5
    looks_ahead: bool = False
    """Whether it is about what somebody will or wants to do."""
    when: str = ""
    """When that is, in the words of the conversation; "" where nobody said."""
    proposes: bool = False
    """Whether it may become a reminder, and nobody has seen to that yet."""
    made_at: Moment
    sources: tuple[Source, ...] = ()

    @property
    def tokens(self) -> int:
        """About how many tokens it has."""
        return tokens(len(self.content))


class ObserverState(BaseModel):
    """How often a model failed in a row, and when it may be asked again."""

    model_config = ConfigDict(frozen=True)

    failures: int = 0
    not_before: Moment | None = None


@dataclass(frozen=True, slots=True)
class Desk:
    """Where the messages and notes of one kind of owner are."""

    heard: Collection[HeardMessage]
    notes: Collection[Observation]
    state: Document[ObserverState]


def _desk(owner: Literal["session", "user"], name: str) -> Desk:
    return Desk(
        Collection(f"heard_{name}", HeardMessage, owner, required=False),
        Collection(f"observations_{name}", Observation, owner, required=False),
        Document(f"observer_{name}", ObserverState, owner, required=False),
    )


USER, THREAD = _desk("user", "user"), _desk("session", "thread")
DESKS: tuple[Desk, ...] = (USER, THREAD)
OBSERVING: tuple[Resource, ...] = tuple(resource for desk in DESKS for resource in (desk.heard, desk.notes, desk.state))


def desk_owner(ids: ScopeIds) -> Literal["session", "user"]:
    """Return whose a session's messages and notes are: its user's, or where it has none its own."""
    return "user" if ids.has("user") else "session"


def desk_of(ids: ScopeIds) -> Desk:
    """Return where a session's messages and notes are."""
    return USER if desk_owner(ids) == "user" else THREAD


def total_tokens(some: Sequence[HeardMessage] | Sequence[Observation]) -> int:
    """Return about how many tokens some messages or notes have."""
    return sum(item.tokens for item in some)
