"""A cycle of consolidation from beginning to end: one at a time per owner, each step in a transaction of its own."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from capabilities.traces.archive import sweep_archive
from capabilities.traces.consolidation.asking import answered, milliseconds
from capabilities.traces.consolidation.one_at_a_time import reserved
from capabilities.traces.consolidation.run import Derive
from capabilities.traces.consolidation.steps import Cluster
from capabilities.traces.record import Trace
from capabilities.traces.table import TraceTable
from capabilities.traces.tables import View
from fabric.flow.resource import Transaction

from ..config import HOUR
from ..encoder import Part
from ..mechanisms.between_turns import calm, doubt, gist_by_words, is_gist, losing_details, make_gists
from ..wakefulness import CLOCKS
from .result import KEPT_LINES, LOGS, MOST_TOLD, Change, CognitiveRun, Consolidated, Step, summed
from .schemas import add_schema, clusters
from .steps import prune, reinforce, replay, resolve

T = TypeVar("T")
Gist = Callable[[Trace], Awaitable[str]]
"""What makes a gist of a trace, in fewer than fifty words; ModelError when it cannot."""


@dataclass(slots=True)
class _Line:
    """What a cycle has done to one owner so far."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    changes: list[Change] = field(default_factory=list[Change])
    failed: list[str] = field(default_factory=list[str])
    drawn_from: list[str] = field(default_factory=list[str])

    def note(self, count: str, changes: Sequence[Change]) -> None:
        self.counts[count] = self.counts.get(count, 0) + len(changes)
        self.changes += changes[:MOST_TOLD]

    def fail(self, traces: Sequence[Trace], reason: str) -> None:
        self.failed.append(reason)
        self.drawn_from += [trace.id for trace in traces]


