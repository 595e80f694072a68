"""The six steps of a consolidation, over the traces that a session sees of one owner, inside transactions."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256

import numpy as np

from capabilities.claims import compare, read_as
from capabilities.formulas.similarity import word_cosine
from fabric.store.base import RowVectors, Where

from ..feedback import used_together
from ..graph import clusters, co_activated, pair_ids
from ..record import INSIGHT_STRENGTH, INSIGHT_TAGS, ConsolidationRun, Trace
from ..seen import Seen, look
from ..table import TraceTable
from ..tables import Place, View
from ..words import trace_words
from .duplicates import Pair, near_pairs, same_groups, survivors
from .reflection import melted, prunable, settled

Prune = Callable[[TraceTable, View], int]
"""Removes what has faded from a view, and returns how many traces that were."""
CATCH_UP = 2_000
"""How many traces without a vector one consolidation embeds."""


@dataclass(slots=True)
class Counts:
    """What a consolidation has done so far."""

    pruned: int = 0
    merged: int = 0
    strengthened: int = 0
    derived: int = 0
    compacted: int = 0
    indexed: int = 0
    failed: list[str] = field(default_factory=list[str])
    drawn_from: list[str] = field(default_factory=list[str])

    def fail(self, traces: Sequence[Trace], reason: str) -> None:
        """Note that no insight was drawn from a cluster, and why."""
        self.failed.append(f"cluster of {len(traces)} traces: {reason}")
        self.drawn_from += [trace.id for trace in traces]

    def run(self, table: TraceTable, run_id: str, duration_ms: int) -> ConsolidationRun:
        """Return it as a line of the log."""
        return ConsolidationRun(
            id=table.clock.new_id("consolidation"),
            run=run_id,
            at=table.clock.now(),
            **asdict(self),
            duration_ms=duration_ms,
        )


@dataclass(frozen=True, slots=True)
class Cluster:
    """Traces that were of use together; ``key`` stands for this very group."""

    key: str
    traces: tuple[Trace, ...]


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps over one owner. The first three belong into one transaction, the last two into a later one."""

    table: TraceTable
    view: View
    counts: Counts

    def seen(self) -> Seen | None:
        """Return what the session sees of the owner's traces; None when there are none."""
        return look(self.table.tx, self.view, self.table.space)

    def prune(self, other_way: Prune | None = None) -> None:
        """Soft-delete the traces whose strength that is left is below the threshold, or prune in another way."""
        if other_way is not None:
            self.counts.pruned = other_way(self.table, self.view)
            return
        seen = self.seen()
        if seen is None:
            return
        weak = seen.read(prunable(seen, self.table.clock.now(), self.table.config.prune_threshold))
        if weak:
            self.table.bury(self.view.tables, weak, "pruned: its strength fell below the threshold")
            self.counts.pruned = len(weak)

    def merge(self) -> None:
        """Melt traces that say the same into the one with most retrievals: first equal texts, then similar ones."""
        seen = self.seen()
        if seen is None:
            return
        index, positions = seen.index, seen.positions
        retrievals = index.columns["retrieval_count"].values.copy()

        def rank(position: int) -> tuple[float, ...]:
            return (-float(retrievals[position]), float(index.places[position]))

        equal: list[tuple[int, int]] = []
        for group in same_groups(index, positions):
            first, *others = sorted(group, key=rank)
            equal += [(first, other) for other in others]
        into = survivors(equal, rank)
        for position, target in into.items():
            retrievals[target] += retrievals[position]
        left = positions[~np.isin(positions, list(into))]
        into |= survivors(self._alike(seen, near_pairs(index, left, self.table.config.merge_threshold)), rank)
        self._melt(seen, into)

    def strengthen(self) -> None:
        """Tie the traces that were used for one query, as feedback since the last time tells."""
        tx, tables = self.table.tx, self.view.tables
        notes = tx.find(tables.feedback, Where("counted", "=", False)) if tx.count(tables.feedback) else []
        if not notes:
            return
        told = {trace.id: trace for trace in self._traces_of({note.trace_id for note in notes})}
        mine = [note for note in notes if note.trace_id in told]
        groups = used_together(note for note in mine if not told[note.trace_id].deleted)
        changed = co_activated(groups, tx.get_many(tables.edges, pair_ids(groups)))
        tx.put(tables.edges, changed)
        tx.put(tables.feedback, [note.model_copy(update={"counted": True}) for note in mine])
        self.counts.strengthened = len(changed)

    def clusters(self) -> list[Cluster]:
        """Return the largest groups of tied traces that no insight was drawn from yet."""
        tx, tables, config = self.table.tx, self.view.tables, self.table.config
        edges = tx.find(tables.edges) if tx.count(tables.edges) else []
        if not edges:
            return []
        seen = {
            trace.id: trace for trace in self._visible({end for edge in edges for end in (edge.source, edge.target)})
        }
        groups = clusters((edge for edge in edges if edge.source in seen and edge.target in seen), config.min_cluster)
        found = [Cluster(cluster_key(group), tuple(seen[trace_id] for trace_id in group)) for group in groups]
        known = {
            insight.cluster
            for insight in tx.find(tables.traces, Where("cluster", "in", [cluster.key for cluster in found]))
        }
        return [cluster for cluster in found if cluster.key not in known][: config.max_clusters]

    def derive(self, cluster: Cluster, insight: str) -> None:
        """Add what a model drew from a cluster, unless it is known: a semantic trace that names its sources.

        It belongs to the persona as soon as one of the sources does. Nothing is added when a source was erased, deleted
        or changed while the model was asked.
        """
        now = {trace.id: trace.content for trace in self._visible({trace.id for trace in cluster.traces})}
        if any(now.get(trace.id) != trace.content for trace in cluster.traces):
            left = [trace for trace in cluster.traces if trace.id in now]
            self.counts.fail(left, f"{len(cluster.traces) - len(left) or 1} of them changed or went meanwhile")
            return
        personas = [trace for trace in cluster.traces if trace.persona]
        first = personas[0] if personas else cluster.traces[0]
        place = Place(first.scope, self.view.tables, first.persona)
        more = {"strength": INSIGHT_STRENGTH, "derived_from": tuple(trace.id for trace in cluster.traces)}
        _, new = self.table.add(place, insight, "semantic", INSIGHT_TAGS, cluster=cluster.key, **more)
        self.counts.derived += new

    def compact(self) -> None:
        """Make old episodic traces that were retrieved often semantic."""
        seen, now = self.seen(), self.table.clock.now()
        if seen is None:
            return
        old = seen.read(settled(seen, now, self.table.config))
        self.table.tx.put(
            self.view.tables.traces, [trace.model_copy(update={"type": "semantic", "updated_at": now}) for trace in old]
        )
        self.counts.compacted = len(old)

    def unindexed(self) -> list[Trace]:
        """Return live traces that have no vector; the other parts of the index are kept true by every write."""
        seen = self.seen() if self.table.space else None
        if seen is None:
            return []
        positions, vectors = seen.positions, seen.index.vectors
        return seen.read((positions if vectors is None else positions[~vectors.present[positions]])[:CATCH_UP])

    def reindex(self, traces: Sequence[Trace]) -> None:
        """Give traces that had no vector the one of their text, where the transaction has it."""
        embedded = self.table.tx.embedded
        if embedded is None:
            return
        found = {trace.id: embedded.by_id[trace.content] for trace in traces if trace.content in embedded.by_id}
        if found:
            vectors = RowVectors(embedded.space, found)
            self.counts.indexed = self.table.tx.set_vectors(self.view.tables.traces, vectors)

    def _visible(self, trace_ids: set[str]) -> list[Trace]:
        return [trace for trace in self._traces_of(trace_ids) if not trace.deleted]

    def _traces_of(self, trace_ids: set[str]) -> list[Trace]:
        found = self.table.tx.get_many(self.view.tables.traces, sorted(trace_ids))
        return [trace for trace in found if trace.persona in self.view.personas]

    def _alike(self, seen: Seen, pairs: Sequence[Pair]) -> list[tuple[int, int]]:
        """Return the pairs that say the same on a look at their texts: no number, date, name or negation differs."""
        positions = sorted({position for pair in pairs for position in (pair.one, pair.other)})
        texts = {position: trace.content for position, trace in zip(positions, seen.read(positions), strict=True)}
        words = {
            pair: (trace_words(texts[pair.one]), trace_words(texts[pair.other])) for pair in pairs if not pair.sure
        }
        return [
            (pair.one, pair.other)
            for pair in pairs
            if (pair.sure or word_cosine(*words[pair]) > self.table.config.merge_threshold)
            and _says_the_same(texts[pair.one], texts[pair.other])
        ]

    def _melt(self, seen: Seen, into: dict[int, int]) -> None:
        if not into:
            return
        now, tables = self.table.clock.now(), self.view.tables
        positions = sorted({*into, *into.values()})
        traces = dict(zip(positions, seen.read(positions), strict=True))
        for position, target in into.items():  # equal texts melt before what they melt into does
            traces[target] = melted(traces[target], traces[position], now)
        self.table.keep_vectors(
            tables, [traces[position] for position in dict.fromkeys(into.values()) if position not in into]
        )
        moved = {traces[position].id: traces[target].id for position, target in into.items()}
        self.table.fold(tables, [traces[position] for position in into], moved, "merged: it says the same")
        self.counts.merged = len(into)


def cluster_key(trace_ids: Sequence[str]) -> str:
    """Return what stands for a group of traces, given by their ids in order."""
    return sha256(" ".join(trace_ids).encode()).hexdigest()


def _says_the_same(one: str, other: str) -> bool:
    return compare(read_as(one), read_as(other), alike=True) in ("same", "refines")
