"""The steps of a sequencer: what happens to the value between one block and the next."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .block import Block
from .calls import Call
from .context import Context
from .errors import ConfigurationError, GuardError, NoBranchError, RunError
from .wiring import Body, Flow, either, listed_type, call_flow

GUARD = 250
"""How many rounds `Sequencer.do_until` runs before it gives up."""

Run = Callable[[Any, Context], Awaitable[Any]]
Test = Call | bool


class Exit:
    """A value that ends the sequence: what an `ExitIf` step gives when its condition holds."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Step:
    """One step. ``run`` takes the value and the sequencer's own context; the rest is asked while wiring and drawing."""

    kind = "step"

    async def run(self, value: Any, ctx: Context) -> Any:
        """Return the value for the next step."""
        raise NotImplementedError

    def flow(self, given: Flow) -> Flow:
        """Return what the next step is given; SchemaMismatchError when this one cannot take ``given``."""
        return given

    def bodies(self) -> Sequence[tuple[str, Body]]:
        """Return the blocks of the step with their connectors, each under its label ("" when it needs none)."""
        return ()

    @property
    def title(self) -> str:
        """What a picture writes beside the step."""
        return ""


@dataclass(frozen=True, eq=False, slots=True)
class Then(Step):
    """Run a block on the value."""

    body: Body
    kind = "then"

    async def run(self, value: Any, ctx: Context) -> Any:
        return await self.body(value, ctx)

    def flow(self, given: Flow) -> Flow:
        return self.body.flow(given)

    def bodies(self) -> Sequence[tuple[str, Body]]:
        return (("", self.body),)


@dataclass(frozen=True, eq=False, slots=True)
class ThenIf(Step):
    """Run a block when a condition holds; else the value passes."""

    test: Test
    body: Body
    kind = "then_if"

    async def run(self, value: Any, ctx: Context) -> Any:
        return await self.body(value, ctx) if await holds(self.test, value, ctx) else value

    def flow(self, given: Flow) -> Flow:
        if self.test is False:
            return given
        made = self.body.flow(given)
        return made if self.test is True else Flow(either(given.type, made.type), f"{given.by} or {made.by}")

    def bodies(self) -> Sequence[tuple[str, Body]]:
        return ((self.title, self.body),)

    @property
    def title(self) -> str:
        return f"if {shown_test(self.test)}"


@dataclass(frozen=True, eq=False, slots=True)
class Map(Step):
    """Give the value to a function."""

    call: Call
    kind = "map"

    async def run(self, value: Any, ctx: Context) -> Any:
        return await self.call(value, ctx)

    def flow(self, given: Flow) -> Flow:
        return call_flow(self.call, given)

    @property
    def title(self) -> str:
        return self.call.name


@dataclass(frozen=True, eq=False, slots=True)
class Parallel(Step):
    """Run several blocks on the same value at once; their outputs by key."""

    branches: Mapping[str, Body]
    limit: int | None
    kind = "parallel"

    async def run(self, value: Any, ctx: Context) -> Any:
        outputs = await together([lambda one=one: one(value, ctx) for one in self.branches.values()], self.limit)
        return dict(zip(self.branches, outputs, strict=True))

    def flow(self, given: Flow) -> Flow:
        for body in self.branches.values():
            body.flow(given)
        return Flow(dict[str, Any], f"the parallel step ({', '.join(self.branches)})")

    def bodies(self) -> Sequence[tuple[str, Body]]:
        return tuple(self.branches.items())


@dataclass(frozen=True, eq=False, slots=True)
class ForEach(Step):
    """Run a block on each element of a list; the list of outputs in the same order."""

    connector: Call | None
    body: Body
    limit: int | None
    kind = "for_each"

    async def run(self, value: Any, ctx: Context) -> Any:
        elements: Any = value if self.connector is None else await self.connector(value, ctx)
        if elements is None:
            return []
        if not isinstance(elements, (list, tuple)):
            raise RunError(
                f"{ctx.path}: for_each {self.body.block.name!r} got {type(elements).__name__}, expected a list; "
                "give it a connector that makes one"
            )
        return await together([lambda one=one: self.body(one, ctx) for one in elements], self.limit)

    def flow(self, given: Flow) -> Flow:
        arriving = given if self.connector is None else call_flow(self.connector, given)
        element = listed_type(arriving, self.body.block.name)
        made = self.body.flow(Flow(element, arriving.by))
        return Flow(list[made.type], made.by)

    def bodies(self) -> Sequence[tuple[str, Body]]:
        return (("for each", self.body),)


@dataclass(frozen=True, eq=False, slots=True)
class DoUntil(Step):
    """Run a block again and again, each time on its last output, until a condition holds for it."""

    test: Test
    body: Body
    kind = "do_until"

    async def run(self, value: Any, ctx: Context) -> Any:
        for _ in range(GUARD):
            value = await self.body(value, ctx)
            if await holds(self.test, value, ctx):
                return value
        raise GuardError(
            f"{ctx.path}: do_until {self.body.block.name!r} ran {GUARD} times and {shown_test(self.test)!r} never held"
        )

    def flow(self, given: Flow) -> Flow:
        return self.body.flow(given)

    def bodies(self) -> Sequence[tuple[str, Body]]:
        return ((self.title, self.body),)

    @property
    def title(self) -> str:
        return f"until {shown_test(self.test)}"


