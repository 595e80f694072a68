"""Recall under odd questions, odd texts and much memory: an answer or nothing, never an error, and never too much."""

from datetime import UTC, timedelta, timezone
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capabilities.formulas.prompt_budget import tokens
from capabilities.memory.recall.recall import RankedMemory
from fabric import handler
from fabric.errors import ConfigurationError
from fabric.testing import START
from pipelines import memory_system
from tests.soak import examples
from tests.stories.scripts import MemoryModel, observation, open_memory

CUES = [
    None,
    "",
    "   ",
    "😀",
    "?",
    "???",
    "x" * 100_000,
    "word " * 20_000,
    r'C:\repo\a-b/"x" OR (NOT) * ~ : \' ; --',
    '"', "*", "()", "^", "{", "%", "_", "NOT coffee", "alice -coffee", "a:b", "nul \x00 here", "\ud83d", "\u202e",
]  # fmt: skip
REMEMBERED = [
    observation("Works at Stripe"),
    observation("Loves pizza 🍕 at night", category="preference"),
    observation("Does not like coffee", category="preference"),
    observation("今日は成語しりとりをした", category="belief"),
    observation("Flies to Oslo on May 3", category="event"),
    observation("Is in a hurry", category="task", durability="session"),
]


SAID = "Es wurde gestern über alles Mögliche gesprochen und nichts davon vergessen."
"""What was said: in another language, so that no word of it need stand in what is remembered of it."""


def remembering(*observed: dict[str, Any], **options: Any) -> tuple[Any, Any]:
    """Return a fabric and a memory that took these observations in, in one turn."""
    fabric, mem = open_memory(MemoryModel(list(observed)), **options)
    fabric.session("monday", user="jake").run(mem.capture, SAID)
    return fabric, mem


@pytest.mark.parametrize("cue", CUES)
def test_any_cue_is_answered_with_scores_between_nought_and_one_in_a_stable_order(cue: str | None):
    fabric, mem = remembering(*REMEMBERED)
    with fabric:
        session = fabric.session("monday", user="jake")
        found: list[RankedMemory] = list(session.run(mem.recall_block, cue))
        again = list(session.run(mem.recall_block, cue))
    remembered = {record["content"] for record in REMEMBERED}
    assert remembered <= {memory.content for memory in found} <= {*remembered, SAID}
    assert all(0.0 <= memory.relevance <= 1.0 and 0.0 <= memory.overlap <= 1.0 for memory in found)
    assert [memory.relevance for memory in found] == sorted((memory.relevance for memory in found), reverse=True)
    assert [one.id for one in again] == [one.id for one in found]


@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.too_slow])
@given(cue=st.text(max_size=40))
def test_no_cue_hides_a_memory(cue: str):
    fabric, mem = remembering(*REMEMBERED)
    with fabric:
        session = fabric.session("monday", user="jake")
        plain = {memory.content for memory in session.run(mem.recall_block)}
        asked = {memory.content for memory in session.run(mem.recall_block, cue)}
    assert plain <= asked


@pytest.mark.parametrize(
    ("content", "cue"),
    [
        ("今日は成語しりとりをした", "しりとり"),
        ("我在上海工作", "上海"),
        ("서울에서 일한다", "서울"),
        ("ﾄﾖﾀの車を持っている", "トヨタ"),
        ("Lives near 㐀㐁", "㐀㐁"),
        ("Работает в Яндексе", "яндексе"),
        ("Drinks café au lait", "cafe\u0301"),
        ("Lives in the STRASSE", "straße"),
        ("I code in C and R", "C language"),
        ("Prefers dark-mode", "dark mode"),
        ("Doesn’t eat meat", "doesn't"),
    ],
)
def test_words_of_any_script_are_found_without_embeddings(content: str, cue: str):
    fabric, mem = remembering(observation(content), observation("Totally unrelated"))
    with fabric:
        best = next(iter(fabric.session("tuesday", user="jake").run(mem.recall_block, cue)))
    assert best.content == content
    assert best.overlap > 0


def test_a_question_mark_changes_nothing():
    fabric, mem = remembering(*REMEMBERED)
    with fabric:
        session = fabric.session("monday", user="jake")
        plain, marked = (
            list(session.run(mem.recall_block, cue)) for cue in ("who works at stripe", "who works at Stripe?")
        )
    assert sorted(one.id for one in plain) == sorted(one.id for one in marked)
    assert plain[0].content == marked[0].content
    assert plain[0].content == "Works at Stripe"


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(limit: int):
    fabric, mem = remembering(*REMEMBERED)
    recall = handler(lambda ctx: mem.recall(ctx, limit=limit), name="recall", uses=[mem.capability])
    with fabric, pytest.raises(ConfigurationError, match="limit"):
        fabric.session("monday", user="jake").run(recall)


def test_one_moment_in_any_spelling_recalls_the_same():
    fabric, mem = remembering(*REMEMBERED)
    with fabric:
        session = fabric.session("monday", user="jake")
        naive = START.replace(tzinfo=None)
        zones = [timezone(timedelta(hours=5, minutes=30)), timezone(-timedelta(hours=3, minutes=30)), UTC]
        for moment in [naive, *(START.astimezone(zone) for zone in zones)]:
            at = handler(lambda ctx, moment=moment: mem.recall(ctx, as_of=moment), name="at", uses=[mem.capability])
            before = handler(
                lambda ctx, moment=moment: mem.recall(ctx, known_at=moment - timedelta(seconds=1)),
                name="before",
                uses=[mem.capability],
            )
            assert len(session.run(at).output) == 4
            assert session.run(before).output == []


@pytest.mark.parametrize("limit", [60, 300, 2_000])
def test_what_is_remembered_takes_no_more_of_a_prompt_than_allowed(limit: int):
    many = [
        observation(f"Owns <item> {'<&>' * 60} number {'z' * number}", importance=0.5 + number / 60)
        for number in range(25)
    ]
    fabric, mem = remembering(*many, context_tokens=limit)
    show = handler(lambda ctx: mem.context_formatter(ctx), name="show", uses=[mem.capability])  # noqa: PLW0108
    with fabric:
        text = str(fabric.session("tuesday", user="jake").run(show).output)
    assert tokens(len(text)) <= limit
    if limit >= 300:
        assert "z" * 24 in text, "the most relevant is kept"
        assert text.endswith("</background-data>")
    assert sum(line.startswith("- ") for line in text.splitlines()) < 25


def test_a_budget_for_the_prompt_that_cannot_work_is_refused():
    with pytest.raises(ConfigurationError, match="context_tokens is 0"):
        memory_system(context_tokens=0)


def test_nothing_is_recalled_twice_from_two_tiers():
    fabric, mem = remembering(*REMEMBERED, *REMEMBERED)
    with fabric:
        contents = [memory.content for memory in fabric.session("monday", user="jake").run(mem.recall_block)]
    assert sorted(contents) == sorted(set(contents))
