"""What is kept of committed rows: no more than fits, and never what a transaction did not commit."""

from fabric.store.duckdb.rows.row_cache import LONGEST, RowCache, RowKey, Texts

A, B, C = RowKey("notes", 1), RowKey("notes", 2), RowKey("others", 1)
JAKE, RUTH = 1, 2


def kept(most: int = 1_000_000, **texts: str) -> RowCache:
    made = RowCache(most)
    for name, text in texts.items():
        made.keep({"a": A, "b": B, "c": C}[name], JAKE, text)
    return made


def test_the_least_recently_used_is_dropped_first() -> None:
    made = kept(most=6, a="1", b="2", c="3")
    assert made.get(A) == "1"
    made.keep(RowKey("notes", 9), JAKE, "4")
    assert [made.get(place) for place in (A, B, C)] == ["1", None, "3"]


def test_a_text_is_replaced_and_its_room_is_given_back() -> None:
    made = kept(most=10, a="12345678")
    made.keep(A, JAKE, "1")
    made.keep(B, JAKE, "1234567")
    assert (made.get(A), made.get(B)) == ("1", "1234567")
    made.forget(B)
    made.forget(B)
    made.keep(C, JAKE, "1234567")
    assert (made.get(A), made.get(B), made.get(C)) == ("1", None, "1234567")


def test_a_text_that_is_too_long_is_not_kept_and_neither_is_the_one_before() -> None:
    made = kept(a="short")
    made.keep(A, JAKE, "x" * (LONGEST + 1))
    assert made.get(A) is None


def test_only_the_scope_in_that_collection_is_dropped() -> None:
    made = kept(a="1", c="3")
    made.keep(B, RUTH, "2")
    made.drop("notes", JAKE)
    assert [made.get(place) for place in (A, B, C)] == [None, "2", "3"]


def test_a_transaction_sees_its_changes_and_others_only_what_was_committed() -> None:
    shared = kept(a="old", b="gone")
    mine, other = Texts(shared), Texts(shared)
    mine.change(A, JAKE, "new")
    mine.change(B, JAKE, "")
    assert (mine.get(A, JAKE), mine.get(B, JAKE)) == ("new", "")
    assert (other.get(A, JAKE), other.get(B, JAKE)) == ("old", "gone")
    mine.committed()
    assert (other.get(A, JAKE), other.get(B, JAKE)) == ("new", "")


def test_after_a_clearing_the_file_is_asked_until_something_is_written_again() -> None:
    shared = kept(a="1", b="2", c="3")
    texts = Texts(shared)
    texts.change(A, JAKE, "changed")
    texts.clear("notes", JAKE)
    texts.found(B, JAKE, "what the file said before")
    assert [texts.get(place, JAKE) for place in (A, B, C)] == [None, None, "3"]
    texts.change(B, JAKE, "again")
    assert texts.get(B, JAKE) == "again"
    assert (shared.get(A), shared.get(B)) == ("1", "2")
    texts.committed()
    assert [shared.get(place) for place in (A, B, C)] == [None, "again", "3"]
