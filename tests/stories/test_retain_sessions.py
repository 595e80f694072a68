"""An agent works three sessions on one repository, and recalls in the third what was decided in the first."""

import subprocess
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fabric import Fabric, generator, sequencer
from fabric.models.base import Request
from fabric.testing import ScriptedModel, call
from pipelines import retain_memory
from pipelines.retain import RetainSystem
from tests.hindsight import hindsight_double

DECISION = "Storage is DuckDB, because one file needs no server."

PATIENT = {"first_turn_deadline": 300.0}
"""A machine may be twenty times slower."""


class Coder:
    """A model that retains what the user decides, looks up what it is asked, and else just answers."""

    def __init__(self) -> None:
        self.systems: list[str] = []
        self.results: list[str] = []

    def __call__(self, request: Request) -> Any:
        *_, last = request.messages
        self.systems.append(request.messages[0]["content"] if request.messages[0]["role"] == "system" else "")
        if last["role"] == "tool":
            self.results.append(last["content"])
            return "Done."
        said = last["content"]
        if said.startswith("Decided:"):
            return call("retain", items=[{"content": DECISION, "context": "design review"}])
        if said.startswith("Look up"):
            return call("recall", query=said)
        return "Understood."


@contextmanager
def work(path: Path, bank: RetainSystem, coder: Coder, session: str) -> Generator[Callable[[str], str]]:
    """Open the file for one session of the agent, and close it behind it."""
    agent = generator(name="coder", model="m", system="You write code.", history=True, uses=[bank.capability])
    pipeline = sequencer(name="coding").then(agent).work(bank.auto_retain)
    with Fabric(path, models=ScriptedModel(coder)) as fabric:

        def say(text: str) -> str:
            return fabric.session(session, user="jake").run(pipeline, text).output

        yield say


@pytest.fixture(params=["local", "hindsight"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """Return what makes a bank for a directory: in the file, or on a server."""
    (tmp_path / "stuff").mkdir()
    if request.param == "local":
        yield partial(retain_memory, backend="local", local=PATIENT)
        return
    with hindsight_double() as server:
        yield partial(retain_memory, backend="hindsight", hindsight={"api_url": server.url, **PATIENT})


def repository(place: Path) -> Path:
    """Make a repository with one commit and return its directory."""
    identity = ["-c", "user.name=jake", "-c", "user.email=jake@example.org"]
    subprocess.run(["git", "init", "-q", place], check=True)
    subprocess.run(["git", "-C", place, *identity, "commit", "-q", "--allow-empty", "-m", "Begin"], check=True)
    return place


def test_what_was_decided_in_the_first_session_is_recalled_in_the_third(made: Any, tmp_path: Path):
    path, shop = tmp_path / "agent.duckdb", repository(tmp_path / "shop")
    worktree = tmp_path / "feature"
    subprocess.run(["git", "-C", shop, "worktree", "add", "-q", worktree], check=True)

    monday = Coder()
    with work(path, made(cwd=shop), monday, "monday") as say:
        say("Decided: we store everything in DuckDB, no server then.")
        say("Releases are tagged on Thursdays by Maria.")
    assert "stored" in monday.results[0] or "queued" in monday.results[0]
    assert set(monday.systems) == {"You write code."}, "nothing was known yet"

    tuesday = Coder()
    with work(path, made(cwd=worktree), tuesday, "tuesday") as say:
        for number in range(1, 6):
            say(f"Rename the module of step {number}, please.")
    assert len(set(tuesday.systems)) == 1, "the prompt begins the same in all turns"

    wednesday = Coder()
    with work(path, made(cwd=shop), wednesday, "wednesday") as say:
        say("Which storage did we decide on, DuckDB or a server?")
        say("Look up who tags releases on Thursdays")
    assert wednesday.systems[0].startswith("You write code.\n\n<memories>\n")
    assert DECISION in wednesday.systems[0], "what a tool retained stands in the first turn's prompt"
    assert len(set(wednesday.systems)) == 1
    assert "Maria" in wednesday.results[0], "what was only said was kept by itself"
    assert "<memories>" not in wednesday.results[0]


def test_another_repository_knows_nothing_of_it(made: Any, tmp_path: Path):
    path = tmp_path / "agent.duckdb"
    with work(path, made(cwd=repository(tmp_path / "shop")), Coder(), "monday") as say:
        say("Decided: we store everything in DuckDB, no server then.")
    other = Coder()
    with work(path, made(cwd=repository(tmp_path / "other")), other, "tuesday") as say:
        say("Which storage did we decide on, DuckDB or a server?")
        say("Look up the storage, DuckDB or a server")
    assert not any("<memories>" in system for system in other.systems)
    assert "DuckDB, because" not in other.results[0]
