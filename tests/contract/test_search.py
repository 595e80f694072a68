"""Search: the view that a store gives of a scope's rows. A back end that keeps this has recall."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from fabric.errors import StoreError
from fabric.search.base import ColumnView, PostingsView, SearchView, VectorsView
from fabric.store.base import Row, Rows, RowVectors, Store, Table
from fabric.text.passages import LONG

from .samples import JAKE, RUTH, ids, note, put, run
from .search_model import SAID, expected, picture

SPACE, OTHER_SPACE = "stub/4/00ff", "other/4/ff00"
EYE = np.eye(4, dtype=np.float32)


def said(row_id: str, content: str, label: str | None = "x", n: int | None = None, **more: Any) -> Row:
    return note(row_id, content=content, label=label, n=n, **{"done": None, "at": None} | more)


ROWS = (
    said("a", "dogs/Dogs run run", n=3, done=True, at="1970-01-01T00:01:00Z"),
    said("b", "dogs/dogs", "y", done=False, at="1970-01-01T01:00:00+01:00"),
    said("c", "", None, -1),
    said("d", "run", "x", 0),
)


@pytest.fixture(autouse=True)
def _said(store: Store) -> None:
    store.define(SAID)


def view(rows: Rows, space: str = "") -> SearchView:
    found = rows.index(SAID, JAKE, space)
    assert found is not None
    return found


def test_it_says_what_the_rows_say_whatever_is_written(store: Store):
    assert run(store, lambda tx: tx.index(SAID, JAKE)) is None
    put(store, said("r", "dogs"), table=SAID, scope=RUTH)
    put(store, *ROWS, table=SAID)

    def checked(tx: Rows) -> SearchView:
        index = view(tx)
        assert picture(index) == expected(tx.find(SAID, JAKE))
        return index

    def work(tx: Rows, *, fails: bool = False) -> None:
        tx.put(SAID, JAKE, [said("b", "cats/Cats", "y"), said("e", "run dogs/dogs cats", "y")])
        checked(tx)
        tx.put(SAID, JAKE, [said("d", "run", "x", 7, done=False)])
        tx.delete(SAID, JAKE, ["a"])
        checked(tx)
        tx.put(SAID, JAKE, [said("a", "new", "x")])
        checked(tx)
        if fails:
            raise LookupError

    before = run(store, lambda tx: picture(checked(tx)))
    with pytest.raises(LookupError):
        run(store, lambda tx: work(tx, fails=True))
    assert run(store, lambda tx: picture(checked(tx))) == before
    run(store, work)
    after = run(store, lambda tx: picture(checked(tx)))
    with store.snapshot() as rows:
        assert picture(view(rows)) == after
    run(store, lambda tx: tx.put(SAID, JAKE, [said("d", "run", "y")]))  # from one thread to another
    run(store, checked)
    run(store, lambda tx: tx.purge(JAKE))
    assert not run(store, lambda tx: tx.index(SAID, JAKE))


def test_a_frozen_view_stays_as_it_is_for_any_thread(store: Store):
    put(store, *ROWS, table=SAID)
    run(store, lambda tx: tx.set_vectors(SAID, JAKE, RowVectors(SPACE, {"a": EYE[0]})))
    frozen = run(store, lambda tx: view(tx, SPACE).frozen())
    then = picture(frozen)
    assert then == expected(list(ROWS))
    assert frozen.frozen() is frozen
    same = run(store, lambda tx: view(tx, SPACE))
    assert (same.numbering, same.changes) == (frozen.numbering, frozen.changes)
    assert same.derived(dict, {"made": 1}) is frozen.derived(dict, {"made": 2})
    assert frozen.derived(dict) == {"made": 1}
    run(store, lambda tx: tx.put(SAID, JAKE, [said("e", "dogs birds", "z"), said("c", "", None, 5)]))
    later = run(store, lambda tx: view(tx, SPACE))
    assert later.numbering != frozen.numbering or later.changes != frozen.changes
    with ThreadPoolExecutor(1) as other:
        assert other.submit(picture, frozen).result() == then
    run(store, lambda tx: tx.delete(SAID, JAKE, ["b"]))
    assert frozen.position_of("b") == frozen.position_of("e") == -1
    assert ("birds" in frozen.postings.terms, frozen.vectors is not None) == (False, True)


def arrays_of(index: SearchView) -> dict[str, Any]:
    """Return by its name every array that a view gives, but for those that are worked out for who asks."""
    seen = [("", SearchView, index), ("postings.", PostingsView, index.postings)]
    seen += [(f"columns.{name}.", ColumnView, column) for name, column in index.columns.items()]
    seen += [("vectors.", VectorsView, index.vectors)] if index.vectors is not None else []
    found = {
        f"{path}{name}": getattr(part, name)
        for path, protocol, part in seen
        for name, member in vars(protocol).items()
        if isinstance(member, property)
    }
    for term, number in index.postings.terms.items():
        found |= {f"of {term} {at}": held for at, held in enumerate(index.postings.of(number))}
    for place, *lists in index.postings.lists(list(index.postings.terms.values())):
        found |= {f"lists {place} {len(found)} {at}": held for at, held in enumerate(lists)}
    return {name: held for name, held in found.items() if isinstance(held, np.ndarray)}


@pytest.mark.parametrize("is_frozen", [True, False])
def test_no_array_of_a_view_can_be_written_into(store: Store, is_frozen: bool):
    put(store, *ROWS, table=SAID)
    run(store, lambda tx: tx.set_vectors(SAID, JAKE, RowVectors(SPACE, {"a": EYE[0]})))

    def work(tx: Rows) -> None:
        index = view(tx, SPACE)
        tx.put(SAID, JAKE, [said("e", "dogs/Dogs run new", "y")])  # terms with two lists, and with one of either kind
        then = picture(index)
        arrays = arrays_of(index.frozen() if is_frozen else index)
        assert {"alive", "places", "postings.token_counts", "columns.label.values", "vectors.present"} <= arrays.keys()
        assert {"of dogs 0", "of dogs 1", "of new 0"} <= arrays.keys()
        for held in arrays.values():
            with pytest.raises(ValueError, match="read-only"):
                held[...] = 0
        assert picture(view(tx, SPACE)) == then

    run(store, work)
    with store.snapshot() as rows:
        assert not any(held.flags.writeable for held in arrays_of(view(rows, SPACE)).values())


def test_what_is_worked_out_of_vectors_is_the_callers_own(store: Store):
    run(store, lambda tx: tx.put(SAID, JAKE, [said("a", "run " * LONG)], RowVectors(SPACE, {"a": EYE[:3]})))

    def work(tx: Rows) -> None:
        vectors = view(tx, SPACE).vectors
        assert vectors is not None
        for ask in (
            lambda: vectors.at(0),
            lambda: vectors.quick(EYE[0]),
            lambda: vectors.exact(EYE[0], np.arange(1)),
            lambda: vectors.passage_cosines(0, EYE[2]),
        ):
            then = ask().tolist()
            ask()[...] = 7
            assert ask().tolist() == then

    run(store, work)


def cosines(store: Store, asked: Any, space: str = SPACE) -> dict[str, float]:
    """Return how near each row comes that has a vector, in each way there is."""

    def work(tx: Rows) -> dict[str, float]:
        index = view(tx, space)
        vectors = index.vectors
        if vectors is None:
            return {}
        assert (vectors.dimension, vectors.is_exact, len(vectors)) == (4, True, len(vectors.present))
        positions = np.flatnonzero(vectors.present & index.alive[: len(vectors)])
        exact = vectors.exact(asked, positions)
        assert np.array_equal(vectors.quick(asked)[positions], exact)
        for position, cosine in zip(positions.tolist(), exact.tolist(), strict=True):
            passages = vectors.passage_cosines(position, asked)
            assert cosine == max(float(vectors.at(position) @ asked), *passages.tolist(), -1)
        return {index.ids[position]: float(cosine) for position, cosine in zip(positions.tolist(), exact, strict=True)}

    return run(store, work)


def test_vectors_are_those_of_the_space_asked_for_and_live_with_their_text(store: Store):
    rows = [*ROWS, said("long", "run " * LONG + "run")]
    given = RowVectors(SPACE, {"a": EYE[0], "long": EYE[1:]})
    run(store, lambda tx: tx.put(SAID, JAKE, rows, given))
    assert cosines(store, EYE[3]) == {"a": 0, "long": 1}
    assert run(store, lambda tx: tx.set_vectors(SAID, JAKE, RowVectors(SPACE, {"b": EYE[3], "gone": EYE[0]}))) == 1
    assert run(store, lambda tx: tx.set_vectors(SAID, JAKE, RowVectors(OTHER_SPACE, {"d": EYE[0]}))) == 1
    assert cosines(store, EYE[3]) == {"a": 0, "b": 1, "long": 1}
    assert cosines(store, EYE[0], OTHER_SPACE) == {"d": 1}
    assert run(store, lambda tx: tx.spaces(SAID, JAKE)) == {"": 1, SPACE: 3, OTHER_SPACE: 1}
    assert ids(run(store, lambda tx: tx.outside_space(SAID, JAKE, SPACE, 9))) == ["c", "d"]
    assert ids(run(store, lambda tx: tx.outside_space(SAID, JAKE, SPACE, 1))) == ["c"]
    assert run(store, lambda tx: (tx.without_passages(SAID, JAKE, SPACE), tx.spaces(SAID, RUTH))) == (0, {})
    run(store, lambda tx: tx.put(SAID, JAKE, [said("a", "dogs/Dogs run run", n=4), said("b", "other")]))
    assert cosines(store, EYE[0]) == {"a": 1, "long": 0}

    def work(tx: Rows) -> None:
        tx.set_vectors(SAID, JAKE, RowVectors(SPACE, {"a": EYE[2], "b": EYE[2]}))
        tx.delete(SAID, JAKE, ["long"])
        raise LookupError

    with pytest.raises(LookupError):
        run(store, work)
    assert cosines(store, EYE[0]) == {"a": 1, "long": 0}
    run(store, lambda tx: tx.delete(SAID, JAKE, ["a", "long"]))
    assert cosines(store, EYE[0]) == {}


def test_a_collection_without_text_has_no_view(store: Store):
    plain = Table("plain", {})
    store.define(plain)
    for verb in (
        lambda tx: tx.index(plain, JAKE),
        lambda tx: tx.spaces(plain, JAKE),
        lambda tx: tx.without_passages(plain, JAKE, SPACE),
        lambda tx: tx.outside_space(plain, JAKE, SPACE, 1),
        lambda tx: tx.set_vectors(plain, JAKE, RowVectors(SPACE, {"a": EYE[0]})),
    ):
        with pytest.raises(StoreError, match="plain"):
            run(store, verb)
