"""Whatever is said, corrected, merged, forgotten or cut off: each index is what the rows say, for each scope alone."""

import shutil
import tempfile
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from capabilities.semantic import Fact, FactInput
from fabric import Context, Fabric, handler
from fabric.errors import ScopeError
from fabric.flow.resource import Transaction
from fabric.scope import Scope
from fabric.store.base import Rows, Table
from fabric.testing import FrozenClock
from fabric.text.terms import split_term
from pipelines import MemorySystem, memory_system
from tests.soak import examples

USERS = ("jake", 'j"] OR (1=1) --')
SAID = [
    "I work at Stripe.",
    "I work at Globex.",
    "I live in Oslo.",
    "I moved to Lisbon.",
    "My sister Anna lives in Oslo.",
    "I like green tea.",
    "What a rainy day!",
    "寿司が好き v2.3.1",
]
WRITTEN = ["Works at Initech", "Likes green tea", "Collects stamps", "Lives in Oslo", "Reads книги"]
users, said, written = st.sampled_from((USERS[0], *USERS)), st.sampled_from(SAID), st.sampled_from(WRITTEN)
places = st.integers(0, 12)


class Pebbles:
    """An embedder that gives each text a vector of its own."""

    name, dimension, quick = "pebbles", 8, True

    def embed(self, texts: Any) -> Any:
        made = np.stack([np.random.default_rng(list(text.encode("utf-8", "replace"))).normal(size=8) for text in texts])
        return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


def recomputed(rows: Rows, table: Table, scope: Scope, embedded: set[str]) -> dict[str, Any]:
    """Return what an index must hold, by the rows alone and the function that gives a row its terms."""
    assert table.terms is not None
    found = {row["id"]: row for row in rows.find(table, scope)}
    terms = {row_id: [split_term(term)[0] for term in table.terms(row)] for row_id, row in found.items()}
    return {
        "terms": {row_id: Counter(own) for row_id, own in terms.items()},
        "frequencies": Counter(term for own in terms.values() for term in set(own)),
        "length": sum(map(len, terms.values())),
        "columns": {
            row_id: {name: row.get(name) for name in table.kept if table.columns[name] == "text"}
            for row_id, row in found.items()
        },
        "vectors": {row_id: Pebbles().embed([found[row_id][table.text]])[0] for row_id in found if row_id in embedded},
        "threads": threads(list(found.values()), table.thread),
    }


def threads(rows: list[dict[str, Any]], thread: str) -> set[tuple[str, str]]:
    """Return the pairs of rows that follow one another."""
    by_thread: dict[Any, list[str]] = {}
    for row in rows if thread else ():
        by_thread.setdefault(row[thread], []).append(row["id"])
    return {pair for ids in by_thread.values() for pair in pairwise(ids)}


def held(rows: Rows, table: Table, scope: Scope, space: str) -> dict[str, Any]:
    """Return the same as the index in memory holds it."""
    index = rows.index(table, scope, space)
    if index is None:
        return recomputed(rows, table, scope, set())
    terms: dict[str, Counter[str]] = {row_id: Counter() for row_id in index.positions}
    for term, number in index.postings.terms.items():
        for position, count in zip(*index.postings.of(number), strict=True):
            if index.alive[position]:
                terms[index.ids[position]][term] = int(count)
    numbers = index.postings.terms.items()
    frequencies = {term: int(index.postings.frequencies[number]) for term, number in numbers}
    texts = {name: {number: text for text, number in one.names.items()} for name, one in index.columns.items()}
    vectors = index.vectors
    return {
        "terms": terms,
        "frequencies": Counter({term: count for term, count in frequencies.items() if count}),
        "length": index.total_length,
        "columns": {
            row_id: {name: texts[name].get(one.values[position]) for name, one in index.columns.items() if one.is_text}
            for row_id, position in index.positions.items()
        },
        "vectors": {}
        if vectors is None
        else {
            row_id: vectors.at(position) for row_id, position in index.positions.items() if vectors.present[position]
        },
        "threads": {
            (index.ids[position], index.ids[index.after[position]])
            for position in index.positions.values()
            if index.after[position] >= 0
        },
    }


