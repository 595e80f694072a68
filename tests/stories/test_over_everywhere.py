"""What is over is over in every session, in working memory, episodes and prompts, whichever way it ended."""

import asyncio
import json
from typing import Any

import pytest

from capabilities.semantic import FactInput
from fabric import Context, Fabric, handler
from fabric.errors import FabricError
from fabric.testing import FrozenClock
from pipelines import Memory, MemorySystem
from tests.stories.scripts import MemoryModel, chat_with, observation, open_memory


def say(fabric: Fabric, mem: MemorySystem, session: str, text: str) -> None:
    """Say something in a session, and wait until it was read."""
    fabric.session(session, user="jake").run(chat_with(mem), text)
    fabric.drain()


def told(fabric: Fabric, mem: MemorySystem, session: str, cue: str) -> list[str]:
    """Return what recall gives in a session beside turns."""
    found = fabric.session(session, user="jake").run(mem.recall_block, cue)
    return [memory.content for memory in found if memory.source != "turn"]


def prompt(fabric: Fabric, mem: MemorySystem, session: str) -> str:
    """Return what the memory puts into a prompt in a session."""
    show = handler(mem.context_formatter, name="show", uses=[mem.capability])
    return str(fabric.session(session, user="jake").run(show).output)


def assert_over(fabric: Fabric, mem: MemorySystem, gone: str, *sessions: str) -> None:
    """Fail where a session still holds what is over, unmarked."""
    for session in sessions:
        assert not any(gone in text for text in told(fabric, mem, session, "where do I work?")), session
        assert gone not in prompt(fabric, mem, session), session


@pytest.mark.parametrize(
    ("first", "second", "gone", "now"),
    [
        ("I work at Google.", "I joined Stripe as a designer.", "Google", "Stripe"),
        ("I live in Oslo.", "I moved to Bergen.", "Oslo", "Bergen"),
        ("I'm vegan.", "I'm no longer vegan.", "Is vegan", ""),
        ("I drive a Volvo.", "I drive a Tesla now.", "Volvo", "Tesla"),
    ],
)
@pytest.mark.parametrize("sessions", [("a", "b"), ("a", "a")])
def test_what_a_later_statement_changes_is_over_in_every_session(
    first: str, second: str, gone: str, now: str, sessions: tuple[str, str]
):
    fabric, mem = open_memory(None)
    with fabric:
        for session, text in zip(sessions, (first, second), strict=True):
            say(fabric, mem, session, text)
        assert_over(fabric, mem, gone, "a", "b")
        assert now in prompt(fabric, mem, "a")
        assert any(now in text for text in told(fabric, mem, "a", second))


def test_an_observer_that_names_nothing_to_replace_leaves_nothing_old_behind():
    model = MemoryModel([observation("Works at Google")], [observation("Works at Stripe", replaces="")])
    fabric, mem = open_memory(model)
    with fabric:
        say(fabric, mem, "a", "I work at Google.")
        say(fabric, mem, "a", "I joined Stripe.")
        assert_over(fabric, mem, "Google", "a", "b")


def test_what_a_consolidation_invalidates_is_over_everywhere():
    def invalidate(request: Any) -> str:
        shown = str(request.messages[-1]["content"]).split()
        fact = next(word for word in shown if word.startswith("sf_"))
        episodes = [word for word in shown if word.startswith("ep_")]
        proposal = {"subject": "user", "content": "Works at Google", "confidence": 0.9, "category": "profession"}
        done = {**proposal, "action": "invalidate", "target_fact_id": fact, "source_episode_ids": episodes[-1:]}
        return json.dumps({"facts": [done]})

    other = observation("Something else happened", category="event")
    fabric, mem = open_memory(MemoryModel([observation("Works at Google")], [other], facts=[invalidate]))
    with fabric:
        say(fabric, mem, "a", "I work at Google.")
        say(fabric, mem, "a", "It is over with them.")
        fabric.session("a", user="jake").run(mem.consolidate, {"force": True})
        assert_over(fabric, mem, "Works at Google", "a", "b")


@pytest.mark.parametrize("way", ["update", "remove"])
def test_what_is_closed_by_hand_is_over_everywhere(way: str):
    fabric, mem = open_memory(None)

    @handler(name="close", uses=[mem.capability])
    async def close(_: object, ctx: Context) -> None:
        (fact,) = await ctx.cap.semantic_memory.all()
        if way == "update":
            await ctx.cap.semantic_memory.update(fact.id, "Works at Stripe")
        else:
            await ctx.cap.semantic_memory.remove(fact.id)

    with fabric:
        say(fabric, mem, "a", "I work at Google.")
        fabric.session("b", user="jake").run(close)
        assert_over(fabric, mem, "Google", "a", "b")
        episodes = [
            record
            for record in fabric.session("a", user="jake").run(mem.export_block).output
            if record["kind"] == "episode"
        ]
        assert all(episode["superseded"] for episode in episodes if "Google" in episode["content"])


