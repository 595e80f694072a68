"""What a capture took in, and which secrets were taken out of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from blocks.capture.exchange import why_empty
from fabric.jobs.job import troubled
from fabric.lazy import lazy
from fabric.record.items import drafts_from_message
from fabric.record.log import opens_turn
from fabric.scope import ScopeIds
from fabric.sessions.fabric import Fabric
from fabric.sessions.session import RunResult
from fabric.store.secrecy import Secrets

from .chat import RecordedTurn
from .transcript import Transcript

if TYPE_CHECKING:
    from fabric.models import fallback
else:
    fallback = lazy("fabric.models.fallback")


@dataclass(frozen=True, slots=True)
class Captured:
    """What a capture took in: its new turns, those that were there already, and the jobs that read the new ones.

    ``redacted`` says which kinds of secrets were taken out of the new turns' messages, and where in a message they
    stood, as "github_token at 12-52". ``unread`` counts the pieces of this user's background work that failed or were
    put off so far, all of which is kept; ``problem`` says why the last one was, "" when there is none. ``skipped``
    says why a message of the user gave no turn.
    """

    turns: int = 0
    known: int = 0
    jobs: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()
    unread: int = 0
    problem: str = ""
    skipped: tuple[str, ...] = ()


def reentrant() -> Captured | None:
    """Return what a capture answers that a model client makes while a memory asks it, None for any other.

    What the memory asks its model about is captured already: reading that again would ask the model again, without end.
    """
    problem = "not captured: background work was asking the model that this call came from"
    return Captured(problem=problem) if fallback.ASKING.get() else None


async def trouble(fabric: Fabric, ids: ScopeIds, model: object) -> tuple[int, str]:
    """Return how many pieces of a user's work failed or were put off, and why the last was; none without a model."""
    return (0, "") if model is None else await fabric.store.transact(lambda rows: troubled(rows, ids))


def captured(
    new: Transcript,
    done: Sequence[RunResult[Any]],
    added: Sequence[RunResult[Any]],
    secrets: Secrets,
    left: tuple[int, str],
) -> Captured:
    """Return what became of a transcript.

    ``done`` are the runs of its turns, ``added`` those of late answers, ``left`` is what `trouble` returned.
    """
    fresh = [turn for turn, result in zip(new.turns, done, strict=True) if not result.replayed]
    skipped = tuple(reason for turn in fresh if (reason := _why_skipped(turn)))
    jobs = tuple(job for result in (*added, *done) if not result.replayed for job in result.jobs)
    known = new.known + len(done) - len(fresh)
    return Captured(len(fresh) - len(skipped), known, jobs, secrets_said(new, done, secrets), *left, skipped)


def _why_skipped(turn: RecordedTurn) -> str:
    said = [draft for draft in turn.drafts if opens_turn(draft)]
    is_answered = any(draft.role == "assistant" and draft.kind == "message" and draft.text for draft in turn.drafts)
    return why_empty(said[-1], is_answered=is_answered) if said else ""


def secrets_said(new: Transcript, done: Sequence[RunResult[Any]], secrets: Secrets) -> tuple[str, ...]:
    """Return the kind and place of each secret in messages that are new: in answers, and in turns not replayed."""
    fresh = [turn for turn, result in zip(new.turns, done, strict=True) if not result.replayed]
    messages = [*new.answers.messages, *(message for turn in fresh for message in turn.messages)]
    texts = (draft.text for message in messages for draft in drafts_from_message(message))
    return tuple(told for text in texts for told in secrets.told(text))
