"""The server as a process of its own: over stdio, over HTTP, asked to stop, and asked by those who may not."""

import json
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from tests import forkserver

mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")

import httpx2 as httpx

from fabric import Fabric

from .programs import ANNA, JAKE, PATIENCE, SERVER, client_of, command, over_stdio, served
from .test_server_tools import output


async def test_what_is_remembered_over_stdio_is_in_the_file(tmp_path: Path):
    file = tmp_path / "m.duckdb"
    async with over_stdio(file, "--user", "jake") as client:
        await output(client, "remember", content="Works at Stripe", category="profession")
        await output(client, "capture", message="I moved to Oslo last week.")
    async with over_stdio(file, "--user", "jake", "--read-only") as client:
        found = await output(client, "recall", query="Oslo", kinds=["semantic"])
        assert "Moved to Oslo last week" in [record["content"] for record in found]
        with pytest.raises(mcp.MCPError):
            await client.call_tool("remember", {"content": "no"})


async def test_two_clients_over_http_reach_their_own_memory_only(tmp_path: Path):
    tokens = tmp_path / "tokens.json"
    tokens.write_text(json.dumps({JAKE: {"user": "jake"}, ANNA: {"user": "anna"}}))
    async with (
        served(tmp_path / "m.duckdb", "--tokens", str(tokens)) as (url, _),
        client_of(url, JAKE) as jakes,
        client_of(url, ANNA) as annas,
    ):
        await output(jakes, "remember", content="Likes green tea", category="preference")
        assert len(await output(jakes, "recall", query="tea", kinds=["semantic"])) == 1
        assert await output(annas, "recall", query="tea") == []
        await output(jakes, "mind_reflect", content="Answer in one line", pin=True)
        async with client_of(url, JAKE) as jakes_next, client_of(url, ANNA) as annas_next:
            assert "Answer in one line" in (jakes_next.instructions or "")
            assert "Answer in one line" not in (annas_next.instructions or "")


async def test_no_token_a_wrong_one_and_a_strange_page_are_turned_away(tmp_path: Path):
    tokens = tmp_path / "tokens.json"
    tokens.write_text(json.dumps({JAKE: {"user": "jake"}}))
    ask = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    accept = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    async with (
        served(tmp_path / "m.duckdb", "--tokens", str(tokens)) as (url, _),
        httpx.AsyncClient(timeout=PATIENCE) as http,
    ):
        none = await http.post(url, json=ask, headers=accept)
        wrong = await http.post(url, json=ask, headers={**accept, "Authorization": "Bearer wrong-token-0123456789"})
        own = {**accept, "Authorization": f"Bearer {JAKE}"}
        strange = await http.post(url, json=ask, headers={**own, "Origin": "https://evil.example"})
        rebound = await http.post(url, json=ask, headers={**own, "Host": "evil.example"})
        broken = await http.post(url, content=b"{nonsense", headers=own)
    assert [one.status_code for one in (none, wrong, strange, rebound, broken)] == [401, 401, 403, 421, 400]


async def test_it_stops_when_asked_and_keeps_what_was_captured(tmp_path: Path):
    file = tmp_path / "m.duckdb"
    async with served(file, "--user", "jake") as (url, process):
        async with client_of(url) as client:
            for number in range(5):
                await output(client, "capture", message=f"My favourite number is {number}.")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=PATIENCE) == 0
    with Fabric(file) as fabric:
        said = [item.text for item in fabric.session("mcp", user="jake").items if item.kind == "message"]
    assert len(said) == 5


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--http", "--host", "192.0.2.1"], "name a file of tokens with --tokens"),
        (["--http", "--port", "TAKEN"], "give another --port"),
        (["--http", "--tokens", "EMPTY"], "give at least one token"),
        (["--http", "--tokens", "BROKEN"], "double quotes"),
    ],
)
def test_what_cannot_be_served_is_refused_in_one_line(tmp_path: Path, options: list[str], error: str):
    (tmp_path / "EMPTY").write_text("{}")
    (tmp_path / "BROKEN").write_text("{")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        known = {"TAKEN": str(taken.getsockname()[1]), **{one: str(tmp_path / one) for one in ("EMPTY", "BROKEN")}}
        asked = command(tmp_path / "m.duckdb", *(known.get(option, option) for option in options))
        done = forkserver.run(asked, imports=SERVER, capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1
    assert error in done.stderr.decode()
    assert len(done.stderr.decode().splitlines()) == 1


def test_tokens_without_http_are_no_protection_and_refused(tmp_path: Path):
    (tmp_path / "tokens").write_text(json.dumps({JAKE: {"user": "jake"}}))
    asked = command(tmp_path / "m.duckdb", "--tokens", str(tmp_path / "tokens"))
    done = forkserver.run(asked, imports=SERVER, capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2
    assert "go with --http" in done.stderr.decode()


@pytest.mark.parametrize(
    ("options", "code", "error"),
    [
        (["--user", ""], 2, "the name is blank"),
        (["--read-only", "--user", "jake"], 1, "there is no such file"),
    ],
)
def test_a_blank_user_and_a_reader_without_a_file_make_no_file(
    tmp_path: Path, options: list[str], code: int, error: str
):
    asked = command(tmp_path / "m.duckdb", *options)
    done = forkserver.run(
        asked, imports=SERVER, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, error in done.stderr.decode()) == (code, True), done.stderr.decode()
    assert list(tmp_path.iterdir()) == []


def test_the_default_file_is_told_and_a_model_that_nobody_knows_is_warned_of(tmp_path: Path):
    told = forkserver.run(
        [*command(tmp_path / "m.duckdb"), "--help"], imports=SERVER, capture_output=True, timeout=PATIENCE, check=True
    )
    assert "Default: memory.duckdb" in " ".join(told.stdout.decode().split())
    asked = command(tmp_path / "m.duckdb", "--user", "jake", "--model", "foo-bar-9")
    done = forkserver.run(
        asked, imports=SERVER, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0
    assert "litellm knows no provider for 'foo-bar-9'" in done.stderr.decode()
