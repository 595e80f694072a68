"""The tools' schemas: one definition each, valid as OpenAI functions in strict mode."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from blocks.tools import memory_tools
from fabric.generation.toolbox import as_tool

from .hosting import tools

ALLOWED = {"type", "properties", "required", "additionalProperties", "description", "enum", "const", "anyOf", "items"}
SCHEMAS = {tool.name: as_tool(tool).schema()["function"] for tool in memory_tools(embedder=None).tools}


def nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for inner in [*node.get("properties", {}).values(), *node.get("anyOf", ()), *filter(None, [node.get("items")])]:
        yield from nodes(inner)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_keeps_the_rules_of_strict_mode(name: str):
    function = SCHEMAS[name]
    assert function["name"] == name
    assert function["description"]
    assert function["parameters"]["type"] == "object"
    for node in nodes(function["parameters"]):
        assert node.keys() <= ALLOWED
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
            assert node["required"] == list(node["properties"])


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_parameter_is_described(name: str):
    assert all(record["description"] for record in SCHEMAS[name]["parameters"]["properties"].values())


def test_the_parameters_are_those_of_the_specification():
    assert {name: list(record["parameters"]["properties"]) for name, record in SCHEMAS.items()} == {
        "memory_add": ["content", "type", "scope", "tags"],
        "memory_update": ["trace_id", "content", "tags"],
        "memory_delete": ["trace_id"],
        "memory_merge": ["trace_ids", "content"],
        "memory_search": ["query", "type", "scope", "limit"],
        "memory_reflect": ["topic"],
    }


def test_the_description_of_a_query_says_its_syntax():
    said = SCHEMAS["memory_search"]["parameters"]["properties"]["query"]["description"]
    assert all(sign in said for sign in ("AND", "OR", "NOT", '"a phrase"', "*"))


def test_every_result_is_checked_against_its_schema():
    for tool in memory_tools(embedder=None).tools:
        assert issubclass(tool.output_schema, BaseModel)


def test_a_host_gives_the_same_schemas_as_a_generator():
    with tools() as use:
        assert [schema["function"] for schema in use.host.schemas()] == list(SCHEMAS.values())


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_tool_says_that_it_belongs_to_the_memory(name: str):
    assert name.startswith("memory_")
    assert "memory" in SCHEMAS[name]["description"].lower()
