"""What a generator's prompt gets: facts first, by subject when there are several, then focus, then experiences."""

from typing import Any

import pytest

from capabilities.episodic import DEFAULT_EPISODIC_CONFIG
from capabilities.semantic import DEFAULT_CONSOLIDATION_CONFIG, DEFAULT_PRUNE_CONFIG
from capabilities.working import DEFAULT_WORKING_MEMORY_CONFIG
from fabric import Recalled, RunFinished, generator, handler
from fabric.errors import CapabilityError, ConfigurationError
from pipelines import memory_system
from tests.stories.scripts import MemoryModel, observation, open_memory, told


def sections(*observed: dict[str, Any]) -> str:
    """Return what the context formatter gives after one captured turn, without the block around it."""
    fabric, mem = open_memory(MemoryModel(list(observed)))
    show = handler(mem.context_formatter, name="show", uses=[mem.capability])
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(mem.capture, told(observed))
        text = str(session.run(show).output)
    return "\n".join(text.splitlines()[2:-1])


def test_one_subject_is_a_flat_list_and_focus_follows():
    text = sections(
        observation("Works at Stripe"),
        observation("Prefers TypeScript", category="preference"),
        observation("Working on a REST API migration", durability="session", category="task", importance=0.6),
    )
    assert text == (
        "Known facts:\n- [profession] Works at Stripe\n- [preference] Prefers TypeScript\n\n"
        "Current focus:\n- Working on a REST API migration"
    )


def test_several_subjects_are_grouped_and_the_user_comes_first():
    text = sections(
        observation("Spouse, goes by Moni", subject="jennifer", category="relationship"),
        observation("Name is Jake", category="identity"),
        observation("Works at Fixpoint Labs"),
    )
    assert text == (
        "About user:\n- [identity] Name is Jake\n- [profession] Works at Fixpoint Labs\n\n"
        "About jennifer:\n- [relationship] Spouse, goes by Moni"
    )


def test_what_is_about_somebody_else_says_so_in_every_section():
    lisbon = observation("Lives in Lisbon", subject="anna", durability="session", importance=0.7)
    text = sections(lisbon, observation("Works at Stripe"))
    assert text == ("Known facts:\n- [profession] Works at Stripe\n\nSession context:\n- about anna: Lives in Lisbon")


def test_evidence_for_a_cue_says_whom_a_memory_is_about():
    fabric, mem = open_memory(MemoryModel([observation("Lives in Lisbon", subject="anna")]))
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(mem.capture, "My sister Anna moved to Lisbon")
        evidence = session.run(mem.context_block, "who lives in Lisbon?").output
    assert "about anna: Lives in Lisbon" in evidence
    assert "about user" not in evidence


def test_a_lasting_event_appears_once_and_not_again_as_an_experience():
    text = sections(observation("Moves house on May 3", category="event", durability="persistent"))
    assert text == "Current focus:\n- Moves house on May 3"


def test_an_empty_memory_adds_nothing_to_the_prompt():
    fabric, mem = open_memory(MemoryModel())
    chat = generator(name="chat", model="test/chat", context=[mem.context_formatter], user=lambda text: text)
    model = fabric._models
    with fabric:
        fabric.session("monday", user="jake").run(chat, "Hello")
    assert [message["role"] for message in model.requests[-1].messages] == ["user"]


def test_the_context_preset_can_be_switched_off_and_helpers_stay():
    fabric, mem = open_memory(MemoryModel())

    @handler(name="remember", uses=[mem.capability.presets(context=False)])
    async def remember(text: str, ctx: Any) -> list[str]:
        await ctx.cap.working_memory.add(content=text, importance=0.8)
        entries = await ctx.cap.working_memory.items()
        found = await ctx.cap.memory.recall("pizza")
        assert await ctx[mem.working_memory_capability].items() == entries
        return [found[0].content, found[0].source, entries[0].content]

    with fabric:
        out = fabric.session("monday", user="jake").run(remember, "User likes pizza").output
    assert out == ["User likes pizza", "working", "User likes pizza"]


def test_an_unknown_preset_says_which_there_are():
    with pytest.raises(CapabilityError, match="it has: context"):
        memory_system(episodic=True).capability.presets(contxt=False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"semantic": True}, "semantic memory needs episodic memory"),
        ({"episodic": {"scope": "galaxy"}}, "scope='galaxy'"),
        ({"episodic": {"significance_threshold": 1.5}}, "significance_threshold=1.5"),
        ({"working": {"capacity": 2, "max_pinned_slots": 2}}, "pins would fill"),
        ({"working": {"capacity": 0}}, "capacity=0"),
        ({"working": False}, "cannot be switched off"),
        ({"episodic": True, "semantic": {"prune_threshold": -1}}, "prune_threshold=-1"),
        ({"episodic": True, "semantic": {"pruning": 3}}, "pruning=3"),
        ({"max_assistant_chars": -1}, "max_assistant_chars"),
        ({"model": ""}, "model is ''"),
        ({"model": []}, "model is \\[\\]"),
        ({"model": 5}, "model is 5"),
    ],
)
def test_options_that_cannot_work_are_refused_when_the_system_is_built(options: dict[str, Any], message: str):
    with pytest.raises(ConfigurationError, match=message):
        memory_system(**options)


def test_parts_that_were_not_asked_for_are_absent():
    mem = memory_system()
    assert (mem.episodic, mem.semantic, mem.episodic_memory_capability, mem.semantic_memory_capability) == (None,) * 4
    with pytest.raises(ConfigurationError, match="consolidate needs semantic memory"):
        mem.consolidate  # noqa: B018


def test_the_defaults_are_exported_as_constants():
    working = DEFAULT_WORKING_MEMORY_CONFIG
    assert (working.capacity, working.max_pinned_slots) == (7, 2)
    assert (working.decay.strategy, working.decay.rate) == ("power-law", 0.5)
    episodic = DEFAULT_EPISODIC_CONFIG
    assert (episodic.scope, episodic.significance_threshold, episodic.max_episodes) == ("user", 0.6, 200)
    consolidation = DEFAULT_CONSOLIDATION_CONFIG
    assert (consolidation.episodic_threshold, consolidation.on_eviction, consolidation.min_interval) == (5, True, 4)
    assert DEFAULT_PRUNE_CONFIG.prune_threshold == 20


def test_a_stream_tells_which_memories_are_in_the_prompt_and_only_those():
    observed = [observation(f"Fact {word} of many") for word in ("amber", "birch", "cedar", "dahlia", "elder")]
    fabric, mem = open_memory(MemoryModel(observed), context_tokens=70)
    show = handler(mem.context_formatter, name="show", uses=[mem.capability])
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(mem.capture, told(observed))
        events = list(session.stream(show))
    (recalled,) = [event for event in events if isinstance(event, Recalled)]
    (finished,) = [event for event in events if isinstance(event, RunFinished)]
    shown = [record.content for record in recalled.records]
    assert recalled.path == "show"
    assert 0 < len(shown) < len(observed)
    assert [word["content"] for word in observed if word["content"] in finished.result.output] == sorted(shown)
