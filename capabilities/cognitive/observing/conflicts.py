"""What becomes of two memories that say otherwise, by the personality: three rules of the reflector."""

from collections.abc import Sequence

from capabilities.formulas.in_sleep import kept_version
from capabilities.traces.graph import edge_between
from capabilities.traces.record import Trace
from capabilities.traces.table import TraceTable, deleted, uncontradicted
from capabilities.traces.tables import Tables

from ..config import CognitiveConfig
from ..graph import WEIGHTS
from ..storing import OUTDATED
from ..wakefulness import CLOCKS

DISCREPANCY = "disputed"
"""The tag of two memories that say otherwise and both count."""


def settle_conflicts(
    table: TraceTable, tables: Tables, new: Trace, old_ids: Sequence[str], config: CognitiveConfig
) -> Trace:
    """Settle a new trace with those that it contradicts; return it as it is then.

    A candid personality lets the newer supersede the older, which can be restored; an agreeable one keeps both, tagged
    as disputed; else the surer one counts.
    """
    tx, traits = table.tx, config.traits
    held = [trace for trace in tx.get_many(tables.traces, list(old_ids)) if not trace.deleted and trace.id != new.id]
    for old in held:
        kept = kept_version(old.confidence, new.confidence, traits.honesty, traits.agreeableness)
        new, old_after = _settled(new, old, kept, table, tables)
        tx.put(tables.traces, [new, old_after])
        tx.put(tables.edges, [edge_between(new.id, old.id, WEIGHTS["contradicts"], "contradicts")])
    return new


def _settled(new: Trace, old: Trace, kept: str, table: TraceTable, tables: Tables) -> tuple[Trace, Trace]:
    free = uncontradicted(old, {new.id})
    if kept == "both":
        return _disputed(new), _disputed(free)
    if kept == "older":
        return new.model_copy(update={"contradicted_by": (*new.contradicted_by, old.id)}), free
    over = free.model_copy(update={"contradicted_by": (*free.contradicted_by, new.id)})
    if kept == "superseded":
        days = table.tx.read(CLOCKS[tables.owner]).days
        over = deleted(over, OUTDATED, table.clock.now()).model_copy(update={"faded_on": days})
    return new, over


def _disputed(trace: Trace) -> Trace:
    return trace.model_copy(update={"tags": tuple(dict.fromkeys([*trace.tags, DISCREPANCY]))})
