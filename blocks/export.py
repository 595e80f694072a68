"""Export: everything that is kept of a user, a project or a session, memory or not, as portable records."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from capabilities.memory.layout import MemoryLayout
from capabilities.vocabulary import Subject
from fabric.block import Block
from fabric.context import Context
from fabric.erasure import KeptRow, held_by
from fabric.handler import handler
from fabric.resource import Collection, Transaction

from .held import names, records


class Export(BaseModel):
    """What to export: everything of the memory's owner, or of a scope, or of either what is about one person."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    subject: Subject | None = None
    scope: Literal["session", "user", "project"] | None = None


def export_block(layout: MemoryLayout) -> Block[Any, list[dict[str, Any]]]:
    """Return the block whose output is everything kept, as JSON records that each name their ``kind``.

    That is what forgetting the same scope deletes, in whichever collection it is: facts in all versions, episodes,
    working entries and turns, then minds, traces, messages, jobs, and what other libraries keep in the file. Its input
    may be an `Export`: ``{"scope": "session"}`` for what one session gave, ``{"subject": name}`` for the records about
    somebody, those that name them, and the turns that these rest on. SchemaError for anything else.
    """

    @handler(name=f"{layout.name}/export", input_schema=Export | None, uses=layout.resources)
    async def export(asked: Export | None, ctx: Context) -> list[dict[str, Any]]:
        wanted = asked or Export()

        def work(tx: Transaction) -> list[dict[str, Any]]:
            found = records(_held(tx, layout, wanted), layout)
            return found if wanted.subject is None else _about(found, wanted.subject)

        return await ctx.transact(work)

    return export


def _held(tx: Transaction, layout: MemoryLayout, wanted: Export) -> list[KeptRow]:
    owner = layout.turns.scope
    if wanted.scope == "session":
        return [*held_by(tx.rows, tx.ids, "session"), *(_of_session(tx, layout) if owner != "session" else ())]
    found = held_by(tx.rows, tx.ids, wanted.scope or owner)
    if wanted.scope is None and owner == "project":
        found += held_by(tx.rows, tx.ids, "session")
    return found


def _of_session(tx: Transaction, layout: MemoryLayout) -> list[KeptRow]:
    """Return what the session gave to the memory of its user or project."""
    tiers: list[Collection[Any] | None] = [layout.semantic, layout.episodic, layout.turns]
    found = [
        KeptRow(one.key, row, tx.ids.scope(one.scope))
        for one in tiers
        if one is not None
        for row in tx.rows.find(one.table, tx.ids.scope(one.scope))
    ]
    session = tx.ids.session
    return [
        one
        for one in found
        if session in {one.row.get("session"), *(source["session"] for source in one.row.get("sources", ()))}
    ]


def _about(found: list[dict[str, Any]], subject: str) -> list[dict[str, Any]]:
    about = [one for one in found if one.get("subject") == subject or names(one, subject)]
    rests_on = {source["turn_id"] for one in about for source in one.get("sources", ()) if isinstance(source, dict)}
    chosen = {id(one) for one in about}
    return [one for one in found if id(one) in chosen or (one["kind"] == "turn" and one["id"] in rests_on)]
