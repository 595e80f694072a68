"""Observing a conversation over HTTP: a durable buffer, notes, reminders of what was promised, and what is learned."""

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from blocks.cognitive.by_trait import emphases, style_of_traces
from capabilities.cognitive.observing.config import ObserverConfig, ReflectorConfig
from capabilities.cognitive.observing.told import NoteTold
from capabilities.formulas.personality import Traits
from capabilities.prospective import intention_of
from fabric import Context, Fabric, handler
from fabric.models.litellm import LiteLLMClient
from fabric.testing import FrozenClock
from pipelines import CognitiveSystem, cognitive_memory, cognitive_turn, memory_system
from tests.prompts import asked_by
from tests.stories.test_forget import dump
from tests.stub_server import BAD_ANSWERS, Received, StubReply, StubServer, failure, text
from tests.stub_server import stub_server as stub_server

# litellm's own types make pydantic warn when they are first used.
pytestmark = pytest.mark.filterwarnings("ignore:Items? .* on TypedDict class:UserWarning")
FORGETS = memory_system(model=None, episodic=True, semantic=True, embedder=None)
SAID = ["I have to deploy by Friday", "I prefer Docker Compose", "My sister Rosalind takes HIV medication"]
NOTES = [
    {"content": "The user has to deploy by Friday", "kind": "commitment", "importance": 0.9, "numbers": [1]},
    {"content": "The user prefers Docker Compose", "kind": "preference", "importance": 0.6, "numbers": [3]},
    {"content": "Rosalind, the user's sister, takes HIV medication", "kind": "factual", "numbers": [5]},
]


@handler(name="answers")
async def answers(_: str) -> str:
    return "I can help with that."


def remembering(traits: Mapping[str, float] | None = None, **options: Any) -> CognitiveSystem:
    given = {"observer": {"messages": 6}, "reflector": {"notes": 100}, "consolidation": None, **options}
    return cognitive_memory(traits=traits, embedder=None, model="openai/stub", **given)


def client_of(server: StubServer) -> LiteLLMClient:
    return LiteLLMClient(timeout=120, api_base=server.url + "/v1", api_key="none")


def told(**answer: Any) -> Any:
    return text(json.dumps(answer))


def waiting(session: Any, mem: CognitiveSystem) -> tuple[list[str], list[str]]:
    """Return the texts of the messages in the buffer, and of the notes."""

    @handler(name="waiting", uses=[mem.capability])
    async def look(_: object, ctx: Context) -> tuple[list[str], list[str]]:
        observer = ctx[mem.capability].observer
        return [one.text for one in await observer.buffered()], [one.content for one in await observer.notes()]

    return session.run(look).output


def reminders(session: Any, mem: CognitiveSystem) -> list[Any]:
    @handler(name="reminders", uses=[mem.prospective])
    async def look(_: object, ctx: Context) -> Any:
        return await ctx[mem.prospective].pending()

    return session.run(look).output


def test_thresholds_emphases_and_styles_are_those_of_the_specification():
    assert (ObserverConfig().tokens, ObserverConfig().messages, ObserverConfig().compress_at) == (30_000, None, 50)
    assert (ReflectorConfig().tokens, ReflectorConfig().notes) == (40_000, None)
    attended = ("emotionality", "conscientiousness", "openness", "agreeableness", "honesty")
    assert len({told for trait in attended for told in emphases(Traits(**{trait: 0.7}))}) == len(attended)
    for trait in attended:
        assert len(emphases(Traits(**{trait: 0.7}))) == 1
        assert emphases(Traits(**{trait: 0.6})) == emphases(Traits(extraversion=0.9)) == []
    styles = [style_of_traces(Traits(**given)) for given in ({"conscientiousness": 0.9}, {"openness": 0.9}, {})]
    assert [style.split()[0] for style in styles] == ["structured", "rich", "concise"]


