"""retain, reflect and recall --bank: a coding agent's bank from the command line."""

import json
from pathlib import Path

import pytest

from tests.hindsight import Fault, hindsight_double

from .conftest import one_line, run

TABS = "We use tabs here."


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = tmp_path / "shop"
    made.mkdir()
    return made


def test_what_is_kept_of_a_project_is_found_in_it_alone(tmp_path: Path, project: Path) -> None:
    file, bank = tmp_path / "agent.duckdb", ("--bank", project, "--user", "jake")
    assert run("retain", TABS, "CI takes 10 minutes.", "--file", file, *bank).stdout == "2 memories stored.\n"
    told = run("recall", "tabs", "--file", file, *bank).stdout
    assert TABS in told
    assert json.loads(run("recall", "tabs", "--json", "--file", file, *bank).stdout)["details"]["count"] >= 1
    assert TABS in run("reflect", "What about tabs?", "--file", file, *bank).stdout
    elsewhere = run("recall", "tabs", "--file", file, "--bank", tmp_path, "--user", "jake")
    assert (elsewhere.exit_code, elsewhere.stderr.strip()) == (3, "Nothing that is kept matches.")
    assert "is empty" in run("retain", "--clear", "--file", file, *bank).stdout
    assert run("recall", "tabs", "--file", file, *bank).exit_code == 3


def test_a_bank_is_copied_to_a_server_and_back(tmp_path: Path, project: Path) -> None:
    with hindsight_double() as server:
        environment = {"HINDSIGHT_API_URL": server.url}
        file, bank = tmp_path / "agent.duckdb", ("--bank", project)
        run("retain", TABS, "--file", file, *bank, env=environment)
        moved = run("retain", "--move", "hindsight", "--file", file, *bank, env=environment)
        assert moved.stdout == "1 memory copied to hindsight; 0 were there already.\n"
        again = run("retain", "--move", "hindsight", "--file", file, *bank, env=environment)
        assert again.stdout == "0 memories copied to hindsight; 1 were there already.\n"
        there = run("recall", "tabs", "--backend", "hindsight", "--file", file, *bank, env=environment)
        assert TABS in there.stdout
        back = run("retain", "--move", "local", "--file", tmp_path / "new.duckdb", *bank, env=environment)
        assert back.stdout == "1 memory copied to local; 0 were there already.\n"
    assert TABS in run("recall", "tabs", "--file", tmp_path / "new.duckdb", *bank).stdout


def test_what_a_server_did_not_take_is_told_and_kept(tmp_path: Path, project: Path) -> None:
    file, nobody = tmp_path / "agent.duckdb", {"HINDSIGHT_API_URL": "http://127.0.0.1:9"}
    told = run("retain", TABS, "--backend", "hindsight", "--file", file, "--bank", project, env=nobody)
    assert (told.exit_code, told.stdout) == (0, "1 memory queued.\n")
    assert "1 wait for another try" in told.stderr
    failed = run("recall", "tabs", "--backend", "hindsight", "--file", file, "--bank", project, env=nobody)
    assert (failed.exit_code, one_line(failed.stderr)) == (1, True)
    with hindsight_double() as server:
        sent = run(
            "retain",
            "--flush",
            "--backend",
            "hindsight",
            "--file",
            file,
            "--bank",
            project,
            env={"HINDSIGHT_API_URL": server.url},
        )
    assert sent.exit_code == 0


def test_what_was_given_up_is_sent_once_more(tmp_path: Path, project: Path) -> None:
    file, options = tmp_path / "agent.duckdb", ("--backend", "hindsight", "--bank", project)
    with hindsight_double() as server:
        environment = {"HINDSIGHT_API_URL": server.url}
        server.misbehave(Fault(status=422), path="/memories")
        told = run("retain", TABS, "--file", file, *options, env=environment)
        assert "1 were given up" in told.stderr
        server.behave()
        assert "1 memory done" in run("retain", "--flush", "--file", file, *options, env=environment).stderr


@pytest.mark.parametrize(
    "wrong", [(), (TABS, "--clear"), ("--flush", "--clear"), (TABS, "--bank", "nowhere"), (TABS, "--backend", "redis")]
)
def test_what_cannot_be_done_is_wrong_usage(tmp_path: Path, wrong: tuple[str, ...]) -> None:
    assert run("retain", *wrong, "--file", tmp_path / "agent.duckdb").exit_code == 2


def test_all_that_a_command_does_is_written_as_json_when_asked(tmp_path: Path, project: Path) -> None:
    with hindsight_double() as server:
        environment = {"HINDSIGHT_API_URL": server.url}
        common = ("--json", "--file", tmp_path / "agent.duckdb", "--bank", project)
        run("retain", TABS, *common, env=environment)
        moved = run("retain", "--move", "hindsight", *common, env=environment)
        assert json.loads(moved.stdout) == {"taken": 1, "known": 0}
        sent = run("retain", "--flush", "--backend", "hindsight", *common, env=environment)
        assert json.loads(sent.stdout) == {"done": 0, "waiting": 0, "given_up": 0, "problem": ""}
        assert sent.stderr == ""
        assert "is empty" in json.loads(run("retain", "--clear", *common, env=environment).stdout)["text"]
