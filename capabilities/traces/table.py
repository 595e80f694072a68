"""The traces that a session sees, inside a transaction: added, changed, deleted and merged, each with its history."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from fabric.clock import Clock
from fabric.errors import RefusedError
from fabric.flow.resource import Collection, Transaction
from fabric.store.base import RowVectors, Where
from fabric.text.words import is_blank

from ..claims import USER, fields, read_as
from ..sources import Source, unite
from ..tag_lists import unite_tags
from .graph import repointed
from .record import (
    MAX_CONTENT_CHARS,
    MOST_SOURCES,
    STRENGTH_PER_RECALL,
    Edge,
    Trace,
    TracesConfig,
    TraceType,
    content_hash,
    new_trace_id,
)
from .seen import same_trace
from .tables import ALL_TABLES, Owner, Place, Tables, View, views
from .words import count_words

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

LOOK_IT_UP = "Look the ids up with memory_search."


@dataclass(frozen=True, slots=True)
class Held:
    """A trace, and the view in which it was found."""

    view: View
    trace: Trace


@dataclass(frozen=True, slots=True)
class TraceTable:
    """The traces of all scopes that the session can use. ``space`` names the vectors that the traces have."""

    tx: Transaction
    clock: Clock
    config: TracesConfig
    space: str = ""
    made_by: str = ""
    source: Source | None = None

    def find(self, trace_id: str) -> Held | None:
        """Return a trace that the session may see, deleted or not; None when there is none of this id."""
        for view in views(self.tx.ids):
            index = self.tx.index(view.tables.traces)
            if index is None or index.position_of(trace_id) < 0:
                continue
            trace = self.tx.get(view.tables.traces, trace_id)
            if trace is not None and trace.persona in view.personas:
                return Held(view, trace)
        return None

    def live(self, trace_id: str) -> Held | None:
        """Return a trace that the session may see and that is not deleted, or None."""
        held = self.find(trace_id)
        return None if held is None or held.trace.deleted else held

    def add(self, place: Place, content: str, kind: TraceType, tags: Sequence[str], **more: Any) -> tuple[Trace, bool]:
        """Return the trace of this content, type and place, and whether it is new; none is added twice."""
        trace = self.new(place, checked_content(content), kind, tags, **more)
        same = same_trace(self.tx.index(place.tables.traces), trace)
        if same is not None:
            held = self.tx.get(place.tables.traces, same)
            if held is not None:
                return held, False
        self.tx.put(place.tables.traces, [trace])
        return trace, True

    def added_again(self, tables: Tables, trace: Trace, tags: Sequence[str]) -> Trace:
        """Return a stored trace as it is once it was added again: used now, with these tags beside its own."""
        united, now = unite_tags([*trace.tags, *tags]), self.clock.now()
        said = said_again(trace, () if self.source is None else (self.source,))
        changed = used_at(said if united == trace.tags else revised(said, trace.content, united, now), now)
        self.keep_vectors(tables, [changed])
        return changed

    def new(self, place: Place, content: str, kind: TraceType, tags: Sequence[str], **more: Any) -> Trace:
        """Return a new trace, not stored yet, of full strength unless ``more`` says otherwise."""
        now, united = self.clock.now(), unite_tags(tags)
        trace = Trace(
            id=new_trace_id(self.clock),
            type=kind,
            scope=place.scope,
            persona=place.persona,
            content=content,
            tags=united,
            content_hash=content_hash(content),
            created_at=now,
            updated_at=now,
            stability=self.config.stability_days * 86_400,
            length=count_words(content, united),
            sources=() if self.source is None else (self.source,),
            made_by=self.made_by,
            **fields(read_as(content), USER),
        )
        return trace.model_copy(update=more)

    def vector_of(self, text: str) -> "NDArray[float32] | None":
        """Return the vector of a text that the transaction was given, several rows for a long one; None without one."""
        return None if self.tx.embedded is None else self.tx.embedded.by_id[text]

    def update(self, trace_id: str, content: str | None, tags: Sequence[str] | None) -> bool:
        """Replace content, tags or both of a live trace; False when there is nothing to replace, or no such trace."""
        if content is None and tags is None:
            return False
        held = self.live(trace_id)
        if held is None:
            return False
        new = held.trace.content if content is None else checked_content(content)
        changed = revised(held.trace, new, tags, self.clock.now())
        if new == held.trace.content:
            self.keep_vectors(held.view.tables, [changed])
        else:
            self.tx.put(held.view.tables.traces, [changed])
        return True

    def keep_vectors(self, tables: Tables, traces: Sequence[Trace]) -> None:
        """Store traces of which all but the content may have changed, with the vectors they have."""
        self.tx.put(tables.traces, traces, self._vectors(tables.traces, traces))

    def delete(self, trace_id: str, reason: str = "deleted on request") -> bool:
        """Mark a live trace as deleted, and drop its edges; False when there is no such trace."""
        held = self.live(trace_id)
        if held is None:
            return False
        self._hold_again(held.view.tables, held.trace)
        self.bury(held.view.tables, [held.trace], reason)
        return True

    def bury(self, tables: Tables, traces: Sequence[Trace], reason: str) -> None:
        """Mark traces as deleted, and drop their edges."""
        now = self.clock.now()
        self.tx.put(tables.traces, [deleted(trace, reason, now) for trace in traces])
        self.tx.delete(tables.edges, [edge.id for edge in self.edges_of(tables, [trace.id for trace in traces])])

    def erase(self, trace_id: str) -> bool:
        """Take a trace, deleted or not, out of the file, with its edges and feedback; False when there is none."""
        held = self.find(trace_id)
        if held is None:
            return False
        tables = held.view.tables
        self._hold_again(tables, held.trace)
        self.tx.delete(tables.edges, [edge.id for edge in self.edges_of(tables, [trace_id])])
        notes = self.tx.find(tables.feedback, Where("trace_id", "=", trace_id))
        self.tx.delete(tables.feedback, [note.id for note in notes])
        return self.tx.delete(tables.traces, [trace_id]) > 0

    def _hold_again(self, tables: Tables, gone: Trace) -> None:
        """Let what a trace that goes said otherwise count again."""
        over = [edge for edge in self.edges_of(tables, [gone.id]) if edge.type == "contradicts"]
        ends = {end for edge in over for end in (edge.source, edge.target)} - {gone.id}
        held = [trace for trace in self.tx.get_many(tables.traces, sorted(ends)) if gone.id in trace.contradicted_by]
        self.tx.put(tables.traces, [uncontradicted(trace, {gone.id}) for trace in held])

    def merge(self, trace_ids: Sequence[str], content: str | None) -> tuple[Trace, int]:
        """Return a new trace in the place of two or more, and how many they were.

        RefusedError for fewer than two different ids, an id of no live trace, or traces of different scopes.
        """
        wanted = list(dict.fromkeys(trace_ids))
        if len(wanted) < 2:
            raise RefusedError(f"a merge needs at least 2 different ids, got {len(wanted)}", do=LOOK_IT_UP)
        found = [held for held in map(self.live, wanted) if held is not None]
        if len(found) < len(wanted):
            missing = ", ".join(
                repr(trace_id) for trace_id in wanted if trace_id not in {held.trace.id for held in found}
            )
            raise RefusedError(f"there is no trace {missing[:300]}", do=f"{LOOK_IT_UP} Nothing was merged.")
        traces, view = [held.trace for held in found], found[0].view
        if len({(trace.scope, trace.persona) for trace in traces}) > 1:
            scopes = ", ".join(f"{trace.id} ({trace.scope})" for trace in traces)
            raise RefusedError(
                f"these traces are of different scopes: {scopes[:300]}", do="Merge each scope on its own."
            )
        text = joined(traces) if content is None else content
        place = Place(traces[0].scope, view.tables, traces[0].persona)
        merged = self.new(place, checked_content(text), common_type(traces), _all_tags(traces), **_inherited(traces))
        for trace in traces:
            merged = said_again(merged, trace.sources)
        self.fold(view.tables, traces, {trace.id: merged.id for trace in traces}, "merged on request", [merged])
        return merged, len(traces)

    def fold(
        self, tables: Tables, traces: Sequence[Trace], moved: Mapping[str, str], reason: str, new: Sequence[Trace] = ()
    ) -> None:
        """Mark traces as merged into those that ``moved`` names, some of them ``new``; point their edges there."""
        now = self.clock.now()
        gone = [deleted(trace, reason, now).model_copy(update={"merged_into": moved[trace.id]}) for trace in traces]
        self.tx.put(tables.traces, [*new, *gone])
        old = self.edges_of(tables, [*moved, *moved.values()])
        if old:
            self.tx.delete(tables.edges, [edge.id for edge in old])
            self.tx.put(tables.edges, repointed(old, moved))

    def edges_of(self, tables: Tables, trace_ids: Iterable[str]) -> list[Edge]:
        """Return the edges of these traces, each once."""
        wanted = set(trace_ids)
        if not wanted or not self.tx.count(tables.edges):
            return []
        if len(wanted) > 500:
            return [edge for edge in self.tx.find(tables.edges) if edge.source in wanted or edge.target in wanted]
        ends = (Where("source", "in", sorted(wanted)), Where("target", "in", sorted(wanted)))
        return list({edge.id: edge for end in ends for edge in self.tx.find(tables.edges, end)}.values())

    def accessed(self, found: Iterable[tuple[Tables, Trace]]) -> list[Trace]:
        """Count one more retrieval of traces: stronger by 0.1, up to 1; return them as they are now, in order."""
        now = self.clock.now()
        by_owner: dict[Owner, list[Trace]] = {}
        touched: list[Trace] = []
        for tables, trace in found:
            stronger, count = min(1.0, trace.strength + STRENGTH_PER_RECALL), trace.retrieval_count + 1
            update = {"strength": stronger, "retrieval_count": count, "last_accessed": now}
            touched.append(trace.model_copy(update=update))
            by_owner.setdefault(tables.owner, []).append(touched[-1])
        for owner, traces in by_owner.items():
            self.tx.put(ALL_TABLES[owner].traces, traces)
        return touched

    def _vectors(self, traces: Collection[Trace], changed: Sequence[Trace]) -> RowVectors | None:
        """Return the vectors that traces have now."""
        index = self.tx.index(traces, self.space) if self.space else None
        if index is None or index.vectors is None:
            return None
        positions = {trace.id: index.position_of(trace.id) for trace in changed}
        kept = {
            trace_id: index.vectors.at(position)
            for trace_id, position in positions.items()
            if index.vectors.present[position]
        }
        return RowVectors(self.space, kept) if kept else None


def checked_content(content: str) -> str:
    """Return the content; RefusedError when it is blank or too long."""
    if is_blank(content):
        raise RefusedError("the content is blank", do="Give the text that is to be remembered.")
    if len(content) > MAX_CONTENT_CHARS:
        size = f"{len(content)} characters, at most {MAX_CONTENT_CHARS} are kept"
        raise RefusedError(f"the content is too long: {size}", do="Split it, or keep what matters of it.")
    return content


def revised(trace: Trace, content: str, tags: Sequence[str] | None, now: datetime) -> Trace:
    """Return the trace with other content, and other tags unless they are None."""
    united = trace.tags if tags is None else unite_tags(tags)
    update: dict[str, Any] = {"content": content, "tags": united, "content_hash": content_hash(content)}
    update |= fields(read_as(content), USER)
    return trace.model_copy(update={**update, "length": count_words(content, united), "updated_at": now})


def uncontradicted(trace: Trace, gone: AbstractSet[str]) -> Trace:
    """Return the trace without some of those that say otherwise."""
    return trace.model_copy(
        update={"contradicted_by": tuple(trace_id for trace_id in trace.contradicted_by if trace_id not in gone)}
    )


def used_at(trace: Trace, now: datetime) -> Trace:
    """Return the trace as used now, or when it was used last where a clock went back: it fades from then on."""
    last = trace.last_accessed
    return trace.model_copy(update={"last_accessed": now if last is None else max(now, last)})


def said_again(trace: Trace, sources: Sequence[Source]) -> Trace:
    """Return the trace as it rests on further turns, too."""
    united = unite(list(trace.sources), list(sources))
    return (
        trace
        if len(united) == len(trace.sources)
        else trace.model_copy(update={"sources": tuple(united[-MOST_SOURCES:])})
    )


def deleted(trace: Trace, reason: str, now: datetime) -> Trace:
    """Return the trace as it is once it is deleted."""
    return trace.model_copy(update={"deleted": True, "deleted_at": now, "deleted_reason": reason})


def joined(traces: Sequence[Trace]) -> str:
    """Return the contents of traces, line by line."""
    return "\n".join(trace.content for trace in traces)


def common_type(traces: Sequence[Trace]) -> TraceType:
    """Return the type that all traces have, else semantic."""
    first = traces[0].type
    return first if all(trace.type == first for trace in traces) else "semantic"


def _all_tags(traces: Sequence[Trace]) -> list[str]:
    return [tag for trace in traces for tag in trace.tags]


def _inherited(traces: Sequence[Trace]) -> dict[str, Any]:
    """Return what a merged trace takes over: the best of what keeps it, all retrievals, the names of its sources.

    Its emotion is that of the one that felt most; it is said otherwise only where all are.
    """
    felt = max(traces, key=lambda trace: trace.intensity)
    over = [trace_id for trace in traces for trace_id in trace.contradicted_by]
    return {
        **{name: getattr(felt, name) for name in ("valence", "arousal", "dominance", "intensity", "mood")},
        "importance": max(trace.importance for trace in traces),
        "interval": max(trace.interval for trace in traces),
        "last_awake": max(trace.last_awake for trace in traces),
        "entities": unite_tags(name for trace in traces for name in trace.entities),
        "contradicted_by": tuple(dict.fromkeys(over)) if all(trace.contradicted_by for trace in traces) else (),
        "strength": max(trace.strength for trace in traces),
        "stability": max(trace.stability for trace in traces),
        "retrieval_count": sum(trace.retrieval_count for trace in traces),
        "last_accessed": max(
            (trace.last_accessed for trace in traces if trace.last_accessed is not None), default=None
        ),
        "merged_from": tuple(trace.id for trace in traces),
    }
