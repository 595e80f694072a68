"""Export: everything that is kept of a user, a project or a session, memory or not, as portable records."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from capabilities.memory.layout import MemoryLayout
from capabilities.memory.people.oneself import subjects_of
from capabilities.vocabulary import AskedSubject
from fabric.errors import SchemaError
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Transaction
from fabric.jobs.reach import KeptRow, Reach, owned_by, reach_of
from fabric.scope import Scope, ScopeKind
from fabric.sessions.session import Session
from fabric.validation import shown, wrong

from .bank_rows import ReachWithBanks, with_banks
from .forgetting.links import LINKS, Node, nodes_of
from .forgetting.naming import Whom, texts_of
from .owned_records import kind_of, records


class Export(BaseModel):
    """What to export: everything that the session's ids open, or of a scope, or of either what is about one person."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    subject: AskedSubject | None = None
    scope: ScopeKind | None = None


def export_block(layout: MemoryLayout) -> Block[Any, list[dict[str, Any]]]:
    """Return the block whose output is everything kept, as JSON records that each name their ``kind``.

    That is what forgetting the same scope deletes, in whichever collection it is: facts in all versions, episodes,
    working entries and turns, then minds, traces, messages, jobs, and what other libraries keep in the file. Its input
    may be an `Export`: ``{"scope": "session"}`` for what one session gave, ``{"subject": name}`` for the records about
    somebody, those that name them, and the turns that these rest on. SchemaError for anything else.
    """

    @handler(name=f"{layout.name}/export", input_schema=Export | None, uses=layout.resources)
    async def export(asked: Export | None, ctx: Context) -> list[dict[str, Any]]:
        return await ctx.transact(lambda tx: list(_exported(tx, layout, asked or Export())))

    return export


def exported(session: Session, layout: MemoryLayout, asked: Any = None) -> Generator[dict[str, Any]]:
    """Return the same records one by one, as of when the first is read, whatever is written meanwhile.

    However many there are, few are in memory. SchemaError for what is no `Export`, StoreError once the file is closed.
    """
    try:
        wanted = Export.model_validate({} if asked is None else asked)
    except ValidationError as error:
        raise SchemaError(f"{layout.name}/export: {wrong(error)}; got {shown(asked)}") from error

    def records_of() -> Generator[dict[str, Any]]:
        with session.snapshot() as tx:
            yield from _exported(tx, layout, wanted)

    return records_of()


def _exported(tx: Transaction, layout: MemoryLayout, wanted: Export) -> Iterator[dict[str, Any]]:
    reach, subject = _reach(tx, wanted), wanted.subject
    if subject is None:
        yield from records(reach)
        return
    subjects = {record.get("subject") for record in records(reach)}
    whom = Whom.meant(subject, subjects, subjects_of(tx.ids.user, layout))
    chosen = {place for record in records(reach) for place in _chosen(record, whom)}
    for record in records(reach) if chosen else ():
        if not chosen.isdisjoint(_places(record)):
            yield record


def _chosen(record: Mapping[str, Any], whom: Whom) -> Iterator[tuple[object, ...]]:
    """Yield where a record about the subject stands, and the turns that it rests on."""
    if whom.has(record, texts_of(record)):
        yield _places(record)[0]
        yield from (("turn", source["turn_id"]) for source in record.get("sources", ()) if isinstance(source, dict))


def _places(record: Mapping[str, Any]) -> list[tuple[object, ...]]:
    kind, record_id = record["kind"], record.get("id")
    return [(kind, record_id, record.get("session")), *([("turn", record_id)] if kind == "turn" else [])]


def _reach(tx: Transaction, wanted: Export) -> Reach:
    if wanted.scope == "session":
        told = {kind for kind, links in LINKS.items() if links.said} | {"turn"}
        tiers = [table for table in tx.rows.tables() if kind_of(table) in told]
        everything = with_banks(reach_of(tx.rows, tx.ids), tx.ids)
        shared = [owner for owner in everything.scopes if owner.kind != "session"]
        own = owned_by(tx.rows, tx.ids, "session").scopes
        return _Given(tx.rows, own, tx.ids, everything.banks, tx.ids.session, dict.fromkeys(tiers, shared))
    if wanted.scope is not None:
        owned = owned_by(tx.rows, tx.ids, wanted.scope)
        return with_banks(owned, tx.ids) if wanted.scope == "user" else owned
    return with_banks(reach_of(tx.rows, tx.ids), tx.ids)


@dataclass(frozen=True, slots=True)
class _Given(ReachWithBanks):
    """What a session holds, and what it gave to the memories, minds and traces of its other scopes."""

    session: str
    tiers: Mapping[str, Sequence[Scope]]

    def of(self, table: str) -> Iterator[KeptRow]:
        yield from ReachWithBanks.of(self, table)
        for owner in self.tiers.get(table, ()):
            for kept in (KeptRow(table, row, owner) for row in self.rows.scan(owner, table)):
                if self._is_theirs(kept) and any(self._gave(node) for node in nodes_of(kept)):
                    yield kept

    def _gave(self, node: Node) -> bool:
        return self.session in (node.record.get("session"), *(source["session"] for source in node.sources))
