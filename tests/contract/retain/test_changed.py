"""Editing by id, transcripts, reflecting and clearing, as far as a backend has them."""

import pytest

from capabilities.retain import Edit, Reflection, Transcript
from fabric.errors import ConfigurationError, RefusedError

from .kinds import Desk


def transcript(*said: str, document: str = "session-1") -> Transcript:
    text = "\n\n".join(f"[role: user]\n{one}\n[user:end]" for one in said)
    return Transcript(text, "\n".join(said), "\n".join(said), document, len(said))


def test_a_transcript_takes_the_place_of_the_one_of_its_document(desk: Desk) -> None:
    backend = desk.open()
    for said in (["The cache lives in Redis."], ["The cache lives in Redis.", "Queues live in Postgres."]):
        desk.do(lambda ctx, said=said: backend.keep(ctx, transcript(*said)))
        desk.settle(backend)
    kept = [one for one in desk.do(lambda ctx: backend.recall(ctx, "where do queues live?")).found if one.bank]
    assert sum("Queues live in Postgres" in one.content for one in kept) == 1
    assert sum("The cache lives in Redis" in one.content for one in kept) <= 1


def test_what_settles_with_a_transcript_is_called_once_and_may_refuse(desk: Desk) -> None:
    backend, calls = desk.open(), list[str]()
    desk.do(
        lambda ctx: backend.keep(ctx, transcript("The cache lives in Redis."), lambda tx: calls.append(tx.ids.session))
    )
    assert calls == ["monday"]

    def refuse(_: object) -> None:
        raise RefusedError("it is kept already", do="Go on.")

    with pytest.raises(RefusedError, match="kept already"):
        desk.do(lambda ctx: backend.keep(ctx, transcript("Queues live in Kafka.", document="other"), refuse))
    desk.settle(backend)
    assert not any("Kafka" in one for one in desk.found(backend, "where do queues live?"))


def test_reflecting_on_nothing_says_nothing(desk: Desk) -> None:
    backend = desk.open()
    if desk.kind.name != "local":
        pytest.skip("a server writes its own sentence for nothing")
    assert desk.do(lambda ctx: backend.reflect(ctx, "which database?")) == Reflection("")


def test_reflecting_tells_what_is_known(desk: Desk) -> None:
    backend = desk.open()
    desk.retain(backend, "The database is DuckDB, because one file was required.")
    reflection = desk.do(lambda ctx: backend.reflect(ctx, "which database is used?"))
    assert "DuckDB" in reflection.text


def test_an_edit_without_ids_is_refused_with_a_reason(desk: Desk) -> None:
    if desk.kind.edits:
        pytest.skip("this backend edits")
    with pytest.raises(ConfigurationError):
        desk.do(lambda ctx: desk.open().edit(ctx, Edit(op="forget", id="anything")))


def test_an_edit_of_an_unknown_id_finds_nothing(desk: Desk) -> None:
    if not desk.kind.edits:
        pytest.skip("this backend has no ids to edit by")
    for op in ("forget", "invalidate"):
        edited = desk.do(lambda ctx, op=op: desk.open().edit(ctx, Edit(op=op, id="rm_unknown")))
        assert (edited.status, edited.id) == ("not_found", "rm_unknown")


def test_a_cleared_bank_is_empty_and_others_are_not(desk: Desk) -> None:
    backend, other = desk.open("ours"), desk.open("theirs")
    desk.retain(backend, "The release codename is Heron.")
    desk.retain(other, "The release codename is Osprey.")
    sentence = desk.do(backend.clear)
    assert sentence.endswith(".")
    if desk.kind.clears:
        assert desk.found(backend, "release codename") == []
    assert any("Osprey" in one for one in desk.found(other, "release codename"))
