"""Conditions that the index answers are answered as the database does, or not at all."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.errors import StoreError
from fabric.search.base import ColumnType
from fabric.search.index import Entry, TextIndex
from fabric.store.base import Where
from fabric.store.duckdb.catalog import StoredCollection
from fabric.store.duckdb.rows.narrowing import meeting, ordered

KINDS: dict[str, ColumnType] = {"label": "text", "n": "integer", "done": "boolean", "at": "time"}
KNOWN = StoredCollection("notes", {**KINDS, "other": "text"}, "content", kept=tuple(KINDS))
EARLY, LATE = "2026-01-01T00:00:00Z", "2026-06-01T02:00:00+02:00"
ROWS: list[tuple[Any, ...]] = [("x", 3, 1, 1767225600.0), ("y", None, 0, 1780272000.0), (None, 1, None, None)]


def indexed(rows: Sequence[tuple[Any, ...]] = ROWS) -> TextIndex:
    index = TextIndex(KINDS, "")
    for place, cells in enumerate(rows):
        index.put(Entry("abcdef"[place], place, "", cells), None)
    return index


def met(*where: Where) -> str | None:
    index = indexed()
    positions = meeting(index, KNOWN, where)
    return None if positions is None else "".join(index.ids[position] for position in positions)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Where("label", "=", "x"), "a"),
        (Where("label", "=", "nobody has it"), ""),
        (Where("label", "=", None), "c"),
        (Where("label", "!=", "x"), "bc"),
        (Where("label", "!=", None), "ab"),
        (Where("label", "in", ["x", "nobody has it", None]), "ac"),
        (Where("label", "in", []), ""),
        (Where("label", "null", True), "c"),
        (Where("label", "null", False), "ab"),
        (Where("n", ">=", 1), "ac"),
        (Where("n", "<", 2.5), "c"),
        (Where("n", "!=", 3), "bc"),
        (Where("done", "=", True), "a"),
        (Where("done", "null", True), "c"),
        (Where("at", "=", LATE), "b"),
        (Where("at", "<=", EARLY), "a"),
        (Where("at", "in", [EARLY, LATE]), "ab"),
    ],
    ids=str,
)
def test_a_condition_is_met_by(where: Where, expected: str) -> None:
    assert met(where) == expected


def test_all_conditions_must_be_met_and_none_are_met_by_all() -> None:
    assert met(Where("n", ">", 0), Where("label", "=", "x")) == "a"
    assert met() == "abc"


@pytest.mark.parametrize("where", [Where("other", "=", "x"), Where("id", "=", "a"), Where("label", "<", "x")], ids=str)
def test_what_the_index_does_not_hold_is_left_to_the_database(where: Where) -> None:
    assert met(where) is None


def test_a_number_that_the_index_rounds_is_left_to_the_database() -> None:
    index = indexed([("x", 2**53, 1, None)])
    assert meeting(index, KNOWN, [Where("n", "=", 2**53 + 1)]) is None
    assert ordered(index, KNOWN, index.alive.nonzero()[0], "n", None, 0) is None


def test_a_value_of_another_type_is_refused() -> None:
    with pytest.raises(StoreError, match="is an integer"):
        met(Where("n", "=", "three"))


def test_a_removed_row_meets_nothing() -> None:
    index = indexed()
    index.remove("a", "")
    positions = meeting(index, KNOWN, [Where("n", ">", 0)])
    assert positions is not None
    assert [index.ids[position] for position in positions] == ["c"]


@given(
    numbers=st.lists(st.none() | st.integers(-3, 3), max_size=6),
    order=st.sampled_from(["", "n", "-n"]),
    limit=st.none() | st.integers(0, 4),
    offset=st.integers(0, 3),
)
def test_rows_are_ordered_and_cut_as_a_sort_would(
    numbers: list[int | None], order: str, limit: int | None, offset: int
) -> None:
    index = indexed([("x", number, None, None) for number in numbers])
    positions = meeting(index, KNOWN, [])
    assert positions is not None
    sign = -1 if order.startswith("-") else 1
    by_number = [(number is None, sign * (number or 0)) if order else 0 for number in numbers]
    rows = sorted(range(len(numbers)), key=lambda place: (by_number[place], place))
    end = None if limit is None else offset + limit
    assert ordered(index, KNOWN, positions, order, limit, offset) == ["abcdef"[place] for place in rows[offset:end]]


def test_an_order_by_text_is_left_to_the_database() -> None:
    index = indexed()
    assert ordered(index, KNOWN, index.alive.nonzero()[0], "label", None, 0) is None
