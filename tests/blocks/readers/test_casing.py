"""Messages typed without capitals, or in nothing else, are read as others are."""

import pytest

from blocks.readers.casing import recased
from blocks.readers.observe import observe_text
from capabilities.claims import claim_of, compare


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("i live in rome", "i moved to milan yesterday"),
        ("i live in new york", "i'm living in san francisco now"),
        ("I LIVE IN ROME!!!", "I live in Milan now."),
        ("i work at stripe", "i joined apple as a designer"),
        ("I work at Stripe.", "i'm working at google now"),
    ],
)
def test_a_change_is_one_without_capitals_too(first: str, second: str):
    (before,), (after, *_) = observe_text(first), observe_text(second)
    assert compare(claim_of(before), claim_of(after)) == "replaces"


@pytest.mark.parametrize(
    "text",
    [
        "i work at night",
        "i live in peace with my neighbours",
        "i moved to tears, then to tea",
        "i joined the gym and quit smoking",
        "my sister always works late",
        "i work with computers",
        "i left home early",
        "call me maybe",
        "i live in rome, says Anna",  # whoever types capitals means them
        "NASA",
        "",
    ],
)
def test_what_is_no_name_stays_as_it_is(text: str):
    assert recased(text) == text


def test_names_of_people_are_told():
    told = "my name is jake, my sister anna works at philips and i have a dog named rex"
    assert recased(told) == "my name is Jake, my sister Anna works at Philips and i have a dog named Rex"
