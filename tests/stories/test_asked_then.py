"""Asked then: a question about another time is answered by what was so at that time, marked as over where it is."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from fabric import Fabric
from fabric.testing import FrozenClock
from pipelines import Memory

TURNS = (
    (2018, 3, "I work at Nokia."),
    (2018, 4, "I live in Rome."),
    (2021, 3, "I work at Stripe."),
    (2022, 3, "I live in Oslo."),
    (2024, 3, "I work at Google."),
)


@pytest.fixture(scope="module")
def lived() -> Iterator[Memory]:
    """Somebody who told where they work and live over six years, asked in 2026."""
    clock = FrozenClock(datetime(2018, 1, 1, 9, tzinfo=UTC))
    with Fabric(clock=clock) as fabric:
        memory = Memory(fabric, user="jake")
        for year, month, text in TURNS:
            clock.set(datetime(year, month, 1, 9, tzinfo=UTC))
            memory.capture(text)
            memory.wait()
        clock.set(datetime(2026, 1, 1, 9, tzinfo=UTC))
        yield memory


@pytest.mark.parametrize(
    ("question", "then"),
    [
        ("where did I work in 2020?", "Nokia"),
        ("where did I work in May 2022?", "Stripe"),
        ("where did I work in 2025?", "Google"),
        ("where did I live in 2019?", "Rome"),
        ("where did I live before?", "Rome"),
        ("where did I use to live?", "Rome"),
        ("where did I live before Oslo?", "Rome"),
        ("where did I work before?", "Stripe"),
        ("where did I work before Stripe?", "Nokia"),
        ("what was my previous employer?", "Stripe"),
        ("Wo habe ich 2020 gearbeitet?", "Nokia"),
        ("Wo habe ich früher gewohnt?", "Rome"),
        ("¿Dónde vivía yo antes?", "Rome"),
    ],
)
def test_what_was_so_then_comes_first(lived: Memory, question: str, then: str):
    assert then in lived.recall(question)[0].content


@pytest.mark.parametrize(("question", "now"), [("where do I work?", "Google"), ("where do I live?", "Oslo")])
def test_a_question_about_now_finds_no_fact_that_is_over(lived: Memory, question: str, now: str):
    found = lived.recall(question, tiers=["semantic"])
    assert now in found[0].content
    assert not any(memory.outdated for memory in found)


def test_what_is_over_says_so(lived: Memory):
    first = lived.recall("where did I work in 2020?", tiers=["semantic"])[0]
    assert str(first) == "Works at Nokia [no longer so since 1 March 2021; now: Works at Google]"


def test_where_nothing_was_known_of_that_time_the_present_stays_first(lived: Memory):
    assert "Google" in lived.recall("where did I work in 2010?", tiers=["semantic"])[0].content
