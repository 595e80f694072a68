"""Whatever is done in whatever order, under whatever clock: numbers stay in bounds, ties and index tell the truth."""

import math
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from capabilities.traces.record import Edge, Trace
from capabilities.traces.tables import View, views
from fabric import Context, Fabric, handler
from fabric.flow.resource import Transaction
from fabric.testing import FrozenClock
from pipelines import cognitive_memory
from tests.soak import either


def embed(texts: list[str]) -> list[list[float]]:
    """Return vectors by which texts are alike that share letters."""
    return [[1.0 + text.lower().count(letter) for letter in "aeiourst"] for text in texts]


MIND = cognitive_memory(embedder=embed, mood=lambda: (0.1, 0.2, 0.0))
TEXTS = (
    "I live in Oslo",
    "I moved to Berlin",
    "I live in Oslo again",
    "Rosalind keeps bees",
    "Rosalind is moving to Porto",
    "Nice weather",
    "First open the valve, then press start",
    "WE WON THE CUP!!!",
)
WHO: dict[str, dict[str, Any]] = {
    "jake": {"name": "monday", "user": "jake", "agent": "nova", "org": "acme"},
    "his other day": {"name": "tuesday", "user": "jake"},
    "kim": {"name": "monday", "user": "kim", "agent": "nova"},
    "nobody": {"name": "kiosk"},
}
LATE = datetime(2200, 1, 1, tzinfo=UTC)
who, texts = st.sampled_from(list(WHO)), st.sampled_from(TEXTS)


@handler(name="does", uses=[MIND.capability, MIND.traces])
async def does(asked: tuple[str, str, list[Any], dict[str, Any]], ctx: Context) -> Any:
    of, name, given, options = asked
    memory: Any = ctx.cap.cognitive if of == "mind" else ctx[MIND.traces]
    return await getattr(memory, name)(*given, **options)


@handler(name="wrong", uses=[MIND.capability])
async def wrong(_: object, ctx: Context) -> list[str]:
    """Return what index, rows and graph of a session do not agree in."""
    graph = set(await ctx.cap.cognitive.graph())
    return await ctx.transact(lambda tx: [said for view in views(tx.ids) for said in _wrong(tx, view, graph)])


def _wrong(tx: Transaction, view: View, graph: set[str]) -> list[str]:
    traces, edges = tx.find(view.tables.traces), tx.find(view.tables.edges)
    index, ties = tx.index(view.tables.traces), tx.index(view.tables.edges)
    found = []
    if index is None or ties is None:
        return ["no index"] if traces else []
    places = {index.ids[slot]: slot for slot in np.flatnonzero(index.alive).tolist()}
    if places.keys() != {trace.id for trace in traces}:
        return ["index and rows are of other traces"]
    for name in ("strength", "stability", "deleted", "retrieval_count"):
        cells = index.columns[name].values
        found += [f"{name} of {one.id}" for one in traces if cells[places[one.id]] != np.float64(getattr(one, name))]
    if {ties.ids[slot] for slot in np.flatnonzero(ties.alive).tolist()} != {edge.id for edge in edges}:
        found.append("index and rows are of other ties")
    if view.tables.owner == ("user" if tx.ids.has("user") else "session"):
        found += [f"not there: {one}" for one in graph - {trace.id for trace in traces if not trace.deleted}]
    return found


def badly_tied(traces: dict[str, Trace], edges: list[Edge]) -> list[Edge]:
    """Return the edges that join no two traces of one scope and persona, or one that was deleted."""
    found: list[Edge] = []
    for edge in edges:
        ends = [traces[end] for end in (edge.source, edge.target) if end in traces]
        places = {(one.scope, one.persona) for one in ends}
        gone = [one for one in ends if one.deleted and one.faded_on is None]
        if len(ends) < 2 or edge.source == edge.target or len(places) > 1 or gone:
            found.append(edge)
    return found


class Twin:
    """One of two memories to which the same happens."""

    def __init__(self, path: Path) -> None:
        self.path, self.clock = path, FrozenClock(chances=(0.1, 0.7))
        self.open()

    def open(self) -> None:
        self.fabric = Fabric(self.path, clock=self.clock)
        assert self.run("jake", wrong) == []

    def reopen(self) -> None:
        self.fabric.close()
        self.open()

    def session(self, name: str) -> Any:
        ids = dict(WHO[name])
        return self.fabric.session(ids.pop("name"), **ids)

    def run(self, name: str, block: Any, asked: Any = None) -> Any:
        return self.session(name).run(block, asked).output

    def held(self) -> tuple[dict[str, Trace], list[Edge]]:
        """Return all traces and edges, as they are committed."""
        traces: dict[str, Trace] = {}
        edges: list[Edge] = []
        for name in WHO:
            with self.session(name).snapshot() as tx:
                for view in views(tx.ids):
                    traces |= {trace.id: trace for trace in tx.find(view.tables.traces)}
                    edges += tx.find(view.tables.edges)
        return traces, edges


def left(trace: Trace) -> float:
    """Return the logarithm of what will be left of a trace one day, as long as it is not used."""
    if trace.deleted:
        return -math.inf
    since = (LATE - (trace.last_accessed or trace.created_at)).total_seconds()
    return math.log(trace.strength) - since / trace.stability if trace.strength else -math.inf