@dataclass(frozen=True, slots=True)
class Cycle(Part):
    """The five steps, then the mechanisms, then the archive, over what a session sees of each of its owners.

    Without ``derive`` no schema is drawn; without ``gist`` a gist is the first words. What a model cannot do now is
    tried again in the next cycle.
    """

    derive: Derive | None = None
    gist: Gist | None = None

    async def run(self) -> Consolidated:
        """Consolidate; owners that another consolidation is busy with are left to it."""
        begun, run_id = self.ctx.clock.now(), self.ctx.clock.new_id("cycle")
        with reserved(self.ctx) as mine:
            lines = [await self._owner(view, run_id) for view in mine]
            spent = milliseconds(begun, self.ctx.clock.now()) if mine else 0
        return summed(lines, spent)

    async def _owner(self, view: View, run_id: str) -> CognitiveRun:
        begun, line = self.ctx.clock.now(), _Line()
        await self._step(lambda table: _note_pruned(line, *prune(table, view, self.config)))
        line.counts["edges_created"] = await self._step(lambda table: replay(table, view, self.config))
        await self._schemas(view, line)
        line.note("conflicts_resolved", await self._step(lambda table: resolve(table, view, self.config)))
        most = self._most_reinforced()
        line.note("reinforced_count", await self._step(lambda table: reinforce(table, view, self.config, most)))
        await self._mechanisms(view, line)
        days = self.config.consolidation.archive_days
        line.counts["archive_swept_count"] = await self._step(
            lambda table: sweep_archive(table.tx, view, table.clock.now(), days)
        )
        return await self._step(lambda table: self._told(table, view, line, run_id, begun))

    def _most_reinforced(self) -> int:
        """Return how many traces may be repeated: half of all that a cycle changes, where sources are doubted, too."""
        most = self.config.consolidation.max_traces
        return most // 2 if self.config.at_work.source_confidence_decay.enabled else most

    async def _step(self, work: Callable[[TraceTable], T]) -> T:
        return await self.ctx.transact(lambda tx: work(self.table(tx, "")))

    async def _schemas(self, view: View, line: _Line) -> None:
        if self.derive is None:
            return
        for cluster in await self._step(lambda table: clusters(table, view, self.config)):
            text = await self._asked(self.derive(cluster.traces), cluster.traces, "schema", line)
            if text:
                await self._add_schema(view, cluster, text, line)

    async def _add_schema(self, view: View, cluster: Cluster, text: str, line: _Line) -> None:
        embedded = await self.meaning.embed_stored([text])

        def work(tx: Transaction) -> Trace | None:
            tx.embedded = embedded.by_text([text])
            return add_schema(self.table(tx, embedded.space), view, cluster, text, self.encoder, self.config)

        made = await self.ctx.transact(work)
        if made is None:
            line.fail(cluster.traces, f"schema of {len(cluster.traces)} traces: they changed meanwhile, or it is known")
        else:
            told = f"drawn from {len(cluster.traces)} traces"
            line.note("schemas_created", [Change(step="schema", trace_id=made.id, reason=told)])

    async def _mechanisms(self, view: View, line: _Line) -> None:
        at_work = self.config.at_work
        if at_work.temporal_gist.enabled:
            await self._gists(view, line)
        if at_work.source_confidence_decay.enabled:
            every = self.config.profile.interval_hours * HOUR
            left = max(1, self.config.consolidation.max_traces - line.counts["reinforced_count"])
            line.note("doubted_count", await self._step(lambda table: self._doubted(table, view, every, left)))
        if at_work.emotion_regulation.enabled:
            done = await self._step(lambda table: calm(table, view, at_work.emotion_regulation))
            line.note("regulated_count", _changes("regulate", done, "it was felt overwhelmingly"))

    def _doubted(self, table: TraceTable, view: View, every: float, most: int) -> list[Change]:
        clock = CLOCKS[view.tables.owner]
        held = table.tx.read(clock)
        done, last = doubt(table, view, self.config.at_work.source_confidence_decay, every, most, held.doubted)
        if last != held.doubted:
            table.tx.write(clock, held.model_copy(update={"doubted": last}))
        return [Change(step="doubt", trace_id=trace.id, reason=f"it is from {trace.source_type}") for trace in done]

    async def _gists(self, view: View, line: _Line) -> None:
        how = self.config.at_work.temporal_gist
        waiting: list[Trace] = await self._step(lambda table: losing_details(table, view, how))
        gists: dict[str, str] = {}
        for trace in waiting:
            text = gist_by_words(trace) if self.gist is None else await self._gist(trace, self.gist, line)
            if text:
                gists[trace.id] = text
        if not gists:
            return
        texts = list(gists.values())
        embedded = await self.meaning.embed_stored(texts)

        def work(tx: Transaction) -> list[Trace]:
            tx.embedded = embedded.by_text(texts)
            return make_gists(self.table(tx, embedded.space), view, gists, how)

        done = await self.ctx.transact(work)
        line.note("gisted_count", _changes("gist", done, f"older than {how.age_days:g} days, and seldom used"))

    async def _gist(self, trace: Trace, gist: Gist, line: _Line) -> str:
        text = await self._asked(gist(trace), [trace], "gist", line)
        if text and not is_gist(text, trace):
            line.fail([trace], "gist: the model's is no shorter than the text")
            return ""
        return text

    async def _asked(self, answer: Awaitable[str], traces: Sequence[Trace], what: str, line: _Line) -> str:
        """Return what a model says, without secrets; "" where it fails or says nothing, which is told."""
        text, reason = await answered(self.ctx, answer, what, len(traces))
        if reason:
            line.fail(traces, f"{what} of {len(traces)} traces: {reason}")
        return text

    def _told(self, table: TraceTable, view: View, line: _Line, run_id: str, begun: datetime) -> CognitiveRun:
        tx, log, now = table.tx, LOGS[view.tables.owner], table.clock.now()
        told = CognitiveRun(
            id=table.clock.new_id("cognitive"),
            run=run_id,
            at=now,
            changes=tuple(line.changes),
            failed=tuple(line.failed),
            drawn_from=tuple(dict.fromkeys(line.drawn_from)),
            duration_ms=milliseconds(begun, now),
            **line.counts,
        )
        tx.put(log, [told])
        if tx.count(log) > KEPT_LINES:
            old = sorted(tx.find(log), key=lambda run: (run.at, run.id))[:-KEPT_LINES]
            tx.delete(log, [run.id for run in old])
        clock = tx.read(CLOCKS[view.tables.owner])
        tx.write(CLOCKS[view.tables.owner], clock.model_copy(update={"consolidated": now}))
        return told


def _note_pruned(line: _Line, changes: list[Change], looked_at: int) -> None:
    line.note("pruned_count", changes)
    line.counts["total_processed"] = looked_at


def _changes(step: Step, traces: Sequence[Trace], reason: str) -> list[Change]:
    return [Change(step=step, trace_id=trace.id, reason=reason) for trace in traces]
