"""Consolidation: what is old is joined in plain text beside what it is of, once, and stays in line with it."""

import asyncio

from blocks.retain.auto import sleep_block
from capabilities.retain import Edit
from capabilities.retain.local import LOCAL_RESOURCES, Memory, Slept

from .conftest import Place


def joined(place: Place) -> list[Memory]:
    return [one for one in place.memories() if one.tier == "episodic"]


def test_only_what_is_old_enough_is_joined_and_it_stays_itself(place: Place):
    old = place.retain("The database is DuckDB.", "Deployments are on Thursdays.")
    place.later(hours=11)
    assert place.do(place.backend.sleep) == Slept()
    place.retain("CI runs on push.")
    place.later(hours=1)
    assert place.do(place.backend.sleep) == Slept(consolidated=2, made=1)
    (one,) = joined(place)
    assert one.content == "The database is DuckDB.\n\nDeployments are on Thursdays."
    assert one.consolidated_from == old
    assert (one.importance, one.veracity, one.source) == (0.6, "tool", "coding-agent-retain")
    assert len(place.memories()) == 4
    assert place.found("which database is it?") == ["The database is DuckDB."]


def test_sleeping_again_joins_nothing_again(place: Place):
    place.retain("The database is DuckDB.")
    place.later(hours=13)
    assert place.do(place.backend.sleep).made == 1
    assert place.do(place.backend.sleep) == Slept()
    assert len(joined(place)) == 1


def test_two_that_sleep_at_once_join_each_memory_once(place: Place):
    contents = [f"Service {number} listens on port {9000 + number}." for number in range(20)]
    place.retain(*contents)
    place.later(hours=13)
    sleep = sleep_block("retain", lambda: place.backend, LOCAL_RESOURCES)

    async def both() -> list[Slept]:
        sessions = [place.fabric.session(name, user="jake") for name in ("a", "b", "c")]
        return [one.output for one in await asyncio.gather(*(session.arun(sleep) for session in sessions))]

    assert sum(one.consolidated for one in asyncio.run(both())) == 20
    assert sorted(one for memory in joined(place) for one in memory.consolidated_from) == sorted(
        memory.id for memory in place.memories() if memory.tier == "working"
    )


def test_what_is_forgotten_or_changed_leaves_the_joined_memory(place: Place):
    one, other, third = place.retain("The database is DuckDB.", "Deployments are on Thursdays.", "CI runs on push.")
    place.later(hours=13)
    place.do(place.backend.sleep)
    place.do(lambda ctx: place.backend.edit(ctx, Edit(op="forget", id=one)))
    assert joined(place)[0].content == "Deployments are on Thursdays.\n\nCI runs on push."
    place.do(lambda ctx: place.backend.edit(ctx, Edit(op="invalidate", id=other)))
    assert joined(place)[0].content == "CI runs on push."
    place.do(lambda ctx: place.backend.edit(ctx, Edit(op="update", id=third, content="CI runs nightly.")))
    assert joined(place) == []
    place.do(place.backend.sleep)
    assert [memory.content for memory in joined(place)] == ["CI runs nightly."]


def test_the_block_has_nothing_to_do_without_a_bank_in_the_file(place: Place):
    assert place.fabric.session("a").run(sleep_block("retain", lambda: None, LOCAL_RESOURCES)).output == Slept()
