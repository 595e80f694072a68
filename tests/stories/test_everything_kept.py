"""Exporting and forgetting reach what any capability keeps of an owner, whether or not they know of it."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from blocks.tools import memory_tools
from fabric import Context, Fabric, Session, generator, handler, sequencer
from fabric.errors import ModelUnavailableError
from fabric.flow.resource import Collection, Document, Transaction
from fabric.jobs.reach import owned_by
from fabric.testing import ScriptedModel
from pipelines import memory_system, mind


class Note(BaseModel):
    id: str
    text: str = ""


class Mood(BaseModel):
    said: str = ""


MEM = memory_system(episodic=True, semantic=True)
TOOLS = memory_tools()
NOTES = {kind: Collection(f"notes_of_{kind}", Note, kind) for kind in ("user", "session")}  # type: ignore[arg-type]
MOOD = Document("mood", Mood, "user")


@handler(name="all-sorts", uses=[MEM.capability.presets(context=False), mind(), TOOLS.traces, *NOTES.values(), MOOD])
async def all_sorts(secret: str, ctx: Context) -> None:
    await ctx.cap.mind.set_goal(f"Call {secret}")
    await ctx.cap.mind.believe(f"{secret} is in Oslo")
    await ctx.cap.mind.reflect(f"Ask {secret} first")
    await ctx[TOOLS.traces].add(f"{secret} likes tea", scope="user")
    await ctx[TOOLS.traces].add(f"{secret} called", scope="thread")

    def work(tx: Transaction) -> None:
        for kind, notes in NOTES.items():
            tx.put(notes, [Note(id=kind, text=secret)])
        tx.write(MOOD, Mood(said=secret))

    await ctx.transact(work)


@pytest.fixture
def fabric() -> Iterator[Fabric]:
    with Fabric() as opened:
        yield opened


def filled(fabric: Fabric, user: str, secret: str, session: str = "monday") -> Session:
    here = fabric.session(session, user=user)
    here.run(MEM.capture, f"I work at {secret}.")
    here.run(all_sorts, secret)
    fabric.drain()
    return here


def exported(session: Session, asked: Any = None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = session.run(MEM.export_block, asked).output
    return found


def test_every_row_that_a_user_owns_is_exported(fabric: Fabric):
    filled(fabric, "jake", "Zorblatt")
    session = filled(fabric, "jake", "Quuxley", "tuesday")
    filled(fabric, "eve", "Evesoft")
    found = exported(session)
    kinds = {record["kind"] for record in found}
    assert kinds >= {"fact", "episode", "working", "turn", "goal", "belief", "reflection", "trace", "item", "document"}
    assert kinds >= {"notes_of_user", "notes_of_session"}
    assert {(record["id"], record["session"]) for record in found if record["kind"] == "notes_of_session"} == {
        ("session", "monday"),
        ("session", "tuesday"),
    }
    assert "Evesoft" not in json.dumps(found)

    def owned(tx: Transaction) -> Counter[str]:
        return Counter(row.table for row in owned_by(tx.rows, tx.ids, "user"))

    @handler(name="owned", uses=MEM.layout.resources)
    async def look(_: object, ctx: Context) -> Counter[str]:
        return await ctx.transact(owned)

    counted = session.run(look).output
    assert session.run(MEM.forget_block, {"scope": "user"}).output.removed == counted
    assert exported(session) == []


def test_waiting_work_is_exported_until_it_is_forgotten():
    model = ScriptedModel([ModelUnavailableError("down")])
    mem = memory_system(model="gpt-5-mini", episodic=True, semantic=True)
    with Fabric(models=model) as fabric:
        session = fabric.session("monday", user="jake")
        session.run(sequencer(name="later").work(lambda text: text, mem.capture), "I work at Zorblatt.")
        fabric.drain()
        (job,) = [record for record in session.run(mem.export_block).output if record["kind"] == "job"]
        assert "Zorblatt" in json.dumps(job)
        assert session.run(mem.forget_block, {"id": job["id"]}).output.removed["jobs"] == 1
        assert "Zorblatt" not in json.dumps(session.run(mem.export_block).output)
        session.run(handler(lambda text: f"About {text}.", name="says"), "Quuxley", turn_id="t1")
        assert session.run(mem.forget_block, {"id": "t1"}).output.removed["turns' outputs"] == 1


def test_an_export_of_a_session_has_what_the_session_gave(fabric: Fabric):
    filled(fabric, "jake", "Zorblatt")
    session = filled(fabric, "jake", "Quuxley", "tuesday")
    text = json.dumps(exported(session, {"scope": "session"}))
    assert "Quuxley" in text
    assert "Zorblatt" not in text


def test_forgetting_somebody_says_where_else_the_name_stands_and_each_can_be_forgotten(fabric: Fabric):
    session = fabric.session("monday", user="jake")
    session.run(MEM.capture, "My sister Anna lives in Oslo.")
    session.run(all_sorts, "Anna")
    before = exported(session)
    preview = session.run(MEM.forget_block, {"subject": "anna", "preview": True}).output
    assert exported(session) == before
    receipt = session.run(MEM.forget_block, {"subject": "anna"}).output
    assert (preview.removed, preview.left) == (receipt.removed, receipt.left)
    assert receipt.found
    assert receipt.searched["trace"] == 2
    kinds = {"goal", "belief", "reflection", "trace", "document", "notes_of_user", "notes_of_session"}
    assert receipt.left.keys() == kinds
    for kind in ("goal", "belief", "reflection", "trace"):
        for one in receipt.left[kind]:
            assert session.run(MEM.forget_block, {"id": one}).output.removed == {f"{kind}s": 1}
    left = session.run(MEM.forget_block, {"subject": "anna"}).output.left
    assert left == {"document": ["mood"], "notes_of_user": ["user"], "notes_of_session": ["session"]}
    assert not session.run(MEM.forget_block, {"id": "memory_state"}).output.found
    assert session.run(MEM.forget_block, {"id": "mood"}).output.removed == {"documents": 1}
    assert session.run(MEM.forget_block, {"id": "user"}).output.removed == {"notes_of_user": 1}
    assert not session.run(MEM.forget_block, {"id": "notes_of_user/session"}).output.found
    assert session.run(MEM.forget_block, {"id": "notes_of_session/session"}).output.removed == {"notes_of_session": 1}
    assert session.run(MEM.forget_block, {"subject": "anna"}).output.left == {}


def test_an_id_of_several_collections_takes_nothing_until_one_is_named(fabric: Fabric):
    session = fabric.session("monday", user="jake")

    @handler(name="both", uses=[*NOTES.values()])
    async def both(_: object, ctx: Context) -> None:
        await ctx.transact(lambda tx: [tx.put(notes, [Note(id="1", text="Anna")]) for notes in NOTES.values()])

    session.run(both)
    assert not session.run(MEM.forget_block, {"id": "1"}).output.found
    receipt = session.run(MEM.forget_block, {"id": "notes_of_user/1"}).output
    assert receipt.removed == {"notes_of_user": 1}
    assert session.run(MEM.forget_block, {"id": "1"}).output.removed == {"notes_of_session": 1}


def test_a_name_in_the_possessive_is_the_same_name(fabric: Fabric):
    session = fabric.session("monday", user="jake")
    session.run(MEM.remember_block, {"content": "The key is under Anna's mat"})
    assert session.run(MEM.export_block, {"subject": "anna"}).output
    assert session.run(MEM.forget_block, {"subject": "anna"}).output.found
    assert session.run(MEM.export_block, {"subject": "anna"}).output == []


def test_a_message_that_no_memory_was_made_of_is_forgotten_with_its_turn():
    chat = generator(name="chat", model="gpt-5")
    with Fabric(models=ScriptedModel(["Anna? A fine name."])) as fabric:
        session = fabric.session("monday", user="jake")
        session.run(chat, "What of Anna?")
        left = session.run(MEM.forget_block, {"subject": "anna"}).output.left
        assert len(left["item"]) == 2
        assert session.run(MEM.forget_block, {"id": left["item"][0]}).output.found
        assert not any("Anna" in item.text for item in session.items)
        assert session.run(MEM.forget_block, {"subject": "anna"}).output.left == {}


def test_what_a_run_did_with_a_forgotten_memory_is_forgotten_too(fabric: Fabric):
    session = fabric.session("monday", user="jake")
    pipeline = sequencer(name="later").work(lambda text: text, MEM.capture)
    for said in ("My brother Tom lives in Madrid.", "Tom works at Acme.", "I live in Lisbon."):
        session.run(pipeline, said)
        fabric.drain()
    session.run(sequencer(name="settle").work(lambda _: {"force": True}, MEM.consolidate), "go")
    fabric.drain()
    assert "Madrid" in str([item.data for item in session.items])
    session.run(MEM.forget_block, {"subject": "tom"})
    assert "Madrid" not in str([item.data for item in session.items])
    assert "Madrid" not in json.dumps(exported(session))


def test_records_name_their_kind_though_a_row_has_one_of_its_own(fabric: Fabric):
    session = filled(fabric, "jake", "Zorblatt")
    items = [record for record in exported(session) if record["kind"] == "item"]
    assert {item["item_kind"] for item in items} >= {"message"}
