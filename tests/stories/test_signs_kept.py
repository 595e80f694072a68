"""Signs kept: a sign at the end of a value is part of it, said or stated."""

from pathlib import Path

import pytest

from pipelines import Memory
from tests.stories.test_whose import facts, told


@pytest.mark.parametrize("said", ["My blood type is A-.", "My blood type is A-", "My blood type is A-!"])
@pytest.mark.parametrize("is_stated", [True, False])
def test_a_minus_is_part_of_a_blood_type(said: str, is_stated: bool):
    with Memory(user="jake") as memory:
        memory.remember(said) if is_stated else told(memory, said)
        kept = [record for record in memory.export() if record["kind"] == "fact"]
        assert [record["value"] for record in kept] == ["A-"]


@pytest.mark.parametrize(("said", "value"), [("My grade is A-.", "A-"), ("My grade is B-.", "B-")])
def test_a_minus_is_part_of_a_grade(said: str, value: str):
    with Memory(user="jake") as memory:
        told(memory, said)
        assert facts(memory) == [("user", f"Their grade is {value}")]


@pytest.mark.parametrize(("before", "after"), [("A+", "A-"), ("A-", "A+"), ("AB-", "B-")])
def test_another_sign_is_a_change(before: str, after: str):
    with Memory(user="jake") as memory:
        told(memory, f"My blood type is {before}.", f"My blood type is {after}.")
        assert facts(memory) == [("user", f"Their blood type is {after}")]


def test_a_dash_at_the_end_of_a_sentence_is_none():
    with Memory(user="jake") as memory:
        told(memory, "I live in Rome -", "I work at Stripe—")
        assert facts(memory) == [("user", "Lives in Rome"), ("user", "Works at Stripe")]


def test_two_redacted_values_are_never_taken_for_one():
    with Memory(user="jake") as memory:
        for pin in ("1234", "1243"):
            memory.remember(f"PIN is {pin}")
        assert facts(memory) == [("user", "PIN is [redacted]")] * 2


def test_a_text_with_control_characters_is_kept_as_it_is_and_found_by_its_words(tmp_path: Path):
    with Memory(tmp_path / "m.duckdb", user="jake", embedder=None) as memory:
        memory.capture("I live in Os\x00lo.")
        memory.remember("Owns a bo\x07at\x00", subject="an\x00na")
        memory.remember("Plays the lute")
    with Memory(tmp_path / "m.duckdb", user="jake", embedder=None) as memory:
        assert memory.recall("Oslo", tiers=["turn"])[0].content == "I live in Os\x00lo."
        assert memory.recall("where do I live?", tiers=["semantic"])[0].content == "Lives in Oslo"
        boat = memory.recall("boat", tiers=["semantic"])[0]
        assert (boat.subject, boat.content) == ("anna", "Owns a bo\x07at\x00")
        assert memory.why(boat.id).evidence[0].text == "Owns a bo\x07at\x00"
        assert memory.forget(boat.id).found
        assert "boat" not in [recalled.content for recalled in memory.recall("boat")]
