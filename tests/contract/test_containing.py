"""Rows by what they hold: a text is found wherever in a row it stands, and in nobody else's rows."""

import json

import pytest

from fabric.store.base import Rows, Store

from .samples import HOSTILE, JAKE, NOTES, RUTH, note, put, run


@pytest.fixture(autouse=True)
def _notes(store: Store) -> None:
    store.define(NOTES)


def found(store: Store, *texts: str, table: str = "notes") -> list[str]:
    return [row["id"] for _, row in run(store, lambda tx: list(tx.containing([JAKE], table, texts)))]


def test_any_text_is_found_in_strings_lists_and_json_inside_a_string(store: Store):
    for text in filter(None, HOSTILE):
        put(store, note("a", content=f"before {text} after"), note("b", deep={"list": ["x", {"y": text}]}))
        put(store, note("c", content=json.dumps({"said": text})))
        put(store, note("d", content=json.dumps([text], ensure_ascii=False)))
        put(store, note("e", content="else"), note("f", content=text))
        put(store, note("g", content=text), scope=RUTH)
        assert {"a", "b", "c", "d", "f"} - set(found(store, text)) == set(), ascii(text)
        assert "g" not in found(store, text), ascii(text)


def test_each_row_comes_once_in_order_with_whose_it_is(store: Store):
    put(store, note("a", content="tea and jazz"), note("b", content="jazz"), note("c", content="chess"))
    put(store, note("r", content="jazz"), scope=RUTH)
    assert found(store, "jazz", "tea") == ["a", "b"]
    assert found(store) == found(store, "nothing") == []

    def both(tx: Rows) -> list[tuple[str, str]]:
        return [(scope.key, row["id"]) for scope, row in tx.containing([JAKE, RUTH], "notes", ["jazz"])]

    assert run(store, both) == [(JAKE.key, "a"), (JAKE.key, "b"), (RUTH.key, "r")]
    many = [f"word {number}" for number in range(500)]
    assert found(store, *many, "tea") == ["a"]


def test_documents_are_found_too_as_the_transaction_has_left_them(store: Store):
    def work(tx: Rows) -> list[str]:
        tx.write("state", JAKE, {"pending": ["turn_1"]})
        return [row["id"] for _, row in tx.containing([JAKE], "documents", ["turn_1"])]

    assert run(store, work) == ["state"]
    run(store, lambda tx: tx.write("state", JAKE, None))
    assert found(store, "turn_1", table="documents") == []
