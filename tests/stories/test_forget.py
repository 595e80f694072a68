"""Forgetting and exporting: what is asked to go is gone from everywhere, and what is exported says where it is from."""

import json
from typing import Any

import duckdb
import pytest

from fabric import Fabric
from fabric.errors import ModelUnavailableError, SchemaError
from fabric.text.words import words
from pipelines import Memory, memory_system
from pipelines.checkup import check_up
from tests.stories.scripts import MemoryModel, chat_with, observation, open_memory


def dump(path: Any) -> str:
    """Return every text that any table of the file holds."""
    with duckdb.connect(str(path), read_only=True) as connection:
        tables = [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        rows = [connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in tables]
    return repr(rows)


def test_a_forgotten_fact_leaves_every_table_of_the_file(tmp_path: Any):
    path = tmp_path / "memory.duckdb"
    mem = memory_system(episodic=True, semantic=True)
    with Fabric(path) as fabric:
        session = fabric.session("monday", user="jake")
        for said in ("I work at Google.", "I joined Stripe last week.", "My name is Jake."):
            session.run(chat_with(mem), said)
        fabric.drain()
        session.run(mem.consolidate, {"force": True})
        (fact,) = [memory for memory in session.run(mem.recall_block) if "Stripe" in memory.content]
        receipt = session.run(mem.forget_block, {"id": fact.id}).output
        assert receipt.removed["facts"] == 2
        assert not any("Stripe" in memory.content for memory in session.run(mem.recall_block, "Stripe"))
        assert not any("Stripe" in item.text or "Google" in item.text for item in session.items)
        assert session.run(mem.why_block, fact.id).output is None
    text = dump(path)
    assert "Stripe" not in text
    assert "Google" not in text
    assert "Jake" in text


def test_a_forgotten_subject_takes_what_was_said_about_them_and_leaves_the_rest(tmp_path: Any):
    path = tmp_path / "memory.duckdb"
    mem = memory_system(episodic=True, semantic=True)
    with Fabric(path) as fabric:
        session = fabric.session("monday", user="jake")
        for said in ("My sister Anna lives in Oslo.", "Anna works at Acme.", "I live in Lisbon."):
            session.run(chat_with(mem), said)
        fabric.drain()
        assert session.run(mem.forget_block, {"subject": "Anna"}).output.found
        assert [memory.content for memory in session.run(mem.recall_block)] == ["Lives in Lisbon"]
    text = dump(path)
    assert "Oslo" not in text
    assert "Acme" not in text
    assert "Anna" not in text.replace('"Anna"', "")


def test_forgetting_somebody_leaves_what_is_about_others_and_does_not_name_them(tmp_path: Any):
    path = tmp_path / "memory.duckdb"
    with Memory(path, user="jake") as memory:
        memory.capture("My boss Tom is from Ireland. I am allergic to peanuts.")
        memory.capture("I live in Porto.")
        memory.wait()
        kept = {recalled.id for recalled in memory.recall() if recalled.content == "Is allergic to peanuts"}
        receipt = memory.forget(subject="tom")
        assert receipt.left == {}
        assert receipt.removed["kept turns"] == 1
        left = memory.recall()
        assert sorted(memory.content for memory in left) == ["Is allergic to peanuts", "Lives in Porto"]
        assert kept == {memory.id for memory in left if memory.content == "Is allergic to peanuts"}
        why = memory.why(*kept)
        assert why is not None
        assert [evidence.text for evidence in why.evidence] == [None]
        assert not memory.forget(subject="tom").found
    text = dump(path).casefold()
    assert "ireland" not in text
    assert "tom" not in words(text)
    (sources,) = [finding for finding in check_up(path) if finding.check == "sources"]
    assert (sources.state, "forgotten" in sources.found) == ("ok", True)


def test_a_forgotten_user_owns_nothing_any_more_in_any_session():
    mem = memory_system(episodic=True, semantic=True)
    with Fabric() as fabric:
        for name in ("monday", "tuesday"):
            fabric.session(name, user="jake").run(chat_with(mem), f"I work at {name.capitalize()}soft.")
        fabric.session("monday", user="eve").run(chat_with(mem), "I work at Evesoft.")
        fabric.drain()
        fabric.session("tuesday", user="jake").run(mem.forget_block, {"scope": "user"})
        for name in ("monday", "tuesday"):
            session = fabric.session(name, user="jake")
            assert list(session.run(mem.recall_block)) == []
            assert session.items == []
        assert len(list(fabric.session("monday", user="eve").run(mem.recall_block))) == 1


def test_waiting_work_on_a_forgotten_turn_is_dropped_too():
    model = MemoryModel([observation("Works at Stripe")], ModelUnavailableError("down"), [observation("Is at Stripe")])
    fabric, mem = open_memory(model)
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(chat_with(mem), "I work at Stripe")
        fabric.drain()
        session.run(chat_with(mem), "Yes, really at Stripe")
        fabric.drain()
        assert len(fabric.jobs()) == 1
        session.run(mem.forget_block, {"scope": "user"})
        assert fabric.jobs() == []


def test_two_hundred_and_fifty_facts_go_in_one_go():
    turns = [
        [observation(f"Owns item {n} zz{n}", category="attribute") for n in range(at, at + 25)]
        for at in range(0, 250, 25)
    ]
    fabric, mem = open_memory(MemoryModel(*turns))
    with fabric:
        session = fabric.session("monday", user="jake")
        for at in range(10):
            session.run(mem.capture, f"I own each item of shelf {at}")
        receipt = session.run(mem.forget_block, {"scope": "user"}).output
        assert receipt.removed["semantic_memory"] >= 200
        assert session.run(mem.export_block).output == []


@pytest.mark.parametrize(
    "asked", [{}, {"id": "x", "subject": "y"}, {"scope": "galaxy"}, {"id": ""}, {"everything": True}]
)
def test_an_unclear_request_forgets_nothing_and_says_what_to_give(asked: dict[str, Any]):
    mem = memory_system(episodic=True, semantic=True)
    with Fabric() as fabric:
        session = fabric.session("monday", user="jake")
        session.run(mem.capture, "I work at Stripe.")
        with pytest.raises(SchemaError):
            session.run(mem.forget_block, asked)
        assert len(list(session.run(mem.recall_block))) == 1


def test_an_unknown_id_is_reported_as_not_found():
    mem = memory_system(episodic=True, semantic=True)
    with Fabric() as fabric:
        assert not fabric.session("monday", user="jake").run(mem.forget_block, {"id": "sf_nope"}).output.found


def test_an_export_is_json_with_versions_sources_and_turns():
    mem = memory_system(episodic=True, semantic=True)
    with Fabric() as fabric:
        session = fabric.session("monday", user="jake")
        for said in ("I work at Google.", "I joined Stripe last week.", "My sister Anna lives in Oslo."):
            session.run(mem.capture, said)
        records = session.run(mem.export_block).output
        about_anna = session.run(mem.export_block, {"subject": "Anna"}).output
    lines = [json.loads(json.dumps(record)) for record in records]
    assert {line["kind"] for line in lines} == {"fact", "episode", "working", "turn", "item", "document"}
    assert {line["status"] for line in lines if line["kind"] == "fact"} == {"current", "superseded"}
    assert all(line["sources"] for line in lines if line["kind"] in ("fact", "episode"))
    assert {record["subject"] for record in about_anna if "subject" in record} == {"anna", "user"}
    assert all("Anna" in json.dumps(record) or record["subject"] == "anna" for record in about_anna)
    assert [record["text"] for record in about_anna if record["kind"] == "turn"] == ["My sister Anna lives in Oslo."]
