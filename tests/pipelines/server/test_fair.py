"""One client cannot take the server from others: requests arrive in time, and a token holds its share of sessions."""

import asyncio
import json
import socket
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

import httpx2 as httpx
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from pipelines.server.doorway import MAX_WAITING, Doorway
from pipelines.server.shares import MAX_SESSIONS, share_of
from pipelines.server.web import Grant, Tokens, WebServer, listening

from .programs import ANNA, JAKE, PATIENCE, free_port, served
from .test_web import HELLO, PING, app_of, begun, own

HALF = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
HALF_BODY = HALF + b"content-type: application/json\r\ncontent-length: 100\r\n\r\n{"


@pytest.mark.parametrize("half", [b"", HALF, HALF_BODY])
async def test_half_sent_requests_of_strangers_keep_no_new_client_out(half: bytes, tmp_path: Path):
    file = tmp_path / "tokens.json"
    file.write_text(json.dumps({JAKE: {"user": "jake"}}))
    file.chmod(0o600)
    options = ("--tokens", str(file))
    async with served(tmp_path / "m.duckdb", *options) as (url, _), httpx.AsyncClient(timeout=20) as http:
        at = ("127.0.0.1", httpx.URL(url).port or 0)
        with ExitStack() as open_ones:
            for number in range(3 * MAX_WAITING):
                one = open_ones.enter_context(socket.create_connection(at, timeout=PATIENCE))
                one.sendall(half)
                if number % 100 == 99:
                    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}
                    assert (await http.post(url, json=hello, headers=own(JAKE))).status_code == 200


class Timed:
    """A server of one page whose requests must arrive within a moment."""

    async def __aenter__(self) -> Self:
        self.port = free_port()
        app = Starlette(routes=[Route("/", lambda _: PlainTextResponse("here"), methods=["GET", "POST"])])
        self.doorway = Doorway(head_seconds=0.5, body_seconds=1.0)
        self._server = WebServer(app, "127.0.0.1", self.port, self.doorway)
        self._serving = asyncio.create_task(self._server.serve([listening("127.0.0.1", self.port)]))
        while not self._server.started:  # the server sets no event
            await asyncio.sleep(0.01)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.stop()
        await self._serving

    async def said_to(self, *pieces: bytes, pause: float = 0.0) -> bytes:
        """Return what is answered until the server closes the connection."""
        reading, writing = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            for piece in pieces:
                writing.write(piece)
                await asyncio.sleep(pause)
            return await asyncio.wait_for(reading.read(), PATIENCE)
        except ConnectionError:  # it ended while something was still sent
            return b""
        finally:
            writing.close()


async def test_a_request_that_does_not_arrive_is_answered_and_ended():
    async with Timed() as server:
        for pieces in ([b""], [b"GET / HTTP/1.1\r\nHost: a\r\n"]):
            answer = await server.said_to(*pieces)
            assert answer.startswith(b"HTTP/1.1 408 ")
            head, body = answer.split(b"\r\n\r\n")
            assert f"content-length: {len(body)}".encode() in head
        dripping = [b"GET / HTTP/1.1\r\n", *([b"X-Header: a\r\n"] * 6)]
        # A line now and then gains no time.
        assert b" 200 " not in await server.said_to(*dripping, b"\r\n", pause=0.1)
        assert not server.doorway.waiting


async def test_whole_requests_are_answered_as_long_as_a_connection_is_kept():
    async with Timed() as server, httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}") as http:
        for wait in (0, 0.7, 1.2):
            await asyncio.sleep(wait)
            assert (await http.get("/")).text == "here"
            assert (await http.post("/", content=b"x" * 100_000)).text == "here"
        assert not server.doorway.waiting


async def test_a_token_holds_its_share_of_the_sessions_and_another_is_served():
    known = Tokens({JAKE: Grant(user="jake"), ANNA: Grant(user="anna")})
    async with app_of(known, share=3) as http:
        opened = [await begun(http, JAKE) for _ in range(3)]
        hello: dict[str, Any] = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}
        refused = await http.post("/mcp", json=hello, headers=own(JAKE))
        assert refused.status_code == 429
        assert "this token has 3 sessions open" in refused.json()["error"]["message"]
        assert "end one with DELETE" in refused.json()["error"]["message"]
        await begun(http, ANNA)  # whoever has another token is served
        kept = {"mcp-session-id": opened[0]}
        assert (await http.post("/mcp", json=PING, headers=own(JAKE, **kept))).status_code == 200
        assert (await http.delete("/mcp", headers=own(JAKE, **kept))).status_code == 200
        await begun(http, JAKE)
        assert (await http.post("/mcp", json=hello, headers=own(JAKE))).status_code == 429
        # Nobody frees or uses another's share.
        foreign = {"mcp-session-id": opened[1]}
        assert (await http.delete("/mcp", headers=own(ANNA, **foreign))).status_code == 404
        assert (await http.post("/mcp", json=hello, headers=own(JAKE))).status_code == 429


def test_no_token_has_more_than_half_of_the_room():
    for count in (1, 2, 3, 10, 100):
        assert share_of(count) * count <= MAX_SESSIONS
        assert share_of(count) <= MAX_SESSIONS / 2
    assert share_of(10_000) == 10
