"""Match: rows by the words they share with the words asked for."""

import pytest

from fabric.errors import StoreError
from fabric.search.base import Match
from fabric.store.base import Rows, Store, Table
from fabric.text.words import words

from .samples import JAKE, NOTES, RUTH, note, put, run


@pytest.fixture(autouse=True)
def _notes(store: Store) -> None:
    store.define(NOTES)
    put(store, note("a", content="Pizza night with Ana"), note("b", content="pizza, Pizza!"), note("c"), note("d"))


def match(store: Store, text: str, limit: int = 10) -> list[Match]:
    return run(store, lambda tx: tx.match(NOTES, JAKE, words(text), limit))


def test_best_first_ties_by_insertion(store: Store):
    assert match(store, "a night of pizza") == [Match("a", 2, 4), Match("b", 1, 1)]
    assert match(store, "pizza") == [Match("a", 1, 4), Match("b", 1, 1)]
    assert match(store, "pizza pizza pizza") == match(store, "pizza")


def test_limits_and_empty_questions(store: Store):
    assert match(store, "pizza", 1) == [Match("a", 1, 4)]
    assert match(store, "pizza", 0) == []
    assert match(store, "") == match(store, "nothing like it") == []
    with pytest.raises(StoreError):
        match(store, "pizza", -1)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("今日は成語しりとりをした", "しりとり"),
        ("Кошка спит", "кошка"),
        ("a\x00b \ud83d pizzeria", "PIZZERIA"),
        ("ﾋﾟｻﾞ", "ピザ"),
    ],
)
def test_words_of_any_script(store: Store, text: str, asked: str):
    put(store, note("x", content=text))
    assert [found.id for found in match(store, asked)] == ["x"]


def test_it_follows_every_change(store: Store):
    assert len(match(store, "pizza")) == 2
    put(store, note("b", content="sushi"), note("e", content="pizza"))
    assert [found.id for found in match(store, "pizza")] == ["a", "e"]
    assert [found.id for found in match(store, "sushi")] == ["b"]
    run(store, lambda tx: tx.delete(NOTES, JAKE, ["a"]))
    assert [found.id for found in match(store, "pizza")] == ["e"]
    put(store, note("a", content="pizza"))
    assert [found.id for found in match(store, "pizza")] == ["e", "a"]
    run(store, lambda tx: tx.clear(NOTES, JAKE))
    assert match(store, "pizza") == []
    put(store, note("a", content="pizza"))
    run(store, lambda tx: tx.purge(JAKE))
    assert match(store, "pizza") == []


def test_it_sees_the_writes_of_its_own_transaction_and_forgets_them_with_it(store: Store):
    def work(tx: Rows) -> None:
        tx.put(NOTES, JAKE, [note("e", content="pizza")])
        tx.delete(NOTES, JAKE, ["a"])
        assert [found.id for found in tx.match(NOTES, JAKE, ["pizza"], 10)] == ["b", "e"]
        raise LookupError

    for warm in (False, True):
        if warm:
            match(store, "pizza")
        with pytest.raises(LookupError):
            run(store, work)
        assert [found.id for found in match(store, "pizza")] == ["a", "b"]


def test_it_stays_inside_the_scope(store: Store):
    put(store, note("z", content="pizza"), scope=RUTH)
    assert [found.id for found in match(store, "pizza")] == ["a", "b"]
    assert run(store, lambda tx: tx.match(NOTES, RUTH, ["pizza"], 10)) == [Match("z", 1, 1)]


def test_a_text_that_is_not_a_string_has_no_words(store: Store):
    put(store, note("x", content=["pizza"]), note("y", content=None))
    assert [found.id for found in match(store, "pizza")] == ["a", "b"]


def test_a_collection_without_text_cannot_be_searched(store: Store):
    plain = Table("plain", {})
    store.define(plain)
    with pytest.raises(StoreError, match="plain"):
        run(store, lambda tx: tx.match(plain, JAKE, ["pizza"], 1))
