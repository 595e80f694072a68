"""HyDE over HTTP: a hypothetical answer is looked for where it is wanted, and else the plain question is."""

from collections.abc import Sequence

import pytest

from capabilities.hypothesis import HydeConfig, Hypothesis
from fabric import Block, Context, Fabric, generator, handler
from fabric.errors import ConfigurationError
from fabric.models.litellm import LiteLLMClient
from fabric.testing import FrozenClock
from pipelines import Memory, cognitive_memory, memory_system
from tests.stub_server import BAD_ANSWERS, StubReply, StubServer, failure, hang, text
from tests.stub_server import stub_server as stub_server

# litellm's own types make pydantic warn when they are first used.
pytestmark = pytest.mark.filterwarnings("ignore:Items? .* on TypedDict class:UserWarning")
SAID = ("Pasta cooks on the stove", "The sourdough starter lives in the fridge", "My bike has a flat tyre")
CUE, ANSWER = "what is wrong with the vehicle?", "One tyre of it is broken"
SHORT = 80
"""Tokens of a prompt that has room for one of the three."""


def embedder(texts: Sequence[str]) -> list[list[float]]:
    """Give vectors by one word: what speaks of dough, a tyre, a vehicle, and of anything else."""
    words = ("dough", "tyre", "vehicle", "")
    places = [next(place for place, word in enumerate(words) if word in one) for one in texts]
    return [[float(place == axis) for axis in range(len(words))] for place in places]


def client_of(server: StubServer) -> LiteLLMClient:
    return LiteLLMClient(timeout=120, api_base=server.url + "/v1", api_key="none")


def test_recall_looks_for_a_hypothetical_answer_and_else_asks_the_plain_question(stub_server: StubServer):
    mem = memory_system(model="openai/stub", episodic=True, semantic=True, embedder=embedder)
    plain = memory_system(model=None, episodic=True, semantic=True, embedder=embedder)
    wordless = memory_system(model="openai/stub", episodic=True, semantic=True, embedder=None, hyde="always")
    with Fabric(models=client_of(stub_server), clock=FrozenClock()) as fabric:
        session = fabric.session("monday", user="jake")
        for said in SAID:
            session.run(plain.remember_block, said)
        count = len(stub_server.requests)
        before = session.run(mem.recall_block, {"cue": CUE}).output
        assert len(stub_server.requests) == count  # off costs nothing
        stub_server.script([text(ANSWER)])
        patient = {"when": "always", "seconds": 120}  # a model's library is loaded at its first call
        found = session.run(mem.recall_block, {"cue": CUE, "hyde": patient}).output
        assert (found[0].content, found[0].degraded) == (SAID[2], "")
        assert CUE in str(stub_server.requests[-1].body)
        told = session.run(mem.recall_block, {"cue": CUE, "hypothesis": ANSWER}).output  # without any model
        assert [one.id for one in told] == [one.id for one in found]

        stub_server.script([text("Some bread dough")])
        apart = session.run(mem.recall_block, {"cue": CUE, "hyde": {"when": "always", "beside": False}}).output
        assert apart[0].content == SAID[1]
        count = len(stub_server.requests)
        sure = session.run(mem.recall_block, {"cue": SAID[2], "hyde": "unsure"}).output
        assert (sure[0].content, sure[0].degraded, len(stub_server.requests)) == (SAID[2], "", count)

        for reply, reason in (
            (failure(401), "ModelError"),
            (text(BAD_ANSWERS["blank"].text), ""),
            (hang(), "within 0.05 s"),
        ):
            stub_server.script([reply] * 3)
            how = {"when": "always", "seconds": 0.05 if "within" in reason else 30}
            failed = session.run(mem.recall_block, {"cue": CUE, "hyde": how}).output
            assert [one.content for one in failed] == [one.content for one in before]
            assert failed[0].degraded.startswith("by the plain question: ")
            assert reason in failed[0].degraded or "Error" in failed[0].degraded
        none = session.run(wordless.recall_block, {"cue": "tyre"}).output
        assert not [one for one in none if "no embedder" not in one.degraded]

        @handler(name="looks", uses=[mem.capability])
        async def looks(cue: str, ctx: Context) -> list[str]:
            return [one.content for one in await ctx.cap.memory.recall(cue, hyde=True, limit=1)]

        stub_server.script([text(ANSWER)])
        assert session.run(looks, CUE).output == [SAID[2]]
        with pytest.raises(ConfigurationError, match="needs a model"):
            session.run(plain.recall_block, {"cue": CUE, "hyde": True})


