"""The memory graph: activation goes from a trace to the one at the other end of its tie."""

from capabilities.cognitive.graph import activate, around
from capabilities.formulas.activation import Spread
from capabilities.traces.graph import edge_between
from capabilities.traces.tables import USER
from fabric import Context, Fabric, handler
from fabric.flow.resource import Transaction
from fabric.testing import FrozenClock
from pipelines import cognitive_memory

MIND = cognitive_memory(embedder=None)


def test_a_tie_leads_to_its_other_end_whichever_of_the_two_it_is_stored_at():
    def look(tx: Transaction) -> tuple[object, list[str]]:
        assert around(tx, USER, ["a"]) == {"a": []}
        tx.put(USER.edges, [edge_between("a", "z", 1.0), edge_between("b", "y", 0.5), edge_between("z", "k", 1.0)])
        reached = activate(tx, USER, ["a"], Spread())
        return around(tx, USER, ["a", "y", "none"]), [one.node for one in reached]

    @handler(name="looks", uses=[MIND.capability])
    async def looks(_: object, ctx: Context) -> object:
        return await ctx.transact(look)

    with Fabric(clock=FrozenClock()) as fabric:
        near, reached = fabric.session("monday", user="jake").run(looks, None).output
    assert near == {"a": [("z", 1.0)], "y": [("b", 0.5)], "none": []}
    assert reached == ["z", "k"]
