"""Files that cannot be used: one line, an exit code, and nothing changed."""

import json
import os
import sqlite3
from pathlib import Path

import duckdb
import pytest

from fabric import Fabric

from .conftest import PATIENCE, Command, one_line, run, start


def foreign(kind: str, folder: Path) -> Path:
    path = folder / f"file.{kind}"
    if kind == "text":
        path.write_text("dear diary\n" * 500)
    elif kind == "sqlite":
        with sqlite3.connect(path) as connection:
            connection.execute("create table notes(body)")
        connection.close()
    elif kind == "duckdb":
        with duckdb.connect(str(path)) as other:
            other.execute("create table notes(body varchar)")
    return path


@pytest.mark.parametrize("kind", ["text", "sqlite", "duckdb"])
@pytest.mark.parametrize("command", ["show", "chat", "demo"])
def test_a_file_that_is_not_ours_is_refused_and_left_alone(tmp_path: Path, kind: str, command: str) -> None:
    path = foreign(kind, tmp_path)
    before = path.read_bytes()
    refused = run(command, "--file", path, text="hello\n")
    assert refused.exit_code == 1
    assert one_line(refused.stderr)
    assert path.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("command", ["show", "chat", "demo", "jobs"])
def test_a_directory_is_refused(tmp_path: Path, command: str) -> None:
    refused = run(command, "--file", tmp_path, text="hello\n")
    assert refused.exit_code == 1
    assert one_line(refused.stderr)
    assert str(tmp_path) in refused.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command", ["show", "recall x", "why x", "forget --id x --yes", "export", "jobs", "consolidate", "prune"]
)
def test_a_missing_file_is_an_error_and_is_not_made(tmp_path: Path, command: str) -> None:
    path = tmp_path / "none.duckdb"
    refused = run(*command.split(), "--file", path)
    assert refused.exit_code == 1
    assert one_line(refused.stderr)
    assert "there is no such file" in refused.stderr
    assert not path.exists()


def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    closed = Path("/proc") if os.geteuid() == 0 else tmp_path / "closed"
    if closed.parent == tmp_path:
        closed.mkdir(mode=0o500)
    elif not closed.is_dir():
        pytest.skip("needs a directory in which not even the superuser can make a file")
    refused = run("demo", "--file", closed / "memory.duckdb")
    assert refused.exit_code == 1
    assert one_line(refused.stderr)
    missing = run("demo", "--file", tmp_path / "no" / "such" / "memory.duckdb")
    assert missing.exit_code == 1
    assert one_line(missing.stderr)


def test_a_file_that_another_process_holds_names_that_process(demo_file: Path) -> None:
    with Fabric(demo_file):
        second = start("show", "--file", demo_file)
        said, error = second.communicate(timeout=PATIENCE)
    assert (second.returncode, said) == (1, "")
    assert one_line(error)
    assert str(os.getpid()) in error


def test_the_file_is_taken_from_the_environment(demo_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THOUGHT_FABRIC_FILE", str(demo_file))
    assert json.loads(run("show", "facts", "--user", "jake", "--json").stdout)["counts"]["facts"] > 0


def test_export_cannot_overwrite_the_memory(jake: Command, demo_file: Path) -> None:
    before = demo_file.read_bytes()
    refused = jake("export", "--out", demo_file)
    assert refused.exit_code == 2
    assert demo_file.read_bytes() == before


@pytest.mark.parametrize("option", ["--user", "--project", "--org"])
@pytest.mark.parametrize("command", ["recall x", "show", "export", "chat", "mind show"])
def test_a_name_that_is_blank_opens_nobodys_memory(demo_file: Path, command: str, option: str) -> None:
    if f"{command} {option}" == "mind show --org":
        option = "--user"
    refused = run(*command.split(), "--file", demo_file, option, " ", text="hello\n")
    assert refused.exit_code == 2
    assert "the name is blank" in refused.stderr
    assert refused.stdout == ""


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_a_file_that_was_cut_off_says_where_to_look(demo_file: Path, share: float) -> None:
    whole = demo_file.read_bytes()
    demo_file.write_bytes(whole[: int(len(whole) * share)])
    told = run("recall", "work", "--file", demo_file, "--user", "jake")
    assert told.exit_code == 1
    assert one_line(told.stderr)
    assert "look at it with thought-fabric doctor FILE, or restore a backup" in told.stderr
