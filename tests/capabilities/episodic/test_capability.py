"""Episodic memory as blocks use it: one log per user or project, across sessions."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from capabilities.episodic import (
    EpisodicMemory,
    create_episodic_memory_capability,
    create_episodic_memory_resource,
    episodic_memory_capability,
)
from fabric import Context, Fabric, handler, sequencer
from fabric.errors import ConfigurationError, ResourceConflictError, ScopeError
from fabric.flow.block import Block
from fabric.flow.capability import Capability
from fabric.flow.resource import merge_resources
from fabric.testing import START, FrozenClock, run_block


def using(
    work: Callable[[EpisodicMemory], Awaitable[Any]],
    capability: Capability[EpisodicMemory] = episodic_memory_capability,
) -> Block[Any, Any]:
    async def run(ctx: Context) -> Any:
        return await work(ctx[capability])

    return handler(run, name="use", uses=[capability])


def contents(capability: Capability[EpisodicMemory] = episodic_memory_capability) -> Block[Any, Any]:
    async def work(memory: EpisodicMemory) -> list[str]:
        return [recalled.content for recalled in await memory.recent()]

    return using(work, capability)


def encode(text: str, capability: Capability[EpisodicMemory] = episodic_memory_capability) -> Block[Any, Any]:
    return using(lambda memory: memory.encode(text, significance=0.7), capability)


async def test_an_episode_notes_when_and_where_it_was_said():
    @handler(name="note", uses=[episodic_memory_capability])
    async def note(ctx: Context) -> None:
        encoded = await ctx.cap.episodic_memory.encode(
            "Moved to Lisbon",
            significance=0.9,
            subject="Jake",
            durability="permanent",
            occurred_at=datetime(2025, 12, 1, tzinfo=UTC),
        )
        assert encoded.evicted == []
        assert await ctx.cap.episodic_memory.all() == [encoded.episode]
        episode = encoded.episode
        assert episode.id.startswith("ep_")
        assert (episode.subject, episode.category, episode.durability) == ("jake", "event", "permanent")
        assert (episode.encoded_at, episode.occurred_at) == (START, datetime(2025, 12, 1, tzinfo=UTC))
        assert (episode.session_id, episode.sequence) == ("test", 1)
        assert episode.occurred_at_turn == ctx.turn
        assert not episode.consolidated

    await run_block(note)


def test_the_log_outlives_the_session_and_is_the_users_own():
    with Fabric(":memory:", clock=FrozenClock()) as fabric:
        fabric.session("monday", user="jake").run(encode("a"))
        fabric.session("tuesday", user="jake").run(encode("b"))
        fabric.session("monday", user="ann").run(encode("c"))
        assert fabric.session("friday", user="jake").run(contents()).output == ["b", "a"]
        assert fabric.session("friday", user="ann").run(contents()).output == ["c"]


def test_a_project_shares_its_log():
    shared = create_episodic_memory_capability({"scope": "project"})
    with Fabric(":memory:", clock=FrozenClock()) as fabric:
        fabric.session("monday", user="jake", project="bridge").run(encode("a", shared))
        fabric.session("monday", user="ann", project="bridge").run(encode("b", shared))
        fabric.session("monday", user="ann", project="tunnel").run(encode("c", shared))
        assert fabric.session("x", user="ann", project="bridge").run(contents(shared)).output == ["b", "a"]


def test_a_session_without_the_owner_is_refused():
    with (
        Fabric(":memory:", clock=FrozenClock()) as fabric,
        pytest.raises(ScopeError, match="this session has no user"),
    ):
        fabric.session("monday").run(encode("a"))


async def test_consolidation_is_told_once_what_it_has_not_seen():
    async def work(memory: EpisodicMemory) -> None:
        ids = [(await memory.encode(text, significance=0.7)).episode.id for text in "abc"]
        assert await memory.mark_consolidated(one for one in (ids[0], "ep_unknown")) == 1
        assert [recalled.content for recalled in await memory.unconsolidated()] == ["b", "c"]
        assert [recalled.content for recalled in await memory.recent(2)] == ["c", "b"]

    await run_block(using(work))


async def test_a_full_log_says_which_episode_left():
    async def work(memory: EpisodicMemory) -> None:
        first = (await memory.encode("a", significance=0.7)).episode
        await memory.encode("b", significance=0.7)
        assert (await memory.encode("c", significance=0.7)).evicted == [first]

    await run_block(using(work, create_episodic_memory_capability({"max_episodes": 2})))


@pytest.mark.parametrize("significance", [5, -1, float("nan"), "high"])
async def test_a_significance_that_is_no_share_is_refused_and_nothing_kept(significance: Any):
    async def work(memory: EpisodicMemory) -> list[Any]:
        with pytest.raises(ValueError, match="significance"):
            await memory.encode("x", significance=significance)
        return await memory.all()

    assert (await run_block(using(work))).output == []


def test_an_unknown_scope_is_refused_when_it_is_built():
    with pytest.raises(ConfigurationError, match="scope='session'"):
        create_episodic_memory_capability({"scope": "session"})


def test_two_scopes_in_one_pipeline_are_a_conflict():
    user, project = create_episodic_memory_resource("user"), create_episodic_memory_resource("project")
    with pytest.raises(ResourceConflictError, match="episodic_memory"):
        merge_resources([("one", user), ("other", project)])
    same = create_episodic_memory_resource("user")
    assert len(merge_resources([("one", user), ("other", same)])) == 1


def test_blocks_inside_a_sequencer_share_the_log():
    @handler(name="first", uses=[episodic_memory_capability])
    async def first(ctx: Context) -> None:
        await ctx[episodic_memory_capability].encode("a", significance=0.7)

    with Fabric(":memory:", clock=FrozenClock()) as fabric:
        session = fabric.session("monday", user="jake")
        assert session.run(sequencer(name="both").then(first).then(contents())).output == ["a"]
