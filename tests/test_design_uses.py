"""What users type, as they type it: through litellm, against a provider on loopback that follows a script."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fabric import Context, Fabric, generator, handler, sequencer
from pipelines import memory_system
from tests.provider import scripted_provider
from tests.stub_server import StubServer


@pytest.fixture
def provider(tmp_path: Path) -> Iterator[StubServer]:
    with scripted_provider(tmp_path) as server:
        yield server


def models(provider: StubServer) -> list[str]:
    return [received.body["model"] for received in provider.requests]


def test_a_chat_that_remembers_by_the_session_items(provider: StubServer, tmp_path: Path):
    mem = memory_system(model="gpt-5-mini", working={"capacity": 7}, episodic=True, semantic=True)
    chat = generator(name="chat", model="gpt-5", uses=[mem.capability])
    pipeline = sequencer(name="chat-with-memory").then(chat).work(mem.capture_from_items)

    with Fabric("memory.duckdb") as fabric:
        session = fabric.session("monday", user="jake")
        reply = session.run(pipeline, "I joined Stripe last month")
        fabric.drain()
        found = [(item.content, item.source) for item in session.run(mem.recall_block, "where do I work?")]
        assert all(0 < item.relevance <= 1 for item in session.run(mem.recall_block, "where do I work?"))
        jobs = fabric.jobs()

    assert reply.output == "Congratulations on the new job!"
    assert (reply.usage.calls, reply.usage.input_tokens, reply.usage.output_tokens) == (1, 11, 7)
    assert ("Joined Stripe last month", "semantic") in found
    assert jobs == []
    assert models(provider) == ["gpt-5", "gpt-5-mini"]
    assert (tmp_path / "memory.duckdb").exists()


async def test_the_same_chat_in_async_code(provider: StubServer):
    mem = memory_system(model="gpt-5-mini", episodic=True, semantic=True)
    chat = generator(name="chat", model="gpt-5", uses=[mem.capability])
    pipeline = sequencer(name="chat-with-memory").then(chat).work(mem.capture_from_items)

    async with Fabric("memory.duckdb") as fabric:
        session = fabric.session("monday", user="jake", agent="aria", project="apollo", org="acme")
        reply = await session.arun(pipeline, "I joined Stripe last month")
        await fabric.adrain()
        recalled = await session.arun(mem.recall_block, "where do I work?")

    assert reply.output == "Congratulations on the new job!"
    assert "Joined Stripe last month" in [item.content for item in recalled]
    assert models(provider) == ["gpt-5", "gpt-5-mini"]


def test_an_explicit_string_upkeep_alone_and_a_formatter(provider: StubServer):
    mem = memory_system(model="gpt-5-mini", episodic=True, semantic=True)
    chat = generator(name="chat", model="gpt-5", uses=[mem.capability])
    pipeline = sequencer(name="chat").work(lambda turn: turn["message"], mem.capture).then(chat)

    with Fabric("memory.duckdb") as fabric:
        session = fabric.session("monday", user="jake")
        reply = session.run(pipeline, {"message": "I joined Stripe last month"})
        fabric.drain()
        consolidated = session.run(mem.consolidate).output
        pruned = session.run(mem.prune).output

        chat = generator(name="chat", model="gpt-5", context=[mem.context_formatter], user=lambda text: text)
        session.run(chat, "Where do I work?")

    assert reply.output == "Congratulations on the new job!"
    assert "not due" in consolidated.skipped
    assert "not due" in pruned.skipped
    asked = [received.body["messages"] for received in provider.requests if received.body["model"] == "gpt-5"]
    assert "- [profession] Joined Stripe last month" in asked[-1][0]["content"]
    assert asked[-1][-1] == {"role": "user", "content": "Where do I work?"}


def test_a_handler_that_remembers_and_recalls(provider: StubServer):
    mem = memory_system(model="gpt-5-mini", working={"capacity": 7}, episodic=True, semantic=True)
    seen: list[Any] = []

    @handler(name="remember", uses=[mem.capability.presets(context=False)])
    async def remember(text: str, ctx: Context) -> None:
        await ctx.cap.working_memory.add(content=text, importance=0.8)
        seen.extend(await ctx.cap.memory.recall("pizza"))
        assert seen == await mem.recall(ctx, "pizza")

    with Fabric("memory.duckdb") as fabric:
        fabric.session("monday", user="jake").run(remember, "Likes pizza on Fridays")

    assert [(memory.content, memory.source, memory.relevance) for memory in seen] == [
        ("Likes pizza on Fridays", "working", pytest.approx(1.0))
    ]
    assert provider.requests == []
