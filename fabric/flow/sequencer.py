"""The sequencer: blocks one after another, and the ways in which a chain may fork, loop, wait and end."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Required, TypeVar, Unpack, overload

from ..errors import ConfigurationError
from ..narrowing import is_mapping
from .block import Block, CommonOptions, In, Out, rescues_of
from .calls import Fn
from .capability import Use
from .failing import Retry
from .steps import (
    Branch,
    DoUntil,
    ExitIf,
    ForEach,
    Map,
    Option,
    Parallel,
    Tap,
    Then,
    ThenIf,
    WaitForWork,
    Work,
    condition_of,
    limit_of,
)
from .steps.chain import Chain, Piece
from .wiring import Body, Flow

T = TypeVar("T")
V = TypeVar("V")
Condition = bool | Fn
_WITHOUT_CONNECTOR, _WITH_CONNECTOR = 2, 3
"""The lengths that an option of `Sequencer.branch` may have."""
AsyncPiece = Callable[..., Awaitable[T]]
"""A block or an async function: both give ``T`` when awaited."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Sequencer(Chain[In, Out]):
    """A chain of steps, itself a block. Every method returns a new sequencer; this one stays as it is.

    A function may stand wherever a block is expected; it takes (), (value), (ctx) or (value, ctx). A condition is a
    bool or such a function. A connector is a function that makes a block's input from the value of the chain.
    """

    @overload
    def then(self, block: AsyncPiece[T], /) -> "Sequencer[In, T]": ...
    @overload
    def then(self, block: Callable[..., T], /) -> "Sequencer[In, T]": ...
    @overload
    def then(self, connector: Fn, block: AsyncPiece[T], /) -> "Sequencer[In, T]": ...
    @overload
    def then(self, connector: Fn, block: Callable[..., T], /) -> "Sequencer[In, T]": ...
    def then(self, first: Piece, second: Piece | None = None, /) -> "Sequencer[Any, Any]":
        """Run a block: ``then(block)`` on the value, ``then(connector, block)`` on what the connector makes of it."""
        return self._with(Then(self._body(first, second)))

    @overload
    def then_if(self, condition: Condition, block: AsyncPiece[T], /) -> "Sequencer[In, Out | T]": ...
    @overload
    def then_if(self, condition: Condition, block: Callable[..., T], /) -> "Sequencer[In, Out | T]": ...
    @overload
    def then_if(self, condition: Condition, connector: Fn, block: AsyncPiece[T], /) -> "Sequencer[In, Out | T]": ...
    @overload
    def then_if(self, condition: Condition, connector: Fn, block: Callable[..., T], /) -> "Sequencer[In, Out | T]": ...
    def then_if(self, condition: Condition, first: Piece, second: Piece | None = None, /) -> "Sequencer[Any, Any]":
        """Run a block when ``condition`` holds for the value; else the value passes unchanged."""
        return self._with(ThenIf(self._body(first, second), condition_of(condition, self._here)))

    @overload
    def map(self, fn: Callable[..., Awaitable[T]], /) -> "Sequencer[In, T]": ...
    @overload
    def map(self, fn: Callable[..., T], /) -> "Sequencer[In, T]": ...
    def map(self, fn: Fn, /) -> "Sequencer[Any, Any]":
        """Give the value to a plain function, which is no block: no name, no events."""
        return self._with(Map(self._call(fn)))

    @overload
    def parallel(
        self, branches: Mapping[str, AsyncPiece[T]], /, *, max_concurrency: int | None = None
    ) -> "Sequencer[In, dict[str, T]]": ...
    @overload
    def parallel(
        self, branches: Mapping[str, Piece], /, *, max_concurrency: int | None = None
    ) -> "Sequencer[In, dict[str, Any]]": ...
    def parallel(
        self, branches: Mapping[str, Piece], /, *, max_concurrency: int | None = None
    ) -> "Sequencer[Any, Any]":
        """Run the blocks on the same value at once; gives their outputs by key.

        The first failure fails the step; the other branches are cancelled and waited for.
        """
        limit = limit_of(max_concurrency, self._here)
        taken: set[str] = set()
        bodies = {key: Body(self._block(piece, f"-{key}", taken)) for key, piece in branches.items()}
        if not bodies:
            raise ConfigurationError(f"{self._here}: parallel needs at least one block")
        return self._with(Parallel(bodies, limit))

    @overload
    def for_each(self, block: AsyncPiece[T], /, *, max_concurrency: int | None = None) -> "Sequencer[In, list[T]]": ...
    @overload
    def for_each(
        self, block: Callable[..., T], /, *, max_concurrency: int | None = None
    ) -> "Sequencer[In, list[T]]": ...
    @overload
    def for_each(
        self, connector: Fn, block: AsyncPiece[T], /, *, max_concurrency: int | None = None
    ) -> "Sequencer[In, list[T]]": ...
    @overload
    def for_each(
        self, connector: Fn, block: Callable[..., T], /, *, max_concurrency: int | None = None
    ) -> "Sequencer[In, list[T]]": ...
    def for_each(
        self, first: Piece, second: Piece | None = None, /, *, max_concurrency: int | None = None
    ) -> "Sequencer[Any, Any]":
        """Run a block on each element of the list that arrives, or that the connector makes; gives the list of outputs.

        None gives ``[]``; anything else that is no list or tuple raises RunError. Elements run at once, at most
        ``max_concurrency`` at a time; the first failure cancels the others.
        """
        connector, piece = self._split(first, second)
        body = Body(self._block(piece))
        return self._with(ForEach(body, connector, limit_of(max_concurrency, self._here)))

    @overload
    def do_until(self, condition: Condition, block: AsyncPiece[T], /) -> "Sequencer[In, T]": ...
    @overload
    def do_until(self, condition: Condition, block: Callable[..., T], /) -> "Sequencer[In, T]": ...
    @overload
    def do_until(self, condition: Condition, connector: Fn, block: AsyncPiece[T], /) -> "Sequencer[In, T]": ...
    @overload
    def do_until(self, condition: Condition, connector: Fn, block: Callable[..., T], /) -> "Sequencer[In, T]": ...
    def do_until(self, condition: Condition, first: Piece, second: Piece | None = None, /) -> "Sequencer[Any, Any]":
        """Run a block, and again on its own output, until ``condition`` holds for the output.

        A connector runs in each round. GuardError after 250 rounds.
        """
        return self._with(DoUntil(self._body(first, second), condition_of(condition, self._here)))

    def branch(
        self, options: Mapping[str, tuple[Condition, Piece] | tuple[Fn, Condition, Piece]], /
    ) -> "Sequencer[In, Any]":
        """Run the block of the first option that takes the value: ``{name: (condition, block)}``.

        In ``(connector, condition, block)`` both condition and block get what the connector makes of the value.
        NoBranchError when no condition holds.
        """
        taken: set[str] = set()
        made: dict[str, Option] = {}
        for name, option in options.items():
            where = f"{self._here}, branch {name!r}"
            if len(option) not in (_WITHOUT_CONNECTOR, _WITH_CONNECTOR):
                raise ConfigurationError(f"{where}: expected (condition, block) or (connector, condition, block)")
            connector = self._call(option[0]) if len(option) == _WITH_CONNECTOR else None
            body = Body(self._block(option[-1], f"-{name}", taken))
            made[name] = Option(connector, condition_of(option[-2], where), body)
        if not made:
            raise ConfigurationError(f"{self._here}: branch needs at least one option")
        return self._with(Branch(made))

    def tap(self, block: Piece, /) -> "Sequencer[In, Out]":
        """Run a block and wait for it, but pass the value on unchanged; its errors are raised."""
        return self._with(Tap(Body(self._block(block))))

    def work(self, first: Piece, second: Piece | None = None, /, *, name: str = "") -> "Sequencer[In, Out]":
        """Run a block in the background: ``work(block)`` or ``work(connector, block)``; the value passes unchanged.

        The connector, the block's own ``connect_input`` and the check of its input happen now, and their errors are
        raised. What the block does in the background is recorded, and never raised.
        """
        body = self._body(first, second)
        return self._with(Work(replace(body, block=body.block.renamed(name)) if name else body))

    def wait_for_work(self, *, fail_on_error: bool = False, timeout: float | None = None) -> "Sequencer[In, Out]":
        """Wait for the background work that this run of the sequencer started; the value passes unchanged.

        ``fail_on_error`` raises the first failure; ``timeout``, in seconds, raises when work takes longer.
        """
        return self._with(WaitForWork(fail_on_error, timeout))

    def exit_if(self, condition: Condition, /) -> "Sequencer[In, Any]":
        """End the sequence with the current value when ``condition`` holds; background work goes on."""
        return self._with(ExitIf(condition_of(condition, self._here)))

    def rescue(self, rescue: Piece | Mapping[type[Exception], Piece], /) -> "Sequencer[In, Any]":
        """Say what stands for the sequence's output when a step fails: a block, or a block per error type.

        The block receives the error. There is one set of rescues for the whole chain: a later call replaces it. An
        error that none takes is raised.
        """
        taken: set[str] = set()
        if is_mapping(rescue):
            blocks = {kind: self._block(piece, f"-{kind.__name__}", taken) for kind, piece in rescue.items()}
            return replace(self, rescues=rescues_of(blocks)).checked()
        return replace(self, rescues=rescues_of(self._block(rescue))).checked()


