"""Working memory on its own: blocks that observe, remember, tick, snapshot and add, without the other tiers."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from capabilities.claims import Known, claim_of, find_replaced, known_of
from capabilities.sources import Outcome
from capabilities.vocabulary import (
    MAX_OBSERVATION_CHARS,
    SHARE_SLIPS,
    TEXT_SLIPS,
    Category,
    Durability,
    Observation,
    Unit,
)
from capabilities.working import (
    DEFAULT_WORKING_MEMORY_CONFIG,
    WorkingEntry,
    WorkingMemoryConfig,
    document,
    state,
    working_memory_resource,
)
from capabilities.working.format import format_for_observer
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Transaction
from fabric.flow.sequencer import sequencer
from fabric.generation.generator import ModelChoice, generator
from fabric.models.answers.schema import Answer
from fabric.record.items import content_text
from fabric.text.prompt import data_block, delimited, new_mark
from fabric.text.words import printable

from ..prompts import prompt
from ..readers.observe import observe_text
from .exchange import clean
from .model_answers import plain_text
from .observe import MODEL_CHARS, shorten
from .reflect import PIN_IMPORTANCE

PER_TURN = 3
"""How many observations the standalone observer takes from one turn."""
PREFIX = "working-memory"


class Noted(BaseModel):
    """One thing to keep in mind: what the standalone observer returns."""

    model_config = ConfigDict(frozen=True)

    content: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_OBSERVATION_CHARS), TEXT_SLIPS
    ]
    importance: Annotated[Unit, SHARE_SLIPS]
    pinned: bool = False
    replaces: str = ""


class Notes(Answer):
    """What the standalone observer returns for one turn."""

    notes: list[Noted] = Field(default_factory=list[Noted], max_length=PER_TURN)


class NewEntry(BaseModel):
    """What `working_memory_add` takes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    content: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    importance: Unit
    pinned: bool = False
    durability: Durability = "session"
    category: Category = "identity"
    subject: str = "user"


def working_memory_observe(
    model: ModelChoice | None = "gpt-5-mini", *, name: str = f"{PREFIX}/observe"
) -> Block[Any, Notes]:
    """Return the block that takes a user message and notes at most three things to keep in mind.

    It sees the entries there are, so that a note can replace one. ``model`` None notes by rules.
    """
    if model is None:

        @handler(name=name, uses=[working_memory_resource])
        async def by_rules(message: Any, ctx: Context) -> Notes:
            entries = await ctx.transact(document.items)
            known_facts = [known_of(entry, entry.id, entry.category) for entry in entries]
            found = observe_text(printable(clean(content_text(message)[0], ctx)), now=ctx.clock.now())[:PER_TURN]
            return Notes(notes=[_noted(observation, known_facts) for observation in found])

        return by_rules

    async def user(message: Any, ctx: Context) -> str:
        entries = await ctx.transact(document.items)
        mark = new_mark(ctx.clock)
        text = shorten(printable(clean(content_text(message)[0], ctx)), MODEL_CHARS)
        return prompt(
            "working_observe_turn",
            known=data_block("active memories", format_for_observer(entries), mark) or "none",
            message=delimited("user-message", text, mark),
        )

    return generator(
        name=name,
        model=model,
        system=prompt("working_observe", limit=PER_TURN),
        user=user,
        output_schema=Notes,
        uses=[working_memory_resource],
        record=False,
    )


def working_memory_remember(
    config: WorkingMemoryConfig | Mapping[str, Any] = DEFAULT_WORKING_MEMORY_CONFIG, *, name: str = f"{PREFIX}/remember"
) -> Block[Notes, list[Outcome]]:
    """Return the block that keeps notes: what a note replaces is evicted, then the note is added."""
    limits = WorkingMemoryConfig.of(config) or DEFAULT_WORKING_MEMORY_CONFIG

    @handler(name=name, uses=[working_memory_resource])
    async def remember(notes: Notes, ctx: Context) -> list[Outcome]:
        def work(tx: Transaction) -> list[dict[str, Any]]:
            return [_remember(tx, plain_text(note), ctx, limits).model_dump() for note in notes.notes]

        return [Outcome.model_validate(outcome) for outcome in await ctx.transact(work, once="remember")]

    return remember


