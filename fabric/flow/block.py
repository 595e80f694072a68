"""The block: the one contract that handlers, generators, sequencers and routers keep.

A block is an immutable value with a name. Wiring blocks together runs nothing; a run calls ``await block(value, ctx)``:

1. ``connect_input`` maps the incoming value to what the block expects;
2. the value is checked against ``input_schema``;
3. the block does its work, again and again as ``retry`` allows;
4. an error goes to the first ``rescue`` that takes it, whose block's output stands for the result;
5. the result is checked against ``output_schema``.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypedDict, TypeVar, cast

from pydantic import BaseModel, ConfigDict, create_model
from pydantic.errors import PydanticUserError
from typing_extensions import TypeIs

from ..errors import ConfigurationError, SchemaMismatchError
from ..lazy import lazy
from ..models.answers.strict import strict_schema
from ..record.events import BlockFinished, BlockStarted
from ..telemetry.tracing import ERROR, SILENT, Attributes, Span, active, error_type, event, span
from ..telling import error_text
from ..validation import is_model
from .calls import Call, adapter, check
from .capability import Capability, Use, check_use, enter_lifespans, with_lifespan
from .compatibility import either, fits, shown_type
from .context import Context
from .failing import Rescue, Retry, note_place, reason_of
from .resource import Resource, Transaction
from .tool import Tool, alias

if TYPE_CHECKING:
    import networkx as nx

    from . import graph as drawing
else:
    drawing = lazy(".graph", __package__)

In = TypeVar("In", contravariant=True)
Out = TypeVar("Out", covariant=True)
Keeper = Callable[[Any], Awaitable[tuple[Any, Callable[[Transaction], None]]]]
"""What says, of a block's connected value, what is stored in one transaction with its job."""
PATH = " > "
"""What stands between the names in a block's path."""


