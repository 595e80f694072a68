"""A turn whose claim was changed or withdrawn since is marked wherever it is read, with what is so now."""

import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from capabilities.memory.recall.ranked import RankedMemory
from fabric import Fabric
from fabric.testing import FrozenClock
from pipelines import Memory

from .cli.conftest import run

BERLIN = "I live in Berlin and I like chess."
SAID = (BERLIN, "My sister Anna lives in Rome.", "I moved to Munich.", "Anna moved to Oslo.")


@contextmanager
def captured(*said: str, file: str | Path = ":memory:") -> Generator[Memory]:
    clock = FrozenClock()
    with Fabric(file, clock=clock) as fabric, Memory(fabric, user="jake") as memory:
        for place, text in enumerate(said):
            memory.capture(text, session=f"s{place}")
            memory.wait()
            clock.advance(days=40)
        yield memory


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with captured(*SAID) as held:
        yield held


def turn(memory: Memory, text: str, cue: str) -> RankedMemory:
    return next(recalled for recalled in memory.recall(cue, limit=50, tiers=["turn"]) if recalled.content == text)


def test_a_turn_says_what_of_it_is_no_longer_so_and_what_is_so_now(memory: Memory):
    found = turn(memory, BERLIN, "where do I live?")
    assert [(change.was, change.now) for change in found.outdated] == [("Lives in Berlin", "Moved to Munich")]
    assert str(found).startswith(f"{BERLIN} [no longer so since ")
    assert str(found).endswith(": Lives in Berlin; now: Moved to Munich]")


def test_what_is_still_so_is_not_marked(memory: Memory):
    assert turn(memory, "I moved to Munich.", "Munich").outdated == []
    assert all(not recalled.outdated for recalled in memory.recall("chess") if recalled.source != "turn")


def test_what_is_no_longer_so_of_others_says_of_whom(memory: Memory):
    found = turn(memory, SAID[1], "where does Anna live?")
    assert [(change.was, change.now) for change in found.outdated] == [
        ("about anna: Lives in Rome", "about anna: Moved to Oslo")
    ]


def test_the_context_for_a_prompt_marks_it_too(memory: Memory):
    context = memory.context("where do I live?")
    line = next(line for line in context.splitlines() if BERLIN in line)
    assert line.endswith("Lives in Berlin; now: Moved to Munich]")


def test_of_several_changes_the_last_is_told():
    with captured("I live in Berlin.", "I moved to Munich.", "I live in Paris now.") as memory:
        for text in ("I live in Berlin.", "I moved to Munich."):
            assert [change.now for change in turn(memory, text, "where do I live?").outdated] == ["Lives in Paris"]


def test_what_is_so_again_is_not_outdated():
    with captured("I live in Berlin.", "I moved to Munich.", "I live in Berlin.") as memory:
        found = memory.recall("where do I live?", tiers=["turn"], limit=50)
        assert {memory.content for memory in found if memory.outdated} == {"I moved to Munich."}


def test_what_is_only_said_better_is_not_outdated():
    with captured("I work at Stripe.", "I work at Stripe in Dublin.") as memory:
        assert not any(recalled.outdated for recalled in memory.recall("where do I work?", tiers=["turn"]))


def test_what_nothing_takes_the_place_of_is_only_over():
    with captured("I live in Berlin.", "I love tea.") as memory:
        fact = next(recalled for recalled in memory.recall("tea", tiers=["semantic"]) if "tea" in recalled.content)
        memory.remember("Does not like tea any more", category="preference")
        marked = turn(memory, "I love tea.", "tea").outdated
        assert fact.content in {change.was for change in marked}
        assert turn(memory, "I live in Berlin.", "Berlin").outdated == []


def test_among_many_changed_facts_the_right_ones_are_found():
    with captured("I live in Berlin.", "I moved to Munich.") as memory:
        for number in range(210):
            memory.remember(f"Favorite number {number // 2} is {number}", category="preference")
        assert [change.now for change in turn(memory, "I live in Berlin.", "Berlin").outdated] == ["Moved to Munich"]


def test_the_command_line_marks_it(tmp_path: Path):
    file = tmp_path / "memory.db"
    with captured(*SAID, file=file):
        pass
    shown = run("recall", "Berlin", "--tier", "turn", "--file", file, "--user", "jake")
    assert "Lives in Berlin; now: Moved to Munich" in shown.stdout
    as_json = json.loads(run("recall", "Berlin", "--tier", "turn", "--file", file, "--user", "jake", "--json").stdout)
    assert as_json[0]["memory"]["outdated"][0]["now"] == "Moved to Munich"
