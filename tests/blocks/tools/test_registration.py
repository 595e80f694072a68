"""How the tools are registered: the first part of the specification of the memory tools, sentence by sentence."""

from pathlib import Path

import pytest

from blocks.tools import memory_tools
from fabric.errors import ConfigurationError, StoreError
from fabric.generator import generator
from fabric.run import Fabric
from fabric.testing import ScriptedModel, call, run_block

NAMES = ["memory_add", "memory_update", "memory_delete", "memory_merge", "memory_search", "memory_reflect"]


def test_six_tools_add_update_delete_merge_search_and_reflect():
    assert [tool.name for tool in memory_tools().tools] == NAMES


def test_they_are_registered_as_a_pack_and_appear_in_the_generator_that_declares_it():
    model = ScriptedModel(["hello"])
    chat = generator(name="chat", model="m", uses=[memory_tools(embedder=None).capability])
    with Fabric(models=model) as fabric:
        fabric.session("s", user="jake").run(chat, "hi")
    assert [schema["function"]["name"] for schema in model.requests[0].tools] == NAMES


async def test_they_are_registered_individually():
    pack = memory_tools(embedder=None)
    model = ScriptedModel([call("memory_add", content="Jake likes tea"), "kept"])
    chat = generator(name="chat", model="m", tools=[pack.add, pack.search])
    assert (await run_block(chat, "I like tea", model=model)).output == "kept"
    assert [schema["function"]["name"] for schema in model.requests[0].tools] == ["memory_add", "memory_search"]
    assert '"trace_id": "mt_' in model.requests[1].messages[-1]["content"]


async def test_each_runs_as_a_block_too():
    result = await run_block(memory_tools(embedder=None).add, {"content": "Jake likes tea"})
    assert result.output.trace_id.startswith("mt_")


def test_include_reflect_leaves_memory_reflect_out():
    assert [tool.name for tool in memory_tools(include_reflect=False).tools] == NAMES[:-1]


def test_identifier_names_the_capability():
    assert memory_tools(identifier="primary_memory_tools").capability.name == "primary_memory_tools"


def test_manage_lifecycle_closes_the_file_with_the_host(tmp_path: Path):
    fabric = Fabric(tmp_path / "brain.duckdb")
    with memory_tools(embedder=None).host(fabric, user="jake", manage_lifecycle=True) as host:
        assert host.call("memory_add", {"content": "Jake likes tea"})["success"]
    with pytest.raises(StoreError, match="closed"):
        host.call("memory_search", {"query": "tea"})


def test_without_manage_lifecycle_a_given_file_stays_open_and_an_opened_one_is_closed(tmp_path: Path):
    with Fabric(tmp_path / "one.duckdb") as fabric:
        with memory_tools(embedder=None).host(fabric, user="jake"):
            pass
        fabric.check_open()
    with memory_tools(embedder=None).host(tmp_path / "two.duckdb", user="jake") as host:
        pass
    with pytest.raises(StoreError, match="closed"):
        host.fabric.check_open()


def test_rehydrate_memory_is_reserved_for_the_cognitive_memory():
    with pytest.raises(ConfigurationError, match="cognitive memory"):
        memory_tools(rehydrate_memory=True)
