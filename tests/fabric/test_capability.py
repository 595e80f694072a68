"""Capabilities are merged by identity; clashes, cycles and unknown presets name the places they come from."""

from typing import Any

import pytest

from fabric import Context, Preset, define_capability, handler, sequencer
from fabric.errors import CapabilityError
from fabric.flow.block import Block
from fabric.flow.capability import merge_capabilities
from fabric.testing import run_block


class Greeter:
    def __init__(self, ctx: Context) -> None:
        self.user = ctx.user

    def hello(self) -> str:
        return f"hello {self.user}"


greeting = define_capability("greeting", helpers=Greeter, context=["Be polite."])


async def output(block: Block[Any, Any]) -> Any:
    return (await run_block(block, 1)).output


async def test_helpers_are_reached_by_name_and_typed():
    by_name = handler(lambda ctx: ctx.cap.greeting.hello(), name="by name", uses=[greeting])
    typed = handler(lambda ctx: ctx[greeting].hello(), name="typed", uses=[greeting])
    assert [await output(block) for block in (by_name, typed)] == ["hello tester"] * 2


async def test_a_configured_reference_is_the_same_capability():
    quiet = greeting.presets(context=False)
    block = handler(lambda ctx: ctx[greeting].hello() + ctx[quiet].hello(), name="block", uses=[quiet])
    assert await output(block) == "hello testerhello tester"
    assert (quiet.base, quiet.presets(context=True).base) == (greeting, greeting)


async def test_what_a_container_declares_its_blocks_may_use():
    inner = handler(lambda ctx: ctx.cap.greeting.hello(), name="inner")
    assert await output(sequencer(name="outer", uses=[greeting]).then(inner)) == "hello tester"
    with pytest.raises(CapabilityError, match=r"inner: no capability 'greeting' is declared here \(declared: none\)"):
        await output(inner)


async def test_what_a_capability_uses_comes_with_it():
    polite = define_capability("polite", uses=[greeting])
    assert await output(handler(lambda ctx: ctx.cap.greeting.hello(), name="block", uses=[polite])) == "hello tester"


async def test_an_undeclared_capability_is_refused_by_its_name_and_by_its_identity():
    impostor = define_capability("greeting", helpers=Greeter)
    block = handler(lambda ctx: ctx[impostor], name="block", uses=[greeting])
    with pytest.raises(CapabilityError, match="block: capability 'greeting' is not declared here"):
        await output(block)


def test_presets_are_on_unless_switched():
    tools, extra = Preset(tools=(len,)), Preset(tools=(str,), on=False)
    many = define_capability("many", context=["c"], presets={"more": tools, "extra": extra})
    assert many.active() == [Preset(context=("c",)), tools]
    assert many.presets(context=False, extra=True).active() == [tools, extra]
    assert many.presets(context=False).presets(more=False).active() == []


def test_an_unknown_preset_is_refused_with_the_known_ones():
    with pytest.raises(CapabilityError, match="capability 'greeting' has no preset 'loud'; it has: context"):
        greeting.presets(loud=True)


def test_a_diamond_is_one_capability_with_its_needs_first():
    left, right = (define_capability(name, uses=[greeting]) for name in ("left", "right"))
    merged = merge_capabilities([("a", left), ("b", right), ("c", greeting.presets(context=False))])
    assert list(merged) == ["greeting", "left", "right"]
    assert merged["greeting"].active() == []


def test_two_capabilities_of_one_name_are_refused_with_both_places():
    other = define_capability("other", uses=[define_capability("greeting")])
    with pytest.raises(CapabilityError, match=r"one declared by a, another by b \(through other\)"):
        merge_capabilities([("a", greeting), ("b", other)])


def test_opposite_switches_are_refused_with_both_places():
    pairs = [("a", greeting.presets(context=True)), ("b", greeting.presets(context=False))]
    with pytest.raises(CapabilityError, match="preset 'context' of 'greeting' is switched False by b and True by a"):
        merge_capabilities(pairs)


def test_a_cycle_is_refused_and_drawn():
    one = define_capability("one")
    two = define_capability("two", uses=[one])
    object.__setattr__(one, "uses", (two,))
    with pytest.raises(CapabilityError, match=r"in a cycle, declared by a .*: one > two > one"):
        merge_capabilities([("a", one)])


@pytest.mark.parametrize("name", ["", "two words", "1st", "a-b"])
def test_a_name_must_be_usable_as_an_attribute(name: str):
    with pytest.raises(CapabilityError, match="capability name"):
        define_capability(name)


def test_a_preset_given_twice_is_refused():
    with pytest.raises(CapabilityError, match="preset 'context' is given twice"):
        define_capability("one", context=["a"], presets={"context": Preset()})
