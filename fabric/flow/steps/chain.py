"""What runs a chain of steps, and what is checked whenever a step is added to it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

from fabric.errors import ConfigurationError

from ..block import Block, In, Out, is_block
from ..calls import Call, Fn
from ..compatibility import either
from ..context import Context
from ..wiring import Body, Flow, Inline, index_of, remember
from . import Exit, ExitIf, Step, Then, Work, repetitions

Piece = Block[Any, Any] | Fn
"""A block, or a function in place of one: it becomes a handler."""


def _run_of(step: Step, mark: str) -> Callable[[Any, Context], Awaitable[Any]]:
    if mark:
        return lambda value, ctx: step.run(value, ctx.marked(mark))
    return step.body.block if isinstance(step, Then) and step.body.connector is None else step.run


@dataclass(frozen=True, eq=False, kw_only=True)
class Chain(Block[In, Out]):
    """A block made of steps. ``flow`` is what the last of them gives, ``exits`` what may end the chain before.

    ``takes_schema_of_first`` says that the input schema is the first block's, which checks it.
    """

    places: ClassVar[bool] = True
    steps: tuple[Step, ...] = ()
    takes_schema_of_first: bool = False
    flow: Flow = field(default_factory=Flow)
    exits: tuple[Any, ...] = ()

    async def execute(self, value: Any, ctx: Context) -> Any:
        """Run the steps in order, each on what the one before gave."""
        for step in self._runs:
            value = await step(value, ctx)
            if value.__class__ is Exit:
                return value.value
        return value

    async def connect(self, value: Any, ctx: Context) -> Any:
        """Return the value connected and checked; a schema that is the first block's is left to it."""
        if self.takes_schema_of_first:
            return value if self._connect is None else await self._connect(value, ctx)
        return await super().connect(value, ctx)

    def checked(self) -> Self:
        """Return the same chain; WiringError when what is inside cannot work together."""
        index_of(self)
        return self

    def children(self) -> Sequence[tuple[str, Block[Any, Any]]]:
        """Return the blocks of the steps, and those of the rescues, each with its label."""
        inside = [(label, body.block) for step in self.steps for label, body in step.bodies()]
        return [*inside, *super().children()]

    def background(self) -> Sequence[Block[Any, Any]]:
        """Return the blocks of the work steps."""
        return [step.body.block for step in self.steps if isinstance(step, Work)]

    @property
    def _here(self) -> str:
        return f"{self.name}, step {len(self.steps) + 1}"

    @property
    def _takes(self) -> Any:
        first = self.steps[0] if self.steps else None
        return first.body.block.accepts if isinstance(first, Then) and first.body.connector is None else Any

    @property
    def _gives(self) -> Any:
        return either(self.flow.type, *self.exits)

    @cached_property
    def _plain(self) -> bool:
        return self._unguarded and (self.takes_schema_of_first or self.input_schema is None)

    @cached_property
    def _runs(self) -> tuple[Callable[[Any, Context], Awaitable[Any]], ...]:
        marks = repetitions([[body.block.name for _, body in step.bodies()] for step in self.steps])
        return tuple(_run_of(step, mark) for step, mark in zip(self.steps, marks, strict=True))

    def _with(self, step: Step) -> Self:
        schema: dict[str, Any] = {}
        if not self.steps and self.input_schema is None and isinstance(step, Then) and step.body.connector is None:
            first = step.body.block
            if first.input_schema is not None and first.connector is None:
                schema = {"input_schema": first.input_schema, "takes_schema_of_first": True}
        flow = step.flow(self.flow)
        exits = (*self.exits, flow.type) if isinstance(step, ExitIf) else self.exits
        made = replace(self, steps=(*self.steps, step), flow=flow, exits=exits, **schema)
        index = index_of(self)
        for _, body in step.bodies():
            index = index.plus(body.block, background=isinstance(step, Work))
        remember(made, index)
        return made

    def _body(self, first: Piece, second: Piece | None) -> Body:
        connector, piece = self._split(first, second)
        return Body(self._block(piece), connector)

    def _split(self, first: Piece, second: Piece | None) -> tuple[Call | None, Piece]:
        return (None, first) if second is None else (self._call(first), second)

    def _call(self, fn: Any) -> Call:
        if is_block(fn) or not callable(fn):
            raise ConfigurationError(
                f"{self._here}: expected a function here, got {fn!r}; a block that comes before another "
                "is a step of its own: .then(block)"
            )
        return Call(fn, where=self._here)

    def _block(self, piece: Piece, suffix: str = "", taken: set[str] | None = None) -> Block[Any, Any]:
        """Return the block, or the handler made of a function, under a name that no sibling has."""
        if is_block(piece):
            return piece
        if not callable(piece):
            raise ConfigurationError(f"{self._here}: expected a block or a function, got {piece!r}")
        own = getattr(piece, "__name__", "<lambda>")
        base = f"step-{len(self.steps) + 1}{suffix}" if own == "<lambda>" else own
        names = {*index_of(self).siblings, *(taken or ())}
        name, count = base, 1
        while name in names:
            count += 1
            name = f"{base}-{count}"
        if taken is not None:
            taken.add(name)
        return Inline(fn=piece, name=name, description=(getattr(piece, "__doc__", "") or "").strip())
