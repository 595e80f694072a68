"""Rows: they come back as they were put, in the order in which they first came."""

from functools import partial
from typing import Any

import pytest

from fabric.errors import StoreError
from fabric.store.base import Row, Rows, Store, Where

from .samples import HOSTILE, JAKE, NOTES, RUTH, ids, note, put, run


@pytest.fixture(autouse=True)
def _notes(store: Store) -> None:
    store.define(NOTES)


def test_get_follows_the_order_asked_and_leaves_out_the_missing(store: Store):
    put(store, note("a"), note("b"), note("c"))
    assert ids(run(store, lambda tx: tx.get(NOTES, JAKE, ["c", "nope", "a", "c"]))) == ["c", "a", "c"]
    assert run(store, lambda tx: tx.get(NOTES, JAKE, [])) == []


def test_the_newest_rows_are_those_inserted_last_of_all_scopes(store: Store):
    assert run(store, lambda tx: tx.newest(NOTES, 2)) == []
    put(store, note("a"), note("b"))
    run(store, lambda tx: tx.put(NOTES, RUTH, [note("c")]))
    put(store, note("a", label="again"))
    assert ids(run(store, lambda tx: tx.newest(NOTES, 2))) == ["b", "c"]
    assert ids(run(store, lambda tx: tx.newest(NOTES, 9))) == ["a", "b", "c"]


def test_any_json_comes_back_as_it_was(store: Store):
    row = note("a", deep={"list": [1, 2.5, None, True, "x"], "": {}}, big=10**30, label=None, unknown="field")
    put(store, row)
    assert run(store, lambda tx: tx.get(NOTES, JAKE, ["a"])) == [row]


def test_any_text_round_trips_as_id_label_and_filter(store: Store):
    put(store, *(note(one, label=one, content=one) for one in HOSTILE))

    def tried(tx: Rows, text: str) -> dict[str, Any]:
        return {
            "by label": tx.find(NOTES, JAKE, [Where("label", "=", text)]),
            "by labels": tx.find(NOTES, JAKE, [Where("label", "in", [text])]),
            "by id": tx.find(NOTES, JAKE, [Where("id", "=", text)]),
            "got": tx.get(NOTES, JAKE, [text]),
            "deleted": tx.delete(NOTES, JAKE, [text]),
        }

    for deleted, text in enumerate(HOSTILE, start=1):
        found = run(store, partial(tried, text=text))
        only = [note(text, label=text, content=text)]
        assert found == dict.fromkeys(("by label", "by labels", "by id", "got"), only) | {"deleted": 1}, ascii(text)
        assert run(store, lambda tx: tx.count(NOTES, JAKE)) == len(HOSTILE) - deleted, ascii(text)


def test_a_megabyte_round_trips(store: Store):
    row = note("a", content="成語 🍕\x00" * 170_000, label="x" * 1_000_000)
    put(store, row)
    assert run(store, lambda tx: tx.find(NOTES, JAKE, [Where("label", "=", row["label"])])) == [row]


def test_a_replaced_row_keeps_its_place(store: Store):
    put(store, note("a", n=1), note("b", n=1), note("c", n=1))
    put(store, note("a", n=2), note("d", n=2))
    found = run(store, lambda tx: tx.find(NOTES, JAKE))
    assert found == [note("a", n=2), note("b", n=1), note("c", n=1), note("d", n=2)]


def test_a_deleted_row_loses_its_place(store: Store):
    put(store, note("a"), note("b"))
    run(store, lambda tx: (tx.delete(NOTES, JAKE, ["a"]), tx.put(NOTES, JAKE, [note("a")])))
    assert ids(run(store, lambda tx: tx.find(NOTES, JAKE))) == ["b", "a"]


def test_the_last_of_equal_ids_in_one_put_wins_in_the_place_of_the_first(store: Store):
    put(store, note("a", n=1), note("b", n=1), note("a", n=2))
    assert run(store, lambda tx: tx.find(NOTES, JAKE)) == [note("a", n=2), note("b", n=1)]


