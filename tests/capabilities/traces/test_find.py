"""Finding stored traces: only what the session may see, never what was deleted, in one order whatever the scopes."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import pytest

from capabilities.traces.record import DEFAULT_TRACES_CONFIG, TraceScope, TraceType
from capabilities.traces.search.find import find_traces
from capabilities.traces.search.reading import parse
from capabilities.traces.table import TraceTable
from capabilities.traces.tables import ALL_TABLES, place_of, places
from fabric.flow.resource import Transaction
from fabric.scope import ScopeIds
from fabric.store.duckdb.store import DuckDBStore
from fabric.testing import FrozenClock

T = TypeVar("T")
CLOCK = FrozenClock()
JAKE = ScopeIds(session="monday", user="jake", agent="cook", org="acme")


class Kept:
    """Traces in a store, seen by one session."""

    def __init__(self, store: DuckDBStore, ids: ScopeIds) -> None:
        self.store = store
        self.ids = ids

    def do(self, work: Callable[[TraceTable], T]) -> T:
        return self.store.transact_sync(
            lambda rows: work(TraceTable(Transaction(rows, self.ids), CLOCK, DEFAULT_TRACES_CONFIG))
        )

    def add(
        self, content: str, scope: TraceScope = "user", kind: TraceType = "episodic", tags: Sequence[str] = ()
    ) -> str:
        return self.do(lambda table: table.add(place_of(scope, self.ids), content, kind, tags)[0].id)

    def find(self, query: str, scope: TraceScope | None = None, only: TraceType | None = None) -> list[str]:
        where = places(self.ids) if scope is None else [place_of(scope, self.ids)]
        found = self.do(lambda table: find_traces(table.tx, where, parse(query), 10, only=only))
        return [one.trace.content for one in found]


@pytest.fixture
def jake() -> Iterator[Kept]:
    store = DuckDBStore(":memory:")
    store.open()
    for tables in ALL_TABLES.values():
        for collection in (tables.traces, tables.edges, tables.feedback, tables.log):
            store.define(collection.table)
    yield Kept(store, JAKE)
    store.close()


def test_without_a_scope_all_scopes_of_the_session_are_one_corpus(jake: Kept):
    for scope in ("organization", "persona", "user", "thread"):
        jake.add(f"green tea of the {scope}", scope)
    jake.add("tea", "organization")
    assert jake.find("tea")[0] == "tea"
    assert sorted(jake.find("green tea")) == sorted(f"green tea of the {scope}" for scope in place_names())
    assert jake.find("tea", "persona") == ["green tea of the persona"]


def place_names() -> list[str]:
    return [place.scope for place in places(JAKE)]


@pytest.mark.parametrize(
    ("other", "seen"),
    [
        (ScopeIds(session="tuesday", user="jake", agent="cook", org="acme"), ["organization", "persona", "user"]),
        (ScopeIds(session="tuesday", user="jake", agent="driver", org="acme"), ["organization", "user"]),
        (ScopeIds(session="tuesday", user="ann", agent="cook", org="acme"), ["organization"]),
        (ScopeIds(session="tuesday", user="jake", org="acme"), ["organization", "user"]),
        (ScopeIds(session="tuesday", user="ann", agent="cook", org="globex"), []),
    ],
)
def test_another_session_finds_what_its_ids_open_and_nothing_else(jake: Kept, other: ScopeIds, seen: list[str]):
    for scope in place_names():
        jake.add(f"the code of the {scope}", place_of_name(scope))
    session = Kept(jake.store, other)
    for query in ("code", "NOT coffee", "co*", "the code of everyone"):
        assert sorted(session.find(query)) == [f"the code of the {scope}" for scope in seen], query


def place_of_name(scope: str) -> TraceScope:
    return next(place.scope for place in places(JAKE) if place.scope == scope)


@pytest.mark.parametrize("query", ["tea", '"green tea"', "te*", "NOT coffee", "green tea please", "tags:drink"])
def test_a_deleted_trace_is_found_by_no_query_and_leaves_the_statistics(jake: Kept, query: str):
    gone = jake.add("green tea", tags=["drink"])
    jake.add("green water")
    kept = jake.do(lambda table: find_traces(table.tx, places(JAKE), parse("water"), 10))
    jake.do(lambda table: table.delete(gone))
    assert "green tea" not in jake.find(query)
    alone = jake.do(lambda table: find_traces(table.tx, places(JAKE), parse("water"), 10))
    assert [one.score for one in alone] != [one.score for one in kept]


def test_a_type_leaves_out_the_others_and_changes_no_score(jake: Kept):
    jake.add("tea at noon", kind="episodic")
    jake.add("tea is green", kind="semantic")
    everything = jake.do(lambda table: find_traces(table.tx, places(JAKE), parse("tea"), 10))
    semantic = jake.do(lambda table: find_traces(table.tx, places(JAKE), parse("tea"), 10, only="semantic"))
    assert [one.trace.content for one in semantic] == ["tea is green"]
    assert semantic[0].score == next(one.score for one in everything if one.trace.type == "semantic")


def test_plain_language_with_a_type_looks_for_any_word_when_no_trace_of_that_type_has_all(jake: Kept):
    jake.add("tea and cake", kind="episodic")
    jake.add("tea is green", kind="semantic")
    assert jake.find("tea cake", only="semantic") == ["tea is green"]


def test_a_changed_trace_is_found_by_its_new_words_and_not_by_its_old_ones(jake: Kept):
    changed = jake.add("green tea", tags=["drink"])
    jake.add("tea too")
    jake.do(lambda table: table.update(changed, "black coffee", ["beans"]))
    assert jake.find('green OR drink OR "green tea" OR gree* OR ^green OR tags:drink') == []
    assert jake.find('tags:beans AND "black coffee" AND coff*') == ["black coffee"]


def test_ties_stand_in_the_order_of_insertion_also_after_a_change(jake: Kept):
    first = jake.add("tea one")
    jake.add("tea two")
    jake.do(lambda table: table.update(first, "tea six", None))
    assert jake.find("tea") == ["tea six", "tea two"]


def test_a_long_phrase_is_exact_where_a_word_of_it_stands_twice(jake: Kept):
    jake.add("to be or not to be", tags=["be to"])
    jake.add("not to go, or to be")
    assert jake.find('"or not to be"') == ["to be or not to be"]
    assert jake.find('"not to be or"') == []
    assert jake.find('"or to be"') == ["not to go, or to be"]


def test_words_added_after_a_search_are_found_by_their_beginning(jake: Kept):
    jake.add("typed")
    assert jake.find("type*") == ["typed"]
    jake.add(" ".join(f"typewriter{number}" for number in range(600)))
    assert len(jake.find("typewriter5*")) == 1
    jake.add("typeface")
    assert jake.find("typef*") == ["typeface"]


def test_strength_multiplies_the_score(jake: Kept):
    jake.add("tea one")
    jake.add("tea two")
    plain = jake.do(lambda table: find_traces(table.tx, places(JAKE), parse("tea"), 10))
    weak = plain[0].trace.model_copy(update={"strength": 0.5})
    jake.do(lambda table: table.tx.put(plain[0].tables.traces, [weak]))
    found = jake.do(lambda table: find_traces(table.tx, places(JAKE), parse("tea"), 10, by_strength=True))
    assert [one.trace.content for one in found] == ["tea two", "tea one"]
    assert found[1].score == pytest.approx(plain[0].score / 2)


def test_a_session_without_traces_finds_nothing(jake: Kept):
    assert jake.find("tea") == []


def test_accents_do_not_matter_and_the_very_spelling_comes_first(jake: Kept):
    for content in ("Café Central opens late", "École des Beaux-Arts", "Jechał do Łódź", "resume the job", "my résumé"):
        jake.add(content)
    found = {query: jake.find(query)[0] for query in ("cafe", "CAFÉ", "ecole", "Ecole des Beaux-Arts", "lodz", "łódź")}
    assert found == {
        "cafe": "Café Central opens late",
        "CAFÉ": "Café Central opens late",
        "ecole": "École des Beaux-Arts",
        "Ecole des Beaux-Arts": "École des Beaux-Arts",
        "lodz": "Jechał do Łódź",
        "łódź": "Jechał do Łódź",
    }
    assert jake.find("resume") == ["resume the job", "my résumé"]
    assert jake.find("résumé") == ["my résumé", "resume the job"]
    assert jake.find("cafe -central") == []
