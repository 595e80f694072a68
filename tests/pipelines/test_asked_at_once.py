"""Work at once that asks a model about the same: one of them asks it, and the others say so or leave it to that one."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from blocks.cognitive import Reclassified
from fabric import Block, Fabric
from fabric.models.litellm import LiteLLMClient
from pipelines import cognitive_memory
from tests.stub_server import Received, StubReply, StubServer, text
from tests.stub_server import stub_server as stub_server

# litellm's own types make pydantic warn when they are first used.
pytestmark = pytest.mark.filterwarnings("ignore:Items? .* on TypedDict class:UserWarning")


def outputs(server: StubServer, block: Block[Any, Any], said: Sequence[str]) -> tuple[Any, Any]:
    """Return what two runs of a block come to, the second of which is done while the model is asked by the first."""
    asked, go_on = Event(), Event()
    mem = cognitive_memory(embedder=None, model="openai/stub", features="hybrid", name="other")
    client = LiteLLMClient(timeout=300, api_base=server.url + "/v1", api_key="none")

    def slowly(_: Received) -> StubReply:
        asked.set()
        go_on.wait(timeout=300)
        return text('{"novelty": true}')

    with Fabric(models=client) as fabric, ThreadPoolExecutor(1) as beside:
        monday, friday = (fabric.session(name, user="jake") for name in ("monday", "friday"))
        for one in said:
            monday.run(mem.encode, one)
        server.script([slowly, *[text("{}")] * 20])
        first = beside.submit(monday.run, block, None)
        try:
            assert asked.wait(timeout=300)
            count = len(server.requests)
            second = friday.run(block, None).output
            assert len(server.requests) == count
        finally:
            go_on.set()
        return first.result().output, second


def test_features_are_asked_for_once(stub_server: StubServer):
    mem = cognitive_memory(embedder=None, model="openai/stub", features="hybrid")
    first, second = outputs(stub_server, mem.reclassify, ["The heron is back at the pond."])
    assert len(first.told) == 1
    assert second == Reclassified()


def test_communities_are_asked_about_once_and_the_rules_go_on(stub_server: StubServer):
    mem = cognitive_memory(embedder=None, model="openai/stub")
    first, second = outputs(stub_server, mem.communities.build, ["Rosa met Bo in Oslo."])
    assert first.read == 1
    assert second.failed == ("read: another build is asking the model; what it leaves is read in the next",)
    assert second.waiting > 0
