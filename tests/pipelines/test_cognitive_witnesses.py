"""One event through several witnesses: each remembers it in its own words and its own memory, by a model over HTTP."""

import json
from typing import Any

import pytest

from capabilities.cognitive.mechanisms.metadata import metadata_of
from capabilities.cognitive.witnesses.record import Event, Witness, why_objective
from fabric import Context, Fabric, handler
from fabric.errors import ConfigurationError, RefusedError
from fabric.models.litellm import LiteLLMClient
from fabric.testing import FrozenClock
from pipelines import CognitiveSystem, cognitive_memory
from tests.stub_server import BAD_ANSWERS, StubServer, failure, text
from tests.stub_server import stub_server as stub_server

# litellm's own types make pydantic warn when they are first used.
pytestmark = pytest.mark.filterwarnings("ignore:Items? .* on TypedDict class:UserWarning")
FIRE = {"id": "fire", "content": "Tom set the inn on fire at midnight", "importance": 0.9, "entities": ["Tom", "inn"]}
RAIN = {"id": "rain", "content": "It rained in the evening", "importance": 0.1}
MIRA = {"name": "Mira", "relationships": {"Tom": "her brother"}}


def client_of(server: StubServer) -> LiteLLMClient:
    return LiteLLMClient(timeout=120, api_base=server.url + "/v1", api_key="none")


def told(*memories: str) -> Any:
    return text(json.dumps({"memories": memories}))


def exactly(mem: CognitiveSystem) -> Any:
    @handler(name="exactly", uses=[mem.capability])
    async def read(trace_id: str, ctx: Context) -> tuple[Any, str | None]:
        return await ctx[mem.capability].get(trace_id), await ctx[mem.capability].rehydrate(trace_id)

    return read


def test_each_witness_remembers_in_its_own_words_and_the_event_stays_as_it_was(stub_server: StubServer):
    traits = ({"emotionality": 0.9}, {"openness": 0.9}, {})
    minds = [
        cognitive_memory(traits=one, embedder=None, model="openai/stub", mood=lambda: (-0.5, 0.8, 0.0))
        for one in traits
    ]
    with Fabric(models=client_of(stub_server), clock=FrozenClock()) as fabric:
        mira, nils, guard = (fabric.session("inn", user="jake", agent=name) for name in ("mira", "nils", "guard"))
        stub_server.script([told("I saw my brother set the inn on fire.")])
        first = mira.run(minds[0].witness, {"events": [FIRE, RAIN], "witness": MIRA}).output
        assert [(one.event, one.is_perspective) for one in first] == [("fire", True), ("rain", False)]
        assert first[1].reason == "the event has an importance of 0.1, less than 0.3"
        prompt = stub_server.requests[-1].body["messages"][-1]["content"]
        assert "emotionality 0.90" in prompt
        assert "valence -0.50" in prompt
        assert "Tom: her brother" in prompt
        stub_server.script([told("The flames were beautiful, and Tom stood before them.")])
        second = nils.run(minds[1].witness, {"events": [FIRE], "witness": {"name": "Tom"}}).output
        third = guard.run(minds[2].witness, {"events": [FIRE], "witness": {"name": "Ada", "tier": "background"}}).output
        assert third[0].reason == "the witness is in the background"
        trace, before = mira.run(exactly(minds[0]), first[0].trace_id).output
        assert (trace.content, before) == ("I saw my brother set the inn on fire.", FIRE["content"])
        assert (trace.scope, trace.persona, trace.source_type) == ("persona", "mira", "observation")
        assert metadata_of(trace).is_perspective
        assert trace.data["perspective"]["event"] == "fire"
        assert len(trace.data["perspective"]["objective_hash"]) == 64
        assert trace.data["perspective"]["mood"] == [-0.5, 0.8, 0.0]
        assert mira.run(exactly(minds[0]), second[0].trace_id).output == (None, None)
        assert guard.run(exactly(minds[2]), third[0].trace_id).output[0].content == FIRE["content"]


def test_who_tells_too_few_or_nothing_remembers_what_happened_with_the_reason(stub_server: StubServer):
    mem = cognitive_memory(embedder=None, model="openai/stub")
    events = [{**FIRE, "id": f"fire {number}", "content": f"Tom lit fire {number}"} for number in range(12)]
    with Fabric(models=client_of(stub_server), clock=FrozenClock()) as fabric:
        session = fabric.session("inn", user="jake", agent="mira")
        stub_server.script([told(*[f"I saw fire {number}" for number in range(10)]), told("I saw the last one")])
        done = session.run(mem.witness, {"events": events, "witness": MIRA}).output
        assert [one.is_perspective for one in done] == [True] * 10 + [False] * 2
        assert done[-1].reason == "the model told 1 of 2 events"
        assert len(stub_server.requests) == 2
        lost = [bad for bad in BAD_ANSWERS.values() if bad.kept is None]
        for number, bad in enumerate([*lost[:6], None]):
            event = {**FIRE, "id": f"again {number}", "content": f"Tom lit it again {number}"}
            stub_server.script([failure(400)] * 2 if bad is None else [text(bad.text, finish=bad.finish)] * 2)
            (one,) = session.run(mem.witness, {"events": [event], "witness": MIRA}).output
            assert not one.is_perspective
            assert one.reason
        plain = cognitive_memory(embedder=None)
        (one,) = session.run(plain.witness, {"events": [FIRE], "witness": MIRA}).output
        assert one.reason == "there is no model to tell it"
        with pytest.raises(ConfigurationError, match="expected a mapping with events and witness"):
            session.run(plain.witness, {"events": [FIRE]})
        with pytest.raises(ConfigurationError, match="an id of its own"):
            session.run(plain.witness, {"events": [FIRE, FIRE], "witness": MIRA})
        for events in (None, "fire", FIRE, [None], ["fire"], iter([FIRE])):
            with pytest.raises(ConfigurationError, match="expected a list of mappings with id and content"):
                session.run(plain.witness, {"events": events, "witness": MIRA})
        for witness in (None, "Mira", [MIRA]):
            with pytest.raises(ConfigurationError, match="expected a mapping with the name"):
                session.run(plain.witness, {"events": [FIRE], "witness": witness})
        with pytest.raises(ConfigurationError, match="expected a name"):
            session.run(plain.witness, {"events": [FIRE], "witness": {"name": " \u200b"}})
        with pytest.raises(RefusedError, match="a tag has"):
            session.run(plain.witness, {"events": [{**FIRE, "tags": ["x" * 300]}], "witness": MIRA})


def test_an_event_concerns_a_witness_whose_name_it_holds():
    """At the beginning of a sentence a name may look like a noun, and some scripts have neither capitals nor spaces."""
    mira = Witness(name="Mira", relationships={"Tom": "her brother", "Rose": "a friend", "田中": "a neighbour"})
    for said in ("Tom set the inn on fire", "Rose sings", "The inn of Tom burnt", "昨日、田中は宿に火をつけた"):
        assert why_objective(Event(id="1", content=said), mira) == ""
    for said in ("The rose withered", "Tomorrow it will rain", "It rained"):
        assert "names nobody" in why_objective(Event(id="1", content=said), mira)
    assert "names nobody" in why_objective(Event(id="1", content="Tom left", entities=("inn",)), mira)