def working_memory_tick(
    config: WorkingMemoryConfig | Mapping[str, Any] = DEFAULT_WORKING_MEMORY_CONFIG, *, name: str = f"{PREFIX}/tick"
) -> Block[Any, int]:
    """Return the block that advances the decay clock; its output is the turn reached."""
    limits = WorkingMemoryConfig.of(config) or DEFAULT_WORKING_MEMORY_CONFIG

    @handler(name=name, uses=[working_memory_resource])
    async def tick(ctx: Context) -> int:
        return await ctx.transact(lambda tx: document.advance(tx, limits).current_turn, once="tick")

    return tick


def working_memory_snapshot(*, name: str = f"{PREFIX}/snapshot") -> Block[Any, list[WorkingEntry]]:
    """Return the block whose output is the entries, most salient first."""

    @handler(name=name, uses=[working_memory_resource])
    async def snapshot(ctx: Context) -> list[WorkingEntry]:
        return await ctx.transact(document.items)

    return snapshot


def working_memory_add(
    config: WorkingMemoryConfig | Mapping[str, Any] = DEFAULT_WORKING_MEMORY_CONFIG, *, name: str = f"{PREFIX}/add"
) -> Block[NewEntry, WorkingEntry]:
    """Return the block that adds one entry (`NewEntry`, or a mapping of its fields) without any model."""
    limits = WorkingMemoryConfig.of(config) or DEFAULT_WORKING_MEMORY_CONFIG

    @handler(name=name, input_schema=NewEntry, uses=[working_memory_resource])
    async def add(new: NewEntry, ctx: Context) -> WorkingEntry:
        fields: dict[str, Any] = {**new.model_dump(), "content": ctx.redact(new.content)}
        entry = WorkingEntry(id=ctx.clock.new_id("wm"), **fields)
        return await ctx.transact(lambda tx: document.add(tx, entry, limits).entry)

    return add


def working_memory_capture(
    model: ModelChoice | None = "gpt-5-mini",
    config: WorkingMemoryConfig | Mapping[str, Any] = DEFAULT_WORKING_MEMORY_CONFIG,
    *,
    name: str = f"{PREFIX}/capture",
) -> Block[Any, list[Outcome]]:
    """Return observe, remember, tick as one block that takes a user message; an empty message ends it at once."""
    return (
        sequencer(name=name)
        .then(handler(lambda message: content_text(message)[0], name=f"{name}/text"))
        .exit_if(lambda text: not text.strip())
        .then(working_memory_observe(model, name=f"{name}/observe"))
        .then(working_memory_remember(config, name=f"{name}/remember"))
        .tap(working_memory_tick(config, name=f"{name}/tick"))
    )


def _noted(found: Observation, known_facts: list[Known]) -> Noted:
    return Noted(
        content=found.content,
        importance=found.importance,
        pinned=found.importance >= PIN_IMPORTANCE,
        replaces=find_replaced(claim_of(found), known_facts),
    )


def _remember(tx: Transaction, note: Noted, ctx: Context, limits: WorkingMemoryConfig) -> Outcome:
    replaced = note.replaces if state.find(document.load(tx), note.replaces) is not None else ""
    if replaced:
        document.evict(tx, replaced)
    entry = WorkingEntry(
        id=ctx.clock.new_id("wm"), content=note.content, importance=note.importance, pinned=note.pinned
    )
    added = document.add(tx, entry, limits)
    unknown = note.replaces and not replaced
    return Outcome(
        status="superseded" if replaced else "stored",
        tier="working",
        id=added.entry.id,
        content=note.content,
        replaced=replaced,
        reason=f"no entry {note.replaces!r}: id ignored" if unknown else "",
    )
