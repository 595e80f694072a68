"""What a capture took in, and which secrets were taken out of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from fabric.items import drafts_from_message
from fabric.secrecy import Secrets
from fabric.session import RunResult

from .transcript import Transcript


@dataclass(frozen=True, slots=True)
class Captured:
    """What a capture took in: its new turns, those that were there already, and the jobs that read the new ones.

    ``redacted`` says which kinds of secrets were taken out of the new turns' messages, and where in a message they
    stood, as "github_token at 12-52".
    """

    turns: int = 0
    known: int = 0
    jobs: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()


def secrets_said(new: Transcript, done: Sequence[RunResult], secrets: Secrets) -> tuple[str, ...]:
    """Return the kind and place of each secret in messages that are new: in answers, and in turns not replayed."""
    fresh = [turn for turn, one in zip(new.turns, done, strict=True) if not one.replayed]
    messages = [*new.answers.messages, *(message for turn in fresh for message in turn.messages)]
    texts = (draft.text for message in messages for draft in drafts_from_message(message))
    return tuple(told for text in texts for told in secrets.told(text))
