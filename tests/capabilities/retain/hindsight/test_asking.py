"""Recall and reflect as the server is asked, and what a caller is told where it cannot answer."""

import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from capabilities.retain import Bank, Edit
from capabilities.retain.hindsight import HindsightError
from fabric.errors import ConfigurationError, RefusedError, RunError
from tests.hindsight import Fault, HindsightDouble, hindsight_double

from .steps import NEVER, Steps, opened, sent

FAILURES: dict[str, tuple[Fault, int | None, str]] = {
    "401": (Fault(status=401), 401, "HINDSIGHT_API_TOKEN"),
    "403": (Fault(status=403), 403, "HINDSIGHT_API_TOKEN"),
    "404": (Fault(status=404), 404, "HINDSIGHT_API_URL"),
    "429": (Fault(status=429, retry_after=0), 429, "try again later"),
    "500": (Fault(status=500), 500, "its own log says why"),
    "503": (Fault(status=503, retry_after=0), 503, "try again later"),
    "418": (Fault(status=418), 418, "answered 418"),
    "cut off": (Fault(cut=True), None, "broke off in the middle"),
    "torn": (Fault(torn=True), None, "broke off in the middle"),
    "no answer in time": (Fault(hang=True), None, r"no answer to recall within 0.5 s.*HINDSIGHT_RECALL_TIMEOUT_MS"),
}

BODIES = (
    b"<html>Welcome!</html>",
    b'{"results": 5}',
    b"[]",
    b"null",
    b"5",
    b'"results"',
    b'{"results": [{}]}',
    b"\xff",
)


def test_recall_asks_within_its_limits_and_its_scope(server: HindsightDouble, tmp_path: Path) -> None:
    tagged = Bank("team", ("team",), ("project:fabric",))
    other = Bank("team", ("team",), ("project:other",))
    with opened(tmp_path) as fabric:
        here, there = Steps(fabric, server.url, tagged, **NEVER), Steps(fabric, server.url, other, **NEVER)
        everywhere = Steps(fabric, server.url, recall_types=(), recall_max_tokens=50, recall_budget="high", **NEVER)
        here.retain("Fabric is built with hatch.")
        there.retain("Other is built with poetry.")
        everywhere.retain("Everything is built in CI.")
        here.flush()
        found = here.recall("How is it built?")
        assert {one.content for one in found.found} == {"Fabric is built with hatch.", "Everything is built in CI."}
        assert len(everywhere.recall("How is it built?").found) == 3
        strict = Steps(fabric, server.url, tagged, tags_match="any_strict", **NEVER)
        assert [one.content for one in strict.recall("How is it built?").found] == ["Fabric is built with hatch."]
    first = found.found[0]
    assert (first.kind, first.bank, first.truncated) == ("world", "team", False)
    assert first.id
    assert first.said_at is not None
    assert abs((found.at - first.said_at).total_seconds()) < 60
    bodies: list[Any] = [request.body for request in sent(server, "/recall")]
    assert {name: bodies[0][name] for name in ("query", "types", "max_tokens", "budget", "tags", "tags_match")} == {
        "query": "How is it built?",
        "types": ["world", "experience"],
        "max_tokens": 1024,
        "budget": "mid",
        "tags": ["project:fabric"],
        "tags_match": "any",
    }
    assert (bodies[1].get("types"), bodies[1].get("tags"), bodies[1]["budget"]) == (None, None, "high")


def test_reflect_answers_from_what_is_there(server: HindsightDouble, tmp_path: Path) -> None:
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, **NEVER)
        here.retain("Fabric is built with hatch.")
        here.flush()
        said = here.reflect("How is it built?", "for a release")
        (fact,) = server.banks["team"].facts
        assert "built with hatch" in said.text
        assert said.sources == (fact.id,)
    (request,) = sent(server, "/reflect")
    assert (request.body["query"], request.body["context"], request.body["budget"]) == (
        "How is it built?",
        "for a release",
        "low",
    )


def test_a_bank_that_nobody_wrote_to_is_empty(server: HindsightDouble, tmp_path: Path) -> None:
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, **NEVER)
        assert list(here.recall("How is it built?").found) == []
        assert here.reflect("How is it built?").sources == ()


def test_a_question_without_a_word_is_refused_unasked(server: HindsightDouble, tmp_path: Path) -> None:
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, **NEVER)
        for call in (here.recall, here.reflect):
            with pytest.raises(RefusedError, match="no word"):
                call("?!")
    assert server.requests == []


