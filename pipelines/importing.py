"""Importing: recorded conversations are kept in bulk as they were said, and nothing is read out of them."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Literal

from blocks.import_turns import BATCH, ImportedTurn
from fabric.clock import utc
from fabric.items import Draft, drafts_from_message
from fabric.session import Session

from .conversations import Conversation
from .replay import TURN_APART, timed_turns
from .system import MemorySystem

MESSAGE_APART = timedelta(milliseconds=1)
"""How much later each message of a turn is said than the one before."""


@dataclass(slots=True)
class Imported:
    """What an import did: messages that were new, and messages that were there already."""

    added: int = 0
    known: int = 0
    degraded: str = ""
    """Why the new ones are found by their words only, or ""."""


def import_conversations(
    session: Session,
    mem: MemorySystem,
    conversations: Iterable[Conversation],
    *,
    now: datetime,
    progress: Callable[[int], None] = lambda _: None,
) -> Imported:
    """Keep what users and assistants said in the memory that ``session`` belongs to; a second import adds nothing.

    ``now`` is when a conversation began that does not tell. Each batch is one transaction, and ``progress`` is called
    after each with the number of its messages: an import that was cut off is finished by running it again.
    """
    done = Imported()
    messages = imported_turns(conversations, now)
    while batch := list(islice(messages, BATCH)):
        part = session.run(mem.import_block, batch).output
        done.added += part.imported
        done.known += part.skipped
        done.degraded = part.degraded or done.degraded
        progress(len(batch))
    return done


def imported_turns(conversations: Iterable[Conversation], now: datetime) -> Iterator[ImportedTurn]:
    """Yield what users and assistants said, in order, each under an id made of its session, its turn and its role.

    Messages without text, and what systems and tools said, are left out.
    """
    for conversation in conversations:
        for number, (name, told, turn) in enumerate(timed_turns(conversation)):
            said_at = utc(told or now + number * TURN_APART)
            roles: Counter[str] = Counter()
            for draft in (one for message in turn.messages for one in drafts_from_message(message)):
                said = _imported(draft, conversation.session, f"{name} {draft.role} {roles[draft.role]}", said_at)
                if said is not None:
                    yield said
                    roles[draft.role] += 1
                    said_at += MESSAGE_APART


def _imported(draft: Draft, session: str, name: str, said_at: datetime) -> ImportedTurn | None:
    if draft.kind != "message" or draft.role not in {"user", "assistant"} or not draft.text.strip():
        return None
    role: Literal["user", "assistant"] = "user" if draft.role == "user" else "assistant"
    digest = hashlib.sha256(repr((session, name)).encode("utf-8", "surrogatepass")).hexdigest()
    return ImportedTurn(
        session=session, role=role, text=draft.text, said_at=said_at, speaker=draft.name, id=f"imported_{digest[:24]}"
    )
