"""What is known of the one who asks: who they are first, then what is most sure and most recent."""

from capabilities.claims import ATTRIBUTES, claim_of, place
from capabilities.semantic import Fact
from fabric.flow.context import Context
from fabric.flow.resource import Transaction
from fabric.store.base import Where

from ..contested import with_contested
from ..layout import MemoryLayout
from ..people.oneself import subjects_of
from ..refiled import refile_own_rows
from .prior import distinct, of_fact, prior_memories, tagged_turns
from .ranked import RELEVANT, RankedMemory
from .request import RecallRequest

LAST = 99
"""The rank of what says nothing of who somebody is."""
FEW = 500
"""From how many facts on, only those that say who somebody is and the most said of the others are looked at."""


async def profile(ctx: Context, layout: MemoryLayout, request: RecallRequest) -> list[RankedMemory]:
    """Return what is known of the user, most telling first; [] where nothing is, or other memories are asked for."""
    if "semantic" not in request.tiers:
        return []
    mine = subjects_of(ctx.user, layout)

    def work(tx: Transaction) -> list[RankedMemory]:
        refile_own_rows(tx, layout)
        has_tags = tagged_turns(tx, layout, request)
        found = _facts(tx, ctx, layout, request, mine)
        asked = (memory for memory in found if request.fits(memory, has_tags))
        return [memory for memory in asked if claim_of(memory).polarity != "ended"]  # no part of who one is

    found = await ctx.transact(work)
    ordered = sorted(distinct(found), key=_rank)[: request.most]
    step = (1 - RELEVANT) / max(1, len(ordered))
    return [memory.model_copy(update={"relevance": 1 - step * at}) for at, memory in enumerate(ordered)]


def _facts(
    tx: Transaction, ctx: Context, layout: MemoryLayout, request: RecallRequest, mine: frozenset[str]
) -> list[RankedMemory]:
    """Return the memories of the user, the facts of whom are read only in part where there are many."""
    facts = layout.semantic
    subject = Where("subject", "in", sorted(mine))
    current = Where("status", "=", "current")
    if facts is None or request.is_past or tx.count(facts, current) <= FEW:
        return [memory for memory in prior_memories(tx, ctx, layout, request) if memory.subject in mine]
    index = tx.index(facts)
    slots = [] if index is None else [slot for slot in index.columns["slot"].names if _is_identity(slot or "")]
    telling = tx.find(facts, current, subject, Where("slot", "in", slots), limit=FEW) if slots else []
    most = tx.find(facts, current, subject, order="-reinforcement_count", limit=3 * request.most)
    chosen: dict[str, Fact] = {fact.id: fact for fact in (*telling, *most)}
    return with_contested(tx, layout, [of_fact(fact) for fact in chosen.values()])


def _is_identity(slot: str) -> bool:
    where = place(slot)
    return where.attribute in ATTRIBUTES and ATTRIBUTES[where.attribute].identity > 0 and not where.owner


def _rank(memory: RankedMemory) -> tuple[int, int, float, float]:
    claim = claim_of(memory)
    where = place(memory.slot)
    rank = ATTRIBUTES[claim.attribute].identity if memory.slot and not where.owner and claim.polarity == "holds" else 0
    told_at = max((source.said_at.timestamp() for source in memory.sources), default=0.0)
    return rank or LAST, int(memory.source != "semantic"), -round(memory.prior, 2), -told_at
