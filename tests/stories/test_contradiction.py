"""Stale memories are worse than missing ones: what happens when something said before is no longer true."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from fabric import handler
from fabric.models.base import Request
from fabric.testing import FrozenClock
from pipelines import MemorySystem
from tests.stories.scripts import MemoryModel, chat_with, observation, open_memory, outcomes


def shown_id(request: Request, content: str) -> str:
    """Return the id of the entry that the observer is shown with this content."""
    lines = str(request.messages[-1]["content"]).splitlines()
    return next(line.split()[1] for line in lines if line.startswith("- ") and line.endswith(content))


def test_i_joined_stripe_replaces_works_at_google_and_keeps_a_readable_history():
    model = MemoryModel(
        [observation("Works at Google")],
        lambda request: json.dumps(
            {"observations": [observation("Works at Stripe", replaces=shown_id(request, "Works at Google"))]}
        ),
    )
    clock = FrozenClock()
    fabric, mem = open_memory(model, clock=clock)
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(chat_with(mem), "I work at Google")
        fabric.drain()
        before = clock.now()
        clock.advance(days=30)
        session.run(chat_with(mem), "I joined Stripe")
        fabric.drain()
        recalled = list(session.run(mem.recall_block, "where do I work"))
        assert recalled[0].content == "Works at Stripe"
        assert "I joined Stripe" not in [memory.content for memory in recalled], "a fact and its turn are one result"
        assert [memory.source for memory in recalled if "Google" in memory.content] == ["turn", "turn"], (
            "the old is what was said"
        )
        why = session.run(mem.why_block, recalled[0].id).output
        assert [(version.content, version.status) for version in why.history] == [
            ("Works at Google", "superseded"),
            ("Works at Stripe", "current"),
        ]
        assert why.history[0].superseded_by == why.history[1].id
        assert [one.text for one in why.evidence] == ["I joined Stripe"]
        past = session.run(recall_at(mem, as_of=before + timedelta(days=1)), "work").output
        known = session.run(recall_at(mem, known_at=before + timedelta(days=1)), "work").output
    assert [memory.content for memory in past] == ["Works at Google"]
    assert [memory.content for memory in known] == ["Works at Google"]


def recall_at(mem: MemorySystem, **when: datetime) -> Any:
    return handler(lambda cue, ctx: mem.recall(ctx, cue, **when), name="recall-at", uses=[mem.capability])


def test_an_id_that_the_model_made_up_is_ignored_and_reported_and_the_rest_is_kept():
    model = MemoryModel(
        [observation("Works at Stripe", replaces="wm_12"), observation("Likes tea", category="preference")]
    )
    fabric, mem = open_memory(model)
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(chat_with(mem), "I work at Stripe and like tea")
        fabric.drain()
        found = outcomes(session)
    assert any(record["status"] == "skipped" and "'wm_12'" in record["reason"] for record in found)
    assert [record["content"] for record in found if record["tier"] == "semantic"] == ["Works at Stripe", "Likes tea"]


def test_an_unrelated_fact_is_never_retired():
    model = MemoryModel(
        [observation("Knows Bob from school", category="relationship"), observation("Works at Acme", subject="bob")],
        lambda request: json.dumps(
            {
                "observations": [
                    observation("Uses Python", replaces=shown_id(request, "Knows Bob from school")),
                    observation("Works at Globex", replaces=shown_id(request, "Works at Acme")),
                ]
            }
        ),
    )
    fabric, mem = open_memory(model)
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(chat_with(mem), "I know Bob from school, he works at Acme")
        fabric.drain()
        session.run(chat_with(mem), "I use Python at Globex")
        fabric.drain()
        recalled = [
            (memory.subject, memory.content) for memory in session.run(mem.recall_block) if memory.source == "semantic"
        ]
    assert ("user", "Knows Bob from school") in recalled
    assert ("bob", "Works at Acme") in recalled


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Has worked 5 years at Google", "Has worked 6 years at Google"),
        ("Has a meeting with the board on Monday", "Has a meeting with the board on Tuesday"),
        ("Likes strong black coffee", "Does not like strong black coffee"),
    ],
)
def test_a_change_of_number_date_or_negation_is_a_change_never_a_repetition(first: str, second: str):
    fabric, mem = open_memory(
        MemoryModel([observation(first, category="preference")], [observation(second, category="preference")])
    )
    with fabric:
        session = fabric.session("monday", user="jake")
        for said in (first, second):
            session.run(chat_with(mem), said)
            fabric.drain()
        facts = [memory.content for memory in session.run(mem.recall_block) if memory.source == "semantic"]
        found = outcomes(session)
    assert second in facts
    assert not any(record["reason"] == "said again" and record["tier"] == "semantic" for record in found)


def test_saying_it_three_times_is_one_fact_with_three_reinforcements():
    fabric, mem = open_memory(MemoryModel(*[[observation("Works at Stripe")]] * 3))
    with fabric:
        session = fabric.session("monday", user="jake")
        for _ in range(3):
            session.run(mem.capture, "I work at Stripe")
        fabric.drain()
        facts = [record for record in session.run(mem.export_block).output if record["kind"] == "fact"]
    assert [(fact["content"], fact["reinforcement_count"]) for fact in facts] == [("Works at Stripe", 3)]
    assert facts[0]["confidence"] == pytest.approx(0.9)


def test_a_refined_fact_keeps_the_longer_text_and_its_beginning():
    fabric, mem = open_memory(MemoryModel([observation("Works at Stripe")], [observation("Works at Stripe in Dublin")]))
    with fabric:
        session = fabric.session("monday", user="jake")
        for said in ("I work at Stripe", "I work at Stripe in Dublin"):
            session.run(mem.capture, said)
        recalled = [one for one in session.run(mem.recall_block) if one.source == "semantic"]
        history = session.run(mem.why_block, recalled[0].id).output.history
    assert [memory.content for memory in recalled] == ["Works at Stripe in Dublin"]
    assert history[0].valid_from == history[1].valid_from
    assert history[0].reason == "refined"


def test_the_same_sentence_about_two_people_is_two_facts():
    fabric, mem = open_memory(
        MemoryModel(
            [
                observation("Was born in May", category="identity"),
                observation("Was born in May", subject="jennifer", category="identity"),
            ]
        )
    )
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(mem.capture, "Jennifer and I were both born in May")
        facts = [record for record in session.run(mem.export_block).output if record["kind"] == "fact"]
    assert sorted(fact["subject"] for fact in facts) == ["jennifer", "user"]
