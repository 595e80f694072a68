"""Recall over several banks, by words and by meaning; reflecting with a model and without."""

import json
from pathlib import Path

import pytest

from blocks.retain.answering import local_backend
from capabilities.retain import Bank, LocalConfig, RetainItem
from capabilities.retain.banks import in_bank
from capabilities.retain.local.tables import MEMORIES
from fabric import Context, Fabric
from fabric.errors import ModelUnavailableError, RunError
from fabric.flow.resource import Transaction
from fabric.models.base import Request
from fabric.testing import ScriptedModel

from .conftest import Place, backend_of, call


def test_a_question_about_nothing_that_is_kept_recalls_nothing(place: Place):
    place.retain("The database is DuckDB.", "Deployments are on Thursdays.", "Anna reviews invoices.")
    assert place.found("chocolate cake recipe") == []
    assert place.found("who reviews invoices?") == ["Anna reviews invoices."]


def test_what_two_banks_hold_is_shown_once(place: Place):
    both = backend_of("one", "two", embedder=None)
    for bank in ("one", "two"):
        item = RetainItem(content="Commit subjects are imperative.")
        place.do(lambda ctx, bank=bank, item=item: backend_of(bank, embedder=None).retain(ctx, [item]))
    place.backend = both
    assert place.found("commit subjects") == ["Commit subjects are imperative."]


def test_at_most_as_many_as_the_limit(place: Place):
    place.backend = local_backend(LocalConfig(recall_limit=3), Bank("bank", ("bank",)), embedder=None)
    place.retain(*(f"Service {number} uses the port {9000 + number}." for number in range(20)))
    assert len(place.found("which service uses which port?")) == 3


async def _spoil(ctx: Context, bank: str) -> None:
    """Store a row that no later version of a memory could read."""

    def work(tx: Transaction) -> None:
        inside = in_bank(tx, bank)
        row = inside.rows.find(MEMORIES.table, inside.ids.scope("project"))[0]
        inside.rows.put(MEMORIES.table, inside.ids.scope("project"), [{**row, "sources": "nobody"}])

    await ctx.transact(work)


def test_one_bank_that_cannot_be_read_is_left_out_and_all_of_them_raise(place: Place):
    for bank in ("good", "bad"):
        item = RetainItem(content=f"Commit subjects are imperative in {bank}.")
        place.do(lambda ctx, bank=bank, item=item: backend_of(bank, embedder=None).retain(ctx, [item]))
    place.do(lambda ctx: _spoil(ctx, "bad"))
    place.backend = backend_of("good", "bad", embedder=None)
    assert place.found("commit subjects") == ["Commit subjects are imperative in good."]
    place.backend = backend_of("bad", embedder=None)
    with pytest.raises(RunError, match="no bank can be read"):
        place.found("commit subjects")


def test_without_a_model_what_was_recalled_is_the_answer(place: Place):
    ids = place.retain("The database is DuckDB.", "Deployments are on Thursdays.")
    reflection = place.do(lambda ctx: place.backend.reflect(ctx, "which database is it?"))
    assert reflection.text == "This is remembered about it:\n- The database is DuckDB."
    assert reflection.sources == (ids[0],)


def reflected(path: Path, model: ScriptedModel) -> tuple[str, tuple[str, ...], list[str]]:
    backend = local_backend(LocalConfig(), Bank("bank", ("bank",)), embedder=None, model="scripted")
    with Fabric(path, models=model) as fabric:
        session = fabric.session("monday", user="jake")
        items = [RetainItem(content="The database is DuckDB."), RetainItem(content="The database has one file.")]
        ids = list(session.run(call, lambda ctx: backend.retain(ctx, items)).output.ids)
        found = session.run(call, lambda ctx: backend.reflect(ctx, "which database is it?", "for the README")).output
    return found.text, found.sources, ids


def test_a_model_answers_and_names_only_what_was_recalled(tmp_path: Path):
    def answered(request: Request) -> str:
        shown = str(request.messages)
        assert "for the README" in shown
        first = shown[shown.index("[rm_") + 1 :].split("]", maxsplit=1)[0]
        return json.dumps({"answer": "It is DuckDB.", "sources": [first, "rm_invented"]})

    text, sources, ids = reflected(tmp_path / "a.duckdb", ScriptedModel(answered))
    assert text == "It is DuckDB."
    assert len(sources) == 1
    assert sources[0] in ids


def test_a_model_that_is_away_leaves_what_was_recalled(tmp_path: Path):
    def away(_: object) -> Exception:
        return ModelUnavailableError("down")

    text, sources, ids = reflected(tmp_path / "a.duckdb", ScriptedModel(away))
    assert text.startswith("This is remembered about it:\n- The database")
    assert set(sources) == set(ids)


def test_vectors_that_are_missing_are_made_by_a_flush(tmp_path: Path):
    backend = local_backend(LocalConfig(), Bank("bank", ("bank",)))
    with Fabric(tmp_path / "a.duckdb") as fabric:
        session = fabric.session("monday", user="jake")
        items = [RetainItem(content="The physician is called Anna."), RetainItem(content="Builds take ten minutes.")]
        session.run(call, lambda ctx: backend.retain(ctx, items))

        def outside(tx: Transaction, space: str) -> int:
            inside = in_bank(tx, "bank")
            return len(inside.rows.outside_space(MEMORIES.table, inside.ids.scope("project"), space, 9))

        async def lacking(ctx: Context) -> int:
            space = await backend.meaning.space()
            return await ctx.transact(lambda tx: outside(tx, space))

        assert session.run(call, lacking).output == 2
        session.run(call, backend.flush)
        assert session.run(call, lacking).output == 0
        session.run(call, lambda ctx: backend.retain(ctx, items[:1]))  # ready now: the vector comes with the row
        assert session.run(call, lacking).output == 0
