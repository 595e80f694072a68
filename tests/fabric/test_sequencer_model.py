"""Any nesting of a sequencer's methods does what a plain function says it does: values, errors, order of effects."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric import Fabric, Session, sequencer
from fabric.errors import NoBranchError
from fabric.flow.sequencer import Sequencer
from tests.soak import examples

PLAN_LENGTH = 5


class TroubleError(Exception):
    """What a failing step raises."""


class OtherError(Exception):
    """What another failing step raises."""


@dataclass
class ExitedError(Exception):
    """The model's way out of a sequence."""

    value: int


@dataclass
class Trial:
    """One nesting, built as a sequencer and told as a plain function, with the effects of both."""

    effects: list[str] = field(default_factory=list[str])
    said: list[str] = field(default_factory=list[str])

    def step(self, tag: str, add: int, error: type[Exception] | None = None) -> Callable[[int], int]:
        def run(value: int) -> int:
            self.effects.append(f"{tag}:{value}")
            if error is not None:
                raise error(str(value))
            return value + add

        return run

    def say(self, tag: str, value: int, add: int, error: type[Exception] | None = None) -> int:
        self.said.append(f"{tag}:{value}")
        if error is not None:
            raise error(str(value))
        return value + add

    def build(self, plan: list[Any], name: str, rescue: type[Exception] | None) -> Sequencer[Any, Any]:
        chain: Sequencer[Any, Any] = sequencer(name=name)
        for index, (kind, number, error, nested, limit) in enumerate(plan):
            tag = f"{name}.{index}"
            chain = self.extended(chain, kind, tag, number, error, nested, limit)
        if rescue is not None:
            chain = chain.rescue({rescue: self.rescued(f"{name}.rescue")})
        return chain

    def rescued(self, tag: str) -> Callable[[Exception], int]:
        def run(error: Exception) -> int:
            self.effects.append(f"{tag}:{error}")
            return -1

        return run

    def nested(self, tag: str, number: int, error: Any, nested: Any) -> Any:
        if nested is None:
            return self.step(tag, number, error)
        return self.build(nested[0], tag, nested[1])

    def extended(  # noqa: PLR0911  one line per method
        self, chain: Sequencer[Any, Any], kind: str, tag: str, number: int, error: Any, nested: Any, limit: int
    ) -> Sequencer[Any, Any]:
        block = self.nested(tag, number, error, nested)
        if kind == "then":
            return chain.then(block)
        if kind == "connected":
            return chain.then(lambda value: value * 2, block)
        if kind == "then_if":
            return chain.then_if(lambda value: value % 2 == 0, block)
        if kind == "map":
            return chain.map(self.step(tag, number, error))
        if kind == "parallel":
            return chain.parallel({"a": block, "b": self.step(tag + "b", 1)}, max_concurrency=1).map(
                lambda both: both["a"] + both["b"]
            )
        if kind == "for_each":
            return chain.for_each(lambda value: [value, value + 1], block, max_concurrency=1).map(sum)
        if kind == "do_until":
            return chain.do_until(lambda value: value < 0 or value > limit, lambda value: value + 1, block)
        if kind == "branch":
            return chain.branch(
                {
                    "even": (lambda value: value % 2 == 0, block),
                    "big": (lambda value: value > limit, lambda value: -value),
                }
            )
        if kind == "tap":
            return chain.tap(block)
        return chain.exit_if(lambda value: value > limit)

    def tell(self, plan: list[Any], name: str, rescue: type[Exception] | None, value: int) -> int:
        try:
            for index, (kind, number, error, nested, limit) in enumerate(plan):
                value = self.told(kind, f"{name}.{index}", number, error, nested, limit, value)
        except ExitedError as out:
            return out.value
        except (TroubleError, OtherError, NoBranchError) as error:
            if rescue is None or not isinstance(error, rescue):
                raise
            self.said.append(f"{name}.rescue:{error}")
            return -1
        return value

    def told(  # noqa: C901, PLR0911  one line per method
        self, kind: str, tag: str, number: int, error: Any, nested: Any, limit: int, value: int
    ) -> int:
        def block(given: int) -> int:
            if nested is None or kind == "map":
                return self.say(tag, given, number, error)
            return self.tell(nested[0], tag, nested[1], given)

        if kind in ("then", "map"):
            return block(value)
        if kind == "connected":
            return block(value * 2)
        if kind == "then_if":
            return block(value) if value % 2 == 0 else value
        if kind == "parallel":
            return block(value) + self.say(tag + "b", value, 1)
        if kind == "for_each":
            return sum([block(one) for one in (value, value + 1)])
        if kind == "do_until":
            value = block(value + 1)
            while not (value < 0 or value > limit):
                value = block(value + 1)
            return value
        if kind == "branch":
            if value % 2 == 0:
                return block(value)
            if value > limit:
                return -value
            raise NoBranchError
        if kind == "tap":
            block(value)
            return value
        if value > limit:
            raise ExitedError(value)
        return value


KINDS = ["then", "connected", "then_if", "map", "parallel", "for_each", "do_until", "branch", "tap", "exit_if"]
ERRORS = st.sampled_from([None, None, None, None, TroubleError, OtherError])
RESCUES = st.sampled_from([None, TroubleError, Exception])


def steps(nested: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    step = st.tuples(st.sampled_from(KINDS), st.integers(1, 3), ERRORS, nested, st.integers(0, 20))
    return st.tuples(st.lists(step, max_size=PLAN_LENGTH), RESCUES)


PLANS = steps(st.recursive(st.none(), steps, max_leaves=6))


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Fabric() as fabric:
        yield fabric.session("s")


@given(plan=PLANS, value=st.integers(-5, 15))
@settings(max_examples=examples(80))
def test_any_nesting_does_what_the_plain_function_says(session: Session, plan: Any, value: int):
    trial = Trial()
    block = trial.build(plan[0], "root", plan[1])
    expected, wanted = outcome(lambda: trial.tell(plan[0], "root", plan[1], value))
    got, raised = outcome(lambda: session.run(block, value).output)
    assert (got, raised) == (expected, wanted)
    assert shown(trial.effects) == shown(trial.said)


def outcome(run: Callable[[], int]) -> tuple[int | None, type[Exception] | None]:
    try:
        return run(), None
    except (TroubleError, OtherError, NoBranchError, RecursionError) as error:
        return None, type(error)


def shown(effects: list[str]) -> list[str]:
    """Return the effects without the text of a NoBranchError, which names the blocks."""
    return [line.split(":")[0] if ".rescue:" in line else line for line in effects]
