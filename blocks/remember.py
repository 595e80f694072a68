"""Remember and correct: a statement that is given as such becomes a fact at once, with its words as the source."""

from collections.abc import Sequence
from typing import Annotated, Any, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints, model_validator

from capabilities.claims import ATTRIBUTES, read_as
from capabilities.memory.layout import MemoryLayout
from capabilities.semantic import Fact, FactInput, FactTable
from capabilities.sources import Outcome
from capabilities.turns import Turn
from capabilities.vocabulary import (
    FACT_CATEGORIES,
    MAX_OBSERVATION_CHARS,
    FactCategory,
    Moment,
    StatedSubject,
    Tag,
    Unit,
)
from fabric.errors import ConfigurationError, RunError
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Collection, Transaction
from fabric.text.prompt import strip_data_blocks

Statement = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_OBSERVATION_CHARS),
    BeforeValidator(lambda given: strip_data_blocks(given) if isinstance(given, str) else given),
]
"""A fact in its own words: what a memory had put into a prompt is taken out of it."""


class Remember(BaseModel):
    """A fact as somebody states it; a text alone is its content.

    ``valid_from`` None means since now; ``replaces`` is the id of a current fact.

    >>> Remember.model_validate("Anna is in Oslo").content
    'Anna is in Oslo'
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    content: Statement
    subject: StatedSubject = "user"
    category: FactCategory | None = None
    """What kind of fact it is; None takes that of what it says, or "attribute"."""
    confidence: Unit = 0.9
    valid_from: Moment | None = None
    replaces: str = ""
    tags: list[Tag] = []

    @model_validator(mode="before")
    @classmethod
    def _stated(cls, given: Any) -> Any:
        return {"content": given} if isinstance(given, str) else given


class Correct(BaseModel):
    """A current fact, by the id that recall printed, and what it should say."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    content: Statement


def remember_block(layout: MemoryLayout) -> Block[Remember, Outcome]:
    """Return the block that takes a stated fact in: stored, merged with what is known, or superseding it."""
    facts = _facts(layout)

    @handler(name=f"{layout.name}/remember", input_schema=Remember, uses=layout.resources)
    async def remember(asked: Remember, ctx: Context) -> Outcome:
        turn = _said(asked.content, ctx, asked.tags)
        embedded = await layout.meaning.embed_stored([turn.text])

        def work(tx: Transaction) -> Outcome:
            tx.embedded = embedded.by_text([turn.text])
            outcome = FactTable(tx, facts, ctx.clock, ctx.path, layout.episodic).reconcile(
                FactInput(
                    subject=asked.subject,
                    content=turn.text,
                    confidence=asked.confidence,
                    category=asked.category or _category(turn.text, asked.subject),
                    sources=[turn.source()],
                    valid_from=asked.valid_from,
                    replaces=asked.replaces,
                )
            )
            if outcome.id:
                tx.put(layout.turns, [turn])
            _retire(tx, layout, outcome.replaced)
            return outcome

        outcome = await ctx.transact(work)
        secrets = ctx.secrets_in(asked.content)
        return outcome.model_copy(update={"redacted": tuple(secrets)}) if secrets else outcome

    return remember


def correct_block(layout: MemoryLayout) -> Block[Correct, Fact]:
    """Return the block that supersedes a fact by what it should say; RunError for an id that is no current fact.

    Where several correct one fact at once, each takes the place of the one before: the last one holds, and all are in
    its history.
    """
    facts = _facts(layout)

    @handler(name=f"{layout.name}/correct", input_schema=Correct, uses=layout.resources)
    async def correct(asked: Correct, ctx: Context) -> Fact:
        turn = _said(asked.content, ctx)
        embedded = await layout.meaning.embed_stored([turn.text])

        def work(tx: Transaction) -> tuple[Fact | None, str]:
            tx.embedded = embedded.by_text([turn.text])
            table = FactTable(tx, facts, ctx.clock, ctx.path, layout.episodic)
            later = _later_versions(table.history(asked.id), asked.id)
            latest = later[-1].id if later else asked.id
            if not all(fact.made_by.endswith(f"{layout.name}/correct") for fact in later):
                return None, latest
            changed = table.update(latest, turn.text, sources=[turn.source()])
            if changed is not None:
                tx.put(layout.turns, [turn])
                _retire(tx, layout, latest)
            return changed, latest

        changed, latest = await ctx.transact(work)
        if changed is None:
            became = f" (it became {latest!r} since)" if latest != asked.id else ""
            raise RunError(
                f"{ctx.path}: {asked.id!r} is no current fact{became}: take an id of a result whose source is "
                "'semantic'; what was superseded or forgotten cannot be changed, and episodes and turns stay as they "
                "were said"
            )
        return changed

    return correct


def _later_versions(history: Sequence[Fact], fact_id: str) -> list[Fact]:
    """Return the versions that took the place of one, one after the other."""
    by_id = {fact.id: fact for fact in history}
    later: list[Fact] = []
    here = by_id.get(fact_id)
    while here is not None and here.superseded_by in by_id and len(later) < len(by_id):
        here = by_id[here.superseded_by]
        later.append(here)
    return later


def _category(text: str, subject: str) -> FactCategory:
    category = ATTRIBUTES[read_as(text, subject).attribute].category
    return cast("FactCategory", category) if category in FACT_CATEGORIES else "attribute"


def _facts(layout: MemoryLayout) -> Collection[Fact]:
    if layout.semantic is None:
        raise ConfigurationError(
            "to remember and correct facts, semantic memory is needed: memory_system(episodic=True, semantic=True)"
        )
    return layout.semantic


def _retire(tx: Transaction, layout: MemoryLayout, fact_id: str) -> None:
    """Take what a superseded fact said out of working memory."""
    if not fact_id:
        return
    state = tx.read(layout.working)
    left = tuple(entry for entry in state.entries if entry.fact_id != fact_id)
    if len(left) < len(state.entries):
        tx.write(layout.working, state.model_copy(update={"entries": left}))


def _said(text: str, ctx: Context, tags: Sequence[str] = ()) -> Turn:
    """Return the statement as a turn of the session, kept as the fact's source."""
    now = ctx.clock.now()
    return Turn(
        id=ctx.clock.new_id("stated"),
        session=ctx.session,
        user=ctx.user,
        turn=0,
        role="user",
        text=ctx.redact(text),
        said_at=now,
        counts_as=ctx.run.counts_as(now),
        tags=list(tags),
        captured=True,
    )
