"""Many at once: the tools of one file called side by side."""

import asyncio
from typing import Any

import pytest

from blocks.tools import memory_tools
from capabilities.traces import Reflection
from fabric.errors import ModelUnavailableError
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.sessions.fabric import Fabric
from fabric.testing import ScriptedModel


async def test_ten_adds_of_one_text_at_once_give_one_trace():
    pack = memory_tools(embedder=None)
    async with Fabric() as fabric:
        hosts = [pack.host(fabric, session=f"s{number}", user="jake") for number in range(10)]
        done = await asyncio.gather(*(host.acall("memory_add", {"content": "the same tea"}) for host in hosts))
        found = await hosts[0].acall("memory_search", {"query": "tea"})
    assert len({record["output"]["trace_id"] for record in done}) == 1
    assert len(found["output"]["results"]) == 1


async def test_sixteen_tasks_of_two_users_lose_nothing_and_see_nothing_of_each_other():
    pack = memory_tools(embedder=None)

    async def work(host: Any, user: str, task: int) -> None:
        for number in range(5):
            added = await host.acall("memory_add", {"content": f"tea {number} of task {task} of {user}"})
            if number == 4:
                await host.acall("memory_delete", {"trace_id": added["output"]["trace_id"]})
            await host.acall("memory_search", {"query": "tea"})

    async with Fabric() as fabric:
        hosts = {user: pack.host(fabric, user=user) for user in ("jake", "ana")}
        await asyncio.gather(*(work(hosts[user], user, task) for user in hosts for task in range(8)))
        for user, host in hosts.items():
            found = (await host.acall("memory_search", {"query": "tea", "limit": 100}))["output"]["results"]
            assert sorted(record["content"] for record in found) == sorted(
                f"tea {number} of task {task} of {user}" for task in range(8) for number in range(4)
            )


async def test_a_reflection_under_way_makes_a_second_one_answer_zeros():
    pack = memory_tools(embedder=None)
    began, go_on = asyncio.Event(), asyncio.Event()

    async def slow(_: object) -> str:
        began.set()
        await go_on.wait()
        return "an insight about tea"

    @handler(name="tie", uses=[pack.traces])
    async def tie(_: object, ctx: Context) -> None:
        for number in range(5):
            trace = (await ctx[pack.traces].add(f"tea {number}")).trace
            await ctx[pack.traces].feedback(trace.id, "used", "tea?")

    @handler(name="reflect_slowly", uses=[pack.traces])
    async def reflect(_: object, ctx: Context) -> Reflection:
        return await ctx[pack.traces].reflect(slow)

    async with Fabric() as fabric, Fabric() as other_file:
        session = fabric.session("s", user="jake")
        await session.arun(tie)
        first = asyncio.create_task(session.arun(reflect))
        await began.wait()
        same_user = pack.host(fabric, session="s", user="jake")
        assert (await same_user.acall("memory_reflect"))["output"] == {
            "pruned": 0,
            "merged": 0,
            "derived": 0,
            "compacted": 0,
            "duration_ms": 0,
        }
        for free in (pack.host(fabric, session="s", user="ana"), pack.host(other_file, session="s", user="jake")):
            assert (await free.acall("memory_reflect"))["success"]
        go_on.set()
        assert (await first).output.derived == 1
        assert (await same_user.acall("memory_reflect"))["success"]


async def test_a_reflection_that_fails_lets_the_next_one_begin():
    pack = memory_tools("m", embedder=None)

    @handler(name="tie", uses=[pack.traces])
    async def tie(_: object, ctx: Context) -> None:
        for number in range(5):
            trace = (await ctx[pack.traces].add(f"tea {number}")).trace
            await ctx[pack.traces].feedback(trace.id, "used", "tea?")

    @handler(name="break", uses=[pack.traces])
    async def broken(_: object, ctx: Context) -> None:
        async def derive(_: object) -> str:
            raise RuntimeError("not an error of a model")

        await ctx[pack.traces].reflect(derive)

    models = ScriptedModel([ModelUnavailableError("down"), '{"insight": "tea it is"}'])
    async with Fabric(models=models) as fabric:
        session = fabric.session("s", user="jake")
        await session.arun(tie)
        with pytest.raises(RuntimeError, match="not an error of a model"):
            await session.arun(broken)
        host = pack.host(fabric, session="s", user="jake")
        assert (await host.acall("memory_reflect"))["output"]["derived"] == 0
        assert (await host.acall("memory_reflect"))["output"]["derived"] == 1