def test_one_transaction_may_change_a_row_many_times(store: Store):
    def work(tx: Rows) -> None:
        for n in range(5):
            tx.put(NOTES, JAKE, [note("a", n=n)])
            assert tx.get(NOTES, JAKE, ["a"]) == [note("a", n=n)]
        tx.delete(NOTES, JAKE, ["a"])
        tx.put(NOTES, JAKE, [note("a", n=9)])

    put(store, note("a", n=-1))
    run(store, work)
    assert run(store, lambda tx: tx.find(NOTES, JAKE)) == [note("a", n=9)]


def test_many_rows_in_one_put(store: Store):
    rows = [note(f"r{n}", n=n, content=f"row {n}") for n in range(3500)]
    put(store, *rows)
    put(store, *rows[::2])
    assert run(store, lambda tx: tx.find(NOTES, JAKE)) == rows
    assert run(store, lambda tx: tx.get(NOTES, JAKE, [row["id"] for row in rows])) == rows
    assert run(store, lambda tx: tx.delete(NOTES, JAKE, [row["id"] for row in rows[:3000]])) == 3000
    assert run(store, lambda tx: tx.clear(NOTES, JAKE)) == 500
    assert run(store, lambda tx: tx.count(NOTES, JAKE)) == 0


def test_delete_counts_each_row_once(store: Store):
    put(store, note("a"), note("b"))
    assert run(store, lambda tx: tx.delete(NOTES, JAKE, ["a", "a", "nope"])) == 1
    assert run(store, lambda tx: tx.delete(NOTES, JAKE, ["a"])) == 0
    assert run(store, lambda tx: tx.delete(NOTES, JAKE, [])) == 0


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"n": 1}, "id"),
        ({"id": 7}, "id"),
        (note("a", n="many"), "notes.n"),
        (note("a", n=True), "notes.n"),
        (note("a", n=2**63), "notes.n"),
        (note("a", weight=float("nan")), "JSON"),
        (note("a", at="yesterday"), "notes.at"),
        (note("a", label=3), "notes.label"),
        (note("a", done="yes"), "notes.done"),
        (note("a", other=object()), "JSON"),
    ],
)
def test_a_row_that_does_not_fit_is_refused_and_nothing_of_its_put_stays(store: Store, row: dict, said: str):
    with pytest.raises(StoreError, match=said):
        put(store, note("first"), row)
    assert run(store, lambda tx: tx.count(NOTES, JAKE)) == 0


def test_an_undefined_table_is_named(store: Store):
    from .samples import OTHER

    with pytest.raises(StoreError, match="others"):
        run(store, lambda tx: tx.find(OTHER, JAKE))


@pytest.mark.parametrize("wrong", [{"n": "no number"}, {"label": object()}])
def test_a_row_that_is_refused_leaves_the_old_one_for_work_that_goes_on(store: Store, wrong: dict[str, object]) -> None:
    put(store, note("a", n=1, content="tea"), note("b", n=1))

    def work(tx: Rows) -> list[Row]:
        with pytest.raises(StoreError):
            tx.put(NOTES, JAKE, [note("c"), note("a", **wrong)])
        return tx.find(NOTES, JAKE)

    expected = [note("a", n=1, content="tea"), note("b", n=1)]
    assert run(store, work) == expected
    assert run(store, lambda tx: tx.find(NOTES, JAKE)) == expected
    assert run(store, lambda tx: tx.get(NOTES, JAKE, ["a", "c"])) == expected[:1]
    assert [found.id for found in run(store, lambda tx: tx.match(NOTES, JAKE, ["tea"], 5))] == ["a"]


def test_rows_that_are_said_to_be_new_are_there_like_others(store: Store):
    put(store, note("a", label="x"))
    more = [note(f"n{n}", label="y", n=n or None) for n in range(5)]
    run(store, lambda tx: tx.put(NOTES, JAKE, more, new=True))
    assert run(store, lambda tx: tx.find(NOTES, JAKE))[1:] == more
    assert ids(run(store, lambda tx: tx.find(NOTES, JAKE, [Where("n", "null", True)]))) == ["a", "n0"]
    put(store, note("n1", label="z"))
    assert ids(run(store, lambda tx: tx.find(NOTES, JAKE, [Where("label", "=", "z")]))) == ["n1"]