class SequencerOptions(CommonOptions, total=False):
    """What `sequencer` takes, but for the schema of its input."""

    name: Required[str]
    output_schema: Any


@overload
def sequencer(*, input_schema: type[V], **options: Unpack[SequencerOptions]) -> Sequencer[V, V]: ...
@overload
def sequencer(*, input_schema: Any = None, **options: Unpack[SequencerOptions]) -> Sequencer[object, Any]: ...
def sequencer(
    *,
    name: str,
    description: str = "",
    input_schema: Any = None,
    output_schema: Any = None,
    uses: Sequence[Use] = (),
    retry: Retry | None = None,
    rescue: Block[Any, Any] | Mapping[type[Exception], Block[Any, Any]] | None = None,
    connect_input: Fn | None = None,
) -> Sequencer[Any, Any]:
    """Begin a chain; its methods add the steps. With no input schema it adopts that of its first block.

    >>> shout = sequencer(name="shout").map(str.strip).then(lambda text: text.upper())
    >>> [block.name for _, block in shout.children()]
    ['step-2']
    """
    made: Sequencer[Any, Any] = Sequencer(
        name=name,
        description=description,
        input_schema=input_schema,
        output_schema=output_schema,
        uses=tuple(uses),
        retry=retry,
        rescues=rescues_of(rescue),
        connector=connect_input,
        flow=Flow(Any if input_schema is None else input_schema, f"the input of {name!r}"),
    )
    return made.checked()
