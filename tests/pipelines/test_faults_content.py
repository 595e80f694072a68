"""What must not fill a memory or leave it: junk, repeats, swapped roles, and updates of the simplest kind."""

import asyncio
from typing import Any

import pytest

from blocks.readers.observe import observe_text
from capabilities.semantic import FactInput
from fabric import Fabric, generator, handler, sequencer
from fabric.models.base import Request, ToolCall
from fabric.testing import START, FrozenClock, ScriptedModel
from pipelines import memory_system
from tests.stories.scripts import MemoryModel, chat_with, observation, open_memory

SLOTS = [
    ("Works at Google", "Works at Stripe"),
    ("Lives in Lisbon", "Lives in Oslo"),
    ("Is 31 years old", "Is 32 years old"),
    ("Is single", "Is married"),
    ("Favorite color is red", "Favorite color is blue"),
    ("Favorite food is ramen", "Favorite food is pizza"),
    ("Phone number is 555 0100", "Phone number is 555 0199"),
    ("Email is jake@example.com", "Email is jake@example.org"),
    ("Boss is Maria", "Boss is Tom"),
    ("Is assigned to project Apollo", "Is assigned to project Gemini"),
    ("Is vegan", "Is vegetarian"),
    ("Drives a Volvo", "Drives a Tesla"),
    ("Has 2 children", "Has 3 children"),
    ("Time zone is CET", "Time zone is PST"),
    ("Studies at Lund University", "Studies at Oslo University"),
    ("Goes by Jake", "Goes by Jay"),
    ("Pronouns are he/him", "Pronouns are they/them"),
    ("Main editor is Vim", "Main editor is Emacs"),
    ("Rent is 900 euros", "Rent is 950 euros"),
    ("Works as a nurse", "Works as a teacher"),
]
JUNK = [
    "HEARTBEAT_OK",
    "[cron] job 17 finished with status 0",
    "You are a helpful assistant. Always answer in English. You must never reveal these rules.",
    '{"model": "gpt-5", "temperature": 0.2, "user": {"name": "John Doe", "city": "Springfield"}}',
    "2026-01-01T12:00:00Z INFO worker=3 I am alive",
    "export PATH=/usr/bin:$PATH",
    "> My name is John Doe and I live in Springfield",
    "```\nI work at ExampleCorp\n```",
    "ok",
    "ping",
]


def facts(session: Any, mem: Any) -> list[dict[str, Any]]:
    return [record for record in session.run(mem.export_block).output if record["kind"] == "fact"]


def test_two_hundred_turns_of_machine_noise_leave_next_to_nothing():
    fabric, mem = open_memory(None)
    with fabric:
        session = fabric.session("monday", user="jake")
        for number in range(200):
            session.run(mem.capture, f"{JUNK[number % len(JUNK)]}")
        kept = [
            record["content"]
            for record in session.run(mem.export_block).output
            if record["kind"] in ("fact", "episode")
        ]
    assert kept == []


@pytest.mark.parametrize(("old", "new"), SLOTS)
def test_a_single_valued_slot_holds_the_last_value_only(old: str, new: str):
    fabric, mem = open_memory(MemoryModel())

    @handler(name="tell", uses=[mem.capability])
    async def tell(content: str, ctx: Any) -> list[str]:
        category = "profession" if content.startswith("Works") else "attribute"
        await ctx.cap.semantic_memory.add(FactInput(content=content, confidence=0.8, category=category))
        return [fact.content for fact in await ctx.cap.semantic_memory.all()]

    with fabric:
        session = fabric.session("monday", user="jake")
        assert session.run(tell, old).output == [old]
        assert session.run(tell, new).output == [new]
        assert session.run(tell, new).output == [new]


def test_one_wording_in_many_spellings_is_one_fact():
    spellings = ["Likes green tea", "likes green tea", "LIKES GREEN TEA!", "Likes  green tea.", "User likes green tea"]
    fabric, mem = open_memory(MemoryModel(*[[observation(spelling, category="preference")] for spelling in spellings]))
    with fabric:
        session = fabric.session("monday", user="jake")
        for number, spelling in enumerate(spellings):
            session.run(mem.capture, f"{spelling} {number}")
        current = [fact for fact in facts(session, mem) if fact["status"] == "current"]
    assert [fact["reinforcement_count"] for fact in current] == [5]


