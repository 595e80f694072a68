"""Tools: functions and blocks in the form a model may call them."""

import functools
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from pydantic import BaseModel, ConfigDict, create_model
from pydantic.errors import PydanticUserError

from ..errors import ConfigurationError
from ..lazy import lazy
from ..models.answers.strict import strict_schema

if TYPE_CHECKING:
    import pydantic

    from .context import Context
else:
    pydantic = lazy("pydantic")

MAX_NAME_CHARS = 64


@dataclass(frozen=True, eq=False, slots=True)
class Tool:
    """Something a model may call. ``run`` takes the validated arguments and the context.

    The scope of whatever a tool touches comes from the context, never from its arguments. ``block`` is the `Block`
    that a tool made from one runs, else None. ``shown`` makes of a result the text that a model is shown, by default
    its JSON. ``category`` says what it belongs to, such as "memory", and ``has_side_effects`` whether it changes
    something, None where nobody said.
    """

    name: str
    description: str
    arguments: type[BaseModel]
    run: "Callable[[Any, Context], Awaitable[Any]]"
    block: Any = None
    shown: Callable[[Any], str] | None = None
    category: str = ""
    has_side_effects: bool | None = None

    def schema(self) -> Mapping[str, Any]:
        """Return the OpenAI function schema, its parameters in the form that strict mode accepts.

        The ``strict`` flag itself is not set: not every provider knows it, and arguments are checked here anyway.
        """
        return {
            "type": "function",
            "function": {
                "name": alias(self.name),
                "description": self.description,
                "parameters": strict_schema(self.arguments),
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
    annotation; ConfigurationError when one has none. A plain function runs on the event loop: keep it quick.

    >>> def weather(city: str, days: int = 1) -> str:
    ...     "Look the weather up."
    ...     return "sun"
    >>> tool(weather).schema()["function"]["parameters"]["properties"]["days"]
    {'anyOf': [{'type': 'integer'}, {'type': 'null'}], 'description': 'Null means 1.'}
    """
    title = name or getattr(fn, "__name__", "")
    if not title or title == "<lambda>":
        raise ConfigurationError(f"a tool made from {fn!r} needs a name: tool(fn, name=...)")
    arguments, fields = _arguments_model(fn, title)
    wants_ctx = "ctx" in inspect.signature(fn).parameters

    async def run(values: BaseModel, ctx: "Context") -> Any:
        given: dict[str, Any] = {parameter: getattr(values, field) for parameter, field in fields.items()}
        if wants_ctx:
            given["ctx"] = ctx
        result = fn(**given)
        return await result if inspect.isawaitable(result) else result

    return Tool(title, description or inspect.getdoc(fn) or title, arguments, run)


def _arguments_model(fn: Callable[..., Any], title: str) -> tuple[type[BaseModel], dict[str, str]]:

    hints = _hints(fn, title)
    names: dict[str, str] = {}
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(fn).parameters.values():
        if parameter.name == "ctx":
            continue
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise ConfigurationError(
                f"tool {title!r}: parameter {parameter.name!r} may not be *, ** or positional only"
            )
        if parameter.name not in hints:
            raise ConfigurationError(f"tool {title!r}: parameter {parameter.name!r} needs a type annotation")
        field = _field_name(parameter.name)
        names[parameter.name] = field
        hint = hints[parameter.name]
        typed = hint if field == parameter.name else Annotated[hint, pydantic.Field(alias=parameter.name)]
        fields[field] = (typed, ... if parameter.default is parameter.empty else parameter.default)
    try:
        model = create_model(f"{alias(title)}_arguments", __config__=ConfigDict(extra="forbid"), **fields)
        strict_schema(model)
    except PydanticUserError as error:
        raise ConfigurationError(
            f"tool {title!r}: its parameters must be of types that JSON can carry: {error.message}"
        ) from error
    return model, names


def _field_name(parameter: str) -> str:
    taken = hasattr(BaseModel, parameter) or parameter.startswith(("_", "model_"))
    return f"arg_{parameter.lstrip('_')}" if taken else parameter


def _hints(fn: Callable[..., Any], title: str) -> dict[str, Any]:
    target: object = inspect.unwrap(fn.func if isinstance(fn, functools.partial) else fn)
    if not hasattr(target, "__globals__"):
        target = getattr(type(target), "__call__", target)  # noqa: B004  an object that is called like a function
    # The context's annotation is left out: it is often imported for type checkers only.
    wanted = {key: hint for key, hint in getattr(target, "__annotations__", {}).items() if key not in ("ctx", "return")}
    try:
        return get_type_hints(
            SimpleNamespace(__annotations__=wanted), globalns=getattr(target, "__globals__", {}), include_extras=True
        )
    except (NameError, TypeError) as error:
        raise ConfigurationError(f"tool {title!r}: an annotation cannot be resolved: {error}") from error
