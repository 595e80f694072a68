"""How a text feels: in English by its words, in any language by its emoji, and never out of bounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capabilities.cognitive.content.sentiment import sentiment

GOOD = (
    "I love this",
    "I’m so happy!!",
    "It wasn't bad at all",
    "The kids are great 😀",
    "👍🏽",
    "Ich war dort ❤️",
    "🫶",
    "I got the job!!!",
    "I'm Over  the Moon",
)
BAD = (
    "I hate waiting",
    "I don’t love it",
    "I was fired today",
    "I was laid off",
    "My mother died.",
    "My aunt passed away.",
    "😡",
    "Ich war dort 👎",
    "😔",
)
NOTHING = (
    "",
    " \n",
    "Works at Stripe",
    "die Kinder spielen",
    "мне грустно",
    "今天去上班",
    "12:30",
    "Lunch 🍕",
    "!!!",
    "I killed the process",
    "Dead simple API",
)


@pytest.mark.parametrize("text", GOOD)
def test_what_feels_good_is_above_zero(text: str) -> None:
    assert 0.2 < sentiment(text) <= 1


@pytest.mark.parametrize("text", BAD)
def test_what_feels_bad_is_below_zero(text: str) -> None:
    assert -1 <= sentiment(text) < -0.2


@pytest.mark.parametrize("text", NOTHING)
def test_what_says_nothing_or_cannot_be_read_is_zero(text: str) -> None:
    assert sentiment(text) == 0.0


def test_a_long_text_is_no_more_intense_than_its_sentences() -> None:
    once = sentiment("I like the garden.")
    assert sentiment("I like the garden. " * 50) == pytest.approx(once)
    assert sentiment("I like the garden. It has a pond. " * 20) == pytest.approx(once)
    assert -0.2 < sentiment("I love the garden. I hate the noise.") < 0.2


@given(st.text(max_size=300))
def test_any_text_has_a_sentiment_within_bounds(text: str) -> None:
    assert -1 <= sentiment(text) <= 1
    assert sentiment(text) == sentiment(text)
