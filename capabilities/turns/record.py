"""The turn as it was said, and the exchange that is being captured."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from fabric.resource import Collection
from fabric.scope import ScopeKind

from ..sources import Source


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
    captured: bool = False
    """Whether what is worth remembering was taken from it; until then the turn is only kept."""

    def source(self) -> Source:
        """Return the turn as the source of a fact or an episode."""
        return Source(
            turn_id=self.id, session=self.session, turn=self.turn, user=self.user, said_at=self.said_at
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

    @property
    def text(self) -> str:
        """What the user said: messages that were missed, then the message."""
        said = [*self.missed, *([self.user] if self.user else [])]
        return "\n\n".join(turn.text for turn in said)

    @property
    def turns(self) -> list[Turn]:
        """The messages there are, in order."""
        return [*self.missed, *(turn for turn in (self.user, self.assistant) if turn is not None)]


def create_turns_resource(scope: ScopeKind) -> Collection[Turn]:
    """Return the collection that holds the captured messages of a scope."""
    return Collection(
        key="turns",
        schema=Turn,
        scope=scope,
        columns={"session": "text", "turn": "integer", "role": "text", "said_at": "time"},
        text="text",
    )
