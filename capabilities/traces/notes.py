"""What an agent writes down for itself, as Markdown, across sessions; every prompt begins with it."""

from pydantic import BaseModel, ConfigDict, Field

from fabric.errors import RefusedError
from fabric.flow.resource import Document, Transaction
from fabric.scope import ScopeIds

MAX_CHARS = 8_000
"""How long the notes may be: 2,000 tokens, estimated at 4 characters each."""


class Notes(BaseModel):
    """The notes about one user, by the agent that wrote them; "" stands for sessions without an agent."""

    model_config = ConfigDict(frozen=True)

    by_agent: dict[str, str] = Field(default_factory=dict[str, str])


_USER = Document("cognitive_notes", Notes, "user", required=False)
_SESSION = Document("cognitive_notes_thread", Notes, "session", required=False)
NOTES = (_USER, _SESSION)


def notes_of(ids: ScopeIds) -> Document[Notes]:
    """Return where the notes of a session are kept: with its user, or where it has none with itself."""
    return _USER if ids.has("user") else _SESSION


def read_notes(tx: Transaction) -> str:
    """Return the notes of the session's agent about its user; of a session without a user those of the session."""
    return tx.read(notes_of(tx.ids)).by_agent.get(tx.ids.agent or "", "")


def write_notes(tx: Transaction, text: str) -> None:
    """Replace the notes; RefusedError where they are too long, and the old ones stay."""
    if len(text) > MAX_CHARS:
        raise RefusedError(
            f"the notes are too long: {len(text)} characters, at most {MAX_CHARS} are kept",
            do="Keep what matters for later conversations, and call again. Nothing was changed.",
        )
    place = notes_of(tx.ids)
    notes = tx.read(place)
    tx.write(place, Notes(by_agent={**notes.by_agent, tx.ids.agent or "": text}))
