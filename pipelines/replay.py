"""Replay: recorded conversations, read from a file whatever its shape, go through the chat pipeline once."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from fabric.block import Block
from fabric.clock import SystemClock, utc
from fabric.run import Fabric
from fabric.scope import ScopeIds

from .chat import RecordedTurn
from .conversations import Conversation

TURN_APART = timedelta(minutes=1)
"""How much later each turn of a conversation is said than the one before."""
READING_APART = timedelta(milliseconds=1)


class ReplayClock(SystemClock):
    """The machine's clock until it is set to when a turn was said; then each reading is a millisecond later."""

    def __init__(self) -> None:
        self._said: datetime | None = None

    def set(self, moment: datetime | None) -> None:
        """Go to ``moment`` (a naive one is taken as UTC), or back to the machine's time."""
        self._said = None if moment is None else utc(moment)

    def now(self) -> datetime:
        """Return the time, aware, in UTC; ids made at one turn keep their order because no two readings are equal."""
        if self._said is None:
            return super().now()
        self._said += READING_APART
        return self._said


@dataclass(slots=True)
class Replayed:
    """What a replay did: turns that were new, turns that were there already, and the sessions they belong to."""

    added: int = 0
    known: int = 0
    sessions: list[str] = field(default_factory=list[str])

    @property
    def turns(self) -> int:
        """All turns of the file."""
        return self.added + self.known


def replay(
    fabric: Fabric,
    pipeline: Block[Any, Any],
    conversations: Iterable[Conversation],
    *,
    ids: ScopeIds,
    clock: ReplayClock,
    value: Callable[[RecordedTurn], Any] = lambda turn: turn,
    progress: Callable[[], None] = lambda: None,
) -> Replayed:
    """Run every turn through ``pipeline``, as the user, project and organisation of ``ids``, and wait for its memory.

    ``clock`` is the one the fabric was opened with. ``value`` makes a turn what the pipeline takes; ``progress`` is
    called after each turn. A turn that the file holds already is counted and nothing else happens.
    """
    done = Replayed()
    fabric.register(pipeline)
    for conversation in conversations:
        session = fabric.session(conversation.session, user=ids.user, project=ids.project, org=ids.org)
        done.sessions.append(conversation.session)
        for name, said_at, turn in timed_turns(conversation):
            clock.set(said_at)
            result = session.run(pipeline, value(turn), turn_id=name)
            if result.replayed:
                done.known += 1
            else:
                done.added += 1
                fabric.drain()  # what is remembered of a turn bears the time of that turn
            progress()
    clock.set(None)
    return done


def timed_turns(conversation: Conversation) -> Iterator[tuple[str, datetime | None, RecordedTurn]]:
    """Yield each turn with the name it always gets and when it was said, None where the file does not tell."""
    texts: Counter[str] = Counter()
    for number, turn in enumerate(conversation.turns):
        said_at = conversation.started_at + number * TURN_APART if conversation.started_at else None
        yield name_turn(turn.user, texts), said_at, turn


def name_turn(message: Mapping[str, Any], texts: "Counter[str]") -> str:
    """Return the name that a turn always gets: of its message's id, else of its text and how often it came before."""
    given = message.get("id")
    if given is not None and str(given).strip():
        return f"message-{given}"
    text = repr(message.get("content"))
    texts[text] += 1
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"text-{digest[:24]}-{texts[text]}"
