"""Forgetting through the server: a session or a tag, and a preview before what cannot be undone."""

from typing import Any

import pytest

mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")

from pipelines import Memory

from .test_server_tools import output, served


async def known(client: Any, query: str) -> str:
    return repr(await output(client, "recall", query=query, limit=20))


async def test_a_session_or_a_tag_is_forgotten_after_a_preview_that_changes_nothing():
    async with served() as (client, fabric):
        memory = Memory(fabric, user="jake")
        memory.capture("I live in Oslo.", session="monday")
        memory.remember("Owns a boat", tags=["harbour"])
        memory.remember("Likes jazz")
        memory.wait()
        for asked, gone in (({"session": "monday"}, "Oslo"), ({"tag": "harbour"}, "boat")):
            told = await output(client, "forget", **asked, preview=True)
            assert told["removed"]["facts"] == 1
            assert gone in await known(client, gone)
            assert (await output(client, "forget", **asked))["removed"] == told["removed"]
            assert gone not in await known(client, gone)
            assert (await client.call_tool("forget", {**asked, "preview": True})).is_error
        assert "jazz" in await known(client, "jazz")
        both = await client.call_tool("forget", {"session": "monday", "tag": "harbour"})
        assert both.is_error
        assert "only one of them" in both.structured_content["error"]


async def test_nobody_forgets_a_session_of_somebody_else():
    async with served(user="anna") as (client, fabric):
        memory = Memory(fabric, user="jake")
        memory.capture("I live in Oslo.", session="monday")
        memory.wait()
        assert (await client.call_tool("forget", {"session": "monday"})).is_error
        assert memory.recall("where does he live?")[0].content == "Lives in Oslo"
