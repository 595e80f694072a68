"""What do you know about me: the profile, in any language and by every way to ask; and turns that say nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from capabilities.memory.recall.ranked import RELEVANT
from fabric import Fabric
from fabric.scope import ScopeIds
from fabric.testing import FrozenClock
from pipelines import Memory, MemorySystem, memory_system
from pipelines.chat import chat_pipeline
from pipelines.server.offer import offer

QUESTIONS = {
    "en": ("what do you know about me?", "tell me about myself", "What have you remembered about me?"),
    "de": ("Was weißt du über mich?", "Erzähl mir etwas über mich"),
    "es": ("¿Qué sabes de mí?", "Cuéntame sobre mí"),
    "fr": ("Que sais-tu de moi ?", "Parle-moi de moi"),
    "zh": ("你知道我的什么？", "说说我自己"),
    "ru": ("Что ты знаешь обо мне?", "Расскажи мне обо мне"),
    "ja": ("私について何を知っていますか？",),
    "ar": ("ماذا تعرف عني؟",),
}
CUES = [cue for cues in QUESTIONS.values() for cue in cues]
ONE_EACH = [cues[0] for cues in QUESTIONS.values()]
IDENTITY = ("Jake", "Oslo", "Stripe")
SAID = (
    "My wife Mia is a doctor.",
    "My name is Jake.",
    "I live in Rome.",
    "I like jazz.",
    "I work at Stripe.",
    "Good morning!",
    "I moved to Oslo.",
    "Thanks, sounds good!",
)


@contextmanager
def told_memory() -> Iterator[tuple[Fabric, MemorySystem]]:
    """Open a memory of somebody with a name, a job, a home after another one, a wife and a taste."""
    clock, mem = FrozenClock(), memory_system(episodic=True, semantic=True)
    with Fabric(clock=clock) as fabric:
        for place, text in enumerate(SAID):
            clock.advance(days=1)
            fabric.session(f"day {place}", user="jake").run(mem.capture, text)
            fabric.drain()
        clock.advance(days=1)
        yield fabric, mem


@pytest.fixture(scope="module")
def told() -> Iterator[tuple[Fabric, MemorySystem]]:
    """One memory for all that only read it."""
    with told_memory() as opened:
        yield opened


@pytest.mark.parametrize("cue", CUES)
def test_recall_begins_with_who_the_user_is_and_holds_what_is_so_now(told: Any, cue: str):
    fabric, mem = told
    found = fabric.session("later", user="jake").run(mem.recall_block, cue).output
    contents = [memory.content for memory in found]
    assert found[0].subject == "user"
    assert any(word in contents[0] for word in IDENTITY), contents
    assert all(any(word in content for content in contents) for word in (*IDENTITY, "jazz")), contents
    assert "Lives in Rome" not in contents
    assert found[0].relevance > RELEVANT


@pytest.mark.parametrize("cue", CUES)
def test_the_context_holds_the_profile(told: Any, cue: str):
    fabric, mem = told
    text = fabric.session("later", user="jake").run(mem.context_block, {"cue": cue, "tokens": 300}).output
    assert all(word in text for word in IDENTITY), text
    assert all("no longer so" in line for line in text.splitlines() if "Rome" in line), text


@pytest.mark.parametrize("cue", ONE_EACH)
def test_a_small_context_holds_who_the_user_is_before_their_family(told: Any, cue: str):
    fabric, mem = told
    text = fabric.session("later", user="jake").run(mem.context_block, {"cue": cue, "tokens": 60}).output
    assert any(word in text for word in IDENTITY), text


@pytest.mark.parametrize("cue", ONE_EACH)
def test_the_chat_without_a_model_tells_the_profile(cue: str):
    with told_memory() as (fabric, mem):
        answer = fabric.session("later", user="jake").run(chat_pipeline(mem), cue).output
    assert any(word in answer for word in IDENTITY), answer
    assert "Rome" not in answer


@pytest.mark.parametrize("cue", ONE_EACH)
async def test_the_server_tells_the_profile(cue: str):
    mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")
    from pipelines.server.protocol import memory_server

    mem = memory_system(episodic=True, semantic=True)
    async with Fabric() as fabric:
        for text in SAID:
            await fabric.session("talk", user="jake").arun(mem.capture, text)
        host = offer(mem).host(fabric, ScopeIds(session="mcp", user="jake"))
        async with mcp.Client(memory_server(offer(mem), lambda: host)) as client:
            found = (await client.call_tool("recall", {"query": cue})).structured_content["result"]
            context = (await client.call_tool("context", {"query": cue})).content[0].text
    assert any(word in found[0]["content"] for word in IDENTITY), found[0]
    assert all(word in context for word in IDENTITY), context


def test_somebody_who_has_said_nothing_has_no_profile():
    with Memory(user="nobody") as memory:
        assert memory.recall("what do you know about me?") == []


def test_what_is_known_of_others_is_no_profile_of_the_user():
    with Memory(user="jake") as memory:
        memory.remember("Works at Philips", subject="anna")
        found = memory.recall("what do you know about me?")
        assert [memory.content for memory in found if memory.relevance >= RELEVANT] == []


def test_asked_about_somebody_else_recall_tells_of_them():
    with Memory(user="jake") as memory:
        for text in ("I work at Stripe.", "My sister Anna works at Philips.", "Anna lives in Turin."):
            memory.capture(text)
            memory.wait()
        for cue in ("what do you know about Anna?", "tell me about my sister"):
            first = memory.recall(cue)[0]
            assert first.subject == "anna" or "Anna" in first.content


@pytest.mark.parametrize(
    ("question", "answer"),
    [("where do I work?", "Stripe"), ("where do I live?", "Oslo"), ("what is my name?", "Jake")],
)
@pytest.mark.parametrize(
    "filler",
    [
        ["Good morning!", "Hi there, how are you?"],
        ["Noted.", "Yes, exactly.", "OK, thanks!"],
        ["Where do I work?", "Where do I live?", "What is my name?"],
        ["Thanks, Jake!", "Talk soon, Jake.", "Great, Jake!"],
    ],
    ids=["greetings", "agreements", "questions", "farewells"],
)
def test_no_greeting_agreement_or_question_comes_before_a_fact(filler: list[str], question: str, answer: str):
    with Memory(user="u1") as memory:
        for text in ("My name is Jake.", "I work at Stripe.", "I live in Oslo."):
            memory.capture(text, session="old")
        for text in filler:
            memory.capture([{"role": "user", "content": text}, {"role": "assistant", "content": "Nice to talk, Jake!"}])
            memory.wait()
        found = memory.recall(question)
        assert answer in found[0].content
        assert found[0].role != "assistant"
        facts = [place for place, one in enumerate(found) if one.source == "semantic"]
        empty = [place for place, memory in enumerate(found) if memory.content in {*filler, "Nice to talk, Jake!"}]
        assert not empty or min(empty) > facts[0]


@pytest.mark.parametrize("question", ["Where do I live?", "What's my dog called?", "Wo wohne ich?", "¿Dónde vivo?"])
def test_the_users_own_question_is_no_answer_to_it(question: str):
    with Memory(user="jake") as memory:
        memory.capture(question)
        memory.capture("I was at the cinema yesterday.")
        memory.wait()
        found = memory.recall(question)
        assert [memory.content for memory in found if memory.relevance >= RELEVANT] == []


def test_an_earlier_question_stands_behind_what_answers_it():
    with Memory(user="jake") as memory:
        for text in ("Where do I live?", "We rent a small flat near the harbour of Oslo.", "Where do I live?"):
            memory.capture(text)
            memory.wait()
        contents = [recalled.content for recalled in memory.recall("Where do I live?")]
        assert "Oslo" in contents[0]