def test_a_conversation_is_heard_once_noted_learned_from_and_forgotten(stub_server: StubServer, tmp_path: Path):
    mem = remembering({"honesty": 0.7, "conscientiousness": 0.7})
    path, clock = tmp_path / "memory.duckdb", FrozenClock()
    with Fabric(path, models=client_of(stub_server), clock=clock) as fabric:
        session, other = (fabric.session("monday", user=name) for name in ("jake", "ann"))
        turn = cognitive_turn(mem, answers)
        stub_server.script([text("{}")] * 9)  # what the features of a message are, where a model is asked
        for said in SAID[:2]:
            session.run(turn, said)
            fabric.drain()
        heard, notes = waiting(session, mem)
        assert heard == [SAID[0], "I can help with that.", SAID[1], "I can help with that."]
        assert notes == waiting(other, mem)[0] == []
        stub_server.script(
            [lambda one: told(notes=NOTES) if asked_by(one.body["messages"]) == "cognitive_observe" else text("{}")] * 9
        )
        session.run(turn, SAID[2])
        fabric.drain()
        assert waiting(session, mem) == ([], [note["content"] for note in NOTES])
        asked = next(
            one.body["messages"]
            for one in stub_server.requests
            if asked_by(one.body["messages"]) == "cognitive_observe"
        )
        assert "corrections, retractions" in asked[0]["content"]
        assert "[5] user" in asked[1]["content"]
        assert [one.content for one in reminders(session, mem)] == [NOTES[0]["content"]]
        shown = session.run(assembling(mem), "When do I deploy?").output
        assert "## Observations\n- Rosalind" in shown

        receipt = session.run(FORGETS.forget_block, {"id": turn_of(session, SAID[2])}).output
        assert receipt.found
        assert waiting(session, mem) == ([], [note["content"] for note in NOTES[:2]])
        learned = {"content": "Deploys by Friday, with Docker Compose", "numbers": [1, 2], "tags": ["deploy"]}
        stub_server.script([told(traces=[learned], keep=[])])
        done = session.run(mem.observe, {"force": True}).output
        assert (done.learned, done.failed, done.words_in > done.words_out) == (1, (), True)
        assert waiting(session, mem) == ([], [])
        found = session.run(mem.retrieve, "deploy with Docker Compose").output.results
        (trace,) = [one.trace for one in found if one.trace.content == learned["content"]]
        assert (trace.type, trace.source_type, trace.confidence) == ("semantic", "reflection", 0.7)
        assert len(trace.sources) == 2
        assert session.run(FORGETS.forget_block, {"scope": "user"}).output.found
        assert session.run(mem.retrieve, "deploy").output.results == []
        assert reminders(session, mem) == []
    assert not [word for word in ("HIV", "Docker", "deploy") if word in dump(path)]


def test_a_reflection_is_shorter_than_its_notes_or_nothing_changes(stub_server: StubServer, tmp_path: Path):
    mem, clock, path = remembering(reflector={"notes": 8}), FrozenClock(), tmp_path / "memory.duckdb"
    notes = [
        {"content": f"On day {day} " + "the user sailed to Bergen with Rosa and Bo again " * 2} for day in range(8)
    ]
    learned = {"content": "Sails to Bergen with Rosa and Bo, day after day", "numbers": [1, 8]}
    longer = [{"content": f"On day {day} " + "they sailed and sailed, as ever, " * 4 + "to Bergen"} for day in range(8)]
    with Fabric(path, models=client_of(stub_server), clock=clock) as fabric:
        session = fabric.session("monday", user="jake")
        session.run(hearing(mem), ["My boat is called Ariadne"])
        stub_server.script([told(notes=notes), told(traces=longer, keep=[])])
        for reason in ("reflect: 232 words were made of 184; a", "reflect: no note was done with"):
            done = session.run(mem.observe, {"force": True}).output
            assert (done.learned, done.compression, done.failed[0].startswith(reason)) == (0, None, True), done
            assert len(waiting(session, mem)[1]) == 8
            count = len(stub_server.requests)
            assert "asked again from" in session.run(mem.observe, {"force": True}).output.failed[0]
            assert len(stub_server.requests) == count
            clock.advance(hours=1)
            stub_server.script([told(traces=[learned], keep=list(range(1, 9)))])
    with Fabric(path, models=client_of(stub_server), clock=clock) as fabric:
        session = fabric.session("tuesday", user="jake")
        stub_server.script([told(traces=[learned], keep=[8, 99])])
        done = session.run(mem.observe, {"force": True}).output
        assert (done.learned, done.failed, len(waiting(session, mem)[1])) == (1, (), 1)
        assert (done.words_in, done.words_out) == (161, 10)
        assert done.compression is not None
        assert 5 <= done.compression <= 40
        clock.advance(hours=1)
        stub_server.script([told(traces=longer[:1], keep=[])])  # of one note any memory may be made
        assert session.run(mem.observe, {"force": True}).output.learned == 1


def assembling(mem: CognitiveSystem) -> Any:
    @handler(name="assembling", uses=[mem.capability])
    async def assemble(cue: str, ctx: Context) -> str:
        return (await ctx[mem.capability].assemble(cue)).text

    return assemble


