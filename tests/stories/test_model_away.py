"""What a model could not do waits for one that can: told, kept with its reason, and done by no other reader unasked."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fabric import Fabric
from fabric.errors import ModelUnavailableError
from fabric.models.base import Request
from fabric.testing import ScriptedModel
from pipelines import Memory
from pipelines.cli.app import app
from tests.stub_server import StubServer, failure, text

SAID = "I joined Stripe last month."
FACT = {"content": "Joined Stripe last month", "importance": 0.8, "durability": "persistent", "category": "profession"}
ANSWER = text(json.dumps({"observations": [FACT]}))


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer() as running:
        yield running


@pytest.fixture
def file(tmp_path: Path, server: StubServer) -> Path:
    """A memory whose model refused its key while a turn was captured."""
    path = tmp_path / "memory.duckdb"
    server.script([failure(401, "no such key")])
    with opened(path, server) as memory:
        memory.capture(SAID)
        (job,) = memory.wait()
        assert (job.status, job.reader, job.cause) == ("failed", "model", "model")
        assert "no such key" in job.error
    return path


def opened(path: Path, server: StubServer | None = None, **options: Any) -> Memory:
    if server is not None:
        options |= {"model": "smollm2", "api_base": f"{server.url}/v1"}
    return Memory(path, user="jake", embedder=None, **options)


def facts(memory: Memory) -> list[str]:
    return [record["content"] for record in memory.export() if record["kind"] == "fact"]


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_nobody_is_told_of_the_trouble_of_others():
    def away(request: Request) -> str:
        raise ModelUnavailableError(f"down, it was asked of {'Oslo' if 'Oslo' in str(request.messages) else 'tea'}")

    options: dict[str, Any] = {"model": "test/m", "embedder": None}
    with Fabric(models=ScriptedModel(away), retry_delay=600) as fabric:
        told: list[tuple[int, str]] = []
        for user, org in (("jake", None), ("anna", None), ("jake", "acme")):
            memory = Memory(fabric, user=user, org=org, **options)
            assert memory.capture("I like tea.").problem == ""
            fabric.drain()
            memory.capture("I live in Oslo.", session="monday")
            fabric.drain()
            after = memory.capture("I am tired.", session="monday")  # behind what waits there
            told.append((after.unread, after.problem.rpartition("of ")[2]))
        assert told == [(2, "Oslo")] * 3


def test_the_caller_of_capture_is_told(file: Path, server: StubServer):
    server.script([failure(401, "still no such key")] * 3)
    with opened(file, server) as memory:
        memory.wait()
        told = memory.capture("I live in Oslo.")
        assert told.turns == 1
        assert told.unread == 1
        assert "no such key" in told.problem


def test_opening_the_file_with_a_model_that_works_reads_it(file: Path, server: StubServer):
    server.script([ANSWER])
    with opened(file, server) as memory:
        assert memory.wait() == []
        assert facts(memory) == ["Joined Stripe last month"]
        assert memory.capture(SAID).problem == ""


def test_a_server_that_is_down_is_waited_for_too(tmp_path: Path, server: StubServer):
    path = tmp_path / "down.duckdb"
    with (
        Fabric(path, max_attempts=1) as fabric,
        Memory(fabric, user="jake", model="m", api_base="http://127.0.0.1:9/v1", embedder=None) as away,
    ):
        away.capture(SAID)
        assert [job.cause for job in away.wait()] == ["model"]
    server.script([ANSWER])
    with opened(path, server) as memory:
        assert memory.wait() == []
        assert facts(memory) == ["Joined Stripe last month"]


def test_rules_do_not_read_it_unless_they_are_asked_to(file: Path):
    with opened(file) as memory:
        (job,) = memory.wait()
        assert "a model" in job.hint
        assert memory.fabric.retry(job).status == "pending"
        assert len(memory.wait()) == 1
        assert facts(memory) == []
        memory.capture("I own a boat.")  # what is said now is read by the reader of now
        assert len(memory.wait()) == 1
        assert facts(memory) == ["Owns a boat"]
        memory.fabric.retry_all(by_anybody=True)
        assert memory.wait() == []
        assert "Joined Stripe last month" in facts(memory)


def test_the_command_line_tells_of_it_and_tries_all_again(file: Path, server: StubServer):
    assert "no such key" in run("jobs", "--file", file).stdout
    hint = run("recall", "zebra", "--file", file, "--user", "jake", "--tier", "semantic").output
    assert "jobs --retry all" in hint
    assert "--model MODEL" in run("doctor", file).stdout
    alone = run("jobs", "--file", file, "--retry", "all")
    assert alone.exit_code == 1
    assert "--by-rules" in alone.stdout
    server.script([ANSWER])
    done = run("jobs", "--file", file, "--retry", "all", "--model", "m", "--api-base", f"{server.url}/v1")
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "All of it is done.")
    assert run("jobs", "--file", file).exit_code == 3


def test_the_command_line_lets_rules_read_it_when_asked(file: Path):
    assert run("jobs", "--file", file, "--retry", "all", "--by-rules").exit_code == 0
    with opened(file) as memory:
        assert facts(memory) == ["Joined Stripe last month"]