class CommonOptions(TypedDict, total=False):
    """What every factory of blocks takes."""

    description: str
    uses: Sequence[Use]
    retry: Retry | None
    rescue: "Block[Any, Any] | Mapping[type[Exception], Block[Any, Any]] | None"
    connect_input: Callable[..., Any] | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Block(Generic[In, Out]):
    """One step of a dataflow. Subclasses say how it works in `execute`; everything else is the same for all.

    ``uses`` declares capabilities and resources, which are installed because they are declared.
    """

    name: str
    description: str = ""
    input_schema: Any = None
    output_schema: Any = None
    uses: tuple[Use, ...] = ()
    retry: Retry | None = None
    rescues: tuple[Rescue, ...] = ()
    connector: Callable[..., Any] | None = None
    keeper: "Keeper | None" = None
    patience: float | None = None  # seconds for which its background work holds up closing; None: until it is done
    hears: bool = False  # takes in what the user says: the run's input is recorded before any block sees it
    places: ClassVar[bool] = False
    """Whether this kind of block says itself where what is inside it stands: else calls of a block are counted."""

    def __post_init__(self) -> None:
        name = cast("object", self.name)
        if not isinstance(name, str) or not name.strip() or PATH in name:
            raise ConfigurationError(f"a block needs a name, without {PATH!r} in it: name='...'; got {name!r}")
        for use in self.uses:
            check_use(use, self.name)
        for schema in (self.input_schema, self.output_schema):
            if schema is not None:
                adapter(schema, self.name)

    async def execute(self, value: Any, ctx: Context) -> Any:
        """Do the work of this kind of block. ``ctx`` is the block's own context."""
        raise NotImplementedError

    async def __call__(self, value: Any, ctx: Context) -> Out:
        """Run the block inside the run that ``ctx`` belongs to, and return its output."""
        around = ctx.block
        if around is not None and not around.places:
            ctx = ctx.numbered(self.name)
        inner = Context(ctx.run, self, ctx)
        try:
            if self._plain and not ctx.run.observed:
                result: Out = await self.execute(value, inner)
            else:
                result = await self._observed(value, inner)
        except Exception as error:
            note_place(error, inner)
            raise
        except asyncio.CancelledError as error:
            raise reason_of(error, inner) from error.__cause__
        return result

    async def _observed(self, value: Any, ctx: Context) -> Any:
        if not ctx.run.observed:
            return await self._guarded(value, ctx)
        path = ctx.path
        ctx.run.emit(BlockStarted(path))
        try:
            with self._span(path):
                result = await self._guarded(value, ctx)
        except BaseException as error:  # a cancelled block has ended, too
            ctx.run.emit(BlockFinished(path, error=error_text(error)))
            raise
        ctx.run.emit(BlockFinished(path))
        return result

    def _span(self, path: str) -> Span:
        return span(self.span_name, self.span_attributes(path)) if active() else SILENT

    async def _guarded(self, value: Any, ctx: Context) -> Any:
        try:
            connected = await self.connect(value, ctx)
        except Exception as error:
            rescue = self._rescue_for(error)
            if rescue is None:
                raise
            return await self._rescued(rescue, error, ctx)
        return await self.resume(connected, ctx)

    async def connect(self, value: Any, ctx: Context) -> Any:
        """Return the value as the block expects it: connected and checked. ``ctx`` is the block's own context."""
        if self._connect is not None:
            value = await self._connect(value, ctx)
        if self.input_schema is not None:
            value = check(self.input_schema, value, ctx, "input")
        return value

    async def resume(self, connected: Any, ctx: Context) -> Any:
        """Do the block's work on a value that `connect` returned, with retries and rescues, and check the result."""
        if self._unguarded:
            return await self.execute(connected, ctx)
        try:
            return self._checked(await self._tried(connected, ctx), ctx)
        except Exception as error:
            rescue = self._rescue_for(error)
            if rescue is None:
                raise
            return await self._rescued(rescue, error, ctx)

    async def _tried(self, connected: Any, ctx: Context) -> Any:
        retry, attempt = self.retry, 1
        if retry is None:
            return await self._once(connected, ctx)
        while True:
            trial = ctx.begin_trial(is_retried=attempt < retry.attempts)
            try:
                return await self._once(connected, ctx)
            except Exception as error:
                if attempt >= retry.attempts or not isinstance(error, retry.on):
                    raise
                ctx.log.info("retrying", attempt=attempt, error=error_text(error))
                event("retry", {"fabric.attempt": attempt, ERROR: error_type(error)})
                await ctx.run.take_back(trial)
                await asyncio.sleep(retry.delay(attempt))
                attempt += 1

    async def _once(self, connected: Any, ctx: Context) -> Any:
        try:
            if not self._with_lifespan:
                return await self.execute(connected, ctx)
            async with enter_lifespans(self._with_lifespan, ctx):
                return await self.execute(connected, ctx)
        except asyncio.CancelledError as error:
            raise reason_of(error, ctx) from error.__cause__

    def _rescue_for(self, error: Exception) -> Rescue | None:
        return next((rescue for rescue in self.rescues if isinstance(error, rescue.when)), None)

    async def _rescued(self, rescue: Rescue, error: Exception, ctx: Context) -> Any:
        ctx.log.info("rescued", error=error_text(error), by=rescue.block.name)
        event("rescue", {"fabric.block.name": rescue.block.name, ERROR: error_type(error)})
        return self._checked(await rescue.block(error, ctx.marked("!")), ctx)

    def _checked(self, result: Any, ctx: Context) -> Any:
        return result if self.output_schema is None else check(self.output_schema, result, ctx, "output")

    @cached_property
    def _connect(self) -> Call | None:
        return None if self.connector is None else Call(self.connector, where=f"{self.name}: connect_input")

    @cached_property
    def _plain(self) -> bool:
        return self._unguarded and self.input_schema is None

    @cached_property
    def _unguarded(self) -> bool:
        guarded = self.output_schema is not None or self.retry is not None or self.rescues or self.connector is not None
        return not guarded and not self._with_lifespan

    @cached_property
    def _with_lifespan(self) -> Sequence[Capability[Any]]:
        return with_lifespan(self.name, self.capabilities)

    @property
    def kind(self) -> str:
        """What kind of block this is, in one word: ``"handler"``."""
        return type(self).__name__.lstrip("_").lower()

    @property
    def span_name(self) -> str:
        """What a trace calls a run of this block: its kind and its name."""
        return f"{self.kind} {self.name}"

    def span_attributes(self, path: str) -> Attributes:
        """Return what a trace says of a run of this block at ``path``."""
        return {"fabric.block.name": self.name, "fabric.block.kind": self.kind, "fabric.block.path": path}

    @property
    def accepts(self) -> Any:
        """The type of value that the block can be given, Any when it does not say."""
        if self.connector is not None:
            return Any
        return self._takes if self.input_schema is None else self.input_schema

    @property
    def returns(self) -> Any:
        """The type of value that the block gives, Any when it does not say."""
        if self.output_schema is not None:
            return self.output_schema
        return either(self._gives, *(rescue.block.returns for rescue in self.rescues))

    @property
    def _takes(self) -> Any:
        """The type that `execute` takes, where the kind of block knows it."""
        return Any

    @property
    def _gives(self) -> Any:
        """The type that `execute` gives, where the kind of block knows it."""
        return Any

    @property
    def capabilities(self) -> tuple[Capability[Any], ...]:
        """The capabilities this block declares."""
        return tuple(use for use in self.uses if isinstance(use, Capability))

    @property
    def resources(self) -> tuple[Resource, ...]:
        """The resources this block declares itself, those of its capabilities not counted."""
        return tuple(use for use in self.uses if not isinstance(use, Capability))

    def children(self) -> Sequence[tuple[str, "Block[Any, Any]"]]:
        """Return the blocks directly inside, each with the label of the step it stands in."""
        return [(rescue.label, rescue.block) for rescue in self.rescues]

    def background(self) -> "Sequence[Block[Any, Any]]":
        """Return those of `children` that run in the background."""
        return ()

    def verify(self) -> None:
        """Raise WiringError when what the block gives can never fit its own output schema."""
        if self.output_schema is not None and not fits(self._gives, self.output_schema):
            raise SchemaMismatchError(
                f"{self.name!r} gives {shown_type(self._gives)}, but its output_schema is "
                f"{shown_type(self.output_schema)}; change one of the two"
            )

    def walk(self) -> Iterator["Block[Any, Any]"]:
        """Yield this block and every block inside it, outermost first, each block value once."""
        seen: set[int] = set()
        waiting: list[Block[Any, Any]] = [self]
        while waiting:
            block = waiting.pop()
            if id(block) in seen:
                continue
            seen.add(id(block))
            yield block
            waiting.extend(child for _, child in reversed(block.children()))

    def connect_input(self, fn: Callable[..., Any]) -> Self:
        """Return the same block with ``fn`` mapping the incoming value to what it expects."""
        return replace(self, connector=fn)

    def store_with_job(self, keeper: "Keeper", *, hears: bool = False) -> Self:
        """Return the same block, of which something is stored in one transaction with its job when it is made work.

        ``keeper(value)`` gets the connected value and returns that of the job, and a function of the transaction.
        """
        return replace(self, keeper=keeper, hears=hears)

    def leaves_after(self, seconds: float) -> Self:
        """Return the same block, for whose background work a file that is closed waits no longer than that.

        What is not done by then is begun again when the file is opened next.
        """
        return replace(self, patience=seconds)

    def renamed(self, name: str) -> Self:
        """Return the same block under another name."""
        return replace(self, name=name)

    def as_tool(self, *, name: str = "", description: str = "") -> Tool:
        """Return the block as a tool: its input schema becomes the arguments."""
        return tool_of(self, name=name, description=description)

    def graph(self) -> "nx.DiGraph[str]":
        """Return the block's structure as a directed graph; see `fabric.flow.graph`."""
        return drawing.graph_of(self)

    def to_mermaid(self) -> str:
        """Return a picture of the block's structure, as Mermaid text."""
        return drawing.mermaid_of(self)


