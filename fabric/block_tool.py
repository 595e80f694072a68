"""Blocks as tools: what a block accepts becomes what a model must give."""

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, RootModel, create_model
from pydantic.errors import PydanticUserError

from .block import Block
from .errors import ConfigurationError
from .strict import strict_schema
from .tool import Tool, alias

if TYPE_CHECKING:
    from .context import Context


def block_tool(block: Block[Any, Any], *, name: str = "", description: str = "") -> Tool:
    """Return ``block`` as a tool; ConfigurationError when its input is of a type that JSON cannot carry.

    A pydantic model as input gives its fields as arguments. Any other type is the one argument ``input``; a block that
    does not say what it accepts takes a string.
    """
    title = name or block.name
    accepts = block.accepts
    whole = isinstance(accepts, type) and issubclass(accepts, BaseModel) and not issubclass(accepts, RootModel)
    try:
        arguments: type[BaseModel] = accepts if whole else _one_argument(title, str if accepts is Any else accepts)
        strict_schema(arguments)
    except PydanticUserError as error:
        raise ConfigurationError(
            f"block {block.name!r} cannot be a tool: its input {accepts!r} is not a type JSON can carry"
        ) from error

    async def run(values: Any, ctx: "Context") -> Any:
        return await block(values if whole else values.input, ctx)

    return Tool(title, description or block.description or f"Run {title}.", arguments, run, block)


def _one_argument(title: str, kind: Any) -> type[BaseModel]:
    return create_model(f"{alias(title)}_arguments", __config__=ConfigDict(extra="forbid"), input=(kind, ...))
