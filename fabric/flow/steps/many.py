"""Steps that fork: several blocks on one value, one block on several values, one of several blocks."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fabric.errors import ConfigurationError, NoBranchError, RunError
from fabric.narrowing import is_list_or_tuple

from ..calls import Call
from ..context import Context
from ..wiring import Body, Flow, call_flow, either, listed_type
from .step import Single, Step, Test, holds, repetitions, short


@dataclass(frozen=True, eq=False, slots=True)
class Parallel(Step):
    """Several blocks on the same value at once."""

    branches: Mapping[str, Body]
    limit: int | None
    kind = "parallel"

    async def run(self, value: Any, ctx: Context) -> Any:
        """Return the outputs by key."""
        marks = repetitions([[body.block.name] for body in self.branches.values()])
        places = [ctx.marked(mark) if mark else ctx for mark in marks]
        runs = [(body, value, place) for body, place in zip(self.branches.values(), places, strict=True)]
        outputs = await together(runs, self.limit)
        return dict(zip(self.branches, outputs, strict=True))

    def flow(self, given: Flow) -> Flow:
        """Return that a dict goes on."""
        for body in self.branches.values():
            body.flow(given)
        return Flow(dict[str, Any], f"the parallel step ({', '.join(self.branches)})")

    def bodies(self) -> Sequence[tuple[str, Body]]:
        """Return the blocks by key."""
        return tuple(self.branches.items())


@dataclass(frozen=True, eq=False, slots=True)
class ForEach(Single):
    """One block on each element of a list."""

    connector: Call | None
    limit: int | None
    kind = "for_each"

    async def run(self, value: Any, ctx: Context) -> Any:
        """Return the outputs in the order of the elements; RunError when no list comes."""
        elements: Any = value if self.connector is None else await self.connector(value, ctx)
        if elements is None:
            return []
        if not is_list_or_tuple(elements):
            raise RunError(
                f"{ctx.path}: for_each {self.body.block.name!r} expects a list, got {type(elements).__name__}: "
                f"{short(elements)}; give it a connector that makes a list"
            )
        runs = [(self.body, element, ctx.marked(f"[{index}]")) for index, element in enumerate(elements)]
        return await together(runs, self.limit)

    def flow(self, given: Flow) -> Flow:
        """Return that a list of the block's outputs goes on."""
        arriving = given if self.connector is None else call_flow(self.connector, given)
        element = listed_type(arriving, self.body.block.name)
        made = self.body.flow(Flow(element, f"an element of what {arriving.by} gives"))
        outputs: Any = list[made.type]  # type: ignore[name-defined]  # a type known at run time only
        return Flow(outputs, made.by)


@dataclass(frozen=True, eq=False, slots=True)
class Option:
    """One way of a `Branch`: the connector first, then the condition and the block on what it gives."""

    connector: Call | None
    test: Test
    body: Body

    def flow(self, given: Flow) -> Flow:
        """Return what the block gives."""
        return self.body.flow(given if self.connector is None else call_flow(self.connector, given))


@dataclass(frozen=True, eq=False, slots=True)
class Branch(Step):
    """The block of the first option whose condition holds."""

    options: Mapping[str, Option]
    kind = "branch"

    async def run(self, value: Any, ctx: Context) -> Any:
        """Return that block's output; NoBranchError when no condition holds."""
        for option in self.options.values():
            arriving = value if option.connector is None else await option.connector(value, ctx)
            if await holds(option.test, arriving, ctx):
                return await option.body(arriving, ctx)
        raise NoBranchError(
            f"{ctx.path}: no branch took {short(value)}; tried: {', '.join(self.options)}; "
            "add a last branch whose condition is True"
        )

    def flow(self, given: Flow) -> Flow:
        """Return that the output of any option may go on."""
        made = [option.flow(given) for option in self.options.values() if option.test is not False]
        return Flow(either(*(flow.type for flow in made)), " or ".join(flow.by for flow in made))

    def bodies(self) -> Sequence[tuple[str, Body]]:
        """Return the blocks by the options' names."""
        return tuple((name, option.body) for name, option in self.options.items())


async def together(runs: Sequence[tuple[Body, Any, Context]], limit: int | None) -> list[Any]:
    """Run each block on its value and in its context at once, at most ``limit`` at a time.

    The first failure cancels the others.
    """
    gate = asyncio.Semaphore(limit or max(1, len(runs)))

    failed = False

    async def gated(body: Body, value: Any, ctx: Context) -> Any:
        nonlocal failed
        async with gate:
            if failed:  # the gate opened because one failed: this one must not begin before it is cancelled
                return None
            try:
                return await body(value, ctx)
            except BaseException:
                failed = True
                raise

    failure: BaseException | None = None
    tasks: list[asyncio.Task[Any]] = []
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(gated(body, value, ctx)) for body, value, ctx in runs]
    except BaseExceptionGroup as failures:
        failure = failures.exceptions[0]
    if failure is not None:  # raised here, not above, so that the error keeps its own cause and context
        raise failure
    return [task.result() for task in tasks]


def limit_of(max_concurrency: int | None, where: str) -> int | None:
    """Return the limit; ConfigurationError when it would let nothing run."""
    if max_concurrency is not None and max_concurrency < 1:
        raise ConfigurationError(
            f"{where}: max_concurrency={max_concurrency}; expected at least 1, or None for no limit"
        )
    return max_concurrency
