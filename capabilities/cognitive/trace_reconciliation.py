"""What a new trace does to those that are there, and they to it: judged, weakened by likeness, and tied."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.search.views import holds, ids_at

from ..claims import OTHER, USER, Claim, compare, read_as
from ..claims.record import Verdict
from ..formulas.in_sleep import FULLEST_ENTITY, IN_SEQUENCE
from ..formulas.retention import interference
from ..semantic.namesakes import are_two
from ..traces.graph import edge_between
from ..traces.record import Edge, EdgeType, Trace
from ..traces.seen import visible
from ..traces.words import entity_term, rival_terms
from .config import CognitiveConfig
from .graph import WEIGHTS
from .wakefulness import Elapsed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.search.base import SearchView

    from ..traces.table import TraceTable
    from ..traces.tables import Place

    Mask = NDArray[np.bool_]
    Floats = NDArray[np.float32]

MOST_ALIKE = 20
"""How many traces that are like a new one are looked at: the likest."""
FOLLOWERS = 10
"""With how many of those just before it a new trace is tied."""
INTERFERED = 0.1
"""What interference leaves of a strength at least: five evenings that were much alike are five evenings."""


@dataclass(frozen=True, slots=True)
class Reconciled:
    """A new trace as it is stored, the older ones that it changed, and the new edges.

    ``same`` is a trace that says the same already: then nothing else is to be stored.
    """

    trace: Trace
    changed: tuple[Trace, ...] = ()
    edges: tuple[Edge, ...] = ()
    weakened: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()
    same: Trace | None = None


def reconcile_trace(
    table: "TraceTable", place: "Place", new: Trace, now: Elapsed, config: CognitiveConfig
) -> Reconciled:
    """Return a new trace compared with those of its place: repeated, contradicted, tied; nothing is written."""
    index = table.tx.index(place.tables.traces, table.space)
    if index is None or not len(index):
        return Reconciled(new)
    seen = visible(index, [place.persona], scopes=[place.scope])
    alike = _alike(index, seen, table.vector_of(new.content), config.interference_threshold)
    rivals = _holding(index, seen, rival_terms(new), MOST_ALIKE)
    ids = [index.ids[position] for position in dict.fromkeys([*alike, *rivals])]
    known = {trace.id: trace for trace in table.tx.get_many(place.tables.traces, ids)}
    likeness = {index.ids[position]: cosine for position, cosine in alike.items()}
    verdicts = _verdicts(known, new, likeness)
    repeated = [known[trace_id] for trace_id, verdict in verdicts.items() if verdict == "same"]
    same = next((trace for trace in repeated if trace.type == new.type and not trace.contradicted_by), None)
    if same is not None:
        return Reconciled(new, same=same)
    over = tuple(trace_id for trace_id, verdict in verdicts.items() if verdict in ("replaces", "ends"))
    changed, trace, weakened = _weakened(known, likeness, new, now, config)
    for trace_id in over:
        changed[trace_id] = changed[trace_id].model_copy(
            update={"contradicted_by": (*known[trace_id].contradicted_by, new.id)}
        )
    edges = [*_ties(new, over, "contradicts"), *_ties(new, over, "supersedes")]
    edges += _ties(
        new, [trace_id for trace_id, verdict in verdicts.items() if verdict == "refines"], "same_topic", likeness
    )
    edges += _ties(new, _named_with(index, seen, new), "shared_entity")
    edges += _ties(new, _just_before(index, seen, new), "temporal_sequence")
    touched = tuple(updated for key, updated in changed.items() if updated is not known[key])
    return Reconciled(trace, touched, tuple({edge.id: edge for edge in edges}.values()), weakened, over)


def _verdicts(known: dict[str, Trace], new: Trace, likeness: Collection[str]) -> dict[str, Verdict]:
    """Return what a new trace is to each of those that it may speak of.

    Of two who share a name, what is said of one is nothing to what is said of the other; what may be about both changes
    neither.
    """
    found: dict[str, Verdict] = {
        trace_id: compare(_claim(trace), _claim(new), alike=trace_id in likeness) for trace_id, trace in known.items()
    }
    judged = [trace_id for trace_id, verdict in found.items() if verdict != "unrelated"]
    others = [trace_id for trace_id in judged if are_two(known[trace_id].content, new.content)]
    mine = [trace_id for trace_id in judged if trace_id not in others]
    others += [
        trace_id for trace_id in mine if any(are_two(known[trace_id].content, known[two].content) for two in mine)
    ]
    apart: dict[str, Verdict] = dict.fromkeys(others, "unrelated")
    return {**found, **apart}


def _alike(index: "SearchView", seen: "Mask", vector: "Floats | None", threshold: float) -> dict[int, float]:
    """Return the positions whose cosine with a vector is above the threshold, the likest first."""
    vectors = index.vectors
    if vector is None or vectors is None or not len(vectors) or vectors.dimension != vector.shape[-1]:
        return {}
    whole = vector if vector.ndim == 1 else vector[0]
    quick = vectors.quick(whole)
    positions = np.flatnonzero((quick > threshold - 0.02) & seen[: len(quick)])
    if not len(positions):
        return {}
    exact = vectors.exact(whole, positions)
    order = np.lexsort((positions, -exact))[:MOST_ALIKE]
    return {int(positions[at]): min(1.0, float(exact[at])) for at in order.tolist() if exact[at] > threshold}


def _holding(index: "SearchView", seen: "Mask", terms: Sequence[str], most: int) -> list[int]:
    """Return the latest positions that hold a term, for each of some terms."""
    found: list[int] = []
    for term in terms:
        number = index.postings.terms.get(term)
        if number is not None:
            positions = index.postings.of(number)[0]
            found += positions[seen[positions]][-most:].tolist()
    return found


def _named_with(index: "SearchView", seen: "Mask", new: Trace) -> list[str]:
    positions = _holding(index, seen, [entity_term(name) for name in new.entities], FULLEST_ENTITY)
    return [index.ids[position] for position in dict.fromkeys(positions)]


def _just_before(index: "SearchView", seen: "Mask", new: Trace) -> list[str]:
    apart = np.abs(index.columns["created_at"].values - new.created_at.timestamp())
    near = np.flatnonzero(seen & holds(index, "session", [new.session]) & (1000 * apart < IN_SEQUENCE))
    return ids_at(index, near[-FOLLOWERS:])


def _weakened(
    known: dict[str, Trace], likeness: dict[str, float], new: Trace, now: Elapsed, config: CognitiveConfig
) -> tuple[dict[str, Trace], Trace, tuple[str, ...]]:
    pairs = [(likeness[trace_id], now.strength(known[trace_id])) for trace_id in likeness if trace_id in known]
    lost, own = interference(pairs, config.interference_threshold)
    losses = dict(zip([trace_id for trace_id in likeness if trace_id in known], lost, strict=True))
    changed = {trace_id: _less(trace, losses.get(trace_id, 0.0)) for trace_id, trace in known.items()}
    return changed, _less(new, own), tuple(trace_id for trace_id, loss in losses.items() if loss > 0)


def _less(trace: Trace, loss: float) -> Trace:
    """Return a trace that others weaken; they alone never bring it to where the next sweep would remove it."""
    left = max(trace.strength - loss, min(trace.strength, INTERFERED))
    return trace if left == trace.strength else trace.model_copy(update={"strength": left})


def _ties(new: Trace, others: Iterable[str], kind: EdgeType, weights: dict[str, float] | None = None) -> Iterator[Edge]:
    for other in others:
        weight = (weights or {}).get(other, WEIGHTS.get(kind, 0.5))
        yield edge_between(new.id, other, weight, kind)


def _claim(trace: Trace) -> Claim:
    """Return what a trace says; where its fields name an owner, whose it is is read anew: a sister's home is hers."""
    attribute = trace.attribute or OTHER
    if trace.of and attribute != OTHER:
        return read_as(trace.content)
    value = trace.content if attribute == OTHER else trace.value
    fields: dict[str, Any] = {**trace.claim_fields(), "attribute": attribute, "value": value}
    return Claim(subject=USER, text=trace.content, **fields)
