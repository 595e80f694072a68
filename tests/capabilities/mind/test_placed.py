"""Where a mind is declared and what becomes of it there: in a sequence, in background work, in a block tried again."""

import asyncio
from typing import Any

import pytest

from capabilities.mind import InMemoryProvider, MindStatus, mind
from fabric import Block, Context, Fabric, generator, handler, sequencer
from fabric.errors import CapabilityError
from fabric.flow.failing import Retry
from fabric.testing import FrozenClock, ScriptedModel, call


def declared(**options: Any) -> Any:
    return mind(**{"embedder": None, **options})


async def texts(fabric: Fabric, name: str = "agent", **who: Any) -> dict[str, bool | None]:
    """Return what the mind of this agent holds, and which of it is of a failed run."""
    look = handler(lambda ctx: ctx.cap.mind.entries(), name="look", uses=[declared(namespace=f"mind/{name}")])
    found = (await fabric.session("look", **{"user": "ann", **who}).arun(look)).output
    return {one.text: getattr(one, "error", None) for one in found}


async def drafts(ctx: Context) -> int:
    status: MindStatus = await ctx.cap.mind.status()
    return status.drafts


async def test_a_mind_declared_on_a_sequence_and_on_a_generator_inside_it_is_one_run():
    uses = [declared()]
    model = ScriptedModel([call("mind_believe", content="Tea is hot"), "done"])
    inner = generator(name="inner", model="m", uses=uses)
    seen = handler(drafts, name="seen", uses=uses)
    with Fabric(":memory:", models=model, clock=FrozenClock()) as fabric:
        result = await fabric.session("s", user="ann").arun(
            sequencer(name="agent", uses=uses).then(inner).then(seen), "go"
        )
        assert result.output == 1, "the generator inside flushed before the sequence ended"
        assert await texts(fabric) == {"Tea is hot": False}
        assert await texts(fabric, "inner") == {}


async def test_background_work_has_a_run_of_its_own_in_the_same_mind():
    async def remember(value: object, ctx: Context) -> object:
        await ctx.cap.mind.believe(str(value))
        return value

    first = handler(remember, name="first")
    later = handler(lambda _, ctx: remember("Water is cold", ctx), name="later")
    block: Block[Any, Any] = sequencer(name="agent", uses=[declared()]).work(later).then(first)
    with Fabric(":memory:", clock=FrozenClock()) as fabric:
        await fabric.session("s", user="ann").arun(block, "Tea is hot")
        await fabric.adrain()
        assert await texts(fabric) == {"Tea is hot": False, "Water is cold": False}
        assert await texts(fabric, "later") == {}


async def test_a_block_that_is_tried_again_flushes_as_failed_and_then_clean_and_sets_no_goal_twice():
    tries: list[int] = []

    async def work(ctx: Context) -> None:
        tries.append(1)
        await ctx.cap.mind.set_goal("Drink tea")
        await ctx.cap.mind.believe("Tea is hot")
        await ctx.cap.mind.reflect(f"Try {len(tries)}")
        if len(tries) == 1:
            raise ConnectionError("once")

    block = handler(work, name="agent", uses=[declared()], retry=Retry(attempts=2))
    with Fabric(":memory:", clock=FrozenClock()) as fabric:
        await fabric.session("s", user="ann").arun(block)
        assert await texts(fabric) == {"Drink tea": None, "Tea is hot": False, "Try 1": True, "Try 2": False}


async def test_a_run_that_takes_too_long_is_flushed_as_a_failed_one():
    limit = asyncio.timeout(None)

    async def work(ctx: Context) -> None:
        await ctx.cap.mind.believe("Tea is hot")
        await ctx.cap.mind.set_goal("Drink tea")
        limit.reschedule(asyncio.get_running_loop().time())
        await asyncio.Event().wait()

    with Fabric(":memory:", clock=FrozenClock()) as fabric:
        block = handler(work, name="agent", uses=[declared()])
        with pytest.raises(TimeoutError):
            async with limit:
                await fabric.session("s", user="ann").arun(block)
        assert await texts(fabric) == {"Tea is hot": True}


async def test_a_clean_update_clears_the_mark_of_a_failed_run():
    async def work(fails: object, ctx: Context) -> None:
        await ctx.cap.mind.believe("Tea is hot")
        if fails:
            raise ConnectionError

    block = handler(work, name="agent", uses=[declared()])
    with Fabric(":memory:", clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="ann")
        with pytest.raises(ConnectionError):
            await session.arun(block, True)
        assert await texts(fabric) == {"Tea is hot": True}
        await session.arun(block, False)
        assert await texts(fabric) == {"Tea is hot": False}


