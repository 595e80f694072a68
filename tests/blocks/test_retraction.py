"""What the next message takes back is over, or gives way to what was meant; what other messages said stays."""

import json
from typing import Any

from blocks.readers.corrections import corrects
from fabric import Fabric
from pipelines import Memory
from tests.stub_server import StubServer, text

TAKEN_BACK = [
    ("I live in Rome.", "Sorry, I meant Milan.", ["Lives in Milan"]),
    ("I live in Rome.", "I meant Milan, not Rome.", ["Lives in Milan"]),
    ("I work at NASA.", "Just kidding!", []),
    ("I work at NASA.", "That was a joke, I work at Aldi.", ["Works at Aldi"]),
    ("I have a boat. I'm allergic to shellfish.", "jk, I'm not", ["Has a boat"]),
    ("I'm allergic to peanuts.", "scratch that, walnuts", ["Is allergic to walnuts"]),
    ("Ich wohne in Rom.", "War nur Spaß!", []),
    ("Ich wohne in Rom.", "Sorry, ich meinte Mailand.", ["Ich wohne in Mailand"]),
    ("J'habite à Rome.", "Je plaisante !", []),
    ("Vivo en Roma.", "Perdón, quise decir Milán.", ["Vivo en Milán"]),
]
NOT_TAKEN_BACK = [
    "No, Milan.",
    "Never mind the weather.",
    "Sorry, can you repeat that?",
    "I mean it's nice.",
    "*thanks*",
]


def current(memory: Memory) -> list[str]:
    """Return what holds."""
    return [one["content"] for one in memory.export() if one["kind"] == "fact" and one["status"] == "current"]


def say(memory: Memory, *messages: str) -> None:
    """Say one message after the other."""
    for message in messages:
        memory.capture(message, session="monday")
        assert memory.wait() == []


def test_what_the_next_message_takes_back_is_over_and_what_is_meant_holds():
    with Fabric() as fabric:
        found: list[Any] = []
        for number, (said, then, _) in enumerate(TAKEN_BACK):
            with Memory(fabric, user=f"jake-{number}", embedder=None) as memory:
                say(memory, said, then)
                found.append((said, then, current(memory)))
    assert found == TAKEN_BACK


def test_only_the_message_before_is_taken_back_and_the_reason_is_told():
    assert not any(corrects(text) for text in NOT_TAKEN_BACK)
    with Memory(user="jake", embedder=None) as memory:
        say(memory, "I have a cat.", "I work at NASA.", "I work at NASA.", "I live in Rome.", "Just kidding!")
        assert current(memory) == ["Has a cat", "Works at NASA"]
        closed = [one for one in memory.export() if one["kind"] == "fact" and one["status"] != "current"]
        assert [(one["content"], one["reason"]) for one in closed] == [("Lives in Rome", "taken back: 'Just kidding!'")]
        found = memory.recall("where do I live?", tiers=["working", "semantic", "episodic"])
        assert not [one.content for one in found if "Rome" in one.content]


def test_it_is_taken_back_also_where_a_model_reads_and_says_nothing_of_it():
    fact = {"content": "Lives in Rome", "importance": 0.8, "durability": "persistent", "category": "identity"}
    with StubServer() as server:
        server.script([text(json.dumps({"observations": found})) for found in ([fact], [])])
        url = f"{server.url}/v1"
        with Memory(user="jake", model="openai/stub", api_base=url, api_key="none", embedder=None) as memory:
            say(memory, "I live in Rome.", "Sorry, I meant Milan.")
            assert current(memory) == ["Lives in Milan"]


def test_what_a_message_had_changed_holds_again_when_the_change_is_taken_back():
    with Memory(user="jake", embedder=None) as memory:
        say(memory, "I work at Stripe.", "I work at Shopify now.", "Just kidding!")
        assert current(memory) == ["Works at Stripe"]
        assert memory.recall("where do I work?")[0].content == "Works at Stripe"


def test_what_a_program_stated_is_no_message_that_the_next_one_takes_back():
    with Memory(user="jake", embedder=None) as memory:
        memory.remember("Lives in Oslo")
        say(memory, "I have a cat.")
        memory.remember("Lives in Bergen")
        say(memory, "Just kidding!")
        assert current(memory) == ["Lives in Bergen"]