def is_block(value: object) -> TypeIs[Block[Any, Any]]:
    """Return whether ``value`` is a block of any kind."""
    return isinstance(value, Block)


def rescues_of(rescue: "Block[Any, Any] | Mapping[type[Exception], Block[Any, Any]] | None") -> tuple[Rescue, ...]:
    """Return the rescues that a ``rescue=`` argument means: one block for all errors, or a block per error type."""
    if rescue is None:
        return ()
    if isinstance(rescue, Block):
        return (Rescue(rescue),)
    return tuple(Rescue(block, (kind,)) for kind, block in rescue.items())


def tool_of(block: Block[Any, Any], *, name: str = "", description: str = "") -> Tool:
    """Return ``block`` as a tool; ConfigurationError when its input is of a type that JSON cannot carry.

    A pydantic model as input gives its fields as arguments. Any other type is the one argument ``input``; a block that
    does not say what it accepts takes a string.
    """
    title = name or block.name
    accepts = block.accepts
    whole = accepts if is_model(accepts) and not accepts.__pydantic_root_model__ else None
    try:
        arguments = whole or _one_argument(title, str if accepts is Any else accepts)
        strict_schema(arguments)
    except PydanticUserError as error:
        raise ConfigurationError(
            f"block {block.name!r} cannot be a tool: its input {accepts!r} is not a type JSON can carry"
        ) from error

    async def run(values: Any, ctx: Context) -> Any:
        return await block(values if whole else values.input, ctx)

    return Tool(title, description or block.description or f"Run {title}.", arguments, run, block)


def _one_argument(title: str, kind: Any) -> type[BaseModel]:
    return create_model(f"{alias(title)}_arguments", __config__=ConfigDict(extra="forbid"), input=(kind, ...))
