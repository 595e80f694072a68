"""Tools: functions and blocks in the form a model may call them."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_type_hints

from pydantic import BaseModel, ConfigDict, create_model

from .errors import ConfigurationError

if TYPE_CHECKING:
    from .context import Context

MAX_NAME_CHARS = 64


@dataclass(frozen=True, eq=False, slots=True)
class Tool:
    """Something a model may call. ``run`` takes the validated arguments and the context.

    The scope of whatever a tool touches comes from the context, never from its arguments.
    """

    name: str
    description: str
    arguments: type[BaseModel]
    run: "Callable[[Any, Context], Awaitable[Any]]"

    def schema(self) -> Mapping[str, Any]:
        """Return the OpenAI function schema, in the form that strict mode accepts."""
        parameters = self.arguments.model_json_schema()
        return {
            "type": "function",
            "function": {
                "name": alias(self.name),
                "description": self.description,
                "parameters": parameters,
            },
        }


def alias(name: str) -> str:
    """Return the tool's name as models accept it: letters, digits, ``_`` and ``-``, at most 64 characters.

    >>> alias("memory/recall")
    'memory_recall'
    """
    return "".join(char if char.isascii() and (char.isalnum() or char in "_-") else "_" for char in name)[
        :MAX_NAME_CHARS
    ]


def tool(fn: Callable[..., Any], *, name: str = "", description: str = "") -> Tool:
    """Make a tool from a function: its parameters become the arguments, its docstring the description.

    A parameter named ``ctx`` receives the context and is hidden from the model. Every other parameter needs an
    annotation; ConfigurationError when one has none.

    >>> def weather(city: str, days: int = 1) -> str:
    ...     "Look the weather up."
    ...     return "sun"
    >>> tool(weather).schema()["function"]["parameters"]["required"]
    ['city']
    """
    title = name or getattr(fn, "__name__", "")
    if not title or title == "<lambda>":
        raise ConfigurationError("a tool made from a lambda needs a name: tool(fn, name=...)")
    arguments = _arguments_model(fn, title)
    wants_ctx = "ctx" in inspect.signature(fn).parameters

    async def run(values: BaseModel, ctx: "Context") -> Any:
        given: dict[str, Any] = {key: getattr(values, key) for key in type(values).model_fields}
        if wants_ctx:
            given["ctx"] = ctx
        result = fn(**given)
        return await result if inspect.isawaitable(result) else result

    return Tool(title, description or inspect.getdoc(fn) or title, arguments, run)


def _arguments_model(fn: Callable[..., Any], title: str) -> type[BaseModel]:
    hints = get_type_hints(fn, include_extras=True)
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(fn).parameters.values():
        if parameter.name == "ctx":
            continue
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) or parameter.name not in hints:
            raise ConfigurationError(
                f"tool {title!r}: parameter {parameter.name!r} needs a type annotation and may not be * or **"
            )
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[parameter.name] = (hints[parameter.name], default)
    return create_model(f"{title}_arguments", __config__=ConfigDict(extra="forbid"), **fields)
