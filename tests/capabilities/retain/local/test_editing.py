"""Editing by id: the statuses, what each leaves, and where an id is looked for."""

import pytest

from capabilities.retain import Edit, RetainItem
from capabilities.retain.banks import SHARED_BANK
from capabilities.retain.record import Edited
from fabric.errors import RefusedError

from .conftest import Place, backend_of

ITEM = RetainItem(content="CI runs on push.")


def edited(place: Place, op: str, record_id: str, **more: object) -> Edited:
    asked = Edit.model_validate({"op": op, "id": record_id, **more})
    done: Edited = place.do(lambda ctx: place.backend.edit(ctx, asked))
    return done


def test_new_words_are_found_and_old_ones_are_not(place: Place):
    (kept,) = place.retain("The database is Postgres.")
    assert edited(place, "update", kept, content="The store is DuckDB.") == Edited("updated", kept)
    assert place.found("store DuckDB") == ["The store is DuckDB."]
    assert place.found("database Postgres") == []


def test_importance_is_clamped_and_counts(place: Place):
    one, other = place.retain("Port 8080 serves the API.", "Port 9090 serves the API.")
    edited(place, "update", one, importance=-3)
    edited(place, "update", other, importance=7)
    assert {memory.id: memory.importance for memory in place.memories()} == {one: 0.0, other: 1.0}
    assert place.found("which port serves the API?")[0] == "Port 9090 serves the API."


def test_an_update_without_anything_new_is_refused(place: Place):
    (kept,) = place.retain("The database is Postgres.")
    with pytest.raises(RefusedError, match="content, importance or both"):
        edited(place, "update", kept)


def test_a_secret_in_new_words_is_taken_out(place: Place):
    (kept,) = place.retain("The database is Postgres.")
    edited(place, "update", kept, content="password: hunter2-blue9X opens Postgres")
    assert place.memories()[0].content == "password: [redacted] opens Postgres"


def test_a_forgotten_memory_is_gone(place: Place):
    (kept,) = place.retain("The database is Postgres.")
    assert edited(place, "forget", kept) == Edited("deleted", kept)
    assert edited(place, "forget", kept) == Edited("not_found", kept)
    assert place.memories() == []


def test_an_invalidated_memory_stays_and_is_not_found(place: Place):
    old, new = place.retain("The database is Postgres.", "The database is DuckDB.")
    assert edited(place, "invalidate", old, replacement_id=new) == Edited("invalidated", old)
    assert place.found("which database is it?") == ["The database is DuckDB."]
    memory = next(one for one in place.memories() if one.id == old)
    assert (memory.valid_until, memory.superseded_by) == (place.clock.now(), new)


def test_an_unknown_replacement_is_refused_and_nothing_changes(place: Place):
    (kept,) = place.retain("The database is Postgres.")
    for replacement in ("rm_unknown", kept):
        with pytest.raises(RefusedError):
            edited(place, "invalidate", kept, replacement_id=replacement)
    assert place.found("which database is it?") == ["The database is Postgres."]


def test_a_fact_is_not_edited(place: Place):
    place.retain("I work at Stripe.")
    (fact,) = [one.id for one in place.versions()]
    for op in ("update", "forget", "invalidate"):
        assert edited(place, op, fact, importance=1) == Edited("not_editable", fact, "fact")


def test_an_episodic_memory_is_invalidated_and_else_told_where_it_is(place: Place):
    place.retain("The database is Postgres.")
    place.later(hours=13)
    place.do(place.backend.sleep)
    joined = next(one.id for one in place.memories() if one.tier == "episodic")
    for op in ("update", "forget"):
        assert edited(place, op, joined, importance=1) == Edited("not_found", joined, "episodic")
    assert edited(place, "invalidate", joined).status == "invalidated"


def test_ids_are_looked_for_in_the_own_bank_the_read_ones_and_the_shared_one(place: Place):
    read, shared, strange = (
        place.do(lambda ctx, bank=bank: backend_of(bank, embedder=None).retain(ctx, [ITEM])).ids[0]
        for bank in ("read", SHARED_BANK, "strange")
    )
    place.backend = backend_of("bank", "read", embedder=None)
    assert edited(place, "update", read, importance=1).status == "updated"
    assert edited(place, "update", shared, importance=1).status == "updated"
    assert edited(place, "update", strange, importance=1).status == "not_found"


def test_all_of_a_memory_is_read_by_its_id(place: Place):
    text = "The deployment script " + "checks a step and " * 60
    (kept,) = place.retain(text)
    memory = place.do(lambda ctx: place.backend.get(ctx, kept))
    assert memory.content == text.strip()
    assert place.do(lambda ctx: place.backend.get(ctx, "rm_unknown")) is None


def test_clearing_says_what_went_and_what_stays(place: Place):
    place.backend = backend_of("bank", "shared", embedder=None)
    place.retain("I work at Stripe.", "CI runs on push.")
    sentence = place.do(place.backend.clear)
    assert sentence == (
        "Removed 2 memories and 1 facts: the bank 'bank' is empty. What other banks hold stays: shared."
    )
    assert place.memories() == []