def turn_of(session: Any, said: str) -> str:
    return next(item.id for item in session.items if item.text == said)


def test_a_model_that_fails_loses_no_message_and_is_left_alone_for_a_while(stub_server: StubServer, tmp_path: Path):
    mem, clock, path = remembering(), FrozenClock(), tmp_path / "memory.duckdb"
    with Fabric(path, models=client_of(stub_server), clock=clock) as fabric:
        session = fabric.session("monday", user="jake")
        session.run(hearing(mem), ["My boat is called Ariadne", "It lies in Bergen"])
        for bad in [*(bad for bad in BAD_ANSWERS.values() if bad.kept is None), None]:
            script = [failure(400)] * 2 if bad is None else [text(bad.text, finish=bad.finish)] * 2
            stub_server.script(script)
            done = session.run(mem.observe, {"force": True}).output
            assert (done.noted, len(done.failed)) == (0, 1), bad
            before = len(stub_server.requests)
            (told_again,) = session.run(mem.observe, {"force": True}).output.failed
            assert "it is asked again from 2026-01-0" in told_again
            assert len(stub_server.requests) == before
            clock.advance(hours=1)
    with Fabric(path, models=client_of(stub_server), clock=clock) as fabric:
        session = fabric.session("tuesday", user="jake")
        assert len(waiting(session, mem)[0]) == 2
        clock.advance(hours=1)
        notes = [{"content": "The user's boat Ariadne lies in Bergen", "numbers": [7]}]
        stub_server.script([told(notes=notes), told(traces=[], keep=[1])])
        done = session.run(mem.observe, {"force": True}).output
        assert (done.noted, done.learned, done.failed) == (1, 0, ())
        assert waiting(session, mem) == ([], [notes[0]["content"]])


def hearing(mem: CognitiveSystem) -> Any:
    @handler(name="hearing", uses=[mem.capability])
    async def hear(texts: list[str], ctx: Context) -> None:
        for said in texts:
            await ctx[mem.capability].observer.buffer_message("user", said)

    return hear


def test_what_was_promised_in_a_note_becomes_one_reminder_whenever_the_process_ends(tmp_path: Path):
    mem, clock = remembering(), FrozenClock()
    promises = ["Send the report", "Call Porto"]

    @handler(name="dies", uses=[mem.capability, mem.prospective])
    async def note_and_die(_: object, ctx: Context) -> None:
        """Do what comes before the reminders, and the first of these."""
        observer = ctx[mem.capability].observer
        told = [
            NoteTold(content=one, kind="commitment", importance=0.8, when="tomorrow at 10", numbers=[1])
            for one in promises
        ]
        first, _ = await observer.note_down(await observer.due(force=True), told) or []
        made = intention_of("commitment", first.content, 0.8, when=first.when)
        assert made is not None
        await ctx[mem.prospective].take_up(made, note=first.id)

    with Fabric(tmp_path / "memory.duckdb", clock=clock) as fabric:
        session = fabric.session("monday", user="jake")
        session.run(hearing(mem), ["I will send the report and call Porto tomorrow at 10"])
        session.run(note_and_die)
        clock.advance(hours=21)  # what was said yesterday is meant as of then
        assert session.run(mem.observe, None).output.reminders == 2
        assert session.run(mem.check, "").output == []
        clock.advance(hours=1)
        assert sorted(one.content for one in session.run(mem.check, "").output) == sorted(promises)
        assert session.run(mem.observe, None).output.reminders == 0
        assert reminders(session, mem) == []


def test_many_notes_are_compressed_and_as_many_are_refused(stub_server: StubServer):
    mem, clock = remembering(observer={"messages": 1, "compress_at": 3}), FrozenClock()
    with Fabric(models=client_of(stub_server), clock=clock) as fabric:
        session = fabric.session("monday", user="jake")
        session.run(hearing(mem), ["The numbers are 1, 2 and 3"])
        notes = [{"content": f"Note {number}"} for number in range(3)]
        stub_server.script([told(notes=notes), told(notes=notes)])
        done = session.run(mem.observe, None).output
        assert (done.noted, done.compressed, len(done.failed)) == (3, 0, 1)
        assert len(waiting(session, mem)[1]) == 3
        clock.advance(hours=1)
        stub_server.script([told(notes=[{"content": "Numbers from 1 to 3", "numbers": [1, 3]}])])
        assert session.run(mem.observe, None).output.compressed == 2


