"""Steps that run one block or function in the line of the chain."""

from dataclasses import dataclass
from typing import Any

from fabric.errors import GuardError

from ..calls import Call
from ..context import Context
from ..wiring import Flow, call_flow, either
from .step import GUARD, Exit, Single, Step, Test, holds, shown_test


class Then(Single):
    """A block whose output goes on."""

    __slots__ = ()
    kind = "then"

    async def run(self, value: Any, ctx: Context) -> Any:
        """Return the block's output."""
        return await self.body(value, ctx)

    @property
    def title(self) -> str:
        """Nothing: the block says enough."""
        return ""


@dataclass(frozen=True, eq=False, slots=True)
class ThenIf(Single):
    """A block that runs when a condition holds; else the value goes on."""

    test: Test
    kind = "then_if"

    async def run(self, value: Any, ctx: Context) -> Any:
        """Return the block's output, or the value."""
        return await self.body(value, ctx) if await holds(self.test, value, ctx) else value

    def flow(self, given: Flow) -> Flow:
        """Return that either may go on."""
        if self.test is False:
            return given
        made = self.body.flow(given)
        return made if self.test is True else Flow(either(given.type, made.type), f"{given.by} or {made.by}")

    @property
    def title(self) -> str:
        """The condition."""
        return f"if {shown_test(self.test)}"


@dataclass(frozen=True, eq=False, slots=True)
class DoUntil(Single):
    """A block that runs again and again, each time on its last output, until a condition holds for that."""

    test: Test
    kind = "do_until"

    async def run(self, value: Any, ctx: Context) -> Any:
        """Return the last output; GuardError when the condition never holds."""
        for number in range(1, GUARD + 1):
            value = await self.body(value, ctx.marked(f"({number})"))
            if await holds(self.test, value, ctx):
                return value
        raise GuardError(
            f"{ctx.path}: do_until {self.body.block.name!r} ran {GUARD} times and {shown_test(self.test)!r} never held"
        )

    @property
    def title(self) -> str:
        """The condition."""
        return f"until {shown_test(self.test)}"


class Tap(Single):
    """A block that is waited for, while the value goes on."""

    __slots__ = ()
    kind = "tap"

    async def run(self, value: Any, ctx: Context) -> Any:
        """Return the value."""
        await self.body(value, ctx)
        return value

    def flow(self, given: Flow) -> Flow:
        """Return what came."""
        self.body.flow(given)
        return given


@dataclass(frozen=True, eq=False, slots=True)
class Map(Step):
    """A function whose result goes on."""

    call: Call
    kind = "map"

    async def run(self, value: Any, ctx: Context) -> Any:
        """Return the function's result."""
        return await self.call(value, ctx)

    def flow(self, given: Flow) -> Flow:
        """Return what the function gives."""
        return call_flow(self.call, given)

    @property
    def title(self) -> str:
        """The function's name."""
        return "map" if self.call.name == "<lambda>" else self.call.name


@dataclass(frozen=True, eq=False, slots=True)
class ExitIf(Step):
    """The end of the sequence, with the current value, when a condition holds."""

    test: Test
    kind = "exit_if"

    async def run(self, value: Any, ctx: Context) -> Any:
        """Return the value, as an `Exit` when the condition holds."""
        return Exit(value) if await holds(self.test, value, ctx) else value

    @property
    def title(self) -> str:
        """The condition."""
        return f"exit if {shown_test(self.test)}"
