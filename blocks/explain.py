"""Why: where a memory comes from, and what became of it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict

from capabilities.episodic import Episode
from capabilities.memory.contested import contesting
from capabilities.memory.layout import MemoryLayout
from capabilities.semantic import Fact, FactTable
from capabilities.sources import Source
from capabilities.turns import Turn
from capabilities.working import state as working
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Transaction
from fabric.jobs.reach import reach_of
from fabric.record.forgotten import ERASED
from fabric.record.log import ITEMS
from fabric.text.words import words

from .forgetting.links import nodes_of
from .owned_records import kinds

ExplainedAs = Literal[
    "semantic",
    "episodic",
    "working",
    "turn",
    "goal",
    "belief",
    "reflection",
    "draft",
    "trace",
    "intention",
    "item",
    "community",
]
"""What a record is explained as: the memory's own by their tier, all others by their kind."""
OUTSIDE_TIERS: Mapping[str, ExplainedAs] = {
    **{kind: kind for kind in get_args(ExplainedAs) if kind not in ("semantic", "episodic")},
    "fact": "semantic",
    "episode": "episodic",
}
"""Kinds of records outside the memory's tiers, in other memory systems too, and the tier each is explained as."""


class Evidence(BaseModel):
    """One turn that a memory rests on, as it was said; ``text`` is None when the turn is not kept any more."""

    model_config = ConfigDict(frozen=True)

    source: Source
    text: str | None = None
    role: str = ""


class Explanation(BaseModel):
    """Why a memory is held: the turns it rests on, the block that wrote it, and every version before and after."""

    model_config = ConfigDict(frozen=True)

    id: str
    tier: ExplainedAs
    content: str
    status: str
    made_by: str = ""
    evidence: list[Evidence] = []
    contested: list[str] = []
    """What other facts say of the same place, where it is not known which came later."""
    history: list[Fact] = []
    """All versions of the fact, oldest first; for an episode or an entry, those of the fact that it became."""
    earlier: list[str] = []
    """What a belief said before, oldest first."""
    links: dict[str, list[str]] = {}
    """The ids of the records that it was made of, that took its place, or of a trace that say otherwise."""


def why_block(layout: MemoryLayout) -> Block[str, Explanation | None]:
    """Return the block that takes the id of a record and explains it; None for an unknown id.

    It knows facts, episodes, working entries and turns, and in every scope that the session's ids open the goals,
    beliefs, reflections and drafts of minds, traces, intentions, and messages.
    """

    @handler(name=f"{layout.name}/why", input_schema=str, uses=layout.resources)
    async def why(memory_id: str, ctx: Context) -> Explanation | None:
        kinds()  # what it imports at its first call must not hold the store up
        return await ctx.transact(lambda tx: _explain(tx, layout, ctx, memory_id))

    return why


def _explain(tx: Transaction, layout: MemoryLayout, ctx: Context, memory_id: str) -> Explanation | None:
    if layout.semantic is not None:
        history = FactTable(tx, layout.semantic, ctx.clock).history(memory_id)
        fact = next((fact for fact in history if fact.id == memory_id), None)
        if fact is not None:
            return Explanation(
                id=fact.id,
                tier="semantic",
                content=fact.content,
                status=fact.status,
                made_by=fact.made_by,
                evidence=_evidence(tx, layout, fact.sources),
                contested=contesting(tx, layout, fact),
                history=history,
            )
    episode = tx.get(layout.episodic, memory_id) if layout.episodic is not None else None
    if episode is not None:
        status = "superseded" if episode.superseded else "consolidated" if episode.consolidated else "recorded"
        return Explanation(
            id=episode.id,
            tier="episodic",
            content=episode.content,
            status=status,
            made_by=episode.made_by,
            evidence=_evidence(tx, layout, episode.sources),
            history=_became(tx, layout, ctx, episode),
        )
    entry = working.find(tx.read(layout.working), memory_id)
    if entry is not None:
        return Explanation(
            id=entry.id,
            tier="working",
            content=entry.content,
            status=f"salience {entry.salience:.2f}{', pinned' if entry.pinned else ''}",
            made_by=entry.made_by,
            evidence=_evidence(tx, layout, entry.sources),
            history=_history(tx, layout, ctx, entry.fact_id),
        )
    turn = tx.get(layout.turns, memory_id)
    if turn is None:
        return _outside_tiers(tx, layout, memory_id)
    if turn.id in tx.read(layout.state).pending:
        status = "kept, not captured yet"
    else:
        status = "captured" if turn.captured else "kept as it was said, nothing is taken from it"
    return Explanation(id=turn.id, tier="turn", content=turn.text, status=status, evidence=[_said(turn)])


