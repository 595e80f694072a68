"""Holds first: of several of a kind, what is over or not so stands behind all that is so."""

from collections.abc import Callable

import pytest

from pipelines import Memory
from tests.stories.test_whose import told

SAID = (
    "I'm allergic to cats.",
    "I'm allergic to nuts, but not to peanuts.",
    "I'm no longer allergic to cats.",
    "I'm allergic to peanuts and shellfish.",
)
STATED = tuple(text.replace("I'm", "Is").rstrip(".") for text in SAID)


def state(memory: Memory, *texts: str) -> None:
    for text in texts:
        memory.remember(text)


@pytest.mark.parametrize(("kept", "texts"), [(told, SAID), (state, STATED)])
def test_what_no_longer_is_so_stands_behind_what_is(kept: Callable[..., None], texts: tuple[str, ...]):
    with Memory(user="jake") as memory:
        kept(memory, *texts)
        found = [recalled.content for recalled in memory.recall("what am I allergic to?")]
        assert {"Is allergic to peanuts and shellfish", "Is allergic to nuts, but not to peanuts"} == set(found[:2])
        assert "cats" in memory.recall("am I allergic to cats?")[0].content


def test_what_is_not_liked_stands_behind_what_is():
    with Memory(user="jake") as memory:
        told(memory, "I don't like jazz.", "I like chess.", "I like tea.", "I no longer like beer.")
        found = [recalled.content for recalled in memory.recall("what do I like?", tiers=["semantic"])]
        assert set(found[:2]) == {"Likes chess", "Likes tea"}
