"""Whose it is: what somebody says of themselves and of others stays apart, whoever asks and however it got there."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from capabilities.memory.recall.ranked import RELEVANT, RankedMemory
from fabric import Fabric
from fabric.models.base import Request
from fabric.testing import FrozenClock, ScriptedModel
from pipelines import Memory, MemorySystem, memory_system
from tests.stories.scripts import chat_with, observation

JAKE = "I joined Stripe last month."
ANNA = "My sister Anna works at Philips."


def jake_alone(memory: Memory) -> None:
    memory.capture([{"role": "user", "content": JAKE}, {"role": "assistant", "content": "Nice!"}])


def anna_before(memory: Memory) -> None:
    memory.capture(ANNA)
    memory.wait()
    jake_alone(memory)


def anna_after(memory: Memory) -> None:
    jake_alone(memory)
    memory.wait()
    memory.capture(ANNA)


def anna_elsewhere(memory: Memory) -> None:
    jake_alone(memory)
    memory.wait()
    memory.capture(ANNA, session="another day")


def anna_stated(memory: Memory) -> None:
    jake_alone(memory)
    memory.wait()
    memory.remember("Works at Philips", subject="anna")


def anna_in_one_message(memory: Memory) -> None:
    memory.capture(f"{ANNA} {JAKE}")


def anna_imported(memory: Memory) -> None:
    memory.import_turns([{"session": "old", "role": "user", "text": ANNA, "said_at": "2020-01-01T10:00:00Z"}])
    jake_alone(memory)


WAYS = [anna_before, anna_after, anna_elsewhere, anna_stated, anna_in_one_message, anna_imported]


def told(memory: Memory, *texts: str) -> None:
    for text in texts:
        memory.capture(text)
        memory.wait()


def facts(memory: Memory) -> list[tuple[str, str]]:
    """Return whom the current facts are about, and what they say."""
    kept = memory.export()
    return [
        (record["subject"], record["content"])
        for record in kept
        if record["kind"] == "fact" and record["status"] == "current"
    ]


def of_the_user(found: list[RankedMemory]) -> list[str]:
    """Return what is about the user, or was said by the user, and is likely to answer."""
    likely = [memory for memory in found if memory.relevance >= RELEVANT]
    return [
        memory.content
        for memory in likely
        if memory.subject == "user" or (memory.source == "turn" and memory.role == "user")
    ]


@pytest.mark.parametrize("came", WAYS)
@pytest.mark.parametrize("question", ["where do I work?", "where does he work?", "who is my employer?"])
@pytest.mark.parametrize("tiers", [["semantic"], ["working", "episodic", "semantic", "turn"]])
def test_the_employer_of_the_user_is_not_that_of_anna(came: Callable[[Memory], None], question: str, tiers: list[str]):
    with Memory(user="jake") as memory:
        came(memory)
        memory.wait()
        first = memory.recall(question, tiers=tiers)[0]
        assert "Stripe" in first.content
        assert first.source == "turn" or (first.subject, "Philips" in first.content) == ("user", False)
        assert first.relevance > RELEVANT


@pytest.mark.parametrize("came", [anna_before, anna_after, anna_elsewhere, anna_in_one_message])
@pytest.mark.parametrize("question", ["where does Anna work?", "where does my sister work?", "where does she work?"])
def test_annas_employer_is_found_by_her_name_by_who_she_is_and_by_she(came: Callable[[Memory], None], question: str):
    with Memory(user="jake") as memory:
        came(memory)
        memory.wait()
        if came is anna_elsewhere:  # here "she" would be whom this conversation spoke of
            question = question.replace(" she ", " Anna ")
        first = memory.recall(question)[0]
        assert "Philips" in first.content
        assert first.relevance > RELEVANT


def test_what_is_corrected_by_the_first_result_is_the_users_own():
    with Memory(user="jake") as memory:
        anna_after(memory)
        memory.wait()
        memory.update(memory.recall("where does he work?", tiers=["semantic"])[0].id, "Works at Shopify")
        assert ("anna", "Works at Philips") in facts(memory)
        assert memory.recall("where do I work?")[0].content == "Works at Shopify"


@pytest.mark.parametrize("text", ["My colleague Tom works at Philips.", "My brother Tom works at Philips."])
def test_he_is_whom_the_conversation_last_spoke_of(text: str):
    with Memory(user="jake") as memory:
        told(memory, JAKE, text)
        assert "Philips" in memory.recall("where does he work?")[0].content
        assert "Stripe" in memory.recall("where do I work?")[0].content


def test_he_is_the_user_where_the_conversation_spoke_of_nobody_else():
    with Memory(user="jake") as memory:
        told(memory, JAKE)
        memory.capture("My brother Tom works at Philips.", session="another day")
        memory.wait()
        first = memory.recall("where does he work?")[0]
        assert (first.subject, "Stripe" in first.content) == ("user", True)


@pytest.mark.parametrize(
    ("text", "kin"),
    [
        ("My mother lives in Rome and I live in Oslo.", "mother"),
        ("I live in Oslo and my mother lives in Rome.", "mother"),
        ("I live in Oslo, but my dad lives in Rome.", "father"),
        ("My parents live in Rome; I live in Oslo.", "parents"),
        ("My best friend lives in Rome. I live in Oslo.", "best friend"),
    ],
)
def test_two_people_in_one_message_keep_their_own_homes(text: str, kin: str):
    with Memory(user="jake") as memory:
        told(memory, text)
        mine = memory.recall("where do I live?", tiers=["semantic"])[0]
        theirs = memory.recall(f"where does my {kin} live?", tiers=["semantic"])[0]
        assert ("Oslo" in mine.content, "Rome" in mine.content) == (True, False)
        assert ("Rome" in theirs.content, "Oslo" in theirs.content) == (True, False)
        assert min(mine.relevance, theirs.relevance) > RELEVANT


def test_a_move_of_the_mother_leaves_the_user_where_they_live():
    with Memory(user="jake") as memory:
        told(memory, "My mother lives in Rome and I live in Oslo.", "My mother moved to Turin.")
        assert "Turin" in memory.recall("where does my mother live?")[0].content
        assert "Oslo" in memory.recall("where do I live?", tiers=["semantic"])[0].content


@pytest.mark.parametrize("said", ["My name is Jake.", "I'm Jake.", "Call me Jake.", "My name is Jake Miller."])
@pytest.mark.parametrize("named_first", [True, False])
def test_a_question_about_the_users_own_name_is_about_the_user(said: str, named_first: bool):
    hello = [{"role": "user", "content": said}, {"role": "assistant", "content": "Nice to meet you, Jake!"}]
    with Memory(user="u1") as memory:
        both: list[Any] = [hello, JAKE]
        for messages in both if named_first else reversed(both):
            memory.capture(messages)
            memory.wait()
        first = memory.recall("Where does Jake work?")[0]
        assert "Stripe" in first.content
        assert first.relevance > RELEVANT


def test_what_is_stated_under_the_users_own_name_is_the_users_and_changes_with_it():
    with Memory(user="u1") as memory:
        told(memory, "My name is Jake.")
        memory.remember("Jake works at Stripe", subject="jake")
        memory.remember("Works at Shopify now")
        employers = [(subject, content) for subject, content in facts(memory) if "orks at" in content]
        assert employers == [("user", "Works at Shopify now")]
        assert "Shopify" in memory.recall("Where does Jake work?")[0].content


def test_an_observer_that_calls_the_user_by_name_files_no_second_person():
    def answer(request: Request) -> str:
        text = str(request.messages[-1]["content"])
        where = "Shopify" if "Shopify" in text.partition("The turn:")[2] else "Stripe"
        return json.dumps({"observations": [observation(f"Works at {where}", subject="Jake")]})

    with Memory(user="u1", model="test/model", models=ScriptedModel(answer)) as memory:
        memory.remember("Name is Jake", category="identity")
        told(memory, "I work at Stripe.", "I work at Shopify.")
        assert [fact for fact in facts(memory) if "orks at" in fact[1]] == [("user", "Works at Shopify")]


def test_somebody_else_of_another_name_is_not_the_user():
    with Memory(user="u1") as memory:
        told(memory, "My name is Sam.", "My brother Jake works at Stripe.", "I work at Philips.")
        assert "Stripe" in memory.recall("Where does Jake work?")[0].content
        assert "Philips" in memory.recall("Where does Sam work?")[0].content


@pytest.mark.parametrize(
    "question",
    [
        "Where does Olga work?",
        "Where does my uncle work?",
        "Where does my wife live?",
        "How old is Dmitri?",
        "Who is Olga's employer?",
        "Wo arbeitet Olga?",
        "¿Dónde trabaja Olga?",
        "Où travaille Olga ?",
        "奥尔加在哪里工作？",
    ],
)
def test_where_nobody_of_that_name_is_known_the_users_facts_do_not_answer(question: str):
    with Memory(user="jake") as memory:
        told(memory, "My name is Jake.", JAKE, "I live in Oslo.", "I'm 34 years old.")
        assert of_the_user(memory.recall(question)) == []


def shared_system(shared: str) -> MemorySystem:
    """Return a memory whose facts a project shares: as its episodes are, or they alone."""
    if shared == "episodic":
        return memory_system(episodic={"scope": "project"}, semantic=True)
    return memory_system(episodic=True, semantic={"scope": "project"})


@pytest.mark.parametrize("shared", ["episodic", "semantic"])
class TestASharedProject:
    def test_two_colleagues_keep_their_own_employers(self, shared: str):
        mem = shared_system(shared)
        with Fabric(clock=FrozenClock()) as fabric:
            anna, bob = (fabric.session(name, user=name, project="apollo") for name in ("anna", "bob"))
            for session, text in ((anna, "I work at Stripe."), (bob, "I work at Google.")):
                session.run(chat_with(mem), text)
                fabric.drain()
            for session, mine in ((anna, "Stripe"), (bob, "Google")):
                first = session.run(mem.recall_block, "where do I work?").output[0]
                assert mine in first.content
                assert first.relevance > RELEVANT

    def test_who_has_said_nothing_has_no_employer(self, shared: str):
        mem = shared_system(shared)
        with Fabric(clock=FrozenClock()) as fabric:
            anna, bob = (fabric.session(name, user=name, project="apollo") for name in ("anna", "bob"))
            anna.run(chat_with(mem), "I work at Stripe.")
            fabric.drain()
            found = bob.run(mem.recall_block, "where do I work?").output
            assert [memory.content for memory in found if memory.relevance >= RELEVANT] == []

    def test_a_move_of_one_is_no_move_of_the_other(self, shared: str):
        mem = shared_system(shared)
        clock = FrozenClock()
        with Fabric(clock=clock) as fabric:
            anna, bob = (fabric.session(name, user=name, project="apollo") for name in ("anna", "bob"))
            said = ((anna, "I live in Rome."), (bob, "I live in Rome."), (bob, "I moved to Oslo."))
            for session, text in said:
                clock.advance(days=1)
                session.run(chat_with(mem), text)
                fabric.drain()
            assert "Rome" in anna.run(mem.recall_block, "where do I live?").output[0].content
            assert "Oslo" in bob.run(mem.recall_block, "where do I live?").output[0].content

    def test_a_context_says_whose_a_colleagues_fact_is(self, shared: str):
        mem = shared_system(shared)
        with Fabric(clock=FrozenClock()) as fabric:
            anna, bob = (fabric.session(name, user=name, project="apollo") for name in ("anna", "bob"))
            anna.run(mem.capture, "I work at Stripe.")
            fabric.drain()
            text = bob.run(mem.context_block, {"cue": "who works at Stripe?", "tokens": 500}).output
            lines = [line for line in text.splitlines() if "Stripe" in line]
            assert lines
            assert all("anna" in line.casefold() for line in lines), lines


@pytest.mark.parametrize("subject", ["anna", "Anna Weber", "fixpoint labs"])
@pytest.mark.parametrize("is_changed", [False, True])
def test_a_context_heads_what_is_stated_about_somebody_with_them(subject: str, is_changed: bool):
    with Memory(user="jake") as memory:
        memory.remember("Works at Philips", subject=subject)
        if is_changed:
            memory.remember("Works at Sony", subject=subject)
        for question in (f"where does {subject} work?", "who works at Philips?", "what about Sony?"):
            lines = [line for line in memory.context(question).splitlines() if "Works at" in line]
            assert lines
            assert all(subject.casefold() in line.casefold().replace("-", " ") for line in lines), lines
            assert not any(line.startswith(("user:", "- user:")) for line in lines), lines