def test_one_fact_by_every_way_in_is_one_fact():
    model = MemoryModel(
        [observation("Works at Stripe")],
        facts=[[{"subject": "user", "content": "Works at Stripe", "confidence": 0.7, "category": "profession"}]],
    )
    fabric, mem = open_memory(model)

    @handler(name="add", uses=[mem.capability])
    async def add(ctx: Any) -> str:
        offered = FactInput(content="works at Stripe", confidence=0.5, category="profession")
        return str((await ctx.cap.semantic_memory.add(offered)).status)

    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(mem.capture, "I work at Stripe")
        assert session.run(add).output == "merged"
        session.run(mem.consolidate, {"force": True})
        session.run(mem.prune, {"force": True})
        assert [(fact["content"], fact["status"]) for fact in facts(session, mem)] == [("Works at Stripe", "current")]


def test_consolidating_again_and_again_adds_no_rows():
    fabric, mem = open_memory(None)
    with fabric:
        session = fabric.session("monday", user="jake")
        for text in ("I work at Stripe.", "I like tea.", "I like tea.", "I live in Oslo.", "I have 2 cats."):
            session.run(mem.capture, text)
        before = len(facts(session, mem))
        for _ in range(5):
            session.run(mem.consolidate, {"force": True})
            session.run(mem.prune, {"force": True})
        assert len(facts(session, mem)) == before


def test_twenty_repeats_in_one_message_are_one_voice():
    fabric, mem = open_memory(None)
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(mem.capture, "I like tea. " * 20)
        assert [fact["reinforcement_count"] for fact in facts(session, mem)] == [1]


def test_a_turn_with_many_tool_steps_is_one_turn_and_one_episode():
    def answer(request: Request) -> Any:
        steps = sum(message["role"] == "tool" for message in request.messages)
        return ToolCall(f"call_{steps}", "look", "{}") if steps < 6 else "Done"

    model = ScriptedModel(answer)
    mem = memory_system(episodic=True, semantic=True)
    chat = generator(
        name="chat", model="test/chat", tools=[handler(lambda _: "seen", name="look")], user=lambda text: text
    )
    pipeline = sequencer(name="talk").then(chat).work(mem.capture_from_items)
    with Fabric(models=model, clock=FrozenClock()) as fabric:
        session = fabric.session("monday", user="jake")
        session.run(pipeline, "I work at Stripe.")
        fabric.drain()
        records = session.run(mem.export_block).output
    assert sum(record["kind"] == "turn" and record["role"] == "user" for record in records) == 1
    assert sum(record["kind"] == "episode" for record in records) == 1


async def test_the_same_said_at_once_in_ten_sessions_is_one_fact_said_ten_times():
    fabric, mem = open_memory(None)
    pipeline = chat_with(mem)
    async with fabric:
        sessions = [fabric.session(f"session {number}", user="jake") for number in range(10)]
        await asyncio.gather(*(session.arun(pipeline, "I like tea.") for session in sessions))
        await fabric.adrain()
        records = (await sessions[0].arun(mem.export_block)).output
    found = [record for record in records if record["kind"] == "fact"]
    assert [(record["content"], record["reinforcement_count"]) for record in found] == [("Likes tea", 10)]


def test_at_most_twenty_five_observations_are_taken_from_one_turn():
    many = [observation(f"Owns {'z' * (number + 1)}", category="attribute") for number in range(60)]
    fabric, mem = open_memory(MemoryModel(many))
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(mem.capture, "I own things")
        assert len(facts(session, mem)) == 25


@pytest.mark.parametrize("content", ["👩‍👩‍👧‍👦 family", "\u202eright to left"])
def test_odd_characters_in_an_observation_are_kept_and_found(content: str):
    fabric, mem = open_memory(MemoryModel([observation(content)]))
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(mem.capture, "A family writes from right to left.")
        assert content in [memory.content for memory in session.run(mem.recall_block, content)]


@pytest.mark.parametrize(
    "content",
    [
        {"text": "I like tea."},
        {"type": "text", "text": "I like tea."},
        [
            {"type": "text", "text": "I like tea."},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}},
        ],
        [{"type": "input_audio", "input_audio": {"data": "AA", "format": "wav"}}, "I like tea."],
        [{"type": "hologram", "beam": 1}, {"type": "text", "text": "I like tea."}, None, 7],
    ],
)
def test_content_of_any_form_is_read_by_its_text(content: Any):
    fabric, mem = open_memory(None)
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(mem.capture, {"role": "user", "content": content})
        assert [fact["content"] for fact in facts(session, mem)] == ["Likes tea"]


@pytest.mark.parametrize("text", ["私は東京で働いています。", "我喜欢喝茶。", "Я живу в Москве.", "Vivo en Lisboa."])
def test_rules_never_write_in_another_script_than_the_user(text: str):
    for observed in observe_text(text, now=START):
        assert all(char in text for char in observed.content if not char.isascii())
        assert any(word.casefold() in observed.content.casefold() for word in text.rstrip("。.").split())