def test_a_fact_that_was_said_six_times_is_pruned_once_it_is_denied():
    clock = FrozenClock()
    with Fabric(clock=clock) as fabric, Memory(fabric, user="jake") as memory:
        for number in range(6):
            memory.capture("I am a vegetarian.", session=f"day {number}")
            assert memory.wait() == []
            clock.advance(days=1)
        memory.capture("I'm no longer a vegetarian.")
        assert memory.wait() == []
        fabric.session("default", user="jake").run(memory.system.prune, {"force": True})
        facts = [
            record["content"]
            for record in memory.export()
            if record["kind"] == "fact" and record["status"] == "current"
        ]
        assert "Is a vegetarian" not in facts


@pytest.mark.parametrize("category", ["preference", "attribute", "identity"])
def test_a_firm_fact_is_protected_from_pruning_unless_it_is_clearly_contradicted(category: str):
    firm = [observation("Is a vegetarian", category="preference"), observation("Owns a boat", category="attribute")]
    model = MemoryModel(*[firm] * 6, [observation("Is no vegetarian any more", category=category)])
    fabric, mem = open_memory(model)
    with fabric:
        for number in range(7):
            say(fabric, mem, f"day {number}", f"Message {number}: no vegetarian boat")
        session = fabric.session("day 0", user="jake")
        facts = [record for record in session.run(mem.export_block).output if record["kind"] == "fact"]
        model.prunes = [
            {"removals": [{"fact_id": fact["id"], "reason": "contradicted"} for fact in facts], "merges": []}
        ]
        session.run(mem.prune, {"force": True})
        exported = session.run(mem.export_block).output
    held = [record["content"] for record in exported if record["kind"] == "fact" and record["status"] == "current"]
    assert "Is a vegetarian" not in held
    assert "Owns a boat" in held, "nothing contradicts it"


async def test_sessions_that_consolidate_at_once_take_each_episode_once():
    async def block(fabric: Fabric, mem: MemorySystem) -> None:
        sessions = [fabric.session(f"s{number}", user="jake") for number in range(4)]
        await asyncio.gather(*(session.arun(mem.consolidate, {"force": True}) for session in sessions))

    def distil(request: Any) -> str:
        episodes = [word for word in str(request.messages[-1]["content"]).split() if word.startswith("ep_")]
        fact = {"subject": "user", "content": "Enjoys the outdoors", "confidence": 0.6, "category": "pattern"}
        done = {**fact, "action": "new", "target_fact_id": "", "source_episode_ids": episodes}
        return json.dumps({"facts": [done] if episodes else []})

    trips = [[observation(f"Went hiking near {place}", category="event")] for place in ("Bern", "Chur", "Thun", "Sion")]
    model = MemoryModel(*trips, facts=[distil] * 4)
    fabric, mem = open_memory(model)
    async with fabric:
        session = fabric.session("monday", user="jake")
        for number in range(4):
            await session.arun(mem.capture, f"Trip {number}: went hiking")
            await fabric.adrain()
        await block(fabric, mem)
        exported = (await session.arun(mem.export_block)).output
    (fact,) = [record for record in exported if record["kind"] == "fact" and record["content"] == "Enjoys the outdoors"]
    assert len(model.consolidated) == 1
    assert (fact["reinforcement_count"], fact["confidence"]) == (1, 0.6)


@pytest.mark.parametrize("text", ["", " ", " \n\t "])
def test_a_fact_is_never_updated_to_nothing(text: str):
    fabric, mem = open_memory(None)

    @handler(name="blank", uses=[mem.capability])
    async def blank(_: object, ctx: Context) -> list[str]:
        offered = FactInput(content="Likes tea", confidence=0.9, category="preference")
        added = await ctx.cap.semantic_memory.add(offered)
        with pytest.raises((FabricError, ValueError)):
            await ctx.cap.semantic_memory.update(added.id, text)
        return [fact.content for fact in await ctx.cap.semantic_memory.all()]

    with fabric:
        assert fabric.session("a", user="jake").run(blank).output == ["Likes tea"]
