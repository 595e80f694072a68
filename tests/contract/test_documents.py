"""Documents: one JSON value per key and scope."""

import pytest

from fabric.errors import StoreError
from fabric.store.base import Rows, Store

from .samples import HOSTILE, JAKE, RUTH, run


def test_a_document_that_was_never_written_is_none(store: Store):
    assert run(store, lambda tx: tx.read("counters", JAKE)) is None


@pytest.mark.parametrize(
    "value", [0, False, "", [], {}, [1, {"a": "\x00\ud83d 👩‍👩‍👧‍👦"}], 1.5, "x" * 1_000_000], ids=lambda v: repr(v)[:30]
)
def test_any_json_value_round_trips(store: Store, value: object):
    run(store, lambda tx: tx.write("d", JAKE, value))
    assert run(store, lambda tx: tx.read("d", JAKE)) == value


def test_writing_replaces_and_none_removes(store: Store):
    for value in (1, 2, None):
        run(store, lambda tx, value=value: tx.write("d", JAKE, value))
        assert run(store, lambda tx: tx.read("d", JAKE)) == value
    run(store, lambda tx: tx.write("d", RUTH, None))
    assert run(store, lambda tx: tx.purge(JAKE)) == {}


def test_each_key_and_scope_has_its_own(store: Store):
    def write(tx: Rows) -> None:
        for key in HOSTILE:
            tx.write(key, JAKE, ["jake", key])
            tx.write(key, RUTH, ["ruth", key])

    run(store, write)
    for key in HOSTILE:
        assert run(store, lambda tx, key=key: (tx.read(key, JAKE), tx.read(key, RUTH))) == (
            ["jake", key],
            ["ruth", key],
        )


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, object()], ids=["nan", "set", "object"])
def test_what_is_not_json_is_refused_and_the_old_value_stays(store: Store, value: object):
    run(store, lambda tx: tx.write("d", JAKE, "old"))
    with pytest.raises(StoreError, match="'d'"):
        run(store, lambda tx: tx.write("d", JAKE, value))
    assert run(store, lambda tx: tx.read("d", JAKE)) == "old"
