"""Features by words at once, and by a model behind the turns: what it tells counts, and where it fails words do."""

import time
from collections.abc import Sequence

import pytest

from blocks.cognitive import Reclassified
from capabilities.formulas.encoding import Features
from capabilities.traces.record import Trace
from fabric import Context, Fabric, handler, sequencer
from fabric.errors import ConfigurationError
from fabric.models.litellm import LiteLLMClient
from fabric.testing import FrozenClock
from pipelines import cognitive_memory
from tests.stub_server import StubReply, StubServer, hang, text
from tests.stub_server import stub_server as stub_server

# litellm's own types make pydantic warn when they are first used.
pytestmark = pytest.mark.filterwarnings("ignore:Items? .* on TypedDict class:UserWarning")
MEM = cognitive_memory(model="openai/stub", features="hybrid", embedder=None, traits={"openness": 1.0})
WORDS = cognitive_memory(embedder=None, traits={"openness": 1.0})
SAID = ["The heron is back at the pond.", "The sluice is shut.", "First open the valve, then wait."]
TELLS = '{"novelty": true, "ethics": true, "topic_relevance": 1.0}'
TURN = sequencer(name="turn").then(MEM.encode).work(MEM.after_turn)


@handler(name="stored_traces", uses=[MEM.capability])
async def stored_traces(_: object, ctx: Context) -> dict[str, Trace]:
    return {one.trace.content: one.trace for one in await ctx.cap.cognitive.outlook()}


@handler(name="late", uses=[MEM.capability])
async def late(ids: Sequence[str], ctx: Context) -> list[bool]:
    """Answer for traces that went or were told meanwhile, and for one that is used meanwhile."""
    waiting = ctx.cap.cognitive.reclassification
    (seen,) = await waiting.waiting()
    (used,) = await ctx.cap.cognitive.use([seen.id])
    done = [await waiting.told(seen, Features(novelty=True)), await waiting.told(seen, Features())]
    after = await ctx.cap.cognitive.get(seen.id)
    assert after is not None
    return [*done, after.strength > used.strength, after.retrieval_count == 1, await waiting.failed(seen)]


def test_words_tell_at_once_and_a_model_behind_the_turn(stub_server: StubServer) -> None:
    refused = [StubReply(status=401, body=b'{"error": {"message": "no"}}')] * 3
    client = LiteLLMClient(timeout=120, api_base=stub_server.url + "/v1", api_key="none")
    with Fabric(":memory:", models=client, clock=FrozenClock()) as fabric, Fabric(clock=FrozenClock()) as plain:
        session = fabric.session("monday", user="jake")
        by_words = plain.session("monday", user="jake")
        for said in SAID:
            session.run(MEM.encode, said)
            by_words.run(WORDS.encode, said)
        assert stub_server.requests == []  # nobody waits for it
        before, same = session.run(stored_traces).output, by_words.run(stored_traces).output
        assert [before[said].strength for said in SAID] == [same[said].strength for said in SAID]
        assert before[SAID[2]].type == "procedural"
        stub_server.script([text(TELLS), *refused])
        first = session.run(MEM.reclassify, None).output
        assert (first.told, first.failed) == ((before[SAID[0]].id,), before[SAID[1]].id)
        assert "no" in first.error
        after = session.run(stored_traces).output
        assert after[SAID[0]].strength > before[SAID[0]].strength
        assert after[SAID[0]].stability > before[SAID[0]].stability
        assert after[SAID[0]].importance > before[SAID[0]].importance
        assert after[SAID[1]].strength == before[SAID[1]].strength  # what the words told stays
        stub_server.script([text('{"social": true}'), *refused])
        second = session.run(MEM.reclassify, None).output
        assert (second.told, second.failed) == ((before[SAID[2]].id,), before[SAID[1]].id)  # it came last
        assert session.run(stored_traces).output[SAID[2]].type == "episodic"
        stub_server.script(refused)
        assert session.run(MEM.reclassify, None).output.failed == before[SAID[1]].id
        asked = len(stub_server.requests)
        assert session.run(MEM.reclassify, None).output == Reclassified()  # three times is enough
        assert len(stub_server.requests) == asked
        stub_server.script([text(TELLS)])
        session.run(TURN, "The lock keeper has a new boat.")
        fabric.drain()
        assert session.run(stored_traces).output["The lock keeper has a new boat."].told_by_words is None
        session.run(MEM.encode, "The swan sleeps.")
        assert session.run(late, []).output == [True, False, True, True, False]
    assert SAID[0] in str(stub_server.requests[0].body["messages"])


def test_what_cannot_work_is_refused() -> None:
    for options, told in (
        ({"features": "hybrid"}, "a model is needed"),
        ({"features": "model"}, "a model is needed"),
        ({"model": "m", "features": "llm"}, "expected one of words, model, hybrid"),
    ):
        with pytest.raises(ConfigurationError, match=told):
            cognitive_memory(**options)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="no model is asked later"):
        _ = WORDS.reclassify


def test_a_reply_waits_for_a_hanging_model_no_longer_than_it_may(stub_server: StubServer) -> None:
    mem = cognitive_memory(
        model="openai/stub",
        features="model",
        embedder=None,
        traits={"openness": 1.0},
        constants={"features_seconds": 0.5},
    )
    client = LiteLLMClient(timeout=60, api_base=stub_server.url + "/v1", api_key="none")
    with Fabric(":memory:", models=client) as fabric:
        session = fabric.session("monday", user="jake")
        stub_server.script([hang(), text(TELLS)])
        before = time.monotonic()
        assert session.run(mem.encode, SAID[0]).output == SAID[0]
        assert time.monotonic() - before < 10
        held = session.run(stored_traces).output
        assert held[SAID[0]].told_by_words is not None  # the trace says so, and the model is asked again behind a turn
        assert session.run(mem.reclassify, None).output.told == (held[SAID[0]].id,)
        assert session.run(stored_traces).output[SAID[0]].strength > held[SAID[0]].strength