async def test_each_agent_gets_its_own_isolated_namespace_named_after_it_by_default():
    def agent(name: str) -> Block[Any, Any]:
        return handler(lambda ctx: ctx.cap.mind.believe(f"I am {name}"), name=name, uses=[declared()])

    with Fabric(":memory:", clock=FrozenClock()) as fabric:
        for name in ("one", "two"):
            await fabric.session("s", user="ann").arun(agent(name))
        await fabric.session("s", user="ann", agent="given").arun(agent("three"))
        assert await texts(fabric, "one") == {"I am one": False}
        assert await texts(fabric, "two") == {"I am two": False}
        assert await texts(fabric, "given", agent="given") == {"I am three": False}
        assert await texts(fabric, "three") == {}


async def test_the_mind_is_lazily_initialised_so_that_its_embedder_is_not_asked_before_the_agent_runs():
    asked: list[int] = []

    def embed(given: Any) -> list[list[float]]:
        asked.append(len(given))
        return [[1.0, 0.0] for _ in given]

    block = handler(lambda ctx: ctx.cap.mind.believe("Tea is hot"), name="agent", uses=[declared(embedder=embed)])
    with Fabric(":memory:", clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="ann")
        assert asked == []
        await session.arun(block)
        assert asked


async def test_the_draft_is_created_fresh_at_the_start_of_every_run():
    block = handler(drafts, name="seen", uses=[declared(namespace="mind/agent")])
    write = handler(lambda ctx: ctx.cap.mind.believe("Tea is hot"), name="agent", uses=[declared()])
    with Fabric(":memory:", clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="ann")
        await session.arun(write)
        assert (await session.arun(block)).output == 0


async def test_equal_options_give_one_mind_so_that_declaring_it_twice_just_works():
    def agent(name: str, answer: str) -> Block[Any, Any]:
        uses = [mind(None, token_budget=200, ttl_defaults={"belief": "60d"})]
        return handler(lambda ctx: ctx.cap.mind.believe(answer), name=name, uses=uses)

    pipeline = sequencer(name="both").then(agent("hot", "Tea is hot")).then(agent("cold", "Water is cold"))
    with Fabric(":memory:", clock=FrozenClock()) as fabric:
        await fabric.session("s", user="ann").arun(pipeline, "go")
        assert await texts(fabric, "hot") == {"Tea is hot": False}
        assert await texts(fabric, "cold") == {"Water is cold": False}


async def test_agents_of_one_pipeline_share_a_mind_by_its_namespace_or_by_the_agent_of_the_session():
    def pipeline(**options: Any) -> Block[Any, Any]:
        made: Block[Any, Any] = sequencer(name="both")
        for name, answer in (("hot", "Tea is hot"), ("cold", "Water is cold")):
            made = made.then(
                handler(lambda ctx, say=answer: ctx.cap.mind.believe(say), name=name, uses=[declared(**options)])
            )
        return made

    both = {"Tea is hot": False, "Water is cold": False}
    with Fabric(":memory:", clock=FrozenClock()) as fabric:
        await fabric.session("s", user="ann").arun(pipeline(namespace="mind/team"), "go")
        await fabric.session("s", user="bob", agent="nova").arun(pipeline(), "go")
        assert await texts(fabric, "team") == both
        assert await texts(fabric, "nova", user="bob") == both


def test_other_options_give_another_mind_and_two_of_them_in_a_pipeline_are_refused_by_both_places():
    first = handler(drafts, name="first", uses=[mind(None)])
    second = handler(drafts, name="second", uses=[mind(None, max_goals=5)])
    pipeline = sequencer(name="both").then(first)
    with pytest.raises(CapabilityError, match=r"two different capabilities are named 'mind'.*first.*second"):
        pipeline.then(second)


@pytest.mark.parametrize(
    "other",
    [
        {"namespace": "mind/x"},
        {"scope": "agent"},
        {"max_goals": 5},
        {"provider": InMemoryProvider()},
        {"embedder": "default"},
    ],
)
def test_every_option_tells_two_minds_apart(other: dict[str, Any]):
    assert declared(**other) is declared(**other)
    assert declared(**other) is not declared()


def test_a_provider_that_cannot_be_hashed_is_known_by_its_identity():
    class Listed(InMemoryProvider):
        __hash__ = None  # type: ignore[assignment]

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Listed)

    one, other = Listed(), Listed()
    first, again, second = declared(provider=one), declared(provider=one), declared(provider=other)
    assert first is again
    assert first is not second
