"""Two of one name, known by what they are, are two subjects; what may be about either is filed under neither."""

from collections.abc import Iterator

import pytest

from fabric import Fabric
from pipelines import Memory

TWO = ["My sister Anna lives in Oslo.", "My boss Anna lives in Turin."]
CASES: list[tuple[list[str], set[tuple[str, str]]]] = [
    (TWO, {("anna", "Lives in Oslo"), ("boss-anna", "Lives in Turin")}),
    ([*TWO, "Anna is 34."], {("anna", "Lives in Oslo"), ("boss-anna", "Lives in Turin")}),
    ([*TWO, "My boss Anna moved to Rome."], {("anna", "Lives in Oslo"), ("boss-anna", "Moved to Rome")}),
    (
        [*TWO[::-1], "My sister works at Sony."],
        {
            ("anna", "Lives in Turin"),
            ("sister-anna", "Lives in Oslo"),
            ("sister-anna", "Works at Sony"),
        },
    ),
    (
        [*TWO[::-1], "Anna is no longer my boss.", "My sister Anna is 34.", "Anna works at Sony."],
        {
            ("anna", "Lives in Turin"),
            ("sister-anna", "Lives in Oslo"),
            ("sister-anna", "Is 34 years old"),
        },
    ),
    (
        ["My sister is called Anna. She works at Philips.", "My boss is Anna. She works at Stripe."],
        {
            ("anna", "Works at Philips"),
            ("boss-anna", "Works at Stripe"),
        },
    ),
    (
        ["My sister Anna lives in Oslo and my boss Anna lives in Turin."],
        {
            ("anna", "Lives in Oslo"),
            ("boss-anna", "Lives in Turin"),
        },
    ),
    (
        ["Meine Schwester Anna wohnt in Oslo.", "Meine Chefin Anna wohnt in Turin."],
        {
            ("anna", "Wohnt in Oslo"),
            ("boss-anna", "Wohnt in Turin"),
        },
    ),
    (
        ["My friend Anna lives in Turin.", "My colleague Anna works at Nokia."],
        {
            ("anna", "Lives in Turin"),
            ("anna", "Works at Nokia"),
        },
    ),
    (["My sister Anna lives in Oslo.", "Anna moved to Rome."], {("anna", "Moved to Rome")}),
]


@pytest.fixture(scope="module")
def fabric() -> Iterator[Fabric]:
    with Fabric() as opened:
        yield opened


def told(memory: Memory, messages: list[str]) -> None:
    for message in messages:
        memory.capture(message, session="monday")
        assert memory.wait() == []


def test_what_is_said_is_filed_under_whom_the_message_means(fabric: Fabric):
    for number, (messages, wanted) in enumerate(CASES):
        with Memory(fabric, user=f"user-{number}", embedder=None) as memory:
            told(memory, messages)
            records = [one for one in memory.export() if one["kind"] == "fact" and one["status"] == "current"]
        assert {(one["subject"], one["content"]) for one in records if one["subject"] != "user"} == wanted, messages


def test_who_is_asked_about_by_what_they_are_is_answered_by_their_own_facts(fabric: Fabric):
    with Memory(fabric, user="jake", embedder=None) as memory:
        told(memory, [*TWO, "Anna is 34."])

        def first(cue: str) -> str:
            return memory.recall(cue, tiers=["semantic"])[0].content

        assert first("where does my sister live?") == "Lives in Oslo"
        assert first("where does my boss live?") == "Lives in Turin"
        assert first("where does my boss Anna live?") == "Lives in Turin"
        both = memory.recall("where does Anna live?", tiers=["semantic"])[:2]
        assert {one.subject for one in both} == {"anna", "boss-anna"}
        notes = [note for one in memory.export() for note in (one.get("data") or {}).get("result", {}).get("notes", [])]
        assert notes == ["not filed: 'Is 34 years old' may be about several called anna, boss and sister"]