class ProductMachine(RuleBasedStateMachine):
    """One memory file, and everything that can happen to it."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.files = 0
        self.clock = FrozenClock()
        self.said: dict[str, set[str]] = {user: set() for user in USERS}

    @initialize()
    def begin(self) -> None:
        self._open(Path(self.folder.name) / "0.duckdb")
        self.bring_in(USERS[0], SAID[:5], ["a"])
        self.capture(USERS[0], SAID[0])
        self.add_fact(USERS[0], WRITTEN[2])

    def teardown(self) -> None:
        self.fabric.close()
        self.folder.cleanup()

    def _open(self, path: Path) -> None:
        self.path = path
        self.memory: MemorySystem = memory_system(episodic=True, semantic=True, embedder=Pebbles())
        self.fabric = Fabric(path, clock=self.clock)
        self.fabric.register(self.memory.capture)
        self.session(USERS[0]).run(self.memory.embedding_status_block)

    def session(self, user: str) -> Any:
        return self.fabric.session("monday", user=user)

    def facts(self, user: str, work: Any) -> Any:
        """Do something with the facts of a user, in one transaction."""

        @handler(name="facts", uses=[self.memory.capability])
        async def change(_: object, ctx: Context) -> None:
            def inside(tx: Transaction) -> None:
                table = ctx.cap.semantic_memory.table(tx)
                work(table, table.current())

            await ctx.transact(inside)

        self.session(user).run(change)

    @rule(user=users, text=said)
    def capture(self, user: str, text: str) -> None:
        self.clock.advance(minutes=1)
        self.session(user).run(self.memory.capture, text)

    @rule(user=users, texts=st.lists(said, min_size=1, max_size=3), tags=st.sampled_from([[], ["a"], ["a", "b c"]]))
    def bring_in(self, user: str, texts: list[str], tags: list[str]) -> None:
        turns = [
            {"session": f"s{n % 2}", "role": "user", "text": text, "said_at": self.clock.now(), "tags": tags}
            for n, text in enumerate(texts)
        ]
        self.session(user).run(self.memory.import_block, turns)

    @rule(user=users, text=written)
    def add_fact(self, user: str, text: str) -> None:
        self.facts(
            user, lambda table, _: table.reconcile(FactInput(content=text, confidence=0.6, category="attribute"))
        )

    @rule(
        user=users, place=places, text=written, how=st.sampled_from(["reinforce", "supersede", "invalidate", "merge"])
    )
    def change_fact(self, user: str, place: int, text: str, how: str) -> None:
        def work(table: Any, current: list[Fact]) -> None:
            if not current:
                return
            fact = current[place % len(current)]
            match how:
                case "reinforce":
                    table.reinforce(fact.id)
                case "supersede":
                    table.update(fact.id, text)
                case "invalidate":
                    table.remove(fact.id, "no longer so")
                case _:
                    table.merge([one.id for one in current if one.subject == fact.subject][:3], text, "the same")

        self.facts(user, work)

    @rule(user=users, block=st.sampled_from(["consolidate", "prune", "reembed_block"]))
    def tidy(self, user: str, block: str) -> None:
        self.session(user).run(getattr(self.memory, block), {"force": True})

    @rule(user=users, place=places, what=st.sampled_from(["id", "subject", "scope"]))
    def forget(self, user: str, place: int, what: str) -> None:
        session = self.session(user)
        if what == "id":
            records = session.run(self.memory.export_block).output
            asked = {"id": records[place % len(records)]["id"]} if records else {"subject": "nobody"}
        else:
            asked = {"subject": "anna"} if what == "subject" else {"scope": "user"}
        session.run(self.memory.forget_block, asked)

    @rule()
    def reopen(self) -> None:
        self.fabric.close()
        self._open(self.path)

    @rule()
    def crash(self) -> None:
        """Go on with the bytes that are on the disk now, as if the process had been killed."""
        self.files += 1
        path = Path(self.folder.name) / f"{self.files}.duckdb"

        def copy(_: Rows) -> None:
            for file in self.path.parent.glob(f"{self.path.name}*"):
                shutil.copy(file, path.with_name(file.name.replace(self.path.name, path.name)))

        self.fabric.store.transact_sync(copy)
        self.fabric.close()
        self._open(path)

    @rule(user=users, cue=said | written, tags=st.sampled_from([(), ("a",), ("a", "b-c")]))
    def ask(self, user: str, cue: str, tags: tuple[str, ...]) -> None:
        """Every result is a row of the one who asks, and one that the filter lets through."""
        session = self.session(user)
        exported = session.run(self.memory.export_block).output
        own = {record["id"]: record for record in exported if record["kind"] in ("turn", "fact", "episode", "working")}
        for memory in session.run(self.memory.recall_block, {"cue": cue, "tags": tags}):
            assert memory.content == own[memory.id].get("content", own[memory.id].get("text"))
            turns = [own[source.turn_id]["tags"] for source in memory.sources if source.turn_id in own]
            assert not tags or any(set(tags) <= set(turn) for turn in turns)

    @invariant()
    def each_index_is_what_the_rows_say(self) -> None:
        if not hasattr(self, "fabric"):
            return
        layout = self.memory.layout
        space = self.session(USERS[0]).run(self.memory.embedding_status_block).output.space
        tables = [one.table for one in (layout.turns, layout.episodic, layout.semantic) if one is not None]

        def compare(rows: Rows) -> None:
            for scope in rows.owners():
                for table in tables:
                    outside = {row["id"] for row in rows.outside_space(table, scope, space, 1_000)}
                    embedded = {row["id"] for row in rows.find(table, scope)} - outside
                    kept, made = held(rows, table, scope, space), recomputed(rows, table, scope, embedded)
                    near, exact = kept.pop("vectors"), made.pop("vectors")
                    assert kept == made, table.name
                    assert near.keys() == exact.keys(), table.name
                    assert all(np.allclose(near[one], exact[one], atol=2e-3) for one in exact), table.name

        self.fabric.store.transact_sync(compare)


def test_each_index_is_what_the_rows_say_whatever_is_done_with_the_memory():
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    limits = settings(max_examples=examples(3), stateful_step_count=12, suppress_health_check=checks)
    run_state_machine_as_test(ProductMachine, settings=limits)


NAMES = st.text(min_size=1, max_size=12) | st.sampled_from(
    [
        "jake",
        "JAKE",
        "jake ",
        "%",
        "_",
        "'; DROP TABLE turns; --",
        '"',
        '["user",null,"jake"]',
        "é",
        "e\u0301",
        "\u202e",
        "👩‍👩‍👧",
    ]
)


@settings(max_examples=examples(5), suppress_health_check=[HealthCheck.too_slow])
@given(names=st.lists(NAMES, min_size=2, max_size=4, unique=True))
def test_every_question_of_one_scope_finds_rows_of_that_scope_only(names: list[str]):
    memory = memory_system(episodic=True, semantic=True, embedder=Pebbles())
    with Fabric(":memory:") as fabric:
        opened: dict[str, Any] = {}
        for number, name in enumerate(names):
            try:
                opened[name] = fabric.session("monday", user=name)
            except ScopeError:
                assert not name.strip()
                continue
            turn = {"session": "s", "role": "user", "text": f"secret of number {number}", "said_at": "2026-01-01"}
            opened[name].run(memory.import_block, [turn])
            opened[name].run(memory.capture, f"I work at Company{number}.")
        for name, session in opened.items():
            number = names.index(name)
            found = list(session.run(memory.recall_block, "secret company")) + list(session.run(memory.recall_block))
            told = {memory.content for memory in found}
            assert {f"secret of number {number}", f"Works at Company{number}"} <= told
            others = {str(other) for other in range(len(names)) if other != number}
            assert not any(content.rstrip(".").endswith(other) for content in told for other in others)
            context = session.run(memory.context_block, {"cue": "secret company", "tokens": 500}).output
            assert not any(f"number {other}" in context or f"Company{other}" in context for other in others)