@pytest.mark.parametrize(
    ("traits", "confidence", "left"),
    [
        ({"honesty": 0.7}, 0.1, {"Lives in Berlin": False}),
        ({"agreeableness": 0.7}, 0.1, {"Lives in Oslo": False, "Lives in Berlin": False}),
        ({}, 0.9, {"Lives in Oslo": True, "Lives in Berlin": False}),
        ({}, 0.1, {"Lives in Oslo": False, "Lives in Berlin": True}),
    ],
)
def test_what_contradicts_is_settled_by_three_rules(
    stub_server: StubServer, traits: Mapping[str, float], confidence: float, left: Mapping[str, bool]
):
    mem = remembering(traits, reflector={"notes": 1})
    plain = cognitive_memory(embedder=None, consolidation=None)
    with Fabric(models=client_of(stub_server), clock=FrozenClock()) as fabric:
        session = fabric.session("monday", user="jake")
        session.run(plain.encode, "Lives in Oslo")
        session.run(hearing(mem), ["I am in Berlin now"])
        trace = {"content": "Lives in Berlin", "confidence": confidence, "numbers": [1]}
        stub_server.script([told(notes=[{"content": "The user moved to Berlin"}]), told(traces=[trace])])
        done = session.run(mem.observe, {"force": True}).output
        assert (done.learned, done.failed) == (1, ())
        found = session.run(plain.retrieve, "Where does the user live?").output.results
        assert {one.trace.content: one.is_outdated for one in found} == left
        disputed = [one for one in found if "disputed" in one.trace.tags]
        assert len(disputed) == (2 if traits.get("agreeableness") else 0)


def test_of_observations_at_once_one_asks_the_model(stub_server: StubServer):
    mem, asked, go_on = remembering(), Event(), Event()

    def slowly(_: Received) -> StubReply:
        asked.set()
        go_on.wait(timeout=300)
        return told(notes=NOTES)

    with Fabric(models=client_of(stub_server)) as fabric, ThreadPoolExecutor(1) as beside:
        monday, friday = (fabric.session(name, user="jake") for name in ("monday", "friday"))
        other = fabric.session("monday", user="ann")
        for session in (monday, other):
            session.run(mem.observe, {"role": "user", "content": SAID[0]})
        stub_server.script([slowly, told(notes=NOTES), told(traces=[]), told(traces=[])])
        first = beside.submit(monday.run, mem.observe, {"force": True})
        asked.wait(timeout=300)
        done = friday.run(mem.observe, {"force": True}).output
        assert done.failed == (
            "observe: the same messages are being observed already; what is left is observed next time",
        )
        assert friday.run(mem.observe, {"role": "user", "content": SAID[1]}).output.failed == ()
        assert other.run(mem.observe, {"force": True}).output.noted == 3  # nobody else's are the same
        go_on.set()
        assert first.result().output.noted == 3
        assert waiting(friday, mem)[0] == [SAID[1]]
        assert len([one for one in stub_server.requests if asked_by(one.body["messages"]) == "cognitive_observe"]) == 2


def test_slips_of_a_model_cost_no_note_and_what_cannot_be_read_is_told(stub_server: StubServer):
    mem = remembering()
    slips = [
        {"content": "Will call Bo", "kind": "promise", "importance": "high", "numbers": ["1", "x", None]},
        {"content": "Likes tea", "kind": "Whatever", "looks_ahead": "perhaps"},
        {"content": "word " * 300},
        {"content": "\u200b\u2060"},
    ]
    long = " ".join(f"word{number}" for number in range(40))
    traces = [{"content": "Calls Bo", "type": "fact", "scope": "world", "tags": [*map(str, range(90)), long]}]
    with Fabric(models=client_of(stub_server)) as fabric:
        session = fabric.session("monday", user="jake")
        session.run(mem.observe, {"role": "user", "content": SAID[0]})
        stub_server.script([told(notes=slips), told(traces=traces, keep=["1", "none"])])
        done = session.run(mem.observe, {"force": True}).output
        assert (done.noted, done.reminders, done.learned) == (2, 1, 1), done
        assert done.failed == (
            "observe: one of the notes was left out: content: String should have at most 1000 characters",
        )
        assert waiting(session, mem) == ([], ["Will call Bo"])
        (trace,) = [one.trace for one in session.run(mem.retrieve, "Bo").output.results]
        assert (trace.type, len(trace.tags), trace.tags[-1]) == ("semantic", 51, "reflected")
