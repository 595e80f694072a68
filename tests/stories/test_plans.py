"""A plan that is called off in a later session is no longer recalled as a plan."""

import json

from fabric import Fabric
from fabric.models.base import Request
from fabric.testing import FrozenClock
from pipelines import memory_system
from tests.stories.scripts import MemoryModel, observation, open_memory


def test_a_plan_of_an_earlier_session_is_called_off_by_the_observer():
    def cancel(request: Request) -> str:
        said = str(request.messages[-1]["content"])
        plan = next(line.split()[1] for line in said.splitlines() if line.endswith("Trip to Berlin on April 10"))
        cancelled = observation("Berlin trip is cancelled", category="event", replaces=plan)
        return json.dumps({"observations": [cancelled]})

    model = MemoryModel([observation("Trip to Berlin on April 10", category="event")], cancel)
    fabric, mem = open_memory(model)
    with fabric:
        fabric.session("monday", user="jake").run(mem.capture, "We plan a trip to Berlin on April 10")
        session = fabric.session("friday", user="jake")
        session.run(mem.capture, "We cancelled the Berlin trip")
        recalled = [memory.content for memory in session.run(mem.recall_block)]
    assert recalled == ["Berlin trip is cancelled"]


def test_the_rules_call_off_a_plan_of_an_earlier_session():
    mem = memory_system(episodic=True, semantic=True)
    with Fabric(clock=FrozenClock()) as fabric:
        fabric.session("monday", user="jake").run(mem.capture, "We are planning a trip to Berlin on April 10.")
        session = fabric.session("friday", user="jake")
        before = [memory.content for memory in session.run(mem.recall_block)]
        session.run(mem.capture, "Unfortunately we cancelled the Berlin trip.")
        recalled = [memory.content for memory in session.run(mem.recall_block)]
    assert any("April 10" in one for one in before)
    assert not any("April 10" in memory for memory in recalled)
