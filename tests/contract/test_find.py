"""Find and count: conditions on the declared columns, order, limit."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from fabric.errors import StoreError
from fabric.store.base import Store, Where

from .conftest import FACTORIES
from .samples import JAKE, NOTES, RUTH, ids, note, put, run

ROWS = [
    note("a", n=3, weight=0.5, done=True, at="2026-01-02T12:00:00+00:00", label="x"),
    note("b", n=1, weight=-1.5, done=False, at="2026-01-02T13:30:00+02:00", label="y"),
    note("c", n=2, weight=2, done=True, at="2026-01-03", label="x"),
    note("d"),
]
CONDITIONS = [
    (Where("n", "=", 1), "b"),
    (Where("n", "!=", 1), "acd"),
    (Where("n", "<", 3), "bc"),
    (Where("n", "<=", 2.5), "bc"),
    (Where("n", ">=", 2), "ac"),
    (Where("n", "in", [1, 3, 99]), "ab"),
    (Where("n", "in", []), ""),
    (Where("n", "in", (None, 2)), "cd"),
    (Where("n", "null", True), "d"),
    (Where("n", "null", False), "abc"),
    (Where("n", "=", None), "d"),
    (Where("n", "!=", None), "abc"),
    (Where("weight", ">", 0), "ac"),
    (Where("weight", "<", float("inf")), "abc"),
    (Where("done", "=", True), "ac"),
    (Where("done", "!=", True), "bd"),
    (Where("label", "=", "x"), "ac"),
    (Where("label", ">", "x"), "b"),
    (Where("id", "in", ["a", "d"]), "ad"),
    (Where("at", "=", "2026-01-02T11:30:00Z"), "b"),
    (Where("at", "=", "2026-01-02T17:00:00+05:30"), "b"),
    (Where("at", "=", "2026-01-02 11:30:00.000+00"), "b"),
    (Where("at", ">=", datetime(2026, 1, 2, 12, tzinfo=UTC)), "ac"),
    (Where("at", ">", datetime(2026, 1, 2, 12)), "c"),  # a naive time is UTC
    (Where("at", "<", "2026-01-03T00:00:00.000001"), "abc"),
]
ORDERS = [
    ("", "abcd"),
    ("n", "bcad"),
    ("-n", "acbd"),
    ("label", "acbd"),
    ("-label", "bacd"),
    ("at", "bacd"),
    ("-id", "dcba"),
]
REFUSED = [
    Where("content", "=", "x"),
    Where('n" = 1 OR "n', "=", 1),
    Where("n", "=", "1"),
    Where("n", "<", None),
    Where("n", "in", "12"),
    Where("n", "in", 1),
    Where("n", "null", 1),
    Where("n", "like", 1),  # type: ignore[arg-type]
    Where("at", "<", "soon"),
    Where("label", "=", 1),
    Where("weight", "<", float("nan")),
]


@pytest.fixture(scope="module", params=FACTORIES)
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One store for all: they only read."""
    opened = FACTORIES[request.param](tmp_path_factory.mktemp("find"))
    opened.open()
    opened.define(NOTES)
    put(opened, *ROWS)
    yield opened
    opened.close()


@pytest.mark.parametrize(("where", "expected"), CONDITIONS, ids=str)
def test_one_condition(store: Store, where: Where, expected: str):
    assert ids(run(store, lambda tx: tx.find(NOTES, JAKE, [where]))) == list(expected)
    assert run(store, lambda tx: tx.count(NOTES, JAKE, [where])) == len(expected)


def test_conditions_are_joined(store: Store):
    where = [Where("done", "=", True), Where("n", "<", 3)]
    assert ids(run(store, lambda tx: tx.find(NOTES, JAKE, where))) == ["c"]


@pytest.mark.parametrize(("order", "expected"), ORDERS)
def test_order_puts_missing_values_last_and_ties_by_insertion(store: Store, order: str, expected: str):
    assert ids(run(store, lambda tx: tx.find(NOTES, JAKE, order=order))) == list(expected)
    assert ids(run(store, lambda tx: tx.find(NOTES, JAKE, order=order, limit=2, offset=1))) == list(expected[1:3])


def test_limit_and_offset(store: Store):
    assert run(store, lambda tx: tx.find(NOTES, JAKE, limit=0)) == []
    assert ids(run(store, lambda tx: tx.find(NOTES, JAKE, offset=3))) == ["d"]
    assert ids(run(store, lambda tx: tx.find(NOTES, JAKE, limit=100))) == list("abcd")


@pytest.mark.parametrize("arguments", [{"limit": -1}, {"offset": -1}, {"order": "content"}, {"order": "n; DROP"}])
def test_what_cannot_work_is_refused(store: Store, arguments: dict):
    with pytest.raises(StoreError):
        run(store, lambda tx: tx.find(NOTES, JAKE, **arguments))


@pytest.mark.parametrize("where", REFUSED, ids=str)
def test_a_condition_that_cannot_be_met_by_any_row_is_an_error_and_never_widens(store: Store, where: Where):
    with pytest.raises(StoreError):
        run(store, lambda tx: tx.find(NOTES, JAKE, [where]))
    with pytest.raises(StoreError):
        run(store, lambda tx: tx.count(NOTES, JAKE, [where]))


def test_a_scope_of_many_rows_is_filtered_the_same_way(store: Store):
    put(store, *(note(f"m{n}", n=n % 10, label="x") for n in range(2500)), scope=RUTH)
    found = run(store, lambda tx: tx.find(NOTES, RUTH, [Where("n", "=", 7)], "-n", limit=3))
    assert ids(found) == ["m7", "m17", "m27"]
    assert run(store, lambda tx: tx.count(NOTES, RUTH, [Where("n", "=", 7)])) == 250
    assert run(store, lambda tx: tx.count(NOTES, RUTH)) == 2500
    assert run(store, lambda tx: tx.count(NOTES, JAKE)) == len(ROWS)
