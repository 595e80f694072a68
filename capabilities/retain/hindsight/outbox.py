"""The outbox: what waits in the file until the server is done with it, as rows of a bank. Functions of one transaction.

Rows that are sent together are a batch. Its name is written beside them before they are sent, and is the operation id
of the request: whoever sends them again, this process or the next, sends the same under the same name, and the server
takes it once.
"""

import hashlib
import uuid
from collections.abc import Collection as Group
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, Field

from capabilities.sources import Source
from fabric.flow.resource import Collection, Transaction
from fabric.store.base import Where

MOST_ITEMS = 500
MOST_CHARS = 1_000_000
"""How much goes in one request; what is over goes in the next."""


class OutboxItem(BaseModel):
    """One memory that waits for the server at ``url`` to take it.

    ``status`` is "waiting" before it is sent first, "sent" until the server has said that it has it, "taken" until the
    server is done with it, and "failed" once it was given up: then ``error`` says why. ``together`` is how many were
    taken in one batch. ``document`` names what takes the place of an earlier item of that name.
    ``session``, ``user`` and ``sources``, the turns it rests on, say whose it is: it is forgotten with them.
    ``refused`` says that the server will never take it as it is.
    """

    id: str
    url: str
    content: str
    context: str = ""
    metadata: dict[str, str] = Field(default_factory=dict[str, str])
    tags: list[str] = Field(default_factory=list[str])
    timestamp: str
    document: str = ""
    session: str
    user: str | None = None
    sources: list[Source] = Field(default_factory=list[Source])
    status: Literal["waiting", "sent", "taken", "failed"] = "waiting"
    batch: str = ""
    together: int = 0
    attempts: int = 0
    error: str = ""
    refused: bool = False

    def as_sent(self) -> dict[str, Any]:
        """Return it as the server takes it."""
        content = self.content.replace("\0", "")  # which the server's database cannot hold
        sent: dict[str, Any] = {"content": content, "timestamp": self.timestamp, "metadata": self.metadata}
        named = {"context": self.context, "tags": self.tags, "document_id": self.document}
        return sent | {name: value for name, value in named.items() if value}


RETAIN_OUTBOX = Collection(
    "retain_outbox",
    OutboxItem,
    "project",
    {"url": "text", "status": "text"},  # and no more: each makes it longer to write a row, and somebody waits for that
    required=False,
)


class Batch(NamedTuple):
    """Items that are sent together, and the operation id under which they are, each time.

    ``rest`` is how many wait that did not fit into a new one, None for one that was sent before.
    """

    operation: str
    items: Sequence[OutboxItem]
    rest: int | None = None

    @property
    def attempts(self) -> int:
        """How often it was sent."""
        return max(item.attempts for item in self.items)


def enqueue(tx: Transaction, items: Sequence[OutboxItem]) -> None:
    """Put items into the outbox; a document takes the place of the one of its name that was not sent yet."""
    for item in items:
        if item.document:
            idle = [*_of(tx, item.url, "waiting"), *_of(tx, item.url, "failed")]
            tx.delete(RETAIN_OUTBOX, [queued.id for queued in idle if queued.document == item.document])
    tx.put(RETAIN_OUTBOX, items, new=True)


def next_batch(tx: Transaction, url: str, *, skip: Group[str], fresh: bool) -> Batch | None:
    """Return what is to be sent next: a batch that was sent before, else a new one of what waits; None for nothing.

    ``skip`` are operations that are not due, ``fresh`` says whether a new batch may be made. A document waits while
    an earlier one of its name is under way, or taken and not done with, so that the later one is what stays.
    """
    sent = _of(tx, url, "sent")
    for item in sent:
        if item.batch not in skip:
            return Batch(item.batch, [other for other in sent if other.batch == item.batch])
    if not fresh:
        return None
    items = _of(tx, url, "waiting", MOST_ITEMS + 1)
    if any(item.document for item in items):  # what is taken may be much, and somebody waits for the transaction
        under_way = {item.document for item in [*sent, *_of(tx, url, "taken")] if item.document}
        items = [item for item in items if item.document not in under_way]
    together = _within(items)
    return _named(tx, together)._replace(rest=len(items) - len(together)) if together else None


def taken(tx: Transaction, batch: Batch) -> None:
    """Mark a batch as accepted by the server, which may still fail to process it."""
    _change(tx, batch, status="taken", attempts=0, error="", together=len(batch.items))


def taken_batches(tx: Transaction, url: str) -> list[Batch]:
    """Return what the server has taken and was not known to be done with, oldest first."""
    batches: dict[str, list[OutboxItem]] = {}
    for item in _of(tx, url, "taken"):
        batches.setdefault(item.batch, []).append(item)
    return [Batch(operation, items) for operation, items in batches.items()]


