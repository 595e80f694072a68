"""Facts drawn from memories: claims, settled by the one judge, that know which memories they rest on."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import cast

from capabilities.claims import USER
from capabilities.semantic import Fact, FactInput, FactTable
from capabilities.semantic.state import REOPENED
from capabilities.sources import Source
from capabilities.vocabulary import FACT_CATEGORIES, FactCategory, Observation
from fabric.clock import Clock
from fabric.flow.context import Context
from fabric.flow.resource import Transaction
from fabric.store.base import Where

from .record import Memory
from .tables import FACTS, MEMORIES

Read = Callable[[Context, str, bool], Awaitable[Sequence[Observation]]]
"""Tells what a text states; True where an agent wrote it, and not the user. An error has it read again later."""
FACT_CONFIDENCE = 0.7
CLOSED_BY_EDIT = "the memory that stated it was invalidated"


def draw(tx: Transaction, memory: Memory, stated: Sequence[Observation], clock: Clock, made_by: str) -> None:
    """Take in what a memory states."""
    table = FactTable(tx, FACTS, clock, made_by)
    offered = [_offered(memory, observation) for observation in stated if observation.category in FACT_CATEGORIES]
    reconciliation = table.reconciliation()
    reconciliation.look_up(offered)
    over = set[str]()
    for proposal in offered:
        outcome = reconciliation.reconcile(proposal)
        fact = reconciliation.get(outcome.id) if outcome.id else None
        if fact is not None and memory.id not in fact.source_episode_ids:
            # Said in one turn by two memories: it is no surer for it, but rests on both.
            rests_on = [*fact.source_episode_ids, memory.id]
            reconciliation.put(fact.model_copy(update={"source_episode_ids": rests_on}))
        replaced = reconciliation.get(outcome.replaced) if outcome.status == "superseded" else None
        over |= set(replaced.source_episode_ids if replaced is not None else ())
    reconciliation.write()
    _note_outdated(tx, over - {memory.id})


def _note_outdated(tx: Transaction, memory_ids: Iterable[str]) -> None:
    """Note of memories whether all that they state is over."""
    changed: list[Memory] = []
    for memory in tx.get_many(MEMORIES, sorted(memory_ids)):
        stated = resting_on(tx, memory.id)
        is_over = bool(stated) and all(fact.is_over for fact in stated)
        if is_over != memory.outdated:
            changed.append(memory.model_copy(update={"outdated": is_over}))
    tx.put(MEMORIES, changed)


def _offered(memory: Memory, stated: Observation) -> FactInput:
    """Return what a memory states as it is offered; what is said of "the user" is about who retained it.

    Several work on one project: what one of them likes is none of the others' likings.
    """
    return FactInput(
        subject=(memory.user or USER) if stated.subject == USER else stated.subject,
        content=stated.content,
        confidence=FACT_CONFIDENCE,
        category=cast("FactCategory", stated.category),
        sources=[
            source.model_copy(update={"said_at": memory.said_at, "turn_id": _turn_of(source, memory)})
            for source in memory.sources[-1:]
        ],
        source_episode_ids=[memory.id],
        attribute=stated.attribute,
        value=stated.value,
        polarity=stated.polarity,
        of=stated.of,
        former=stated.former,
    )


def resting_on(tx: Transaction, memory_id: str) -> list[Fact]:
    """Return the facts, in all versions, that rest on a memory."""
    held = tx.rows.containing([tx.ids.scope(FACTS.scope)], FACTS.key, [memory_id])
    found = tx.get_many(FACTS, [row["id"] for _, row in held])
    return [fact for fact in found if memory_id in fact.source_episode_ids]


def withdraw(tx: Transaction, memory_id: str) -> None:
    """Delete the facts that rest on a memory and on nothing else.

    The others rest on what is left. What a deleted one took the place of holds again.
    """
    resting = resting_on(tx, memory_id)
    gone = {fact.id for fact in resting if set(fact.source_episode_ids) == {memory_id}}
    left = [_without(tx, fact, memory_id) for fact in resting if fact.id not in gone]
    again = tx.find(FACTS, Where("superseded_by", "in", sorted(gone))) if gone else []
    reopened = [fact.model_copy(update=REOPENED) for fact in again if fact.id not in gone]
    tx.put(FACTS, [*left, *reopened])
    tx.delete(FACTS, sorted(gone))
    _note_outdated(tx, {episode_id for fact in reopened for episode_id in fact.source_episode_ids} - {memory_id})


def _without(tx: Transaction, fact: Fact, memory_id: str) -> Fact:
    others = [episode_id for episode_id in fact.source_episode_ids if episode_id != memory_id]
    said = {_turn_of(source, memory) for memory in tx.get_many(MEMORIES, others) for source in memory.sources}
    sources = [source for source in fact.sources if source.turn_id in said] or fact.sources
    return fact.model_copy(update={"source_episode_ids": others, "sources": sources})


def _turn_of(source: Source, memory: Memory) -> str:
    """Return the turn in which a memory was retained; what a tool was called with alone is told apart by the memory."""
    return source.turn_id or memory.id


def close(tx: Transaction, memory_id: str, clock: Clock, made_by: str) -> None:
    """Close the facts that rest on a memory and on nothing else: it holds no more, and they stay as history."""
    table = FactTable(tx, FACTS, clock, made_by)
    for fact in resting_on(tx, memory_id):
        if set(fact.source_episode_ids) == {memory_id}:
            table.remove(fact.id, CLOSED_BY_EDIT)
