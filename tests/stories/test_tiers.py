"""How the tiers work: what a turn becomes, by its durability, its category and its importance."""

from typing import Any

import pytest

from tests.stories.scripts import MemoryModel, chat_with, observation, open_memory, outcomes, told


def capture(*observed: dict[str, Any], **options: Any) -> tuple[list[dict[str, Any]], Any]:
    """Capture one turn with these observations; return its outcomes and what recall finds."""
    fabric, mem = open_memory(MemoryModel(list(observed)), **options)
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(chat_with(mem), told(observed))
        fabric.drain()
        return outcomes(session), list(session.run(mem.recall_block))


def tiers(found: list[dict[str, Any]]) -> list[str]:
    return [f"{record['status']} {record['tier']}" for record in found]


def test_everything_observed_enters_working_memory():
    found, _ = capture(observation("Is hungry", importance=0.2, durability="transient", category="event"))
    assert tiers(found) == ["stored working"]


@pytest.mark.parametrize("durability", ["persistent", "permanent"])
def test_what_lasts_and_matters_is_also_an_episode_and_a_fact(durability: str):
    found, _ = capture(observation("Works at Stripe", durability=durability))
    assert tiers(found) == ["stored working", "stored episodic", "stored semantic"]


def test_below_the_significance_threshold_there_is_no_episode():
    found, _ = capture(observation("Works at Stripe", importance=0.59))
    assert tiers(found) == ["stored working", "stored semantic"]
    found, _ = capture(observation("Works at Stripe", importance=0.59), episodic={"significance_threshold": 0.5})
    assert tiers(found) == ["stored working", "stored episodic", "stored semantic"]


@pytest.mark.parametrize("category", ["event", "task"])
def test_events_and_tasks_are_episodes_but_never_facts(category: str):
    found, _ = capture(observation("Flies to Oslo on May 3", category=category))
    assert tiers(found) == ["stored working", "stored episodic"]


@pytest.mark.parametrize(
    "category", ["identity", "profession", "preference", "belief", "relationship", "attribute", "pattern"]
)
def test_every_other_category_is_stable_enough_for_a_fact(category: str):
    found, recalled = capture(observation("Something stable", category=category))
    assert "stored semantic" in tiers(found)
    assert [(memory.source, memory.category) for memory in recalled] == [("semantic", category)]


def test_session_knowledge_stays_in_working_memory():
    found, recalled = capture(observation("Is debugging a query", durability="session", category="task"))
    assert tiers(found) == ["stored working"]
    assert [memory.source for memory in recalled] == ["working"]


def test_facts_carry_their_subject_and_the_turn_they_came_from():
    _, recalled = capture(observation("Works at Acme", subject="Jennifer"))
    assert [(memory.subject, memory.content) for memory in recalled] == [("jennifer", "Works at Acme")]
    assert recalled[0].sources[0].session == "monday"


def test_without_a_semantic_tier_nothing_becomes_a_fact():
    found, _ = capture(observation("Works at Stripe"), semantic=None)
    assert tiers(found) == ["stored working", "stored episodic"]


def test_working_memory_alone_is_a_memory_system():
    found, recalled = capture(observation("Works at Stripe"), episodic=None, semantic=None)
    assert tiers(found) == ["stored working"]
    assert [memory.source for memory in recalled] == ["working"]


def test_the_next_session_knows_the_facts_and_not_the_working_memory():
    model = MemoryModel(
        [observation("Works at Stripe"), observation("Is in a hurry", durability="session", category="event")]
    )
    fabric, mem = open_memory(model)
    with fabric:
        fabric.session("monday", user="jake").run(chat_with(mem), "I work at Stripe")
        fabric.drain()
        recalled = list(fabric.session("friday", user="jake").run(mem.recall_block))
    assert [(memory.source, memory.content) for memory in recalled] == [("semantic", "Works at Stripe")]


def test_an_important_observation_is_pinned_while_a_slot_is_free():
    observed = [observation(f"Goal {number} matters", importance=0.9, durability="session") for number in range(3)]
    fabric, mem = open_memory(MemoryModel(observed))
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(chat_with(mem), told(observed))
        fabric.drain()
        state = session.run(mem.export_block).output
    assert [record["pinned"] for record in state if record["kind"] == "working"] == [True, True, False]


def test_working_memory_keeps_its_capacity():
    observed = [observation(f"Thing number {number} zz{number}", durability="session") for number in range(12)]
    _, recalled = capture(*observed, working={"capacity": 5})
    assert len([memory for memory in recalled if memory.source == "working"]) == 5
