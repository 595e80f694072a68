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


def test_a_trace_that_was_said_twice_goes_with_the_last_turn_that_says_it(tmp_path: Path) -> None:
    path = tmp_path / "memory.duckdb"
    with Fabric(path, clock=FrozenClock()) as fabric:
        monday, tuesday = (fabric.session(name, user="jake", agent="bot") for name in ("monday", "tuesday"))
        monday.run(TALK, "I live in Oslo")
        monday.run(TALK, "My home is in Bergen.")
        tuesday.run(TALK, "I live in Bergen now")
        tuesday.run(TALK, "I live in Oslo")
        monday.run(TALK, "The boat is called Ariadne")
        tuesday.run(TALK, "The boat is called Ariadne")
        fabric.drain()
        held = {trace["content"]: trace for trace in records(monday, "trace")}
        boat = held["The boat is called Ariadne"]
        assert [source["session"] for source in boat["sources"]] == ["monday", "tuesday"]
        assert len(held["My home is in Bergen."]["sources"]) == 2
        turns = {(turn["session"], turn["text"]): turn["id"] for turn in records(monday, "turn")}
        why = monday.run(MEM.why_block, boat["id"]).output
        assert why is not None
        assert len(why.evidence) == 2

        receipt = monday.run(MEM.forget_block, {"id": turns["monday", "The boat is called Ariadne"]}).output
        assert receipt.removed.get("traces", 0) == 0
        assert boat["id"] in receipt.stays["trace"]
        (left,) = [trace for trace in records(monday, "trace") if trace["id"] == boat["id"]]
        assert [left["session"], *(source["session"] for source in left["sources"])] == ["tuesday", "tuesday"]
        assert monday.run(looks, "what is the boat called?").output[0] == ("The boat is called Ariadne", False)
        monday.run(MEM.forget_block, {"id": turns["monday", "My home is in Bergen."]})  # said in other words since
        assert "I live in Bergen now" in {content for content, _ in monday.run(looks, "where do I live?").output}
        receipt = tuesday.run(MEM.forget_block, {"id": turns["tuesday", "The boat is called Ariadne"]}).output
        assert receipt.removed["traces"] == 1
    assert "Ariadne" not in dump(path)
    assert "My home is" not in dump(path)


def test_without_kept_turns_the_messages_of_a_session_tell_who_else_said_it() -> None:
    only: Any = sequencer(name="only").then(MIND.encode).then(answers)
    with Fabric(clock=FrozenClock()) as fabric:
        session = fabric.session("monday", user="jake")
        for said in ("The boat is called Ariadne", "The mooring fee is due in May", "The boat is called Ariadne"):
            session.run(only, said)
        boat, fee = records(session, "trace")
        first, last = (source["turn_id"] for source in boat["sources"])
        assert session.run(MEM.forget_block, {"id": first}).output.stays == {"trace": [boat["id"]]}
        session.run(MEM.forget_block, {"id": last})
        assert records(session, "trace") == [fee]
