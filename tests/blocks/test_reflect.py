"""Reflect: one turn's observations reach all tiers together or not at all, and see each other on the way."""

from typing import Any

import pytest

from fabric import Fabric, handler
from fabric.testing import FrozenClock
from pipelines import memory_system
from tests.stories.scripts import MemoryModel, observation, open_memory


class FailingClock(FrozenClock):
    """A clock that gives no id for the fact with this number until it is mended."""

    def __init__(self, fails_at: int) -> None:
        super().__init__()
        self.left: int | None = fails_at

    def new_id(self, prefix: str) -> str:
        if prefix == "sf" and self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise RuntimeError("no id")
        return super().new_id(prefix)


@pytest.mark.parametrize("fails_at", [0, 1, 2])
def test_a_reflection_that_breaks_writes_nothing_and_can_be_done_again(fails_at: int):
    observed = [observation(f"Owns a {thing}", category="attribute") for thing in ("boat", "piano", "kettle")]
    model = MemoryModel(observed, observed, observed)
    mem = memory_system(model="test/model", episodic=True, semantic=True)
    clock = FailingClock(fails_at)
    with Fabric(models=model.client, clock=clock) as fabric:
        session = fabric.session("monday", user="jake")
        with pytest.raises(RuntimeError, match="no id"):
            session.run(mem.capture, "I own a boat, a piano and a kettle")
        assert [job.status for job in fabric.drain()] == ["failed"]  # what the run left was tried behind it
        assert kinds(session, mem) == ["turn"]
        clock.left = None
        session.run(mem.capture, "I own a boat, a piano and a kettle")
        assert kinds(session, mem).count("fact") == kinds(session, mem).count("episode") == 3


def kinds(session: Any, mem: Any) -> list[str]:
    """Return the kinds of what is kept, without what any run leaves behind."""
    kept = [record["kind"] for record in session.run(mem.export_block).output]
    return [kind for kind in kept if kind not in ("item", "document", "run", "job")]


def test_observations_of_one_turn_see_each_other():
    observed = [
        observation("Works at Google"),
        observation("Joined Stripe"),
        observation("Works at Stripe in Dublin"),
        observation("Likes tea", category="preference"),
        observation("likes tea", category="preference"),
    ]
    fabric, mem = open_memory(MemoryModel(observed))
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(mem.capture, "I changed jobs twice, from Google to Stripe in Dublin, and I like tea")
        facts = [record for record in session.run(mem.export_block).output if record["kind"] == "fact"]
    assert [fact["content"] for fact in facts if fact["status"] == "current"] == [
        "Works at Stripe in Dublin",
        "Likes tea",
    ]
    assert all(fact["reinforcement_count"] == 1 for fact in facts)


def test_what_was_replaced_takes_its_episode_out_of_recall_and_its_fact_into_the_past():
    fabric, mem = open_memory(None)
    recall_all = handler(lambda ctx: mem.recall(ctx), name="all", uses=[mem.capability])  # noqa: PLW0108
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(mem.capture, "I work at Google.")
        session.run(mem.capture, "I work at Stripe now.")
        found = [memory.content for memory in session.run(recall_all).output]
        episodes = [record for record in session.run(mem.export_block).output if record["kind"] == "episode"]
    assert not [one for one in found if "Google" in one]
    assert [episode["superseded"] for episode in episodes] == [True, False]


def test_who_died_or_was_sold_is_had_no_more():
    told = {"Rex died yesterday.": "Dog Rex died yesterday", "I sold my Tesla.": "Sold their Tesla"}
    fabric, mem = open_memory(None)
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(mem.capture, "I have a dog named Rex.")
        session.run(mem.capture, "I have a Tesla.")
        for said, ended in told.items():
            session.run(mem.capture, said)
            facts = [record for record in session.run(mem.export_block).output if record["kind"] == "fact"]
            assert ended in [fact["content"] for fact in facts if fact["status"] == "current"]
    over = [fact["content"] for fact in facts if fact["status"] == "superseded"]
    assert over == ["Has a dog named Rex", "Has a Tesla"]
