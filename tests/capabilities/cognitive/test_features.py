"""What draws attention in a text is found by whole words in any form, in six languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capabilities.cognitive.content.features import FAMILIES, detect
from tests.capabilities.formulas.golden import cases

THEIRS = {"social": "has_social_content", "ethics": "has_ethical_content"}


def found(text: str) -> set[str]:
    features = detect(text)
    return {name for name in FAMILIES if getattr(features, name)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm worried about the exam.", {"emotion"}),
        ("I worry about the exam.", {"emotion"}),
        ("I loved the old cinema.", {"emotion"}),
        ("That’s wrong.", {"contradiction"}),
        ("I don’t smoke anymore.", {"contradiction"}),
        ("Actually, I never liked it.", {"contradiction"}),
        ("My sister and her boss had a meeting.", {"social"}),
        ("She told me that it was the first time.", {"novelty", "social"}),
        ("Let's work together and share the cost.", {"cooperation"}),
        ("He gave his consent; that is only fair.", {"ethics"}),
        ("Step 1: unplug it.", {"procedure"}),
        ("1. Open the lid\n2. Close it", {"procedure"}),
        ("First boil the water, then add the rice.", {"procedure"}),
        ("Lunch!!", {"emotion"}),
        ("See you 😭", {"emotion"}),
        ("Das neue Rezept: zuerst die Zwiebeln, dann der Knoblauch.", {"novelty", "procedure"}),
        ("Ich bin traurig, mein Bruder ist krank.", {"emotion", "social"}),
        ("Gracias por la ayuda, estoy muy feliz.", {"emotion", "cooperation"}),
        ("Ma sœur est honnête.", {"social", "ethics"}),
        ("Non è vero, ho cambiato idea.", {"contradiction"}),
        ("É a primeira vez que vou com a minha irmã.", {"novelty", "social"}),
        ("Danke", {"emotion"}),
    ],
)
def test_features_are_found_in_any_form_of_their_words(text: str, expected: set[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "It is just a small scratch.",
        "Recall the list and call the API.",
        "I live in New York.",
        "Lunch was fine 🍕",
        "The saddle needs oil.",
        "Error: disk full",
        "You can take small steps, trust me.",
        "It is not just a hobby, it is a job.",
        "The renewal is due in May.",
        "It is my first day at work.",
        "Wein trinke ich gern.",
        "User is allergic to peanuts",
        "我今天去上班",
        "",
    ],
)
def test_other_words_with_the_same_letters_show_nothing(text: str) -> None:
    assert found(text) == set()


def test_the_lists_agree_with_those_of_the_reference_for_the_most_part() -> None:
    texts = [(given["text"], output) for _, given, output in cases("feature_detector", "keyword_detect")]
    for name in FAMILIES:
        theirs = THEIRS.get(name, f"has_{name}")
        agreed = sum(getattr(detect(text), name) == output[theirs] for text, output in texts)
        assert agreed >= 0.9 * len(texts), name
    told = {"I keep bees.": 0.5, "Thanks!": 0.0, "Good morning!": 0.0, "How are you?": 0.0}
    assert {text: detect(text).topic_relevance for text in told} == told


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert detect(text) == detect(text)
