"""Forgetting, exporting and why reach what a cognitive memory keeps: traces, ties, slots, prompts and notes."""

from pathlib import Path
from typing import Any

from capabilities.cognitive.slots import IN_MIND
from fabric import Context, Fabric, handler, sequencer
from fabric.testing import FrozenClock
from pipelines import cognitive_memory, memory_system
from tests.stories.test_forget import dump

MEM = memory_system(model=None, episodic=True, semantic=True, embedder=None)
MIND = cognitive_memory(embedder=None)


@handler(name="answers", uses=[MIND.capability])
async def answers(message: str, ctx: Context) -> str:
    await ctx.cap.cognitive.assemble(message)
    return "Noted."


TALK: Any = sequencer(name="talk").then(MIND.encode).then(answers).work(MEM.capture_from_items)


@handler(name="looks", uses=[MIND.capability])
async def looks(cue: str, ctx: Context) -> list[tuple[str, bool]]:
    found = await ctx.cap.cognitive.retrieve(cue)
    return [(one.trace.content, one.is_outdated) for one in found.results]


@handler(name="writes", uses=[MIND.capability])
async def writes(text: str, ctx: Context) -> None:
    await ctx.cap.cognitive.write_notes(text)


def records(session: Any, kind: str) -> list[dict[str, Any]]:
    return [record for record in session.run(MEM.export_block).output if record["kind"] == kind]


def test_a_forgotten_turn_takes_its_trace_with_ties_slot_and_place_in_prompts(tmp_path: Path):
    path = tmp_path / "memory.duckdb"
    with Fabric(path, clock=FrozenClock()) as fabric:
        session = fabric.session("monday", user="jake", agent="bot")
        for said in ("I live in Oslo", "I moved to Berlin with Rosalind", "Rosalind takes HIV medication"):
            session.run(TALK, said)
        fabric.drain()
        session.run(MIND.after_turn, None)
        session.run(answers, "where does Rosalind live, and what does she take?")
        session.run(writes, "# Jake\n- Rosalind takes HIV medication")
        held = {trace["content"]: trace for trace in records(session, "trace")}
        oslo, berlin = held["I live in Oslo"], held["I moved to Berlin with Rosalind"]
        gone = held["Rosalind takes HIV medication"]
        assert {edge["type"] for edge in records(session, "trace edge")} >= {"shared_entity", "supersedes"}
        (mind,) = [one for one in records(session, "document") if one["id"] == IN_MIND.key]
        assert gone["id"] in str(mind)
        assert "medication" not in str(mind)
        why = session.run(MEM.why_block, oslo["id"]).output
        assert why is not None
        assert why.links["contradicted_by"] == [berlin["id"]]
        assert why.status == "semantic, user, confidence 0.80, said otherwise since"
        assert [one.text for one in why.evidence] == ["I live in Oslo"]

        turns = {turn["text"]: turn["id"] for turn in records(session, "turn")}
        receipt = session.run(MEM.forget_block, {"id": turns["Rosalind takes HIV medication"]}).output
        assert receipt.removed["traces"] == 1
        assert receipt.left == {"document": ["cognitive_notes"]}
        assert gone["id"] not in str(session.run(MEM.export_block).output)
        assert session.run(MEM.forget_block, {"id": "document/cognitive_notes"}).output.found
        assert dict(session.run(looks, "where do I live?").output)["I live in Oslo"]
        assert session.run(MEM.forget_block, {"id": berlin["id"]}).output.removed["trace edges and feedback"] > 0
        assert session.run(looks, "where do I live?").output == [("I live in Oslo", False)]
        assert records(session, "trace edge") == []
        assert fabric.session("tuesday", user="jake").run(looks, "where do I live?").output
    assert "HIV" not in dump(path)
    assert "Berlin" not in dump(path)


def test_forgetting_somebody_takes_what_the_user_said_of_them_and_leaves_what_an_agent_noted():
    async def note(ctx: Context) -> str:
        noted = await ctx.cap.cognitive.encode("Asks about Rosa often", source_type="agent_inference")
        return noted.trace.id

    with Fabric(":memory:") as fabric:
        session = fabric.session("monday", user="jake")
        said = ["My sister Rosa lives in Porto.", "Rosa has a cat.", "I like tulips.", "I live in Oslo."]
        for text in said:
            session.run(MIND.encode, text)
        noted = session.run(handler(lambda _, ctx: note(ctx), name="notes", uses=[MIND.capability])).output
        receipt = session.run(MEM.forget_block, {"subject": "Rosa"}).output
        assert {trace["content"] for trace in records(session, "trace")} == {*said[2:], "Asks about Rosa often"}
    assert receipt.removed["traces"] == 2
    assert receipt.left == {"trace": [noted]}


def test_a_session_and_a_user_are_forgotten_and_exported_with_all_their_traces(tmp_path: Path):
    path = tmp_path / "memory.duckdb"
    with Fabric(path, clock=FrozenClock()) as fabric:
        monday, tuesday = (fabric.session(name, user="jake", agent="bot") for name in ("monday", "tuesday"))
        monday.run(TALK, "The boat is called Ariadne")
        tuesday.run(TALK, "The mooring fee is due in May")
        fabric.drain()
        given = [one for one in monday.run(MEM.export_block, {"scope": "session"}).output if one["kind"] == "trace"]
        assert [one["content"] for one in given] == ["The boat is called Ariadne"]
        about = monday.run(MEM.export_block, {"subject": "Ariadne"}).output
        assert "trace" in {one["kind"] for one in about}
        assert monday.run(MEM.forget_block, {"session": "monday"}).output.removed["traces"] == 1
        assert [one["content"] for one in records(tuesday, "trace")] == ["The mooring fee is due in May"]
        assert tuesday.run(MEM.forget_block, {"scope": "user"}).output.found
        assert records(tuesday, "trace") == records(tuesday, "trace edge") == records(tuesday, "document") == []
    assert not [word for word in ("Ariadne", "mooring") if word in dump(path)]
