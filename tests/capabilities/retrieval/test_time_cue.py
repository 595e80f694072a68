"""Cues that ask about a time and nothing else: what was said then comes first, in any of the languages measured."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from capabilities.retrieval.time.time_cue import read_time
from fabric import Fabric
from fabric.testing import FrozenClock
from fabric.text.terms import read_cue
from pipelines import memory_system

NOW = datetime(2026, 3, 31, 20, tzinfo=UTC)
DONE = [
    "I repaired the fence.", "I baked bread.", "We saw a film about whales.", "I called the plumber.",
    "My tooth hurt.", "I swam forty lengths.", "The neighbours had a party.", "I sold the old sofa.",
    "It hailed all morning.", "I lost my umbrella.", "We planted tulips.", "I read about volcanoes.",
    "The train was late.", "I bought a kettle.", "We ate at the harbour.", "I slept badly.",
    "I painted the shed.", "The cat caught a mouse.", "I wrote to the council.", "We cycled to the lake.",
    "I fixed the printer.", "The bakery was closed.", "I learned a new chord.", "We played chess.",
    "I cleaned the gutters.", "The car would not start.", "I ordered curtains.", "We missed the ferry.",
    "I pruned the roses.", "I watched the eclipse.",
]  # fmt: skip
YESTERDAY = [
    "What did I do yesterday?", "what happened yesterday?", "yesterday", "was habe ich gestern gemacht?",
    "¿Qué hice ayer?", "Qu'est-ce que j'ai fait hier ?", "Cosa ho fatto ieri?", "O que eu fiz ontem?",
    "Wat heb ik gisteren gedaan?", "Vad gjorde jag igår?", "Co robiłem wczoraj?", "Что я делал вчера?",
    "昨日何をしましたか？", "我昨天做了什么？",
]  # fmt: skip
"""Days, the last of which is that of the question."""


def recall_of(fabric: Fabric, embedder: Any) -> Any:
    """Return a recall from a memory of one turn a day, the last one today."""
    mem = memory_system(episodic=True, semantic=True, embedder=embedder)
    session = fabric.session("now", user="ana")
    turns = [
        {"id": f"t{back}", "session": f"s{back}", "role": "user", "text": text, "said_at": NOW - timedelta(days=back)}
        for back, text in enumerate(reversed(DONE))
    ]
    session.run(mem.import_block, turns)
    return lambda cue: session.run(mem.recall_block, {"cue": cue, "limit": 5}).output


@pytest.mark.parametrize("embedder", ["default", None])
def test_what_was_said_on_the_day_that_is_asked_about_comes_first(embedder: Any):
    with Fabric(":memory:", clock=FrozenClock(NOW)) as fabric:
        recall = recall_of(fabric, embedder)
        first = {cue: [one.content for one in recall(cue)][:1] for cue in YESTERDAY}
        assert first == {cue: ["I pruned the roses."] for cue in YESTERDAY}
        assert recall("What did I do three days ago?")[0].content == "I ordered curtains."
        assert recall("Was war vor 3 Tagen los?")[0].content == "I ordered curtains."
        assert recall("what happened on March 28?")[0].content == "I ordered curtains."
        assert recall("que s'est-il passé le 28 mars ?")[0].content == "I ordered curtains."
        assert {one.content for one in recall("What did we do last week?")} <= set(DONE[-15:])
        assert recall("What did I do yesterday?")[0].relevance > 0.5


@pytest.mark.parametrize("embedder", ["default", None])
def test_a_cue_that_asks_about_more_than_a_time_is_answered_by_what_it_asks_about(embedder: Any):
    with Fabric(":memory:", clock=FrozenClock(NOW)) as fabric:
        recall = recall_of(fabric, embedder)
        assert recall("Which printer did I fix yesterday?")[0].content == "I fixed the printer."
        assert recall("Did I bake bread last week?")[0].content == "I baked bread."


def test_the_parts_of_a_score_still_add_up_and_name_the_time():
    with Fabric(":memory:", clock=FrozenClock(NOW)) as fabric:
        found = recall_of(fabric, None)("What did I do yesterday?")
    assert found[0].parts.time > 1
    sums = [sum(one.parts.model_dump().values()) for one in found]
    assert [one.relevance / found[0].relevance for one in found] == pytest.approx([one / sums[0] for one in sums])


@pytest.mark.parametrize(
    ("cue", "days", "is_all"),
    [
        ("Was war am 3. März 2024 los?", ["2024-03-03"], True),
        ("一昨日は何をした？", ["2026-03-29"], True),
        ("¿Qué pasó en enero?", ["2026-01-01"], True),
        ("Was habe ich gestern gekauft?", ["2026-03-30"], False),
        ("Wo wohnt Anna hier?", [], False),
        ("Fahren wir vorgestern?", ["2026-03-29"], False),
        ("The weather here is mild", [], False),
        ("Am Montag war was los?", ["2026-03-30"], True),
        ("Am 31. Februar war was los?", [], False),
    ],
)
def test_times_are_read_in_several_languages(cue: str, days: list[str], is_all: bool):
    asked = read_cue(cue)
    read = read_time(asked.text, asked.language, NOW)
    assert [start.date().isoformat() for start, _ in read.spans] == days
    assert read.is_all is is_all
