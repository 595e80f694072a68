"""A model client that captures whatever passes through it asks no model without end."""

import json
from collections.abc import AsyncIterator

from fabric.models.base import Delta, Reply, Request
from pipelines import AsyncMemory, Captured

FACT = {"content": "Joined Stripe", "importance": 0.8, "durability": "persistent", "category": "profession"}


class Recorder:
    """A client that captures every question, those of the memory too."""

    def __init__(self) -> None:
        self.memory: AsyncMemory | None = None
        self.told: list[Captured] = []

    async def complete(self, request: Request) -> Reply:
        assert self.memory is not None
        self.told.append(await self.memory.capture(str(request.messages[-1]["content"])))
        return Reply(json.dumps({"observations": [FACT]}))

    def stream(self, request: Request) -> AsyncIterator[Delta]:
        raise NotImplementedError


async def test_a_client_that_captures_is_not_captured_while_the_memory_asks_it():
    client = Recorder()
    async with AsyncMemory(user="jake", model="test/model", models=client, embedder=None) as memory:
        client.memory = memory
        await memory.capture("I joined Stripe.")
        assert await memory.wait() == []
        turns = [record["text"] async for record in memory.export() if record["kind"] == "turn"]
    assert turns == ["I joined Stripe."]
    (told,) = client.told
    assert told.turns == 0
    assert "not captured" in told.problem