class Cognition(RuleBasedStateMachine):
    """Two memories that begin alike stay alike; of one everything is looked through after each step."""

    def __init__(self) -> None:
        super().__init__()
        self.place = tempfile.TemporaryDirectory()
        self.twins = [Twin(Path(self.place.name) / f"{name}.duckdb") for name in ("one", "other")]
        self.before: dict[str, Trace] = {}
        self.used: set[str] | None = set()

    def does(self, name: str, method: str, *given: Any, of: str = "mind", **options: Any) -> Any:
        one, other = (twin.run(name, does, (of, method, list(given), options)) for twin in self.twins)
        assert repr(one) == repr(other), method
        return one

    def ids(self, data: st.DataObject, **wanted: Any) -> list[str]:
        known = sorted(one.id for one in self.before.values() if all(getattr(one, k) == v for k, v in wanted.items()))
        return data.draw(st.lists(st.sampled_from(known), max_size=3, unique=True)) if known else []

    @rule(name=who, text=texts, scope=st.sampled_from([None, "thread", "persona"]))
    def encodes(self, name: str, text: str, scope: Any) -> None:
        scope = scope if scope != "persona" or "agent" in WHO[name] else None
        self.used = {self.does(name, "encode", text, scope=scope).trace.id}

    @rule(name=who, text=texts)
    def adds(self, name: str, text: str) -> None:
        scope = "user" if "user" in WHO[name] else "thread"
        self.used = {self.does(name, "add", text, of="tools", scope=scope).trace.id}

    @rule(name=who, data=st.data())
    def uses(self, name: str, data: st.DataObject) -> None:
        ids = self.ids(data)
        self.used = None if ids else set()
        self.does(name, "use", ids)

    @rule(name=who, data=st.data())
    def ignores(self, name: str, data: st.DataObject) -> None:
        self.does(name, "ignore", self.ids(data))

    @rule(name=who, text=texts, tokens=st.integers(1, 400))
    def is_asked(self, name: str, text: str, tokens: int) -> None:
        found = self.does(name, "retrieve", text)
        assert all(0 <= one.score <= 1 for one in found.results)
        prompt = self.does(name, "assemble", text, tokens)
        assert prompt.tokens <= tokens
        assert len(prompt.text) <= 4 * tokens

    @rule(name=who)
    def ends_a_turn(self, name: str) -> None:
        self.used = None
        self.does(name, "end_turn")

    @rule(name=who, data=st.data())
    def thinks_of(self, name: str, data: st.DataObject) -> None:
        self.used = None
        for one in self.ids(data):
            self.does(name, "focus", one)
        mind = self.does(name, "in_mind")
        assert len(mind.held) <= mind.capacity
        assert all(0 <= slot.activation <= 1 for slot in mind.held)

    @rule(name=who)
    def sweeps(self, name: str) -> None:
        self.does(name, "sweep")

    @precondition(lambda self: any(one.faded_on is not None for one in self.before.values()))
    @rule(name=who, data=st.data())
    def restores(self, name: str, data: st.DataObject) -> None:
        self.used = None
        self.does(name, "restore", self.ids(data, deleted_reason="faded"))

    @rule(name=who, data=st.data(), how=st.sampled_from(["delete", "erase", "update"]), text=texts)
    def changes(self, name: str, data: st.DataObject, how: str, text: str) -> None:
        for one in self.ids(data)[:1]:
            self.does(name, how, one, of="tools", **({"content": text} if how == "update" else {}))

    @rule(name=who, data=st.data(), scope=st.sampled_from(["user", "thread"]))
    def merges(self, name: str, data: st.DataObject, scope: str) -> None:
        ids = self.ids(data, deleted=False, scope=scope, persona="")
        seen = [self.does(name, "get", one) for one in ids]
        if len(ids) > 1 and None not in seen:
            self.does(name, "merge", ids, of="tools")

    @rule(name=who, data=st.data(), signal=st.sampled_from(["used", "ignored"]), query=texts)
    def tells_of(self, name: str, data: st.DataObject, signal: str, query: str) -> None:
        ids = self.ids(data)
        self.used = set(ids) if signal == "used" else set()
        for one in ids:
            self.does(name, "feedback", one, signal, query, of="tools")

    @rule(name=who)
    def reflects(self, name: str) -> None:
        self.used = None
        self.does(name, "reflect", of="tools")

    @rule(days=st.sampled_from([0.001, 1, 8, 45, 400, -0.5, -30]))
    def time_passes(self, days: float) -> None:
        for twin in self.twins:
            twin.clock.advance(days=days)

    @rule()
    def reopens(self) -> None:
        for twin in self.twins:
            twin.reopen()

    @rule(name=who)
    def agrees(self, name: str) -> None:
        assert [twin.run(name, wrong) for twin in self.twins] == [[], []]

    @invariant()
    def everything_is_in_bounds(self) -> None:
        now, edges = self.twins[0].held()
        assert badly_tied(now, edges) == []
        for trace in now.values():
            assert all(0 <= number <= 1 for number in (trace.strength, trace.importance, trace.intensity))
            assert 0 < trace.stability < math.inf
            old = self.before.get(trace.id)
            if old is not None and self.used is not None and trace.id not in self.used:
                assert left(trace) <= left(old) + 1e-9, (old, trace)
        self.before, self.used = now, set()

    def teardown(self) -> None:
        try:
            for name in WHO:
                self.agrees(name)
            assert repr(self.twins[0].held()) == repr(self.twins[1].held())
        finally:
            for twin in self.twins:
                twin.fabric.close()
            self.place.cleanup()


Cognition.TestCase.settings = settings(
    max_examples=either(2, 20),
    stateful_step_count=12,
    suppress_health_check=[HealthCheck.too_slow],
)
TestCognition = Cognition.TestCase
