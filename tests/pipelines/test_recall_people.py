"""Recall tells people apart: whose memory it is counts when the question names somebody."""

from collections.abc import Iterator

import pytest

from capabilities.memory.recall.ranked import RankedMemory
from pipelines import Memory

SAID = (
    "My sister Anna lives in Hamburg. She is a nurse.",
    "I live in Porto.",
    "My boss Tom is from Ireland. I am allergic to peanuts.",
    "Tom lives in Dublin.",
    "Tom works at Acme.",
    "I work at Stripe.",
    "Tom likes sailing.",
    "I like chess.",
    "Anna likes opera.",
)


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory(user="jake") as held:
        for said in SAID:
            held.capture(said)
        held.wait()
        yield held


def first(memory: Memory, cue: str) -> RankedMemory:
    return memory.recall(cue, tiers=["semantic"])[0]


@pytest.mark.parametrize(
    ("cue", "subject", "content"),
    [
        ("where do I live?", "user", "Lives in Porto"),
        ("where does Anna live?", "anna", "Lives in Hamburg"),
        ("where does my sister live?", "anna", "Lives in Hamburg"),
        ("where does Tom live?", "tom", "Lives in Dublin"),
        ("where does my boss live?", "tom", "Lives in Dublin"),
        ("where do I work?", "user", "Works at Stripe"),
        ("where does my boss work?", "tom", "Works at Acme"),
        ("what is Tom's job?", "tom", "Works at Acme"),
        ("what is Anna's job?", "anna", "Is a nurse"),
        ("what do I like?", "user", "Likes chess"),
        ("what does my boss like?", "tom", "Likes sailing"),
        ("what does my sister like?", "anna", "Likes opera"),
        ("what does Anna like?", "anna", "Likes opera"),
        ("where is my boss from?", "tom", "Is from Ireland"),
        ("what am I allergic to?", "user", "Is allergic to peanuts"),
        ("who is my sister?", "user", "Sister is Anna"),
        ("what is my boss's name?", "user", "Boss is Tom"),
        ("does Anna know where I live?", "anna", "Lives in Hamburg"),
    ],
)
def test_the_fact_of_whom_the_cue_asks_about_is_first(memory: Memory, cue: str, subject: str, content: str):
    best = first(memory, cue)
    assert (best.subject, best.content) == (subject, content)
    assert best.parts.speaker > 0


def test_a_fact_is_found_by_the_name_of_its_subject(memory: Memory):
    found = {recalled.content: recalled for recalled in memory.recall("Anna", tiers=["semantic"])}
    assert found["Lives in Hamburg"].parts.text > 0.5
    assert "Lives in Porto" not in found or found["Lives in Porto"].parts.text == 0


def test_episodes_and_entries_are_told_apart_like_facts(memory: Memory):
    for tier in ("working", "episodic"):
        for cue, subject in (("where do I live?", "user"), ("where does my sister live?", "anna")):
            found = memory.recall(cue, tiers=[tier])
            assert [one.subject for one in found][:1] in ([], [subject])


@pytest.mark.parametrize("cue", ["where does Anna live?", "where does my sister live?"])
def test_the_right_claim_is_first_over_all_tiers_together(cue: str):
    with Memory(user="jake") as memory:
        memory.capture("My sister Anna lives in Hamburg. She is a nurse.")
        memory.capture("I live in Porto.")
        memory.capture("I went hiking in the Alps in June and saw a marmot.")
        memory.capture("My boss Tom is from Ireland. I am allergic to peanuts.")
        memory.wait()
        assert str(memory.recall(cue)[0]) == "about anna: Lives in Hamburg"


def test_two_sisters_are_not_taken_for_one():
    with Memory(user="jake") as memory:
        memory.capture("My sister Anna lives in Hamburg.")
        memory.capture("My sister Mia lives in Oslo.")
        memory.capture("I live in Porto.")
        memory.wait()
        found = memory.recall("where does my sister live?", tiers=["semantic"])
        assert {one.subject for one in found if one.parts.speaker > 0} == set()


@pytest.mark.parametrize("cue", ["wo ist mein Haus in Porto oder Hamburg?", "où est ma maison, Porto ou Hamburg ?"])
def test_other_languages_speak_of_oneself_too(memory: Memory, cue: str):
    best = first(memory, cue)
    assert (best.subject, best.content) == ("user", "Lives in Porto")


def test_a_printed_memory_says_whose_it_is(memory: Memory):
    assert str(first(memory, "where does Anna live?")) == "about anna: Lives in Hamburg"
    assert str(first(memory, "where do I live?")) == "Lives in Porto"
    assert str(memory.recall("Porto", tiers=["turn"])[0]) == "I live in Porto."
