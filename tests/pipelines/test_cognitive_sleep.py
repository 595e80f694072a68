"""Consolidation behind a pipeline: on its own once an hour, with a model over HTTP, and when that model fails."""

import json

import pytest

from capabilities.cognitive.consolidation.result import LOGS
from capabilities.traces.tables import USER
from fabric import Context, Fabric, handler, sequencer
from fabric.models.litellm import LiteLLMClient
from fabric.testing import FrozenClock
from pipelines import CognitiveSystem, cognitive_memory
from tests.stub_server import BAD_ANSWERS, StubServer, failure, text
from tests.stub_server import stub_server as stub_server

# litellm's own types make pydantic warn when they are first used.
pytestmark = pytest.mark.filterwarnings("ignore:Items? .* on TypedDict class:UserWarning")
NOONS = [f"On {day} I met Rosalind at noon" for day in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")]
LONG = "At the harbour of Bergen we met an old shipwright who told us for an hour how he had built the blue boat " * 3


@handler(name="answers")
async def answers(_: str) -> str:
    return "Noted."


def talk(mem: CognitiveSystem) -> object:
    return sequencer(name="talk").then(mem.encode).then(answers).work(mem.after_turn)


def client_of(server: StubServer) -> LiteLLMClient:
    return LiteLLMClient(timeout=120, api_base=server.url + "/v1", api_key="none")


def test_the_end_of_a_turn_consolidates_once_an_hour_and_not_at_all_where_it_is_not_wanted():
    for consolidation, expected in ((True, [1, 1, 2]), ({"every_hours": 5}, [1, 1, 1]), (None, [0, 0, 0])):
        mem, clock, seen = cognitive_memory(embedder=None, consolidation=consolidation), FrozenClock(), []
        with Fabric(clock=clock) as fabric:
            session = fabric.session("monday", user="jake")
            for _ in range(3):
                session.run(talk(mem), "I like tea")
                fabric.drain()
                seen.append(cycles(session, mem))
                clock.advance(minutes=40)
        assert seen == expected


def restless(mem: CognitiveSystem) -> object:
    """Return the block that makes a trace last: what fades in ten days has no gist."""

    @handler(name="lasts", uses=[mem.capability])
    async def lasts(trace_id: str, ctx: Context) -> None:
        held = await ctx[mem.capability].get(trace_id)
        assert held is not None
        await ctx.transact(lambda tx: tx.put(USER.traces, [held.model_copy(update={"stability": 1e8})]))

    return lasts


def exactly(mem: CognitiveSystem) -> object:
    @handler(name="exactly", uses=[mem.capability])
    async def read(trace_id: str, ctx: Context) -> str | None:
        return await ctx[mem.capability].rehydrate(trace_id)

    return read


def cycles(session: object, mem: CognitiveSystem) -> int:
    @handler(name="counts", uses=[mem.capability])
    async def counts(_: object, ctx: Context) -> int:
        return await ctx.transact(lambda tx: tx.count(LOGS["user"]))

    return session.run(counts).output


def test_a_model_draws_schemas_and_makes_gists_over_http(stub_server: StubServer):
    plain = cognitive_memory(embedder=None, consolidation=None)
    mem = cognitive_memory(embedder=None, model="openai/stub", mechanisms=True, consolidation=None)
    clock = FrozenClock()
    with Fabric(":memory:", models=client_of(stub_server), clock=clock) as fabric:
        session = fabric.session("monday", user="jake")
        for said in (*NOONS, LONG):
            session.run(plain.encode, said)
        stub_server.script([text('{"insight": "Jake and Rosalind meet at noon."}')])
        done = session.run(mem.consolidate).output
        assert (done.schemas_created, done.failed) == (1, ())
        asked = stub_server.requests[-1].body["messages"]
        assert all(noon in asked[1]["content"] for noon in NOONS)
        assert "<background-data" in asked[1]["content"]
        story = session.run(plain.retrieve, "the old shipwright in Bergen").output.results[0].trace
        session.run(plain.use, [story.id])
        session.run(restless(plain), story.id)
        clock.advance(days=61)
        stub_server.script([text('{"gist": "A shipwright in Bergen built the blue boat."}')])
        done = session.run(mem.consolidate).output
        assert (done.gisted_count, done.failed) == (1, ())
        assert session.run(exactly(plain), story.id).output == LONG
        assert session.run(mem.tools.rehydrate, {"trace_id": story.id}).output.content == LONG


def test_no_failure_of_a_model_loses_anything(stub_server: StubServer):
    """Every kind of bad answer, and a server that is away: told, nothing changed, and asked again in the next cycle."""
    plain = cognitive_memory(embedder=None, consolidation=None)
    mem = cognitive_memory(embedder=None, model="openai/stub", consolidation=None)
    with Fabric(":memory:", models=client_of(stub_server), clock=FrozenClock()) as fabric:
        session = fabric.session("monday", user="jake")
        for said in NOONS:
            session.run(plain.encode, said)
        kept = [one.trace for one in session.run(plain.retrieve, "Rosalind").output.results]
        for name, bad in BAD_ANSWERS.items():
            stub_server.script([text(bad.text, finish=bad.finish)] * 3)
            done = session.run(mem.consolidate).output
            assert (done.schemas_created, len(done.failed)) == (0, 1), name
        stub_server.script([failure(500)] * 9)
        assert session.run(mem.consolidate).output.failed
        left = [one.trace for one in session.run(plain.retrieve, "Rosalind").output.results]
        same = {"consolidated_at"}
        assert [one.model_dump(exclude=same) for one in left] == [one.model_dump(exclude=same) for one in kept]
        stub_server.script([text(json.dumps({"insight": "Jake meets Rosalind at noon."}))])
        assert session.run(mem.consolidate).output.schemas_created == 1
