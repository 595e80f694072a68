"""Import: turns that were said elsewhere are kept as they are, many at a time and without a model."""

from collections.abc import Sequence
from datetime import datetime
from hashlib import blake2b
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from capabilities.memory.layout import MemoryLayout
from capabilities.turns import Turn
from capabilities.vocabulary import Tag
from fabric.clock import utc
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Transaction

from .capture.exchange import clean

BATCH = 2_000
"""How many turns are embedded and written at once."""


class ImportedTurn(BaseModel):
    """One turn to import. One without an ``id`` gets one made of the rest: importing it again changes nothing."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    session: Annotated[str, Field(min_length=1)]
    role: Literal["user", "assistant"]
    text: str
    said_at: Annotated[datetime, AfterValidator(utc)]
    speaker: str = ""
    tags: list[Tag] = []
    id: str = ""

    def turn(self, ctx: Context) -> Turn:
        """Return the turn as it is kept: without secrets, and without what a memory had put into a prompt."""
        return Turn(
            id=self.id or self._fingerprint(),
            session=self.session,
            turn=0,
            role=self.role,
            text=clean(self.text, ctx),
            said_at=self.said_at,
            speaker=ctx.redact(self.speaker),
            tags=self.tags,
        )

    def _fingerprint(self) -> str:
        text = repr((self.session, self.role, self.speaker, self.said_at.isoformat(), self.text))
        return f"imported_{blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=12).hexdigest()}"


class ImportResult(BaseModel):
    """What became of the turns: how many are new, and how many were there already or blank."""

    model_config = ConfigDict(frozen=True)

    imported: int = 0
    skipped: int = 0
    degraded: str = ""
    """Why the turns are found by their words only, or ""."""


def import_block(layout: MemoryLayout) -> Block[Any, ImportResult]:
    """Return the block that imports turns: a list of `ImportedTurn` or of mappings with its fields, oldest first.

    Every ``BATCH`` turns are one transaction: an import that was cut off is finished by running it again.
    """

    @handler(name=f"{layout.name}/import", input_schema=list[ImportedTurn], uses=[layout.turns])
    async def import_turns(turns: list[ImportedTurn], ctx: Context) -> ImportResult:
        result = ImportResult()
        with ctx.run.writing():  # or what is forgotten meanwhile would come in with the next batch
            for start in range(0, len(turns), BATCH):
                part = await keep_turns(ctx, layout, turns[start : start + BATCH])
                result = ImportResult(
                    imported=result.imported + part.imported,
                    skipped=result.skipped + part.skipped,
                    degraded=part.degraded or result.degraded,
                )
        return result

    return import_turns


async def keep_turns(ctx: Context, layout: MemoryLayout, given: Sequence[ImportedTurn]) -> ImportResult:
    """Keep these turns in one transaction, those that are not there yet."""
    for before, after in pairwise(given):
        if before.session == after.session:
            ctx.heed(before.text, after.text)
    turns = [turn.turn(ctx) for turn in given]
    new = await ctx.transact(lambda tx: unknown_turns(tx, layout, turns))
    embedded = await layout.meaning.embed_stored([turn.text for turn in new])

    def work(tx: Transaction) -> None:
        tx.embedded = embedded.by_text([turn.text for turn in new])
        tx.put(layout.turns, new)

    await ctx.transact(work)
    return ImportResult(imported=len(new), skipped=len(given) - len(new), degraded=embedded.degraded)


def unknown_turns(tx: Transaction, layout: MemoryLayout, turns: Sequence[Turn]) -> list[Turn]:
    """Return the turns that have a text and are not there yet, each once."""
    by_id = {turn.id: turn for turn in turns if turn.text.strip()}
    known = {turn.id for turn in tx.get_many(layout.turns, list(by_id))}
    return [turn for turn in by_id.values() if turn.id not in known]
