"""What all steps have in common, and the conditions that some of them ask."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fabric.errors import ConfigurationError
from fabric.telling import repr_of

from ..block import Block
from ..calls import Call
from ..context import Context
from ..wiring import Body, Flow

GUARD = 250
"""How many rounds a ``do_until`` step runs before it gives up."""
SHOWN_CHARS = 200

Test = Call | bool


class Exit:
    """A value that ends the sequence: what an ``exit_if`` step gives when its condition holds."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Step:
    """One step. ``run`` takes the value and the sequencer's own context; the rest is asked while wiring and drawing."""

    __slots__ = ()
    kind = "step"

    async def run(self, value: Any, ctx: Context) -> Any:
        """Return the value for the next step."""
        raise NotImplementedError

    def flow(self, given: Flow) -> Flow:
        """Return what the next step is given; SchemaMismatchError when this one cannot take ``given``."""
        return given

    def bodies(self) -> Sequence[tuple[str, Body]]:
        """Return the blocks of the step with their connectors, each under its label."""
        return ()

    @property
    def title(self) -> str:
        """What a picture writes beside the step; "" when its block says enough."""
        return self.kind.replace("_", " ")


@dataclass(frozen=True, eq=False, slots=True)
class Single(Step):
    """A step with one block."""

    body: Body

    def flow(self, given: Flow) -> Flow:
        """Return the output type of the block and its name; SchemaMismatchError when it cannot take ``given``."""
        return self.body.flow(given)

    def bodies(self) -> Sequence[tuple[str, Body]]:
        """Return the block with its connector, under the step's title."""
        return ((self.title, self.body),)


async def holds(test: Test, value: Any, ctx: Context) -> bool:
    """Return whether a condition holds: a bool as it is, a function called with the value and the context."""
    return test if isinstance(test, bool) else bool(await test(value, ctx))


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


def repetitions(names: Sequence[Sequence[str]]) -> list[str]:
    """Return for each place, with the names of the blocks that stand there, what tells it from earlier ones.

    >>> repetitions([["mail"], ["save"], ["mail"], []])
    ['', '', '#2', '']
    """
    known: Counter[str] = Counter()
    marks: list[str] = []
    for here in names:
        known.update(set(here))
        most = max((known[name] for name in here), default=1)
        marks.append(f"#{most}" if most > 1 else "")
    return marks


def short(value: Any) -> str:
    """Return the value's repr, cut to a length that fits a message."""
    text = repr_of(value)
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}... ({len(text)} characters)"