def done(tx: Transaction, batch: Batch) -> None:
    """Delete a batch that the server has processed."""
    tx.delete(RETAIN_OUTBOX, [item.id for item in batch.items])


def without_older(tx: Transaction, batch: Batch) -> Batch:
    """Take the documents of a batch out that a newer one waits to take the place of; return what is left."""
    newer = {item.document for item in _of(tx, batch.items[0].url, "waiting") if item.document}
    tx.delete(RETAIN_OUTBOX, [item.id for item in batch.items if item.document in newer])
    return batch._replace(items=[item for item in batch.items if item.document not in newer])


def sent_anew(tx: Transaction, *groups: Sequence[OutboxItem]) -> None:
    """Make a batch of each group, without what was forgotten, or has a newer document in its place."""
    for items in groups:
        there = tx.get_many(RETAIN_OUTBOX, [item.id for item in items])
        if there:
            _named(tx, there)


def put_off(tx: Transaction, batch: Batch, error: str) -> None:
    """Count a failed attempt to send a batch, and keep it in the outbox for the next."""
    _change(tx, batch, attempts=batch.attempts + 1, error=error)


def give_up(tx: Transaction, batch: Batch, error: str, *, refused: bool) -> None:
    """Mark a batch as failed, with the error; only `put_back` has it sent again."""
    _change(tx, batch, status="failed", attempts=batch.attempts + 1, error=error, refused=refused)


def split(tx: Transaction, batch: Batch) -> None:
    """Make two batches of one that the server refuses, so that one item does not hold back the others."""
    half = len(batch.items) // 2
    sent_anew(tx, batch.items[:half], batch.items[half:])


def put_back(tx: Transaction, url: str, *, also_refused: bool) -> int:
    """Mark failed items to be sent again, with no attempts counted; return how many."""
    again = [item for item in _of(tx, url, "failed") if also_refused or not item.refused]
    tx.put(RETAIN_OUTBOX, [item.model_copy(update={"status": "sent", "attempts": 0}) for item in again])
    return len(again)


def listed(tx: Transaction) -> list[OutboxItem]:
    """Return all that no server has taken, whichever it is for, oldest first."""
    return tx.find(RETAIN_OUTBOX, Where("status", "!=", "taken"))


def clear(tx: Transaction, url: str) -> int:
    """Delete everything; return how many items the server had not taken."""
    here = tx.find(RETAIN_OUTBOX, Where("url", "=", url))
    tx.delete(RETAIN_OUTBOX, [item.id for item in here])
    return sum(item.status != "taken" for item in here)


def counted(tx: Transaction, url: str) -> tuple[int, int]:
    """Return how many items wait for the server to take them, and how many it has taken and may fail over."""
    here = Where("url", "=", url)
    waiting = tx.count(RETAIN_OUTBOX, here, Where("status", "in", ["waiting", "sent"]))
    return waiting, tx.count(RETAIN_OUTBOX, here, Where("status", "=", "taken"))


def _of(tx: Transaction, url: str, status: str, limit: int | None = None) -> list[OutboxItem]:
    return tx.find(RETAIN_OUTBOX, Where("url", "=", url), Where("status", "=", status), limit=limit)


def _within(items: Sequence[OutboxItem]) -> list[OutboxItem]:
    """Return as many as go in one request, at least one."""
    taken: list[OutboxItem] = []
    chars = 0
    for item in items:
        chars += len(item.content)
        if taken and (chars > MOST_CHARS or len(taken) == MOST_ITEMS):
            break
        taken.append(item)
    return taken


def _named(tx: Transaction, items: Sequence[OutboxItem]) -> Batch:
    operation = operation_id(items)
    named = [item.model_copy(update={"status": "sent", "batch": operation}) for item in items]
    tx.put(RETAIN_OUTBOX, named)
    return Batch(operation, named)


def operation_id(items: Sequence[OutboxItem]) -> str:
    """Return the UUID of a request with these items: the same for the same ones, whoever sends them and when."""
    spelled = "\0".join(f"{item.id}\0{item.timestamp}\0{item.content}" for item in items)
    return str(uuid.UUID(bytes=hashlib.sha256(spelled.encode("utf-8", "surrogatepass")).digest()[:16], version=4))


def _change(tx: Transaction, batch: Batch, **changes: Any) -> None:
    """Change those of a batch that are there still: one may have been forgotten while it was sent."""
    there = tx.get_many(RETAIN_OUTBOX, [item.id for item in batch.items])
    tx.put(RETAIN_OUTBOX, [item.model_copy(update=changes) for item in there])
