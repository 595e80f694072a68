"""A cognitive memory around a generator: what is said is encoded, comes to mind, and is kept for having been of use."""

from collections.abc import Callable

import pytest

from capabilities.cognitive import Profile
from capabilities.prospective import create_prospective
from fabric import Context, Fabric, generator, handler, sequencer
from fabric.errors import ConfigurationError
from fabric.models.litellm import LiteLLMClient
from fabric.testing import FrozenClock, ScriptedModel, call
from pipelines import CognitiveSystem, cognitive_memory
from tests.stub_server import StubServer, text
from tests.stub_server import stub_server as stub_server

# litellm's own types make pydantic warn when they are first used.
pytestmark = pytest.mark.filterwarnings("ignore:Items? .* on TypedDict class:UserWarning")
BOATS = (
    "The blue boat lies in the harbour of Bergen.",
    "The harbour is closed on Sundays.",
    "Rosalind repairs boats.",
    "The bakery sells rye bread.",
    "I sailed a small boat when I was young.",
    "Bergen has a fish market.",
)


@pytest.fixture
def mem() -> CognitiveSystem:
    return cognitive_memory(
        traits={"openness": 0.7, "emotionality": 0.6}, mood=lambda: (0.2, 0.4, 0.0), profile="daily"
    )


def test_a_turn_is_encoded_brought_to_mind_and_kept_for_being_of_use(stub_server: StubServer, mem: CognitiveSystem):
    reply = generator(name="reply", model="openai/stub", context=[mem.assemble(tokens=1000)], uses=[mem.capability])
    turn = sequencer(name="turn").then(mem.encode).then(reply).work(mem.after_turn)
    said = ["I prefer deploying with Docker Compose.", "My sister Anna lives in Oslo.", "How should I deploy?"]
    stub_server.script([text("Noted."), text("Nice."), text("With Docker Compose.")])
    client = LiteLLMClient(timeout=120, api_base=stub_server.url + "/v1", api_key="none")
    clock = FrozenClock()
    with Fabric(":memory:", models=client, clock=clock) as fabric:
        for day, message in enumerate(said):
            answer = fabric.session(f"day {day}", user="jake").run(turn, message).output
            fabric.drain()
            clock.advance(days=1)
        found = fabric.session("later", user="jake").run(mem.retrieve, "How should I deploy?").output
        others = fabric.session("later", user="kim").run(mem.retrieve, "How should I deploy?").output
        swept = fabric.session("later", user="jake").run(mem.sweep).output
    prompts = [request.body["messages"] for request in stub_server.requests]
    assert answer == "With Docker Compose."
    assert [[message["role"] for message in prompt] for prompt in prompts] == [["user"], *[["system", "user"]] * 2]
    told = prompts[2][0]["content"]
    assert told.startswith('<background-data title="memory">')
    assert said[0] in told
    assert said[2] not in told
    best = found.results[0].trace
    assert best.content == said[0]
    assert said[0] in prompts[1][0]["content"]
    assert best.retrieval_count == 1  # there was room for it in Anna's prompt, and it answered in that of the question
    assert found.results[1].trace.retrieval_count == 0  # there was room for it in the prompt, and no need
    assert best.stability > found.results[1].trace.stability
    assert others.results == []
    assert (swept.looked_at, swept.faded) == (3, ())


def test_what_a_prompt_showed_counts_as_used_from_a_similarity_of_0_4_on():
    mem = cognitive_memory(embedder=None, consolidation=None)
    with Fabric(":memory:", clock=FrozenClock()) as fabric:
        session = fabric.session("monday", user="jake")
        for said in BOATS:
            session.run(mem.encode, said)

        @handler(name="shows", uses=[mem.capability])
        async def shows(cue: str, ctx: Context) -> int:
            shown = await ctx[mem.capability].assemble(cue)
            await ctx[mem.capability].end_turn()
            return len(shown.ids)

        cue = "Which boats are in the harbour at night?"
        near = {one.trace.id: one.signals.similarity for one in session.run(mem.retrieve, cue).output.results}
        assert session.run(shows, cue).output == len(BOATS)
        uses = {one.trace.id: one.trace.retrieval_count for one in session.run(mem.retrieve, cue).output.results}
    assert [similarity for similarity in near.values() if 0.4 < similarity < 0.5]
    assert [similarity for similarity in near.values() if similarity < 0.4]
    assert uses == {trace: int(similarity > 0.4) for trace, similarity in near.items()}


def test_the_message_that_is_answered_is_no_memory_of_itself(stub_server: StubServer, mem: CognitiveSystem):
    reply = generator(name="reply", model="openai/stub", context=[mem.assemble(tokens=1000)], uses=[mem.capability])
    turn = sequencer(name="turn").then(mem.encode).then(reply).work(mem.after_turn)
    stub_server.script([text("I see."), text("So you said.")])
    client = LiteLLMClient(timeout=120, api_base=stub_server.url + "/v1", api_key="none")
    with Fabric(":memory:", models=client) as fabric:
        session = fabric.session("monday", user="jake")
        session.run(turn, "Nice weather for once.")
        fabric.drain()
        once = session.run(mem.retrieve, "weather").output.results[0].trace
        session.run(turn, "Nice weather for once.")
        fabric.drain()
        again = session.run(mem.retrieve, "weather").output.results[0].trace
    assert once.retrieval_count == 0
    assert again.id == once.id
    assert again.verification_count == 1
    assert [message["role"] for message in stub_server.requests[0].body["messages"]] == ["user"]