def test_retrieval_of_a_cognitive_memory_does_the_same_by_policy(stub_server: StubServer):
    mem = cognitive_memory(model="openai/stub", features="words", embedder=embedder, hyde={"seconds": 120})
    with Fabric(models=client_of(stub_server), clock=FrozenClock()) as fabric:
        session = fabric.session("monday", user="jake")
        for said in SAID:
            session.run(mem.encode, said)
        stub_server.script([text(ANSWER)])
        found = session.run(mem.retrieve, CUE).output
        assert (found.results[0].trace.content, found.degraded, found.cue) == (SAID[2], "", CUE)
        count = len(stub_server.requests)
        session.run(mem.retrieve, SAID[2])  # sure by itself
        off = session.run(mem.retrieve, {"cue": CUE, "hyde": False}).output
        assert len(stub_server.requests) == count
        stub_server.script([failure(401)] * 3)
        failed = session.run(mem.retrieve, CUE).output
        assert failed.ids == off.ids
        assert failed.degraded.startswith("by the plain question: no hypothetical answer")
    assert HydeConfig() == HydeConfig(when="unsure", unsure_below=0.5, beside=True, seconds=10)
    assert not Hypothesis().text
    with pytest.raises(ConfigurationError, match="needs a model"):
        cognitive_memory(hyde="always")
    with pytest.raises(ConfigurationError, match="when"):
        memory_system(model="openai/stub", hyde={"when": "sometimes"})


def test_a_prompt_for_a_cue_looks_for_the_hypothetical_answer_too(stub_server: StubServer):
    mem = memory_system(model="openai/stub", episodic=True, semantic=True, embedder=embedder, hyde={"seconds": 120})
    with Fabric(models=client_of(stub_server), clock=FrozenClock()) as fabric:
        session = fabric.session("monday", user="jake")
        for said in SAID:
            session.run(mem.remember_block, said)
        count = len(stub_server.requests)
        small = {"cue": CUE, "tokens": 53}  # has room for one of the three
        plain = session.run(mem.context_block, {**small, "hyde": False}).output
        assert SAID[2] not in plain
        stub_server.script([text(ANSWER)])
        assert SAID[2] in session.run(mem.context_block, small).output  # by policy
        assert len(stub_server.requests) == count + 1
        assert SAID[2] in session.run(mem.context_block, SAID[2]).output  # sure by itself
        assert len(stub_server.requests) == count + 1
        for reply in (failure(401), text(BAD_ANSWERS["blank"].text)):
            stub_server.script([reply] * 3)
            assert session.run(mem.context_block, small).output == plain

        @handler(name="asks", uses=[mem.capability])
        async def asks(cue: str, ctx: Context) -> list[str]:
            always = {"when": "always", "beside": False, "seconds": 120}
            return [
                await ctx.cap.memory.context(cue, 53, hyde=always),
                await mem.context(ctx, cue, 53, hyde=False),
            ]

        stub_server.script([text("Some bread dough")])
        apart, none = session.run(asks, CUE).output
        assert SAID[1] in apart
        assert none == plain
        with pytest.raises(ConfigurationError, match="expected cue, tokens and hyde"):
            session.run(mem.context_block, {"cue": CUE, "limit": 3})
    with Memory(user="jake", embedder=embedder) as memory, pytest.raises(ConfigurationError, match="needs a model"):
        memory.context(CUE, hyde=True)


def test_a_cognitive_prompt_does_the_same(stub_server: StubServer):
    mem = cognitive_memory(model="openai/stub", features="words", embedder=embedder, hyde={"seconds": 120})
    usual = generator(name="usual", model="openai/stub", context=[mem.assemble(SHORT)])
    plain = generator(name="plain", model="openai/stub", context=[mem.assemble(SHORT, hyde=False)])
    with Fabric(models=client_of(stub_server), clock=FrozenClock()) as fabric:
        session = fabric.session("monday", user="jake")
        for said in SAID:
            session.run(mem.encode, said)

        def prompt(block: Block[str, str], *replies: StubReply) -> str:
            stub_server.script([*replies, text("ok")])
            session.run(block, CUE)
            return str(stub_server.requests[-1].body)

        before = prompt(plain)
        assert SAID[2] not in before
        assert SAID[2] in prompt(usual, text(ANSWER))
        assert prompt(usual, failure(401)) == before

        @handler(name="hands-over", uses=[mem.capability])
        async def hands_over(cue: str, ctx: Context) -> str:
            mind = ctx.cap.cognitive
            found = await mind.retrieve(cue, hypothesis=ANSWER, limit=1)
            return str((await mind.assemble(cue, SHORT, found=found)).text)

        assert SAID[2] in session.run(hands_over, CUE).output
    with pytest.raises(ConfigurationError, match="needs a model"):
        cognitive_memory().assemble(hyde="always")
    assert cognitive_memory().assemble(hyde=False)
