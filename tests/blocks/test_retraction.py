"""What the next message takes back is over, or gives way to what was meant; what other messages said stays."""

import json
from typing import Any

from blocks.capture.reach import Named, reach_of
from blocks.readers.corrections import corrects
from blocks.readers.withdrawals import withdrawal
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
    ("I have a dog and I live in Rome.", "Just kidding, I don't have a dog.", ["Lives in Rome", "Does not have a dog"]),
    ("I have a dog. I live in Rome.", "I was joking about the dog.", ["Lives in Rome"]),
    ("I have a dog. I live in Rome.", "That's not true.", []),
    ("I have a dog. I live in Rome.", "Never mind, ignore that.", []),
    ("I have a dog. I live in Rome.", "Forget what I just said. I live in Milan.", ["Lives in Milan"]),
    ("I have a dog. I live in Rome.", "Forget what I said about the dog.", ["Lives in Rome"]),
    ("I have a dog. I live in Rome.", "Forget what I said about the weather.", ["Has a dog", "Lives in Rome"]),
    (
        "My sister lives in Oslo. I live in Rome.",
        "Kidding, I don't live in Rome.",
        ["Sister lives in Oslo", "Does not live in Rome"],
    ),
    ("I live in Rome. Can you book a flight?", "Scratch that.", ["Lives in Rome"]),
    ("I live in Rome.", "I lied to my boss.", ["Lives in Rome"]),
    (
        "Ich habe einen Hund. Ich wohne in Rom.",
        "War nur Spaß, ich habe keinen Hund.",
        ["Ich wohne in Rom", "Ich habe keinen Hund"],
    ),
    (
        "Moro em Lisboa. Tenho um cachorro.",
        "Brincadeira, não tenho cachorro.",
        ["Moro em Lisboa", "Não tenho cachorro"],
    ),
    ("Abito a Roma. Ho un cane.", "Non è vero!", []),
    ("Ik woon in Utrecht.", "Vergeet wat ik net zei.", []),
]
WITHDRAWN = [
    ("Scratch that.", "that"),
    ("Please forget that, thanks.", "that"),
    ("Could you ignore my last message?", "said"),
    ("I made that up, sorry.", "said"),
    ("No, that's not true at all.", "untrue"),
    ("Das stimmt gar nicht.", "untrue"),
    ("Vergiss, was ich gerade gesagt habe.", "said"),
    ("Ich nehme das zurück.", "said"),
    ("Eso no es verdad.", "untrue"),
    ("Olvida lo que dije, por favor.", "said"),
    ("C’est faux !", "untrue"),
    ("Oublie ce que je viens de dire.", "said"),
    ("Non è vero.", "untrue"),
    ("Dimentica quello che ho detto.", "said"),
    ("Isso não é verdade.", "untrue"),
    ("Esquece o que eu disse.", "said"),
    ("Dat klopt niet.", "untrue"),
    ("Negeer dat maar.", "that"),
    ("That's true.", ""),
    ("That's not true?", ""),
    ("Ignore the noise.", ""),
    ("That's wrong to do.", ""),
    ("Forget the milk.", ""),
]
"""Messages, and how each withdraws what was said before it."""
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


def test_what_withdraws_a_message_is_known_in_seven_languages():
    found = [(text, withdrawal(text)) for text, _ in WITHDRAWN]
    assert [(text, told.means if told else "") for text, told in found] == WITHDRAWN
    assert all(not told.rest for _, told in found if told)


def test_what_may_be_said_of_an_answer_takes_nothing_back():
    said = [("I live in Rome.", "Nice!", "all"), ("I live in Rome.", "Rome is the capital of Spain.", None)]
    said += [("I live in Rome. What is the capital of Spain?", "Lisbon.", None)]
    for before, answer, reach in said:
        withdrawn = withdrawal("That's not true.")
        assert reach_of(withdrawn, Named(), before, [answer], is_correction=False) == reach, answer
    with Memory(user="jake", embedder=None) as memory:
        memory.capture(
            [
                {"role": "user", "content": "I live in Rome."},
                {"role": "assistant", "content": "Rome is the capital of Spain."},
            ]
        )
        memory.capture("That's wrong.")
        assert memory.wait() == []
        assert current(memory) == ["Lives in Rome"]


def test_only_the_message_before_is_taken_back_and_the_reason_is_told():
    assert not any(corrects(text) or withdrawal(text) for text in NOT_TAKEN_BACK)
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
