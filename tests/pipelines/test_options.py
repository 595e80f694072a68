"""Options are checked where they are given: the error names the option, what was given, and what is expected."""

from collections.abc import Callable
from typing import Any

import pytest

from blocks.tools import memory_tools
from capabilities.mind import mind
from capabilities.vocabulary import Durability
from capabilities.working import WorkingEntry
from fabric import Context, Fabric, generator, handler, sequencer
from fabric.errors import CapabilityError, ConfigurationError
from fabric.flow.block import Block
from pipelines import AsyncMemory, Memory, MemorySystem, memory_system

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"max_assistant_chars": 1.5}, "max_assistant_chars is 1.5; expected a whole number of at least 0"),
    ({"max_assistant_chars": "x"}, "max_assistant_chars is 'x'; expected a whole number"),
    ({"max_assistant_chars": True}, "max_assistant_chars is True; expected a whole number"),
    ({"max_assistant_chars": -1}, "max_assistant_chars is -1; expected a whole number"),
    ({"context_tokens": "2000"}, "context_tokens is '2000'; expected a whole number of at least 1"),
    ({"context_tokens": 0}, "context_tokens is 0; expected a whole number of at least 1"),
    ({"name": None}, "name is None; expected a text that is not blank"),
    ({"name": " "}, "name is ' '; expected a text"),
    ({"model": [1]}, "model is [1]; expected an id, a list of ids"),
    ({"model": []}, "model is []; expected an id"),
    ({"model": " "}, "model is ' '; expected an id"),
    ({"model": 1}, "model is 1; expected an id"),
    ({"embedder": 3}, "embedder is 3; expected"),
    ({"working": {"capacty": 3}}, "capacty=3: there is no such option; did you mean 'capacity'?"),
    ({"working": "yes"}, "got 'yes'; expected True, False, a mapping"),
    ({"episodic": {"scope": "planet"}}, "scope='planet'"),
    ({"workin": {}}, "there is no option 'workin' (given {}); did you mean 'working'? The options are model, "),
    ({"zzz": 1}, "there is no option 'zzz' (given 1). The options are model, "),
]


@pytest.mark.parametrize(("options", "says"), WRONG)
def test_a_memory_system_refuses_what_cannot_work_by_name(options: dict[str, Any], says: str):
    with pytest.raises(ConfigurationError) as refused:
        memory_system(**options)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (Memory, "Memory: there is no option 'workin' (given {}); 'working' is given with system=memory_system(...)"),
        (AsyncMemory, "AsyncMemory: there is no option 'workin'"),
        (Fabric, "Fabric: there is no option 'workin'"),
        (mind, "mind: there is no option 'workin'"),
        (memory_tools, "memory_tools: there is no option 'workin'"),
    ],
)
def test_an_unknown_option_is_told_with_those_there_are(make: Callable[..., Any], says: str):
    with pytest.raises(ConfigurationError) as refused:
        make(workin={})
    assert says in str(refused.value)
    assert "The options are " in str(refused.value)


def test_a_misspelt_option_of_a_memory_is_told_the_nearest_and_no_file_is_opened():
    with pytest.raises(ConfigurationError, match="did you mean 'embedder'"):
        Memory(user="jake", embeder=None)  # type: ignore[call-arg]
    with pytest.raises(ConfigurationError, match="model is \\[1\\]"):
        Memory(user="jake", model=[1])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"model": [1]}, "g: model is [1]; expected an id"),
        ({"model": ""}, "g: model is ''; expected an id"),
        ({"model": ["gpt-5", ""]}, "g: model is ['gpt-5', '']"),
        ({"name": None}, "a block needs a name"),
        ({"system": 3}, "g: system: expected a function (or, where text is taken, a string), got 3"),
        ({"context": [memory_system()]}, "g: context: expected a function (or, where text is taken, a string)"),
        ({"context": [memory_system().capability]}, "goes into uses=[...]"),
        ({"uses": [memory_system()]}, "name its .capability"),
    ],
)
def test_a_generator_refuses_what_cannot_work_when_it_is_built(options: dict[str, Any], says: str):
    build: Any = generator
    with pytest.raises(ConfigurationError) as refused:
        build(**{"name": "g", "model": "gpt-5", **options})
    assert says in str(refused.value)


def reading(mem: MemorySystem, *, context: bool) -> Block[Any, Any]:
    return handler(lambda text: text, name="inner", uses=[mem.capability.presets(context=context)])