def test_what_a_tool_adds_is_encoded_and_what_was_encoded_is_searched(mem: CognitiveSystem):
    with Fabric(":memory:") as fabric:
        session = fabric.session("monday", user="jake")
        session.run(mem.encode, "I prefer deploying with Docker Compose.")
        session.run(mem.tools.add, {"content": "Deploys run on Fridays", "type": "semantic"})
        searched = session.run(mem.tools.search, {"query": "deploy*"}).output
        found = session.run(mem.retrieve, {"cue": "When do deploys run?", "neutral_mood": True}).output
        used = session.run(mem.use, [found.results[0].trace.id]).output
        message = {"role": "user", "content": [{"type": "text", "text": "When do deploys run?"}]}
        assert session.run(mem.retrieve, message).output.ids == found.ids
        with pytest.raises(ConfigurationError, match="expected a cue: a text"):
            session.run(mem.retrieve, {"query": "deploys"})
    assert {one.content for one in searched.results} == {
        "I prefer deploying with Docker Compose.",
        "Deploys run on Fridays",
    }
    best = found.results[0].trace
    assert (best.content, best.source_type, best.role) == ("Deploys run on Fridays", "agent_inference", "assistant")
    assert 0 < best.strength < 1
    assert used == [best.id]


def test_a_model_keeps_notes_that_every_later_prompt_begins_with(mem: CognitiveSystem):
    notes = "# Jake\n- wants short answers"
    model = ScriptedModel(
        [call("notes_write", text=notes), "Noted.", call("notes_write", text="x" * 9_000), call("notes_read"), "Hi."]
    )
    reply = generator(name="reply", model="m", context=[mem.assemble()], uses=[mem.capability, mem.notes])
    with Fabric(":memory:", models=model) as fabric:
        fabric.session("monday", user="jake").run(reply, "Please be brief.")
        later = fabric.session("friday", user="jake").run(reply, "Hello!")
        assert fabric.session("friday", user="kim").run(mem.retrieve, "brief").output.results == []
    assert f"## Persistent Memory\n{notes}" in model.requests[2].messages[0]["content"]
    told = [item.text for item in later.items if item.kind == "tool_result"]
    assert "too long: 9000 characters" in told[0]
    assert notes in model.requests[4].messages[-1]["content"]


def test_a_model_tells_what_a_message_holds_and_words_do_where_it_fails():
    mem = cognitive_memory(model="m", embedder=None, traits={"openness": 1.0})
    told = '{"novelty": true, "topic_relevance": 1.0}'
    model = ScriptedModel([told, "no idea", "no idea", "no idea", "no idea"])
    with Fabric(":memory:", models=model) as fabric:
        session = fabric.session("monday", user="jake")
        session.run(mem.encode, "The heron is back at the pond.")
        session.run(mem.encode, "The sluice is shut.")
        found = session.run(mem.retrieve, "heron sluice").output.results
    strengths = {one.trace.content: one.trace.importance for one in found}
    assert strengths["The heron is back at the pond."] > strengths["The sluice is shut."]
    assert "The heron is back" in model.requests[0].messages[-1]["content"]


def test_what_cannot_work_is_refused_when_it_is_built(mem: CognitiveSystem):
    async def slowly() -> tuple[float, float, float]:
        return (0.0, 0.0, 0.0)

    wrong: list[tuple[Callable[[], object], str]] = [
        (lambda: mem.assemble(tokens=0), "tokens is 0; expected a whole number of at least 1"),
        (lambda: mem.assemble(style="poetic"), "expected one of structured, narrative, emotional"),  # type: ignore[arg-type]
        (lambda: mem.assemble(tokens="many"), "tokens is 'many'; expected a whole number of at least 1"),  # type: ignore[arg-type]
        (lambda: cognitive_memory(mood=(0, 0, 0)), "expected a function"),  # type: ignore[arg-type]
        (lambda: cognitive_memory(mood=slowly), "mood is async"),  # type: ignore[arg-type]
        (lambda: cognitive_memory(traits={"openness": "high"}), "openness is 'high': expected a number"),  # type: ignore[dict-item]
        (lambda: cognitive_memory(traits=["openness"]), "expected traits by name"),  # type: ignore[arg-type]
        (lambda: Profile(time="awake"), "Profile: base_hours is missing"),  # type: ignore[call-arg]
        (lambda: Profile(base_hours=float("inf")), "base_hours=inf"),
        (lambda: cognitive_memory(constants={"profile": "as_specified"}), r"cognitive_memory\(profile=...\)"),
        (lambda: cognitive_memory(constants={"capacty": 9}), "did you mean 'capacity'"),
        (lambda: cognitive_memory(name=" "), "not blank"),
        (lambda: cognitive_memory(name=5), "not blank"),  # type: ignore[arg-type]
        (lambda: cognitive_memory(constants="x"), "expected a mapping"),  # type: ignore[arg-type]
        (lambda: cognitive_memory(zone=5), "expected the name of a time zone"),  # type: ignore[arg-type]
        (lambda: cognitive_memory(consolidation={"archive_days": 1e300}), "less than or equal to 36500"),
        (lambda: cognitive_memory(consolidation={"recent_hours": float("inf")}), "less than or equal to 876000"),
        (lambda: cognitive_memory(consolidation={"min_cluster": 30}), "at most max_cluster, 24"),
        (
            lambda: cognitive_memory(mechanisms={"source_confidence_decay": {"multipliers": {"dream": 0.5}}}),
            "no source",
        ),
        (lambda: create_prospective({"day_begins": 9}), "such as '09:00'"),
        (lambda: create_prospective({"cooldown": float("inf")}), "finite"),
    ]
    for build, told in wrong:
        with pytest.raises(ConfigurationError, match=told):
            build()
