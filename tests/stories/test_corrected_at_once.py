"""Corrections of one fact by several callers at once: the last one holds, and none is lost."""

import asyncio

import pytest

from fabric.errors import RunError
from pipelines import AsyncMemory


async def test_each_takes_the_place_of_the_one_before():
    places = [f"Works at Company {name}" for name in "ABCDE"]
    async with AsyncMemory(user="jake", embedder=None) as memory:
        first = (await memory.remember("Works at Stripe")).id
        made = await asyncio.gather(*(memory.update(first, place) for place in places))
        history = await memory.history(first)
        assert sorted(version.content for version in history) == sorted(["Works at Stripe", *places])
        assert [version.status for version in history] == ["superseded"] * 5 + ["current"]
        assert history[-1].id in [one.id for one in made]
        assert [version.superseded_by for version in history[:-1]] == [version.id for version in history[1:]]
        assert (await memory.update(first, "Works at Company F")).content == "Works at Company F"


async def test_what_was_said_since_is_not_written_over_by_a_correction_of_what_it_replaced():
    async with AsyncMemory(user="jake", embedder=None) as memory:
        first = (await memory.remember("Works at Stripe")).id
        second = (await memory.remember("Works at Shopify now")).id
        with pytest.raises(RunError, match=f"is no current fact .it became {second!r} since.: take an id"):
            await memory.update(first, "Works at Stripe in Dublin")
        await memory.forget(second)
        with pytest.raises(RunError, match="is no current fact: take an id"):
            await memory.update(first, "Works at Stripe in Dublin")
