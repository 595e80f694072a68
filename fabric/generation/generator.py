"""The generator: a block that asks a language model, with context, history and tools."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Required, TypeVar, Unpack, overload

from pydantic import BaseModel, ConfigDict, create_model

from ..errors import ConfigurationError, SchemaError
from ..flow.block import Block, CommonOptions, rescues_of
from ..flow.calls import Call, Fn
from ..flow.capability import Capability, ContextLines, Use, merge_capabilities
from ..flow.context import Context
from ..flow.failing import Retry
from ..flow.resource import Resource
from ..models.base import Message, Request
from ..models.server import ModelServer
from ..models.spans import target
from ..narrowing import is_sequence
from ..options import check_model
from ..record.history import History, history_messages, history_of
from ..record.items import Item
from ..telemetry.tracing import Attributes
from ..validation import is_model
from .messages import context_call, context_text, header_text, system_text, user_messages
from .toolbox import Toolbox, as_tool
from .toolloop import ToolLoop
from .turn import record_turn

T = TypeVar("T")
Text = str | Fn
ModelChoice = str | Sequence[str] | Fn
UserPrompt = str | Mapping[str, Any] | Sequence[Any] | Fn

DEFAULT_TOOL_LIMIT = 8


@dataclass(frozen=True, eq=False, kw_only=True)
class Generator(Block[Any, Any]):
    """A block that asks a model; `generator` makes one and says what each part means."""

    model: ModelChoice
    system: Text | Sequence[Text] = ()
    context: tuple[Any, ...] = ()
    history: History | None = None
    user: Any = None
    tools: tuple[Any, ...] = ()
    tool_limit: int = DEFAULT_TOOL_LIMIT
    temperature: float | None = None
    max_tokens: int | None = None
    record: bool = True
    server: ModelServer | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_model(f"{self.name}: model", self.model)
        if self.tool_limit < 1:
            raise ConfigurationError(f"{self.name}: tool_limit={self.tool_limit}: give at least 1, or no tools")
        # Functions of the wrong shape and tools that share a name are found now.
        self._parts  # noqa: B018
        Toolbox(self._own_tools)

    @cached_property
    def _parts(self) -> "_Parts":
        given: Any = self.system
        system: Sequence[Any] = given if is_sequence(given) and not isinstance(given, str) else [given]
        return _Parts(
            Call(self.model, where=f"{self.name}: model") if callable(self.model) else None,
            [part if isinstance(part, str) else Call(part, where=f"{self.name}: system") for part in system],
            [context_call(source, f"{self.name}: context") for source in self.context],
            Call(self.user, where=f"{self.name}: user") if callable(self.user) else None,
            _answer_schema(self.output_schema, self.name),
        )

    @cached_property
    def _own_tools(self) -> list[tuple[str, Any]]:
        own = merge_capabilities((self.name, capability) for capability in self.capabilities)
        return [*((self.name, source) for source in self.tools), *_preset_tools(own)]

    @property
    def span_name(self) -> str:
        """What a trace calls a run of this block: with tools of its own it is an agent."""
        return f"invoke_agent {self.name}" if self._own_tools else super().span_name

    def span_attributes(self, path: str) -> Attributes:
        """Return what a trace says of a run of this block at ``path``."""
        attributes = super().span_attributes(path)
        if not self._own_tools:
            return attributes
        first = None if callable(self.model) else self.model if isinstance(self.model, str) else self.model[0]
        asked: Attributes = {} if first is None else target(first)
        return {**attributes, "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": self.name, **asked}

    @property
    def _gives(self) -> Any:
        return str if self.output_schema is None else Any

    @property
    def resources(self) -> tuple[Resource, ...]:
        """The resources this block declares itself, and those that its context lines read."""
        read = (
            resource for source in self.context if isinstance(source, ContextLines) for resource in source.resources
        )
        return (*super().resources, *read)

    def children(self) -> Sequence[tuple[str, Block[Any, Any]]]:
        """Return the blocks of rescues, then those that are tools."""
        tools = [as_tool(source) for _, source in self._own_tools]
        return [*super().children(), *((f"tool {tool.name}", tool.block) for tool in tools if tool.block is not None)]

    async def execute(self, value: Any, ctx: Context) -> Any:
        """Ask the model, carry out the tools it calls, and return its text or its answer as the schema says."""
        models = await self._models(value, ctx)
        own = await self._said(value, ctx)
        # What a tool's block or background work says is not said to the user, and not part of the conversation.
        record = self.record and not ctx.run.in_job and not inside_generator(ctx)
        earlier = record_turn(own, ctx, record=record, templated=self.user is not None)
        messages = [*await self._instructions(value, ctx), *self._remembered(earlier), *own]
        if not messages:
            raise SchemaError(f"{ctx.path}: there is nothing to send: the input is None and there is no system text")
        toolbox = Toolbox([*self._own_tools, *_preset_tools(ctx.cap.declared())])
        request = Request(
            model=models[0],
            messages=messages,
            tools=toolbox.schemas(),
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            server=self.server,
        )
        loop = ToolLoop(ctx, models, toolbox, self.tool_limit, record)
        if self._parts.schema is None:
            return await loop.text(request)
        answer = await loop.structured(request, self._parts.schema)
        wrapped = self._parts.schema is not self.output_schema
        return getattr(answer, "output") if wrapped else answer  # noqa: B009  a field made at run time

    async def _models(self, value: Any, ctx: Context) -> Sequence[str]:
        choose = self._parts.model
        chosen: Any = self.model if choose is None else await choose(value, ctx)
        models: list[Any] = [chosen] if isinstance(chosen, str) else list(chosen or ())
        if not models or not all(isinstance(model, str) and model for model in models):
            raise ConfigurationError(f"{ctx.path}: model={chosen!r}: expected a model id or a list of ids")
        return models

    async def _said(self, value: Any, ctx: Context) -> list[Message]:
        user = self._parts.user
        if user is not None:
            return user_messages(await user(value, ctx))
        return user_messages(value if self.user is None else self.user)

    async def _instructions(self, value: Any, ctx: Context) -> list[Message]:
        header = await header_text(value, ctx)
        system = await system_text(self._parts.system, value, ctx)
        context = await context_text(self._parts.context, value, ctx)
        text = "\n\n".join(filter(None, (header, system, context)))
        return [{"role": "system", "content": text}] if text else []

    def _remembered(self, earlier: Sequence[Item]) -> list[Message]:
        return [] if self.history is None else history_messages(earlier, self.history)


class _Parts(NamedTuple):
    """The functions of a generator, ready to be called."""

    model: Call | None
    system: Sequence[str | Call]
    context: Sequence[str | Call]
    user: Call | None
    schema: type[BaseModel] | None


def _answer_schema(schema: Any, name: str) -> type[BaseModel] | None:
    """Return the model that a structured answer is asked for in: other types are wrapped, as models answer objects."""
    if schema is None or schema is str or schema is Any:
        return None
    if is_model(schema):
        return schema
    title = "".join(char if char.isalnum() else "_" for char in name)
    return create_model(f"{title}_answer", __config__=ConfigDict(extra="forbid"), output=(schema, ...))


def _preset_tools(capabilities: Mapping[str, Capability[Any]]) -> list[tuple[str, Any]]:
    return [
        (f"capability {name!r}", source)
        for name, capability in capabilities.items()
        for bundle in capability.active()
        for source in bundle.tools
    ]


def inside_generator(ctx: Context) -> bool:
    """Return whether a generator is around the block of a context, which is then, or is part of, one of its tools."""
    around = ctx.parent
    while around is not None:
        if isinstance(around.block, Generator):
            return True
        around = around.parent
    return False


class GeneratorOptions(CommonOptions, total=False):
    """What `generator` takes, but for the schema of the answer."""

    name: Required[str]
    model: Required[ModelChoice]
    input_schema: Any
    system: Text | Sequence[Text]
    context: Sequence[Any]
    history: bool | int | History
    user: UserPrompt | None
    tools: Sequence[Any]
    tool_limit: int
    temperature: float | None
    max_tokens: int | None
    record: bool
    server: ModelServer | None


@overload
def generator(*, output_schema: None = None, **options: Unpack[GeneratorOptions]) -> Block[Any, str]: ...
@overload
def generator(*, output_schema: type[T], **options: Unpack[GeneratorOptions]) -> Block[Any, T]: ...
def generator(
    *,
    name: str,
    model: ModelChoice,
    system: Text | Sequence[Text] = "",
    context: Sequence[Any] = (),
    history: bool | int | History = False,
    user: UserPrompt | None = None,
    tools: Sequence[Any] = (),
    tool_limit: int = DEFAULT_TOOL_LIMIT,
    output_schema: Any = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
    record: bool = True,
    server: ModelServer | None = None,
    description: str = "",
    input_schema: Any = None,
    uses: Sequence[Use] = (),
    retry: Retry | None = None,
    rescue: Block[Any, Any] | Mapping[type[Exception], Block[Any, Any]] | None = None,
    connect_input: Callable[..., Any] | None = None,
) -> Block[Any, Any]:
    """Make a block that asks a language model. ConfigurationError for what can be seen to be wrong now.

    ``model``: an id, a list of ids (the next is asked when one fails), or a function of ``(value, ctx)`` returning one.
    ``system``: text, a function of ``(value, ctx)``, or a list of those. ``context``: strings and functions of ``ctx``;
    with the context of the declared capabilities they follow the system text in one system message.
    ``history``: True, a number of turns, or a `History`. ``user``: text, messages, or a function of ``(value, ctx)``;
    without it the input is the user's message. ``tools``: functions, blocks and tools; ``tool_limit`` steps at most.
    ``output_schema``: a type to answer in; without one the output is text. ``record``: whether the user's message,
    tool calls and the answer become items of the session. An answer whose stream broke off does not, nor does what is
    said in background work or by a block that another generator uses as a tool. ``server``: where the model is reached,
    when that is not its provider's usual address.

    >>> chat = generator(name="chat", model="gpt-5", system="Be brief.", history=10)
    >>> chat.name
    'chat'
    """
    return Generator(
        name=name,
        model=model,
        system=system,
        context=tuple(context),
        history=history_of(history),
        user=user,
        tools=tuple(tools),
        tool_limit=tool_limit,
        output_schema=output_schema,
        temperature=temperature,
        max_tokens=max_tokens,
        record=record,
        server=server,
        description=description,
        input_schema=input_schema,
        uses=tuple(uses),
        retry=retry,
        rescues=rescues_of(rescue),
        connector=connect_input,
    )