def test_opposite_switches_of_a_block_and_the_one_around_it_are_refused_when_they_are_put_together():
    mem = memory_system()
    without = [mem.capability.presets(context=False)]
    with pytest.raises(CapabilityError, match="preset 'context' of 'memory' is switched True by inner and False by"):
        sequencer(name="outer", uses=without).then(reading(mem, context=True))
    between = sequencer(name="between").then(reading(mem, context=True))
    with pytest.raises(CapabilityError, match="switched True by inner and False by outer"):
        sequencer(name="outer", uses=without).then(between)
    with pytest.raises(CapabilityError, match="switched True by inner and False by outer"):
        sequencer(name="outer", uses=without).work(between)


def test_the_same_switch_inside_and_opposite_ones_side_by_side_are_fine():
    mem = memory_system()
    sequencer(name="outer", uses=[mem.capability.presets(context=False)]).then(reading(mem, context=False))
    sequencer(name="outer", uses=[mem.capability]).then(reading(mem, context=False))
    sequencer(name="pair").then(reading(mem, context=False)).then(reading(mem, context=True).renamed("other"))


def test_the_pins_follow_a_capacity_unless_they_are_given():
    for capacity, pins in ((1, 0), (2, 1), (3, 2), (7, 2), (20, 2)):
        assert memory_system(working={"capacity": capacity}).layout.working_config.max_pinned_slots == pins
    with pytest.raises(ConfigurationError, match="pins would fill working memory"):
        memory_system(working={"capacity": 2, "max_pinned_slots": 2})


async def _entries(mem: MemorySystem, ctx: Context) -> list[WorkingEntry]:
    return await mem.working.on(ctx).items()


def test_a_tier_is_reached_where_it_is_declared_and_refused_with_what_to_do_where_it_is_not():
    mem = memory_system(episodic=True, semantic=True)
    assert mem.semantic is not None

    async def entries(ctx: Context) -> list[WorkingEntry]:
        return await _entries(mem, ctx)

    async def semantic(ctx: Context) -> list[Any]:
        return await mem.semantic.on(ctx).all() if mem.semantic else []

    declared = [[mem.capability], [mem.working.capability], [mem.layout.working]]
    with Fabric() as fabric:
        session = fabric.session("s", user="jake")
        for uses in declared:
            assert session.run(handler(entries, name="look", uses=uses), None).output == []
        around = sequencer(name="around", uses=[mem.capability]).then(handler(entries, name="look"))
        assert session.run(around, None).output == []
        for work, key in ((entries, "working_memory"), (semantic, "semantic_memory")):
            with pytest.raises(CapabilityError, match=rf"look: {key} is not declared here; .* uses=\[\.\.\.\]"):
                session.run(handler(work, name="look"), None)


def evicting(min_interval: int) -> MemorySystem:
    """Return a memory of two entries, in which consolidation is due by evictions alone."""
    due = {"min_interval": min_interval, "episodic_threshold": 1_000}
    tight = {"capacity": 2, "max_pinned_slots": 0}
    return memory_system(working=tight, episodic=True, semantic={"consolidation": due})


def noting(mem: MemorySystem, durability: Durability) -> Block[Any, Any]:
    async def note(ctx: Context) -> None:
        for index, importance in enumerate((0.1, 0.8, 0.9)):
            await ctx.cap.working_memory.add(f"Note {index}", importance=importance, durability=durability)

    return handler(note, name="note", uses=[mem.capability])


LASTS: list[tuple[Durability, int]] = [("persistent", 1), ("permanent", 1), ("session", 0), ("transient", 0)]


@pytest.mark.parametrize(("durability", "counted"), LASTS)
def test_what_a_block_evicts_makes_consolidation_due_when_it_lasts(durability: Durability, counted: int):
    mem = evicting(min_interval=0)
    with Fabric() as fabric:
        session = fabric.session("s", user="jake")
        session.run(noting(mem, durability), None)
        assert session.run(mem.consolidate, None).output.skipped.startswith("no episodes" if counted else "not due")
        assert session.run(mem.consolidate, None).output.skipped.startswith("not due")  # it counts once


@pytest.mark.parametrize(("durability", "counted"), LASTS)
def test_the_next_capture_counts_what_a_block_evicted(durability: Durability, counted: int):
    mem = evicting(min_interval=1_000)

    async def counters(ctx: Context) -> tuple[int, int]:
        state, working = await ctx.read(mem.layout.state), await ctx.read(mem.layout.working)
        return state.evicted_lasting_since_last_consolidation, working.lasting_evicted

    look = handler(counters, name="counters", uses=[mem.capability])
    with Fabric() as fabric:
        session = fabric.session("s", user="jake")
        session.run(noting(mem, durability), None)
        assert session.run(look, None).output == (0, counted)
        session.run(mem.capture, "Hello there.")
        fabric.drain()
        assert session.run(look, None).output == (counted, 0)
