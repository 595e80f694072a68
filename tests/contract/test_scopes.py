"""Scopes: no verb reads, counts, changes or finds a row of another owner."""

import pytest

from fabric.errors import StoreError
from fabric.scope import Scope, ScopeIds
from fabric.search.base import Match
from fabric.store.base import SYSTEM, Rows, Store, Where

from .samples import HOSTILE, JAKE, NOTES, OTHER, RUTH, all_held, ids, note, put, run


@pytest.fixture(autouse=True)
def _tables(store: Store) -> None:
    store.define(NOTES)
    store.define(OTHER)


def test_the_same_id_lives_once_in_each_scope(store: Store):
    put(store, note("a", n=1, content="pizza"))
    put(store, note("a", n=2, content="pizza sushi"), scope=RUTH)
    assert run(store, lambda tx: tx.get(NOTES, JAKE, ["a"])) == [note("a", n=1, content="pizza")]
    assert run(store, lambda tx: tx.find(NOTES, RUTH)) == [note("a", n=2, content="pizza sushi")]
    assert run(store, lambda tx: tx.count(NOTES, RUTH, [Where("n", "in", [1])])) == 0
    assert run(store, lambda tx: tx.match(NOTES, JAKE, ["pizza", "sushi"], 10)) == [Match("a", 1, 1)]


def test_no_verb_touches_another_scope(store: Store):
    put(store, *(note(f"j{n}", n=n, content="pizza") for n in range(5)))
    before = run(store, lambda tx: tx.find(NOTES, JAKE))
    run(store, lambda tx: tx.write("d", JAKE, 1))
    assert run(store, lambda tx: tx.get(NOTES, RUTH, ["j1"])) == []
    assert run(store, lambda tx: tx.find(NOTES, RUTH)) == []
    assert run(store, lambda tx: tx.count(NOTES, RUTH)) == 0
    assert run(store, lambda tx: tx.match(NOTES, RUTH, ["pizza"], 5)) == []
    assert run(store, lambda tx: tx.delete(NOTES, RUTH, ["j1", "j2"])) == 0
    assert run(store, lambda tx: tx.clear(NOTES, RUTH)) == 0
    assert run(store, lambda tx: tx.purge(RUTH)) == {}
    assert run(store, lambda tx: tx.read("d", RUTH)) is None
    put(store, note("j1", n=99), scope=RUTH)
    run(store, lambda tx: tx.write("d", RUTH, 2))
    assert run(store, lambda tx: tx.purge(RUTH)) == {"notes": 1, "documents": 1}
    assert run(store, lambda tx: tx.find(NOTES, JAKE)) == before
    assert run(store, lambda tx: tx.read("d", JAKE)) == 1


def test_purge_reaches_every_table_and_document(store: Store):
    put(store, *(note(str(n)) for n in range(250)))
    put(store, note("x"), table=OTHER)
    run(store, lambda tx: (tx.write("d", JAKE, 1), tx.write("e", JAKE, 2)))
    put(store, note("kept"), scope=RUTH)
    assert run(store, lambda tx: tx.purge(JAKE)) == {"notes": 250, "others": 1, "documents": 2}
    assert run(store, lambda tx: tx.purge(JAKE)) == {}
    assert run(store, lambda tx: (tx.count(NOTES, JAKE), tx.count(OTHER, JAKE), tx.read("d", JAKE))) == (0, 0, None)
    assert store.scopes(NOTES) == [RUTH]
    put(store, note("again"))
    assert ids(run(store, lambda tx: tx.find(NOTES, JAKE))) == ["again"]


def test_what_a_scope_holds_is_what_a_purge_deletes(store: Store):
    put(store, note("a", content="pizza"), note("b"))
    put(store, note("x"), table=OTHER)
    run(store, lambda tx: (tx.write("e \ud800", JAKE, {"n": [1]}), tx.write("d", JAKE, 2), tx.write("d", RUTH, 3)))
    held = run(store, lambda tx: all_held(tx, JAKE))
    assert held == {
        "notes": [note("a", content="pizza"), note("b")],
        "others": [note("x")],
        "documents": [{"id": "d", "value": 2}, {"id": "e \ud800", "value": {"n": [1]}}],
    }
    assert run(store, lambda tx: tx.purge(JAKE)) == {name: len(rows) for name, rows in held.items()}
    assert run(store, lambda tx: all_held(tx, JAKE)) == {}


def test_a_purge_that_is_rolled_back_did_nothing(store: Store):
    put(store, note("a", content="pizza"))

    def work(tx: Rows) -> None:
        tx.purge(JAKE)
        assert tx.find(NOTES, JAKE) == []
        tx.put(NOTES, JAKE, [note("b")])
        raise LookupError

    with pytest.raises(LookupError):
        run(store, work)
    assert ids(run(store, lambda tx: tx.find(NOTES, JAKE))) == ["a"]
    assert store.scopes(NOTES) == [JAKE]


def test_scopes_lists_the_owners_of_rows_only(store: Store):
    assert store.scopes(NOTES) == []
    put(store, note("a"), scope=RUTH)
    put(store, note("a"), scope=SYSTEM)
    put(store, note("a"), table=OTHER)
    run(store, lambda tx: tx.write("d", Scope("agent", "x"), 1))
    assert set(store.scopes(NOTES)) == {RUTH, SYSTEM}
    run(store, lambda tx: tx.delete(NOTES, RUTH, ["a"]))
    assert store.scopes(NOTES) == [SYSTEM]
    with pytest.raises(LookupError):
        run(store, lambda tx: (tx.put(NOTES, JAKE, [note("a")]), _fail()))
    assert store.scopes(NOTES) == [SYSTEM]


def test_hostile_keys_are_all_different_owners(store: Store):
    kinds = ("user", "session")
    owners = [Scope(kind, key) for kind in kinds for key in HOSTILE]
    owners += [ScopeIds(session="s", user=key[:500]).scope("user") for key in HOSTILE if key.strip()]
    for number, owner in enumerate(owners):
        put(store, note("a", n=number, content="pizza"), scope=owner)
        run(store, lambda tx, owner=owner, number=number: tx.write("d", owner, number))
    assert set(store.scopes(NOTES)) == set(owners)
    for number, owner in enumerate(owners):
        assert run(store, lambda tx, owner=owner: tx.find(NOTES, owner)) == [note("a", n=number, content="pizza")]
        assert run(store, lambda tx, owner=owner: tx.read("d", owner)) == number
        assert run(store, lambda tx, owner=owner: tx.match(NOTES, owner, ["pizza"], 5)) == [Match("a", 1, 1)]
    assert run(store, lambda tx: tx.purge(owners[0])) == {"notes": 1, "documents": 1}
    assert len(store.scopes(NOTES)) == len(owners) - 1


@pytest.mark.parametrize("owner", ["jake", None, ("user", "jake")])
def test_anything_but_a_scope_is_refused(store: Store, owner: object):
    put(store, note("a"))
    for work in (
        lambda tx: tx.find(NOTES, owner),
        lambda tx: tx.put(NOTES, owner, [note("b")]),
        lambda tx: tx.read("d", owner),
        lambda tx: tx.purge(owner),
    ):
        with pytest.raises(StoreError, match="Scope"):
            run(store, work)


def _fail() -> None:
    raise LookupError
