"""Frames written by hand: one that is wrong is answered with an error, and the next good call is served."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from fabric.text.prompt import data_block
from tests import forkserver

from .programs import PATIENCE, SERVER, WITH_MODEL, command

PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "by hand", "version": "1"}}


class Wire:
    """The two ends of a server's standard input and output."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process, self.to, self.back = process, process.stdin, process.stdout

    def write(self, frame: Any) -> None:
        self.to.write((frame if isinstance(frame, bytes) else json.dumps(frame).encode()) + b"\n")
        self.to.flush()

    def read(self) -> Any:
        line = self.back.readline()
        assert line, "the server has ended"
        return json.loads(line)

    def greet(self) -> None:
        self.write(request("initialize", HELLO))
        assert self.read()["result"]["serverInfo"]["name"] == "thought-fabric"
        self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})


def request(method: str, params: Any = None, to: Any = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": to, "method": method, **({} if params is None else {"params": params})}


def recall(query: Any, to: Any = 1) -> dict[str, Any]:
    return request("tools/call", {"name": "recall", "arguments": {"query": query}}, to)


@contextmanager
def wired(file: Path, *options: str) -> Generator[Wire]:
    asked = command(file, "--user", "jake", *options)
    with forkserver.popen(
        asked, imports=WITH_MODEL if "--model" in options else SERVER, stdin=-1, stdout=-1, stderr=-1
    ) as process:
        try:
            yield Wire(process)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    with wired(tmp_path_factory.mktemp("frames") / "m.duckdb") as opened:
        opened.write(recall("before anything else"))
        assert "error" in opened.read()
        opened.greet()
        yield opened


def nested(depth: int) -> bytes:
    return json.dumps(recall("DEPTH")).encode().replace(b'"DEPTH"', b"[" * depth + b"]" * depth)


@pytest.mark.parametrize(
    ("frame", "to", "code"),
    [
        pytest.param(b"not json", None, PARSE_ERROR, id="not json"),
        pytest.param(b"\xff\xfe\x80", None, PARSE_ERROR, id="not UTF-8"),
        pytest.param(b'{"jsonrpc":"2.0","id":7,"method":"ping"} and more', None, PARSE_ERROR, id="text behind it"),
        pytest.param(nested(100_000), None, PARSE_ERROR, id="nested deeply"),
        pytest.param(b"42", None, INVALID_REQUEST, id="a number"),
        pytest.param([request("ping", to=7), request("ping", to=8)], None, INVALID_REQUEST, id="a batch"),
        pytest.param({"id": 7, "method": "ping"}, 7, INVALID_REQUEST, id="no version"),
        pytest.param({"jsonrpc": "1.0", "id": 7, "method": "ping"}, 7, INVALID_REQUEST, id="another version"),
        pytest.param({"jsonrpc": "2.0", "id": 7, "method": 5}, 7, INVALID_REQUEST, id="method is a number"),
        pytest.param(request("tools/call", [1], to=7), 7, INVALID_REQUEST, id="params are a list"),
        pytest.param(request("no/such", to=7), 7, UNKNOWN_METHOD, id="unknown method"),
        pytest.param(request("tools/call", {"name": "fly"}, to=7), 7, INVALID_PARAMS, id="unknown tool"),
        pytest.param(request("tools/call", {"name": 5}, to=7), 7, INVALID_PARAMS, id="name is a number"),
        pytest.param(
            request("tools/call", {"name": "recall", "arguments": [1]}, to=7),
            7,
            INVALID_PARAMS,
            id="arguments listed",
        ),
        pytest.param(request("initialize", {}, to=7), 7, INVALID_PARAMS, id="an empty greeting"),
        pytest.param(recall("x" * 10_000_000, to=7), 7, INVALID_PARAMS, id="10 MB"),
    ],
)
def test_a_wrong_frame_is_answered_and_the_next_call_is_served(wire: Wire, frame: Any, to: Any, code: int):
    wire.write(frame)
    answer = wire.read()
    assert (answer["id"], answer["error"]["code"]) == (to, code)
    assert len(answer["error"]["message"]) < 1000
    wire.write(recall("tea", to="next"))
    assert wire.read() == {"jsonrpc": "2.0", "id": "next", "result": nothing_found()}


def nothing_found() -> dict[str, Any]:
    return {
        "content": [{"type": "text", "text": data_block("memory", "[]")}],
        "structuredContent": {"result": []},
        "isError": False,
    }


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param(b"", id="blank"),
        pytest.param({"jsonrpc": "2.0", "method": "notifications/nonsense"}, id="unknown notification"),
        pytest.param(
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}, id="cancelled"
        ),
        pytest.param({"jsonrpc": "2.0", "id": 99, "result": {}}, id="an answer to nothing"),
    ],
)
def test_what_wants_no_answer_gets_none(wire: Wire, frame: Any):
    wire.write(frame)
    wire.write(recall("tea", to="next"))
    assert wire.read()["id"] == "next"


def test_arguments_that_do_not_fit_are_a_result_that_says_so(wire: Wire):
    for wrong in (5, None, {"a": {"b": 1}}, ["x"]):
        wire.write(recall(wrong, to=7))
        answer = wire.read()["result"]
        assert answer["isError"]
        assert "query" in answer["structuredContent"]["error"]


def test_calls_that_are_taken_back_and_ids_that_come_twice_harm_no_other(wire: Wire):
    for number in range(20):
        wire.write(recall("tea", to=f"back {number}"))
        wire.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": f"back {number}"}})
    wire.write(recall("tea", to="twice"))
    wire.write(recall("tea", to="twice"))
    wire.write(recall("tea", to="last"))
    seen: list[Any] = []
    while not {"twice", "last"}.issubset(seen) or seen.count("twice") < 2:
        seen.append(wire.read()["id"])
    assert seen.count("last") == 1


@pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_while_the_client_stays(tmp_path: Path, name: signal.Signals):
    with wired(tmp_path / "m.duckdb") as wire:
        wire.greet()
        wire.process.send_signal(name)
        assert wire.process.wait(PATIENCE) == 0


def test_it_ends_when_the_client_leaves(tmp_path: Path):
    with wired(tmp_path / "m.duckdb") as wire:
        wire.greet()
        wire.to.close()
        assert wire.process.wait(PATIENCE) == 0


@pytest.mark.parametrize("leaves", [True, False])
def test_a_client_that_does_not_read_holds_up_no_ending(tmp_path: Path, leaves: bool):
    with wired(tmp_path / "m.duckdb") as wire:
        wire.greet()
        os.set_blocking(wire.to.fileno(), False)
        ends, asked = time.monotonic() + PATIENCE, request("tools/list")
        for _ in range(50):
            while time.monotonic() < ends:
                try:
                    wire.write(asked)
                    break
                except BlockingIOError:
                    time.sleep(0.01)
        if leaves:
            wire.back.close()
            os.set_blocking(wire.to.fileno(), True)
            wire.to.close()
        else:
            wire.process.terminate()
        assert wire.process.wait(PATIENCE) == 0
        assert wire.process.stderr is not None
        assert wire.process.stderr.read() == b""
