"""An observation that its own message denies, only asks, supposes or takes back is refused, and nothing right is."""

import json

import pytest

from blocks.capture.contradicted import contradiction
from blocks.readers.moods import said_in
from capabilities.vocabulary import Observation
from pipelines import Memory
from tests.bench.rules import labelled
from tests.stub_server import StubServer, text

NOT_SO = {
    "opposite": [
        ("I am not allergic to nuts.", "Is allergic to nuts"),
        ("I am allergic to nuts.", "Is not allergic to nuts"),
        ("I never smoke.", "Smokes"),
        ("I no longer live in Rome.", "Lives in Rome"),
        ("Ich wohne nicht in Berlin.", "Lives in Berlin"),
        ("Je n'habite pas à Paris.", "Habite à Paris"),
    ],
    "only asks": [
        ("Do I work at Google?", "Works at Google"),
        ("Would I be allergic to nuts?", "Is allergic to nuts"),
        ("Is it true that I live in Rome?", "Lives in Rome"),
        ("Wohne ich in Berlin?", "Wohnt in Berlin"),
    ],
    "only supposes": [
        ("If I lived in Rome I would be happy", "Lives in Rome"),
        ("Maybe I'm allergic to nuts", "Is allergic to nuts"),
        ("I wish I lived in Rome.", "Lives in Rome"),
        ("Wenn ich in Rom wohnte, wäre ich froh", "Wohnt in Rom"),
    ],
    "a program says it of itself": [
        ("As an AI, I live in the cloud.", "Lives in the cloud"),
        ("I am an AI language model. I don't have a dog.", "Does not have a dog"),
        ("Ich bin eine KI und ich wohne in der Cloud.", "Wohnt in der Cloud"),
    ],
    "takes it back": [
        ("I live in Rome, no wait, Milan.", "Lives in Rome"),
        ("haha I am the king of Spain, just kidding", "Is the king of Spain"),
    ],
}
SO = [
    ("I'm vegan, is that ok?", "Is vegan"),
    ("Can you recommend a restaurant since I'm vegan?", "Is vegan"),
    ("What should I feed my dog Rex?", "Has a dog"),
    ("Do I need a visa for Japan as a German citizen?", "Is a German citizen"),
    ("I no longer work at Google", "Worked at Google"),
    ("I don't smoke anymore", "Used to smoke"),
    ("I don't like tea but I like coffee", "Likes coffee"),
    ("I might move to Oslo", "Might move to Oslo"),
    ("I'd prefer tea", "Prefers tea"),
    ("If you must know, I live in Rome", "Lives in Rome"),
    ("Ich wohne in Berlin und esse kein Fleisch.", "Wohnt in Berlin"),
    ("As an AI engineer, I live in Berlin.", "Lives in Berlin"),
    ("My father lost his job", "Has a father who lost his job"),
]


def fault(text: str, content: str, subject: str = "user") -> str:
    """Return why what a model answers about a message is refused."""
    return contradiction(Observation(subject=subject, content=content, importance=0.8), list(said_in(text)))


@pytest.mark.parametrize("reason", NOT_SO)
def test_what_the_message_itself_speaks_against_is_refused_with_the_reason(reason: str):
    assert [(said, content) for said, content in NOT_SO[reason] if reason not in fault(said, content)] == []


def test_what_the_message_says_is_never_refused():
    assert [(said, content, why) for said, content in SO if (why := fault(said, content))] == []
    rows = [(row["text"], content, subject) for row in labelled() for subject, content in row["facts"]]
    assert [row for row in rows if fault(*row)] == []


def test_what_is_refused_is_told_and_rules_read_what_was_said_instead():
    answer = {"content": "Is allergic to nuts", "importance": 0.9, "durability": "permanent", "category": "attribute"}
    with StubServer() as server:
        server.script([text(json.dumps({"observations": [answer]}))])
        with Memory(user="jake", model="openai/stub", api_base=f"{server.url}/v1", api_key="none") as memory:
            memory.capture("I am not allergic to nuts.")
            assert memory.wait() == []
            records = list(memory.export())
    facts = [record["content"] for record in records if record["kind"] == "fact"]
    notes = next(record["data"]["result"]["notes"] for record in records if record.get("item_kind") == "outcome")
    assert facts == ["Is not allergic to nuts"]
    assert "the message says the opposite" in notes[0]
