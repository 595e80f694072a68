"""What reaches the server over HTTP by hand: whose it is, where it comes from, and how much of it is taken."""

import json
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

import httpx2 as httpx
import structlog

from fabric import Fabric
from fabric.errors import ConfigurationError
from fabric.scope import ScopeIds
from pipelines import memory_system
from pipelines.server.offer import offer
from pipelines.server.web import Tokens, read_tokens, web_app

from .programs import ANNA, JAKE, PATIENCE, TOKENS, served

TAKES = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "by hand", "version": "1"}}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def own(token: str, **more: str) -> dict[str, str]:
    return {**TAKES, "Authorization": f"Bearer {token}", **more}


def asking(query: str) -> dict[str, Any]:
    called = {"name": "recall", "arguments": {"query": query}}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": called}


@asynccontextmanager
async def app_of(
    tokens: Tokens | None, bound_to: str = "127.0.0.1", *origins: str, share: int | None = None
) -> AsyncGenerator[httpx.AsyncClient]:
    mem = memory_system(episodic=True, semantic=True)
    async with Fabric() as fabric:
        offered = offer(mem)
        host = offered.host(fabric, ScopeIds(session="mcp", user="nobody"))
        app = web_app(offered, host, tokens=tokens, bound_to=bound_to, origins=origins, share=share)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8765") as http,
        ):
            yield http


@pytest.fixture
def tokens(tmp_path: Path) -> Tokens:
    file = tmp_path / "tokens.json"
    file.write_text(json.dumps(TOKENS))
    file.chmod(0o600)
    return read_tokens(file)


async def begun(http: httpx.AsyncClient, token: str) -> str:
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}
    answer = await http.post("/mcp", json=hello, headers=own(token))
    assert answer.status_code == 200
    return str(answer.headers["mcp-session-id"])


async def test_the_older_handshake_too_tells_each_owner_its_own_rules(tokens: Tokens):
    rule = {"name": "mind_reflect", "arguments": {"content": "Answer in one line", "pin": True}}
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}
    async with app_of(tokens) as http:
        session = {"mcp-session-id": await begun(http, JAKE)}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": rule}
        assert '"isError":false' in (await http.post("/mcp", json=call, headers=own(JAKE, **session))).text
        told = [(await http.post("/mcp", json=hello, headers=own(one))).text for one in (JAKE, ANNA)]
    assert ["Answer in one line" in one for one in told] == [True, False]


async def test_a_session_is_of_no_use_to_another_token(tokens: Tokens):
    async with app_of(tokens) as http:
        session = {"mcp-session-id": await begun(http, JAKE)}
        theirs = own(ANNA, **session)
        taken = [await http.post("/mcp", json=asking("tea"), headers=theirs) for _ in range(2)]
        taken += [await http.get("/mcp", headers=theirs), await http.delete("/mcp", headers=theirs)]
        taken += [await http.post("/mcp", json=PING, headers={**TAKES, **session})]
        assert [one.status_code for one in taken] == [404, 404, 404, 404, 401]
        assert '"isError":false' in (await http.post("/mcp", json=asking("tea"), headers=own(JAKE, **session))).text


@pytest.mark.parametrize(
    ("method", "changed", "body", "status"),
    [
        pytest.param("POST", {"Content-Type": "text/plain"}, PING, 400, id="another type"),
        pytest.param("POST", {"Accept": "text/html"}, PING, 406, id="wants a page"),
        pytest.param("POST", {"mcp-session-id": "made-up"}, PING, 404, id="unknown session"),
        pytest.param("POST", {"mcp-session-id": ""}, PING, 404, id="blank session"),
        pytest.param("POST", {"mcp-protocol-version": "1999-01-01"}, PING, 400, id="unknown version"),
        pytest.param("PUT", {}, PING, 405, id="put"),
        pytest.param("POST", {}, b"{nonsense", 400, id="not JSON"),
        pytest.param("POST", {}, b"\xff\xfe", 400, id="not UTF-8"),
        pytest.param("POST", {}, b"", 400, id="nothing"),
        pytest.param("POST", {}, [PING, PING], 400, id="a batch"),
        pytest.param("POST", {}, b"[" * 500_000, 400, id="nested deeply"),
        pytest.param("POST", {}, asking("x" * 5_000_000), 413, id="5 MB"),
        pytest.param("POST", {"Origin": "https://evil.example"}, PING, 403, id="strange page"),
        pytest.param("POST", {"Origin": "http://localhost.evil.example"}, PING, 403, id="page of a like name"),
        pytest.param("POST", {"Origin": "null"}, PING, 403, id="page of no origin"),
        pytest.param("POST", {"Host": "evil.example"}, PING, 421, id="rebound name"),
        pytest.param("POST", {"Authorization": "Bearer wrong-token-0123456789"}, PING, 401, id="wrong token"),
        pytest.param("POST", {"Authorization": "Bearer "}, PING, 401, id="blank token"),
        pytest.param("POST", {"Authorization": "Basic amFrZTpqYWtl"}, PING, 401, id="a password"),
        pytest.param("POST", {"Origin": "http://localhost:3000"}, PING, 200, id="page of this machine"),
        pytest.param("POST", {"Origin": "http://localhost"}, PING, 200, id="page without a port"),
    ],
)
async def test_what_is_wrong_is_turned_away_and_the_next_call_is_served(
    tokens: Tokens, method: str, changed: dict[str, str], body: Any, status: int
):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    async with app_of(tokens) as http:
        mine = own(JAKE, **{"mcp-session-id": await begun(http, JAKE)})
        answer = await http.request(method, "/mcp", content=content, headers={**mine, **changed})
        assert answer.status_code == status
        assert JAKE not in answer.text
        assert '"isError":false' in (await http.post("/mcp", json=asking("tea"), headers=mine)).text


