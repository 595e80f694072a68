"""Observe, reflect and tick as steps of a pipeline of one's own."""

from typing import Any

import pytest

from fabric import Fabric, sequencer
from fabric.errors import SchemaError
from pipelines import MemorySystem, memory_system


def chained(mem: MemorySystem) -> Any:
    return sequencer(name="own").then(mem.observe).then(mem.reflect).tap(mem.tick)


def test_the_three_steps_do_what_a_capture_does() -> None:
    mem = memory_system(model=None, episodic=True, semantic=True)
    with Fabric(":memory:") as fabric:
        ann, bob = fabric.session("a", user="ann"), fabric.session("b", user="bob")
        own, whole = ann.run(chained(mem), "I work at Stripe."), bob.run(mem.capture, "I work at Stripe.")
        assert [(outcome.tier, outcome.status, outcome.content) for outcome in own.output.outcomes] == [
            (outcome.tier, outcome.status, outcome.content) for outcome in whole.output.outcomes
        ]
        turns = [session.run(mem.tick, None).output for session in (ann, bob)]
        assert turns == [2, 2]
        assert ann.run(chained(mem), " ").output.outcomes[0].status == "skipped"


def test_between_observing_and_keeping_a_pipeline_may_refuse() -> None:
    mem = memory_system(model=None, episodic=True, semantic=True)
    refuse = sequencer(name="careful").then(mem.observe).map(lambda seen: seen.model_copy(update={"observations": []}))
    with Fabric(":memory:") as fabric:
        session = fabric.session("a", user="ann")
        done = session.run(refuse.then(mem.reflect), "I work at Stripe.").output
        assert [outcome.reason for outcome in done.outcomes] == ["nothing worth remembering"]
        assert "semantic" not in {one.source for one in session.run(mem.recall_block, "where do I work?").output}


def test_reflecting_on_what_was_not_observed_says_what_to_do() -> None:
    mem = memory_system(model=None)
    wanted = r"mem\.reflect takes what mem\.observe returns, got 'I live in Rome': put mem\.observe before it"
    with Fabric(":memory:") as fabric, pytest.raises(SchemaError, match=wanted):
        fabric.session("a", user="ann").run(mem.reflect, "I live in Rome")