@pytest.mark.parametrize("status", [400, 422])
def test_a_question_that_the_server_does_not_take_is_told_what_to_do(
    server: HindsightDouble, tmp_path: Path, status: int
) -> None:
    server.misbehave(Fault(status=status))
    with opened(tmp_path) as fabric, pytest.raises(RefusedError, match="Ask a shorter one: at most 500 tokens"):
        Steps(fabric, server.url, **NEVER).recall("word " * 600)


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_one_error_that_says_what_to_do(server: HindsightDouble, tmp_path: Path, name: str) -> None:
    fault, status, told = FAILURES[name]
    server.misbehave(fault)
    with opened(tmp_path) as fabric:
        with pytest.raises(HindsightError, match=told) as failed:
            Steps(fabric, server.url, recall_timeout=0.5 if fault.hang else 30, **NEVER).recall("How is it built?")
        server.behave()
    assert isinstance(failed.value, RunError)
    assert failed.value.status_code == status
    assert failed.value.details == (None if status is None else "told to fail")
    assert server.url in str(failed.value)


def test_each_call_has_its_own_timeout(server: HindsightDouble, tmp_path: Path) -> None:
    server.misbehave(Fault(hang=True))
    options: dict[str, Any] = {"recall_timeout": 0.3, "retain_timeout": 0.2, "reflect_timeout": 0.1, **NEVER}
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, request_timeout=60, **options)
        with pytest.raises(HindsightError, match=r"recall within 0\.3 s"):
            here.recall("How is it built?")
        with pytest.raises(HindsightError, match=r"reflect within 0\.1 s"):
            here.reflect("How is it built?")
        here.retain("Fabric is built with hatch.")
        assert "retain within 0.2 s" in here.flush().problem
        server.behave()


def test_where_no_server_is(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://jake:hunter2@127.0.0.1:{port}/"
    with opened(tmp_path) as fabric:
        here = Steps(fabric, url, **NEVER)
        with pytest.raises(HindsightError, match=r"no Hindsight server answers at .*start it") as failed:
            here.recall("How is it built?")
        here.retain("Fabric is built with hatch.")
        assert here.flush().waiting == 1  # found again, though the password is not stored
    assert "hunter2" not in str(failed.value)


def test_what_is_no_hindsight_server(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, opened(tmp_path) as fabric:

        def answer() -> None:
            for body in BODIES:
                connection, _ = listener.accept()
                with connection:
                    connection.recv(65536)
                    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
                    connection.sendall(head.encode() + b"connection: close\r\n\r\n" + body)

        serving = threading.Thread(target=answer, daemon=True)
        serving.start()
        here = Steps(fabric, f"http://127.0.0.1:{listener.getsockname()[1]}", **NEVER)
        for _ in BODIES:
            with pytest.raises(HindsightError, match="cannot be read as Hindsight's answer") as failed:
                here.recall("How is it built?")
            assert failed.value.status_code is None
        serving.join()


def test_a_page_that_answers_everything_takes_no_memory(tmp_path: Path) -> None:
    page = b"<html>Please sign in</html>"
    with socket.create_server(("127.0.0.1", 0)) as listener, opened(tmp_path) as fabric:

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                head = f"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {len(page)}\r\n\r\n"
                connection.sendall(head.encode() + page)

        serving = threading.Thread(target=answer, daemon=True)
        serving.start()
        here = Steps(fabric, f"http://127.0.0.1:{listener.getsockname()[1]}", **NEVER)
        here.retain("Fabric is built with hatch.")
        assert here.flush().waiting == 1
        serving.join()


def test_a_token_goes_with_every_call(tmp_path: Path) -> None:
    with hindsight_double(token="right") as server, opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, api_token="right", bank_mission="Remember.", **NEVER)
        here.retain("Fabric is built with hatch.")
        here.flush()
        here.recall("How is it built?")
        here.reflect("How is it built?")
        here.models()
    assert {request.status for request in server.requests} == {200}


def test_memories_of_a_server_are_not_edited(server: HindsightDouble, tmp_path: Path) -> None:
    with opened(tmp_path) as fabric, pytest.raises(ConfigurationError, match="Hindsight's own interface"):
        Steps(fabric, server.url, **NEVER).edit(Edit(op="forget", id="x"))
    assert server.requests == []