async def test_beyond_this_machine_any_host_name_but_only_named_pages_lead_to_it(tokens: Tokens):
    async with app_of(tokens, "0.0.0.0", "https://chat.example") as http:  # noqa: S104  the tokens are what guards it
        mine = own(JAKE, Host="memory.example:8765")
        pages = ["https://chat.example", "https://evil.example", "http://localhost:3000"]
        asked = [await http.post("/mcp", json=PING, headers={**mine, "Origin": page}) for page in pages]
        assert [one.status_code for one in asked] == [400, 403, 403]  # 400: there is no session yet
        assert (await http.post("/mcp", json=PING, headers=mine)).status_code == 400


async def test_no_token_is_logged(tmp_path: Path):
    file = tmp_path / "tokens.json"
    file.write_text(json.dumps(TOKENS))
    async with (
        served(tmp_path / "m.duckdb", "--tokens", str(file)) as (url, process),
        httpx.AsyncClient(timeout=PATIENCE) as http,
    ):
        session = await begun_at(http, url)
        for token in (JAKE, ANNA, "wrong-token-0123456789"):
            await http.post(url, json=PING, headers=own(token, **{"mcp-session-id": session}))
        process.terminate()
        written = process.communicate()[1].decode()
    assert "Serving" in written
    assert not [token for token in (JAKE, ANNA, "wrong-token") if token in written]


async def begun_at(http: httpx.AsyncClient, url: str) -> str:
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}
    return str((await http.post(url, json=hello, headers=own(JAKE))).headers["mcp-session-id"])


async def test_clients_that_never_finish_a_request_hold_up_no_other(tmp_path: Path):
    async with served(tmp_path / "m.duckdb", "--user", "jake") as (url, _), httpx.AsyncClient(timeout=PATIENCE) as http:
        at = ("127.0.0.1", httpx.URL(url).port or 0)
        slow = [socket.create_connection(at) for _ in range(50)]
        for one in slow:
            one.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        assert (await http.post(url, json=PING, headers=TAKES)).status_code == 400
        for one in slow:
            one.close()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"TOKEN": {"usr": "jake"}}', "user: Field required"),
        ('{"TOKEN": "jake"}', "should be a valid dictionary"),
        ('["TOKEN"]', "should be a valid dictionary"),
        ('{"TOKEN": {"user": " "}}', "user must not be empty"),
        ('{"TOKEN": {"user": "jake"}, "TOKEN": {"user": "anna"}}', "given twice"),
        ('{"TOKEN with a space": {"user": "jake"}}', "no spaces"),
        ('{"short": {"user": "jake"}}', "16 or more"),
        ("", "expected"),
    ],
)
def test_a_file_of_tokens_that_is_wrong_is_told_without_the_token(tmp_path: Path, text: str, error: str):
    file = tmp_path / "tokens.json"
    file.write_text(text.replace("TOKEN", JAKE))
    with pytest.raises(ConfigurationError, match=error) as raised:
        read_tokens(file)
    assert str(file) in str(raised.value)
    assert JAKE not in str(raised.value)


def test_a_file_of_tokens_that_others_can_read_is_warned_of(tmp_path: Path):
    file = tmp_path / "tokens.json"
    file.write_text(json.dumps(TOKENS))
    for mode, warnings in ((0o644, 1), (0o600, 0)):
        file.chmod(mode)
        with structlog.testing.capture_logs() as logged:
            read_tokens(file)
        assert len(logged) == warnings
        assert JAKE not in str(logged)