@dataclass(frozen=True, eq=False, slots=True)
class Option:
    """One way of a `Branch`: the connector first, then the condition and the block on what it gives."""

    connector: Call | None
    test: Test
    body: Body


@dataclass(frozen=True, eq=False, slots=True)
class Branch(Step):
    """Run the block of the first option whose condition holds."""

    options: Mapping[str, Option]
    kind = "branch"

    async def run(self, value: Any, ctx: Context) -> Any:
        for option in self.options.values():
            arriving = value if option.connector is None else await option.connector(value, ctx)
            if await holds(option.test, arriving, ctx):
                return await option.body(arriving, ctx)
        raise NoBranchError(
            f"{ctx.path}: no branch took {short(value)}; tried: {', '.join(self.options)}; "
            "add a last branch whose condition is True"
        )

    def flow(self, given: Flow) -> Flow:
        made = [self._option_flow(option, given) for option in self.options.values() if option.test is not False]
        return Flow(either(*(one.type for one in made)), " or ".join(one.by for one in made))

    def _option_flow(self, option: Option, given: Flow) -> Flow:
        return option.body.flow(given if option.connector is None else call_flow(option.connector, given))

    def bodies(self) -> Sequence[tuple[str, Body]]:
        return tuple((name, option.body) for name, option in self.options.items())


@dataclass(frozen=True, eq=False, slots=True)
class Tap(Step):
    """Run a block and wait for it, but keep the value."""

    body: Body
    kind = "tap"

    async def run(self, value: Any, ctx: Context) -> Any:
        await self.body(value, ctx)
        return value

    def flow(self, given: Flow) -> Flow:
        self.body.flow(given)
        return given

    def bodies(self) -> Sequence[tuple[str, Body]]:
        return (("tap", self.body),)


@dataclass(frozen=True, eq=False, slots=True)
class Work(Step):
    """Put a block's run among the background work; the value that it will get is made now."""

    body: Body
    kind = "work"

    async def run(self, value: Any, ctx: Context) -> Any:
        block = self.body.block
        given = value if self.body.connector is None else await self.body.connector(value, ctx)
        connected = await block.connect(given, ctx.child(block))
        if ctx.tickets is None:
            ctx.tickets = []
        ctx.tickets.append(ctx.run.enqueue(block, connected, ctx, block.name))
        return value

    def flow(self, given: Flow) -> Flow:
        self.body.flow(given)
        return given

    def bodies(self) -> Sequence[tuple[str, Body]]:
        return (("work", self.body),)


@dataclass(frozen=True, eq=False, slots=True)
class WaitForWork(Step):
    """Wait for the background work that this run of the sequencer started."""

    fail_on_error: bool
    timeout: float | None
    kind = "wait_for_work"

    async def run(self, value: Any, ctx: Context) -> Any:
        if ctx.tickets:
            await ctx.run.settle(tuple(ctx.tickets), fail_on_error=self.fail_on_error, timeout=self.timeout)
        return value


@dataclass(frozen=True, eq=False, slots=True)
class ExitIf(Step):
    """End the sequence with the current value when a condition holds."""

    test: Test
    kind = "exit_if"

    async def run(self, value: Any, ctx: Context) -> Any:
        return Exit(value) if await holds(self.test, value, ctx) else value

    @property
    def title(self) -> str:
        return f"exit if {shown_test(self.test)}"


async def holds(test: Test, value: Any, ctx: Context) -> bool:
    """Return whether a condition holds for the value."""
    return test if isinstance(test, bool) else bool(await test(value, ctx))


async def together(calls: Sequence[Callable[[], Awaitable[Any]]], limit: int | None) -> list[Any]:
    """Run the calls at once, at most ``limit`` at a time; the first failure cancels the others and is raised."""
    gate = asyncio.Semaphore(limit or max(1, len(calls)))

    async def one(call: Callable[[], Awaitable[Any]]) -> Any:
        async with gate:
            return await call()

    failure: BaseException | None = None
    tasks: list[asyncio.Task[Any]] = []
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(call)) for call in calls]
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


def condition_of(condition: Any, where: str) -> Test:
    """Return a condition as the steps ask it; ConfigurationError when it is neither a bool nor a function."""
    if isinstance(condition, bool):
        return condition
    if isinstance(condition, Block) or not callable(condition):
        raise ConfigurationError(f"{where}: a condition is True, False or a function, got {short(condition)}")
    return Call(condition, where=where)


def shown_test(test: Test) -> str:
    """Return a condition as messages and pictures write it."""
    name = str(test) if isinstance(test, bool) else test.name
    return "condition" if name == "<lambda>" else name


def short(value: Any) -> str:
    """Return the value's repr, cut to a length that fits a message."""
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}... ({len(text)} characters)"
