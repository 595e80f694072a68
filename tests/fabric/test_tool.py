"""Tools show models a schema that strict mode takes, and read whatever arguments models send."""

import functools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, RootModel

from fabric.errors import ConfigurationError
from fabric.flow.block import tool_of
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.tool import Tool, alias, tool
from fabric.generation.toolbox import read_arguments
from fabric.models.answers.strict import strict_schema
from fabric.testing import run_block

ALLOWED = {"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref"}


class Colour(BaseModel):
    name: str = Field(description="In English.", min_length=2)
    shade: Literal["dark", "light"] = "dark"


class Tree(BaseModel):
    name: str
    branches: list["Tree"] = []


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"]


class Everything(BaseModel):
    a: Annotated[int, Field(ge=1, le=5)]
    b: list[Colour] = []
    c: dict[str, int] = {}
    d: tuple[int, str] = (1, "x")
    e: Any = None
    f: date | None = None
    g: Annotated[Cat | Dog, Field(discriminator="kind")]
    h: Annotated[Colour, Field(description="The wall.")]
    i: set[str] = set()
    j: Literal["on"] | None = None
    k: Tree | None = None


def nodes(schema: Any) -> Iterator[Mapping[str, Any]]:
    yield schema
    for one in [*schema.get("anyOf", ()), *schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]:
        yield from nodes(one)
    if "items" in schema:
        yield from nodes(schema["items"])


@pytest.mark.parametrize("model", [Everything, Colour, Tree, Cat])
def test_schemas_keep_the_rules_of_strict_mode(model: type[BaseModel]) -> None:
    schema = strict_schema(model)
    assert schema["type"] == "object"
    for node in nodes(schema):
        assert set(node) <= ALLOWED | {"description", "$defs"}
        assert {"type", "anyOf", "$ref", "enum", "const"} & set(node)
        if "$ref" in node:
            assert set(node) == {"$ref"}
            assert node["$ref"].removeprefix("#/$defs/") in schema["$defs"]
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
            assert sorted(node["required"]) == sorted(node["properties"])
        if node.get("type") == "array":
            assert node["items"]


def test_limits_and_defaults_are_told_in_words() -> None:
    schema = strict_schema(Everything)["properties"]
    assert schema["a"]["description"] == "(minimum 1, maximum 5)"
    assert strict_schema(Colour)["properties"]["name"]["description"] == "In English. (minLength 2)"
    assert strict_schema(Colour)["properties"]["shade"]["description"] == 'Null means "dark".'
    assert schema["h"] == {"anyOf": [{"$ref": "#/$defs/Colour"}], "description": "The wall."}


def test_a_function_becomes_a_tool_and_its_context_is_hidden() -> None:
    def recall(cue: str, limit: int = 5, *, ctx: "NotImported") -> "AlsoNot":  # noqa: F821
        """Look something up."""

    schema = tool(recall).schema()["function"]
    assert (schema["name"], schema["description"]) == ("recall", "Look something up.")
    assert list(schema["parameters"]["properties"]) == ["cue", "limit"]


class Adder:
    """Add one."""

    def __call__(self, number: int) -> int:
        return number + 1

    def method(self, number: int) -> int:
        return number + 2


@pytest.mark.parametrize(
    ("fn", "result"),
    [(Adder(), 2), (Adder().method, 3), (functools.partial(Adder().method), 3)],
)
async def test_anything_callable_can_be_a_tool(fn: Any, result: int) -> None:
    one = tool(fn, name="add")
    assert await use(one, '{"number": 1}') == result


async def test_parameters_named_like_parts_of_pydantic_are_ordinary() -> None:
    def odd(schema: str, copy: int = 1, model_dump: int = 2, _under: int = 3) -> list[Any]:
        return [schema, copy, model_dump, _under]

    one = tool(odd)
    assert list(one.schema()["function"]["parameters"]["properties"]) == ["schema", "copy", "model_dump", "_under"]
    assert await use(one, '{"schema": "s", "copy": null, "_under": 4}') == ["s", 1, 2, 4]


async def use(tool: Tool, raw: str) -> Any:
    @handler(name="use")
    async def apply(value: Any, ctx: Context) -> Any:
        return await tool.run(read_arguments(tool, raw), ctx)

    return (await run_block(apply)).output


