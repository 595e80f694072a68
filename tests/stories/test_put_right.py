"""Put right: a sentence that corrects the one before it, or gives a place that holds one value another, leaves one."""

import pytest

from blocks.readers.observe import observe_text
from pipelines import Memory
from tests.stories.test_whose import facts


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("My favorite color is red. Actually my favorite color is blue.", ["Favorite color is blue"]),
        ("I live in Rome. Actually, I live in Oslo.", ["Lives in Oslo"]),
        ("My favorite color is red. My favorite color is blue.", ["Favorite color is red", "Favorite color is blue"]),
        (
            "My favorite color is red. Actually my favorite food is rice.",
            ["Favorite color is red", "Favorite food is rice"],
        ),
    ],
)
def test_a_sentence_that_puts_right_the_one_before_leaves_nothing_of_it(said: str, kept: list[str]):
    assert [seen.content for seen in observe_text(said)] == kept


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("My anniversary is 5 May", "My anniversary is 6 May"),
        ("Wedding anniversary is on June 1", "Our anniversary is on June 2"),
    ],
)
def test_another_value_of_one_place_takes_the_place_of_the_first(before: str, after: str):
    with Memory(user="jake") as memory:
        memory.remember(before)
        memory.remember(after)
        assert facts(memory) == [("user", after)]
