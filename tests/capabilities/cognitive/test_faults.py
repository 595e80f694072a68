"""What went wrong in other cognitive memories, one test each: what is used stays, and what is apart stays apart."""

from datetime import timedelta

from capabilities.traces import TraceMemory
from fabric.flow.context import Context
from fabric.testing import FrozenClock
from tests.capabilities.traces.opened import within


async def test_a_trace_that_is_used_or_added_again_stays():
    clock = FrozenClock()

    async def run(traces: TraceMemory, _: Context) -> None:
        used = (await traces.add("Deploys run on Fridays")).trace
        again = (await traces.add("Likes green tea")).trace
        idle = (await traces.add("Nice weather for once")).trace
        for _fortnight in range(20):
            clock.advance(days=14)
            assert await traces.feedback(used.id, "used", "deploys?")
            assert not (await traces.add("Likes green tea")).is_new
            await traces.feedback(idle.id, "ignored", "weather?")
        assert (await traces.reflect()).pruned == 1
        assert {one.id for one in await traces.search("deploys OR tea OR weather")} == {used.id, again.id}
        clock.advance(days=-100)
        await traces.feedback(used.id, "used", "deploys?")
        kept = await traces.get(used.id)
        assert kept is not None
        assert kept.last_accessed == clock.now() + timedelta(days=100)

    await within(run, clock=clock)
