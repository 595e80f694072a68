"""Replay: what was said in a file of any format goes through the chat pipeline, each turn once and at its time."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from fabric.clock import SystemClock, utc
from fabric.flow.block import Block
from fabric.scope import ScopeIds
from fabric.sessions.fabric import Fabric

from .chat import RecordedTurn
from .importing.file_contents import ChatFile, Reading
from .importing.formats.messages import MESSAGE_APART
from .importing.records import Said, Statement
from .importing.report import FileReport

TO_IMPORT = "memories and documents, which import takes in"


class ReplayClock(SystemClock):
    """The machine's clock until it is set to when a turn was said; then each reading is a millisecond later."""

    def __init__(self) -> None:
        self._said: datetime | None = None

    @property
    def is_set(self) -> bool:
        """Whether it tells when something was said, and not the machine's time."""
        return self._said is not None

    def set(self, moment: datetime | None) -> None:
        """Go to ``moment`` (a naive one is taken as UTC), or back to the machine's time."""
        self._said = None if moment is None else utc(moment)

    def now(self) -> datetime:
        """Return the time, aware, in UTC; ids made at one turn keep their order because no two readings are equal."""
        if self._said is None:
            return super().now()
        self._said += MESSAGE_APART
        return self._said


@dataclass(frozen=True, slots=True)
class FileTurn:
    """A turn of a file: its session, the name that it always gets, and when it was said, None for an unknown time."""

    session: str
    name: str
    said_at: datetime | None
    turn: RecordedTurn


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


def file_turns(asked: ChatFile, report: FileReport) -> Iterator[FileTurn]:
    """Yield the turns of a file as they are read; what is no turn is noted in ``report``, with its place and reason.

    Raises OSError when the file cannot be read, and what `Reading.of` raises.
    """
    now = SystemClock().now()
    begun: list[Said] = []
    with closing(Reading.of(asked, report, now).entries()) as entries:
        for entry in entries:
            if isinstance(entry, Statement) or not entry.is_spoken:
                report.leave_out(TO_IMPORT)
                continue
            if begun and _is_apart(begun, entry):
                yield from _turn(begun, report)
                begun = []
            begun.append(entry)
    yield from _turn(begun, report)


def _is_apart(begun: list[Said], said: Said) -> bool:
    """Return whether a message belongs to another turn than the ones before it."""
    last, is_asked = begun[-1], any(message.role == "user" for message in begun)
    if last.session != said.session or (is_asked and said.role == "user"):
        return True
    return last.turn != said.turn and (is_asked or last.turn != "")


def _turn(begun: list[Said], report: FileReport) -> Iterator[FileTurn]:
    """Yield the turn that messages make; none where the user's, which may have been refused, is not among them."""
    asked = next((message for message in begun if message.role == "user"), None)
    if asked is None and begun:
        report.leave_out("messages to which there is none of the user", len(begun))
    if asked is not None:
        turn = RecordedTurn(
            messages=[dict(message.whole) for message in begun],
            ids=[message.id for message in begun],
            tags=list(asked.tags),
        )
        yield FileTurn(asked.session, asked.turn or asked.id, asked.said_at, turn)


def replay(
    fabric: Fabric,
    pipeline: Block[Any, Any],
    turns: Iterable[FileTurn],
    *,
    ids: ScopeIds,
    clock: ReplayClock,
    value: Callable[[RecordedTurn], Any] = lambda turn: turn,
    progress: Callable[[], None] = lambda: None,
) -> Replayed:
    """Run every turn through ``pipeline``, as the user, project and organisation of ``ids``, and wait for its memory.

    ``clock`` is the one the fabric was opened with. ``value`` makes a turn what the pipeline takes; ``progress`` is
    called after each turn. A turn that was replayed before is counted and nothing else happens; one that was imported
    is now read, and kept once.
    """
    done = Replayed()
    fabric.register(pipeline)
    for entry in turns:
        if entry.session not in done.sessions[-1:]:
            done.sessions.append(entry.session)
        clock.set(entry.said_at)
        session = fabric.session(entry.session, user=ids.user, project=ids.project, org=ids.org)
        result = session.run(pipeline, value(entry.turn), turn_id=entry.name)
        if result.replayed:
            done.known += 1
        else:
            done.added += 1
            fabric.drain()  # what is remembered of a turn bears the time of that turn
        progress()
    clock.set(None)
    return done
