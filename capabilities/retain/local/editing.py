"""Changing one memory by its id, inside a transaction: new words, another importance, forgotten, or no longer so."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from capabilities.semantic import Fact
from fabric.clock import Clock
from fabric.errors import RefusedError
from fabric.flow.resource import Transaction
from fabric.store.base import RowVectors

from ..banks import in_bank
from ..record import Edit, Edited
from ..session import take_out_of_prompts
from ..transcript import marked, turns_in
from .facts import close, resting_on, withdraw
from .joining import without
from .record import TRANSCRIPT, Memory, clamped, hash_of
from .tables import FACTS, MEMORIES

EPISODIC, FACT = "episodic", "fact"
"""What kind of memory an id is that an edit does not reach."""


@dataclass(frozen=True, slots=True)
class Held:
    """A memory, or a fact, and the transaction of the bank that holds it."""

    tx: Transaction
    bank: str
    row: Memory | Fact


def find_in_banks(tx: Transaction, banks: Sequence[str], record_id: str) -> Held | None:
    """Return what has an id in the first of some banks that knows it; None where none does."""
    for bank in banks:
        inside = in_bank(tx, bank)
        row = inside.get(MEMORIES, record_id) or inside.get(FACTS, record_id)
        if row is not None:
            return Held(inside, bank, row)
    return None


@dataclass(frozen=True, slots=True)
class Editing:
    """One edit, with the vectors of its new words, if there are any."""

    clock: Clock
    made_by: str
    banks: Sequence[str]
    vectors: RowVectors | None = None

    def apply(self, tx: Transaction, asked: Edit) -> Edited:
        """Carry the edit out, and return what became of it."""
        held = find_in_banks(tx, self.banks, asked.id)
        if held is None:
            return Edited("not_found", asked.id)
        if not isinstance(held.row, Memory):
            return Edited("not_editable", asked.id, FACT)
        if held.row.tier == "episodic" and asked.op != "invalidate":
            return Edited("not_found", asked.id, EPISODIC)
        held.tx.embedded = self.vectors
        if asked.op == "update":
            self._update(held.tx, held.row, asked)
            return Edited("updated", asked.id)
        if asked.op == "forget":
            self._forget(held.tx, held.row)
            return Edited("deleted", asked.id)
        self._invalidate(tx, held.tx, held.row, asked.replacement_id or "")
        return Edited("invalidated", asked.id)

    def _update(self, tx: Transaction, memory: Memory, asked: Edit) -> None:
        update: dict[str, Any] = {}
        if asked.importance is not None:
            update["importance"] = clamped(asked.importance)
        is_new = asked.content is not None and asked.content != memory.content
        if asked.content is not None and is_new:
            update |= _reworded(memory, asked.content)
            withdraw(tx, memory.id)
        tx.put(MEMORIES, [memory.model_copy(update=update)])
        if is_new:
            without(tx, memory.id, self.clock.now())

    def _forget(self, tx: Transaction, memory: Memory) -> None:
        take_out_of_prompts(tx.rows, tx.ids.org, {memory.id, *(fact.id for fact in resting_on(tx, memory.id))})
        withdraw(tx, memory.id)
        tx.delete(MEMORIES, [memory.id])
        without(tx, memory.id, self.clock.now())

    def _invalidate(self, everywhere: Transaction, tx: Transaction, memory: Memory, replacement: str) -> None:
        if replacement == memory.id:
            raise RefusedError("a memory cannot take its own place", do="Name another one, or none.")
        if replacement and find_in_banks(everywhere, self.banks, replacement) is None:
            raise RefusedError(f"there is no memory {replacement!r}", do="Recall what takes its place, or name none.")
        now = self.clock.now()
        tx.put(MEMORIES, [memory.model_copy(update={"valid_until": now, "superseded_by": replacement})])
        close(tx, memory.id, self.clock, self.made_by)
        without(tx, memory.id, now)


def take_out_turns(tx: Transaction, memory: Memory, gone: Sequence[bool], now: datetime) -> set[str]:
    """Write a transcript anew without those of its turns that are gone, by its sources; its facts are drawn anew.

    Return the ids of what told of them, the transcript's and its facts'; none where it is no transcript of these turns.
    """
    before, *turns = turns_in(memory.content)
    if memory.source != TRANSCRIPT or memory.tier != "working" or len(turns) != len(gone):
        return set()
    left = [*before, *(said for turn, is_gone in zip(turns, gone, strict=True) if not is_gone for said in turn)]
    mined = "\n\n".join(text for role, text in left if role == "user")
    changed = {
        **_reworded(memory, marked(left)),
        "plain": "\n\n".join(text for _, text in left),
        "mined": mined,
        "sources": [source for source, is_gone in zip(memory.sources, gone, strict=True) if not is_gone],
    }
    told = {memory.id, *(fact.id for fact in resting_on(tx, memory.id))}
    withdraw(tx, memory.id)
    tx.put(MEMORIES, [memory.model_copy(update=changed)])
    without(tx, memory.id, now)
    return told


def _reworded(memory: Memory, content: str) -> Mapping[str, Any]:
    """Return what changes with the words: it is found by them alone, and facts are drawn from them anew."""
    return {
        "content": content,
        "content_hash": hash_of(content),
        "plain": "",
        "mined": content if memory.states != memory.content else "",
        "drawn": 0,
        "waits": True,
        "outdated": False,
    }