def _outside_tiers(tx: Transaction, layout: MemoryLayout, record_id: str) -> Explanation | None:
    """Explain a record outside the memory's tiers: in a mind or another memory system, a trace, a message."""
    if not record_id:
        return None
    reach = reach_of(tx.rows, tx.ids)
    nodes = (node for kept in reach.containing([record_id]) for node in nodes_of(kept))
    found = next((node for node in nodes if node.id == record_id and node.kind in OUTSIDE_TIERS), None)
    if found is None:
        return None
    record = found.record
    if found.kind == "item":
        return _message(record)
    links = found.links
    own = next((text for path in links.says for text in found.named((path,))), "")
    tied = {path: sorted(found.named((path,))) for path in (*links.versions, *links.same, *links.drawn, *links.against)}
    return Explanation(
        id=found.id,
        tier=OUTSIDE_TIERS[found.kind],
        content=own,
        status=_status(record),
        made_by=str(record.get("made_by") or ""),
        evidence=_evidence(tx, layout, [Source.model_validate(source) for source in found.sources]),
        earlier=[str(row["content"]) for row in record.get("earlier") or ()],
        links={path: ids for path, ids in tied.items() if ids},
    )


def _message(record: Mapping[str, Any]) -> Explanation | None:
    if record["text"] == ERASED:
        return None
    kind, by = str(record["kind"]), str(record["block"])
    return Explanation(id=record["id"], tier="item", content=record["text"], status=kind, made_by=by)


def _status(record: Mapping[str, Any]) -> str:
    if record.get("deleted"):
        return f"deleted: {record.get('deleted_reason') or 'on request'}"
    told = [str(record[name]) for name in ("status", "type", "trigger", "action", "scope") if record.get(name)]
    sure = record.get("confidence")
    told += [f"confidence {sure:.2f}" if isinstance(sure, float) else str(sure)] if sure else []
    told += ["said otherwise since"] if record.get("contradicted_by") else []
    told += [name for name in ("pinned", "error") if record.get(name) is True]
    return ", ".join(told)


def _history(tx: Transaction, layout: MemoryLayout, ctx: Context, fact_id: str) -> list[Fact]:
    return FactTable(tx, layout.semantic, ctx.clock).history(fact_id) if layout.semantic is not None else []


def _became(tx: Transaction, layout: MemoryLayout, ctx: Context, episode: Episode) -> list[Fact]:
    if layout.semantic is None:
        return []
    matches = tx.match(layout.semantic, words(episode.content), 50)
    facts = tx.get_many(layout.semantic, [match.id for match in matches])
    fact = next((fact for fact in facts if episode.id in fact.source_episode_ids), None)
    return _history(tx, layout, ctx, fact.id) if fact is not None else []


def _evidence(tx: Transaction, layout: MemoryLayout, sources: list[Source]) -> list[Evidence]:
    found = {turn.id: turn for turn in tx.get_many(layout.turns, [source.turn_id for source in sources])}
    return [_said(found[source.turn_id]) if source.turn_id in found else _of_session(tx, source) for source in sources]


def _of_session(tx: Transaction, source: Source) -> Evidence:
    """Return the message of a session that no memory kept as a turn."""
    whose = replace(tx.ids, session=source.session)
    mine = source.user in (None, tx.ids.user)
    for row in tx.rows.get(ITEMS, whose.scope("session"), [source.turn_id]) if mine and source.session else ():
        if row["text"] != ERASED:
            return Evidence(source=source, text=row["text"], role=row["role"])
    return Evidence(source=source)


def _said(turn: Turn) -> Evidence:
    return Evidence(source=turn.source(), text=turn.text, role=turn.role)