@pytest.mark.parametrize(
    ("fn", "said"),
    [
        (lambda x: x, "needs a name"),
        (lambda *x: x, "may not be"),
        (lambda x, /: x, "may not be"),
        (lambda x: x, "needs a type annotation"),
    ],
)
def test_a_function_that_cannot_be_a_tool_says_why(fn: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        tool(fn, name="" if "name" in said else "odd")


def test_types_that_json_cannot_carry_are_refused() -> None:
    def bad(connection: Adder) -> None: ...
    def worse(fn: "NoSuchType") -> None: ...  # noqa: F821

    with pytest.raises(ConfigurationError, match=r"'bad'.*types that JSON can carry"):
        tool(bad)
    with pytest.raises(ConfigurationError, match=r"'worse'.*NoSuchType"):
        tool(worse)


def test_names_are_spelt_as_models_take_them() -> None:
    assert alias("memory/recall é") == "memory_recall__"
    assert len(alias("x" * 100)) == 64


def weather(city: str, days: int = 1, where: dict[str, int] | None = None, colours: list[Colour] | None = None) -> str:
    """Look up the weather."""
    return city


@pytest.mark.parametrize(
    ("raw", "city", "days"),
    [
        ('{"city": "Oslo"}', "Oslo", 1),
        ('{"city": "Oslo", "days": null}', "Oslo", 1),
        ('{"city": "Oslo", "days": "3"}', "Oslo", 3),
        ("{'city': 'Oslo', 'days': 2,}", "Oslo", 2),
        ('{"city": "Oslo", "days": 2', "Oslo", 2),
        ('```json\n{"city": "Oslo"}\n```', "Oslo", 1),
        ('{"city": "line\nbreak"}', "line\nbreak", 1),
        (json.dumps('{"city": "Oslo"}'), "Oslo", 1),
    ],
)
def test_arguments_are_mended_where_it_is_plain_what_was_meant(raw: str, city: str, days: int) -> None:
    read: Any = read_arguments(tool(weather), raw)
    assert (read.city, read.days) == (city, days)


def test_json_in_a_string_becomes_the_object_or_list_it_spells() -> None:
    raw = json.dumps({"city": "Oslo", "where": '{"lat": 1}', "colours": '[{"name": "red", "shade": null}]'})
    read: Any = read_arguments(tool(weather), raw)
    assert read.where == {"lat": 1}
    assert read.colours == [Colour(name="red")]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("", "city: Field required"),
        ("null", "not a JSON object"),
        ("[1, 2]", "not a JSON object"),
        ("no json at all", "not a JSON object"),
        ('{"city": "Oslo", "user": "somebody else"}', "user: Extra inputs"),
        ('{"city": null}', "city: Field required"),
        ('{"city": "Oslo", "days": [1]}', "days: Input should be a valid integer"),
        ('{"city": "Oslo", "colours": "[oops"}', "colours"),
        ("[" * 100_000, "not|nested"),
    ],
)
def test_arguments_that_do_not_fit_say_where(raw: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_arguments(tool(weather), raw)


def test_a_call_that_was_cut_off_is_not_guessed_at() -> None:
    with pytest.raises(ValueError, match="cut off"):
        read_arguments(tool(weather), '{"city": "Osl', guess=False)


def test_the_only_argument_may_come_bare() -> None:
    def shout(words: list[str]) -> str:
        return " ".join(words)

    read: Any = read_arguments(tool(shout), '["a", "b"]')
    assert read.words == ["a", "b"]


@dataclass
class Point:
    x: int
    y: int = 0


class Names(RootModel[list[str]]):
    pass


@pytest.mark.parametrize(
    ("schema", "raw", "given"),
    [
        (Colour, '{"name": "red"}', Colour(name="red")),
        (str, '{"input": "red"}', "red"),
        (None, '{"input": "red"}', "red"),
        (list[int], '{"input": [1]}', [1]),
        (Point, '{"input": {"x": 1}}', Point(1)),
        (Names, '{"input": ["a"]}', Names(["a"])),
    ],
)
async def test_a_block_is_a_tool_that_takes_what_the_block_takes(schema: Any, raw: str, given: Any) -> None:
    tool = handler(lambda value: value, name="a/b", description="Give it back.", input_schema=schema).as_tool()
    assert tool.schema()["function"]["name"] == "a_b"
    assert tool.description == "Give it back."
    assert await use(tool, raw) == given


def test_a_block_tool_takes_another_name_and_knows_its_block() -> None:
    block = handler(lambda value: value, name="echo")
    tool = tool_of(block, name="again", description="Say it again.")
    assert (tool.name, tool.description, tool.block) == ("again", "Say it again.", block)
    assert tool_of(block).description == "Run echo."


def test_a_block_whose_input_no_json_carries_cannot_be_a_tool() -> None:
    async def takes(fn: Adder) -> None: ...

    with pytest.raises(ConfigurationError, match="'takes' cannot be a tool"):
        handler(takes).as_tool()
