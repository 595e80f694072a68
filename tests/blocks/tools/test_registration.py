"""How the tools are registered: the first part of the specification of the memory tools, sentence by sentence."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from blocks.tools import memory_tools
from fabric.errors import CapabilityError, ConfigurationError, StoreError
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.sequencer import sequencer
from fabric.generation.generator import generator
from fabric.sessions.fabric import Fabric
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


def test_equal_options_give_the_same_tools_so_that_declaring_them_twice_just_works():
    async def add(value: object, ctx: Context) -> object:
        return await memory_tools(embedder=None).add({"content": str(value)}, ctx)

    first = handler(add, name="first", uses=[memory_tools(embedder=None).capability])
    second = handler(lambda _, ctx: ctx.cap.traces.search("tea"), name="second")
    again = replace(second, uses=(memory_tools(embedder=None).capability,))
    with Fabric() as fabric:
        found = fabric.session("s", user="jake").run(sequencer(name="both").then(first).then(again), "tea").output
    assert [memory.content for memory in found] == ["tea"]
    assert memory_tools(["a", "b"]) is memory_tools(["a", "b"])
    assert memory_tools(["a", "b"]) is not memory_tools(["a"])


def test_packs_of_other_options_in_one_pipeline_are_refused():
    uses = [[memory_tools(embedder=None, **options).capability] for options in ({}, {"stability_days": 30.0})]
    first, second = (handler(lambda x: x, name=name, uses=one) for name, one in zip("ab", uses, strict=True))
    pipeline = sequencer(name="both").then(first)
    with pytest.raises(CapabilityError, match="two different capabilities are named 'traces'"):
        pipeline.then(second)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"model": 5}, "model=5; expected a litellm model id, a list of ids, a function, or None"),
        ({"model": " "}, "model=' '; expected"),
        ({"model": []}, "model=[]; expected"),
        ({"include_reflect": "no"}, "include_reflect='no'; expected True or False"),
        ({"embedder": "foo"}, "embedder 'foo' is unknown"),
        ({"embedder": [1]}, "embedder is [1]; expected"),
        ({"prune_threshold": "0.1"}, "prune_threshold='0.1': Input should be a valid number"),
        ({"merge_threshold": 2}, "merge_threshold=2: Input should be less than or equal to 1"),
        ({"stability_days": -1}, "stability_days=-1: Input should be greater than 0"),
        ({"identifier": "a b"}, "identifier='a b'; it becomes ctx.cap.<identifier>"),
        ({"identifier": 5}, "identifier=5; it becomes"),
    ],
)
def test_an_option_that_cannot_work_is_refused_when_the_tools_are_made(options: dict[str, Any], said: str):
    with pytest.raises(ConfigurationError, match=re.escape(said)):
        memory_tools(**options)


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


async def test_rehydrate_memory_is_opt_in_and_gives_null_where_nothing_is_archived():
    pack = memory_tools(embedder=None, rehydrate_memory=True)
    assert [tool.name for tool in pack.tools] == [*NAMES, "rehydrate_memory"]
    model = ScriptedModel([call("rehydrate_memory", trace_id="mt_none"), "nothing"])
    chat = generator(name="chat", model="m", uses=[pack.capability])
    await run_block(chat, "what exactly?", model=model)
    assert '"content": null' in model.requests[1].messages[-1]["content"]
