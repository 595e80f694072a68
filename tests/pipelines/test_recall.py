"""Recall with a cue over everything that is stored: what is found, what is left out, and what comes with it."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from capabilities.memory.recall.ranked import RankedMemory, explain
from fabric import Fabric, handler
from fabric.errors import ConfigurationError, EmbedderError
from fabric.testing import FrozenClock
from pipelines import memory_system
from tests.stories.scripts import MemoryModel, observation, open_memory

SAID = datetime(2025, 3, 1, 9, tzinfo=UTC)
TALK = [
    ("spring", "user", "I adopted a cat, her name is Momo"),
    ("spring", "assistant", "Congratulations! How old is Momo?"),
    ("spring", "user", "Three years"),
    ("summer", "user", "The sailing trip to Corfu was wonderful"),
    ("summer", "assistant", "What did you like most about sailing?"),
    ("summer", "user", "The build of v2.3.1 failed with ERR_CONN_4021 before we left"),
]


def records(talk: Sequence[tuple[str, str, str]] = TALK) -> list[dict[str, Any]]:
    return [
        {"session": session, "role": role, "text": text, "said_at": SAID + timedelta(days=place), "id": f"t{place}"}
        for place, (session, role, text) in enumerate(talk)
    ]


@pytest.fixture(params=[None, "default"], ids=["words", "vectors"])
def memory(request: pytest.FixtureRequest) -> Any:
    return memory_system(episodic=True, semantic=True, embedder=request.param)


def asked(memory: Any, value: Any, given: Sequence[dict[str, Any]] | None = None) -> list[RankedMemory]:
    with Fabric(":memory:", clock=FrozenClock(SAID + timedelta(days=30))) as fabric:
        session = fabric.session("now", user="jake")
        session.run(memory.import_block, records() if given is None else given)
        return list(session.run(memory.recall_block, value))


def test_a_raw_turn_is_found_with_where_and_when_it_was_said(memory: Any):
    best = asked(memory, "what is the name of my cat?")[0]
    assert (best.id, best.source, best.session, best.role) == ("t0", "turn", "spring", "user")
    assert best.said_at == SAID
    assert [source.turn_id for source in best.sources] == ["t0"]
    assert 0.5 < best.relevance <= 1.0
    assert best.parts.text > 0
    assert best.degraded == ""


def test_an_error_code_and_a_version_come_first(memory: Any):
    assert asked(memory, "ERR_CONN_4021")[0].id == "t5"
    assert asked(memory, "what about the sailing trip v2.3.1")[0].id == "t5"


def test_filters_leave_out_what_was_not_asked_for(memory: Any):
    spring = asked(memory, {"cue": "sailing with Momo", "session": "spring"})
    assert {one.session for one in spring} == {"spring"}
    late = asked(memory, {"cue": "sailing with Momo", "since": SAID + timedelta(days=3)})
    assert {one.id for one in late} == {"t3", "t4", "t5"}
    early = asked(memory, {"cue": "sailing with Momo", "until": (SAID + timedelta(days=1)).isoformat()})
    assert {one.id for one in early} == {"t0", "t1"}
    assert len(asked(memory, {"cue": "sailing with Momo", "limit": 2})) == 2
    assert asked(memory, {"cue": "sailing with Momo", "tiers": ["semantic"]}) == []
    assert asked(memory, {"cue": "sailing with Momo", "subject": "jennifer"}) == []


def test_nothing_stored_is_nothing_found(memory: Any):
    assert asked(memory, "cat", []) == []


def test_what_is_not_stored_is_told_by_a_low_score(memory: Any):
    assert all(recalled.relevance < 0.5 for recalled in asked(memory, "which tractor did the mayor of Ohio sell?"))


def test_importing_again_changes_nothing(memory: Any):
    with Fabric(":memory:") as fabric:
        session = fabric.session("now", user="jake")
        first = session.run(memory.import_block, records()).output
        again = session.run(memory.import_block, records()).output
        nameless = [{key: value for key, value in record.items() if key != "id"} for record in records()]
        third = session.run(memory.import_block, nameless).output
        fourth = session.run(memory.import_block, nameless).output
    assert [(one.imported, one.skipped) for one in (first, again, third, fourth)] == [(6, 0), (0, 6), (6, 0), (0, 6)]


def test_a_context_keeps_to_its_budget_and_to_its_bytes(memory: Any):
    with Fabric(":memory:") as fabric:
        session = fabric.session("now", user="jake")
        session.run(memory.import_block, records([*TALK, ("autumn", "user", "Momo " + "sleeps a lot. " * 300)]))
        told = [
            session.run(memory.context_block, {"cue": "how old is Momo?", "tokens": tokens}).output.splitlines()[2:-1]
            for tokens in (40, 40, 400)
        ]
    texts = ["\n".join(lines) for lines in told]
    assert texts[0] == texts[1]
    assert len(texts[0]) <= 40 * 4
    assert len(texts[2]) <= 400 * 4
    assert "assistant: Congratulations! How old is Momo?\n[3 March 2025]\nuser: Three years" in texts[2]
    assert texts[2].startswith("[1 March 2025]\n")


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"tiers": ["moon"]}, {"since": "soon"}, {"nonsense": 1}])
def test_an_option_that_cannot_work_is_refused(wrong: dict[str, Any]):
    memory = memory_system(episodic=True, semantic=True)
    with pytest.raises(Exception, match=next(iter(wrong))):
        asked(memory, {"cue": "cat", **wrong})


def test_explain_names_the_parts():
    text = explain(asked(memory_system(episodic=True, embedder=None), "Momo the cat"))
    assert text.startswith("1. ")
    assert "turn t0: I adopted a cat" in text
    assert "text 1.00" in text


class Broken:
    """An embedder that works until it is told not to."""

    name = "broken"
    dimension = 2
    works = True

    def embed(self, texts: Sequence[str]) -> Any:
        if not self.works:
            raise EmbedderError("no power")
        return np.tile(np.array([[0.6, 0.8]], np.float32), (len(texts), 1))


def test_an_embedder_that_fails_leaves_the_words_and_says_so():
    embedder = Broken()
    memory = memory_system(episodic=True, semantic=True, embedder=embedder)
    with Fabric(":memory:") as fabric:
        session = fabric.session("now", user="jake")
        session.run(memory.import_block, records())
        embedder.works = False
        found = list(session.run(memory.recall_block, "name of my cat"))
        result = session.run(memory.import_block, records([("winter", "user", "It snowed")])).output
    assert found[0].id == "t0"
    assert "no power" in found[0].degraded
    assert "no power" in explain(found)
    assert result.skipped == 1


def test_two_users_never_see_each_others_turns():
    memory = memory_system(episodic=True, semantic=True)
    with Fabric(":memory:") as fabric:
        for user in ("a", 'a") or true or ("', "a%", "a\x00"):
            fabric.session("now", user=user).run(memory.import_block, records([("s", "user", f"secret of {user!r}")]))
        for user in ("a", 'a") or true or ("', "a%", "a\x00"):
            found = list(fabric.session("now", user=user).run(memory.recall_block, "secret"))
            assert [memory.content for memory in found] == [f"secret of {user!r}"]


def test_a_fact_leads_to_its_turn_and_a_changed_one_stands_above_the_old():
    model = MemoryModel([observation("Lives in Oslo", category="attribute")])
    fabric, mem = open_memory(model)
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(mem.capture, "I moved to Oslo last year")
        fabric.drain()
        (best,) = session.run(mem.recall_block, "where does jake live")
    assert best.content == "Lives in Oslo"
    assert len(best.sources) == 1


def test_a_limit_that_cannot_work_is_told_by_recall_itself():
    memory = memory_system(episodic=True)
    recall = handler(lambda ctx: memory.recall(ctx, "x", limit=0), name="recall", uses=[memory.capability])
    with Fabric(":memory:") as fabric, pytest.raises(ConfigurationError, match="limit"):
        fabric.session("now", user="jake").run(recall)
