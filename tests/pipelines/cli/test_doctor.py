"""doctor: what is wrong with a file is told in one line each, with what mends it, and nothing is changed."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from fabric import Fabric
from fabric.embedding.files import is_installed
from fabric.embedding.static import PACKAGE

from .conftest import run, start
from .test_files import foreign

needs_static = pytest.mark.skipif(not is_installed(PACKAGE), reason="the static model has no wheel for this platform")
Findings = dict[str, dict[str, str]]
HOLD = """
import sys, time
from fabric.store.duckdb import DuckDBStore
store = DuckDBStore(sys.argv[1])
store.open()
if len(sys.argv) > 2:
    from fabric.scope import Scope
    from fabric.store.base import Table
    notes = Table("notes", {})
    store.define(notes)
    store.transact_sync(lambda rows: rows.put(notes, Scope("user", '["user",null,"jake"]'), [{"id": "n1"}]))
print("open", flush=True)
time.sleep(60)
"""


def doctor(file: Path, *options: str) -> tuple[int, Findings]:
    """Return the exit code and what is not ok, by what was checked."""
    done = run("doctor", file, "--json", *options)
    assert done.stderr == ""
    told: list[dict[str, str]] = json.loads(done.stdout)
    assert all(list(one) == ["check", "state", "found", "mend"] for one in told)
    assert all(bool(one["mend"]) == (one["state"] != "ok") for one in told)
    assert done.exit_code == any(one["state"] == "problem" for one in told)
    return done.exit_code, {one["check"]: one for one in told if one["state"] != "ok"}


def everything(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {one.name: (one.stat().st_mtime_ns, one.read_bytes()) for one in folder.iterdir()}


@pytest.fixture(autouse=True)
def no_keys() -> Iterator[None]:
    before = dict(os.environ)
    for name in ("OPENAI_API_KEY", "THOUGHT_FABRIC_EMBEDDER"):
        os.environ.pop(name, None)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def holder(demo_file: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that has the file open and wrote to it."""
    with subprocess.Popen([sys.executable, "-c", HOLD, str(demo_file), "write"], stdout=-1, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        yield other
        other.kill()


@needs_static
def test_all_is_well_with_a_healthy_file_and_nothing_is_changed(demo_file: Path) -> None:
    before = everything(demo_file.parent)
    told = run("doctor", demo_file)
    assert told.exit_code == 0
    assert {line.split()[0] for line in told.stdout.splitlines()} == {"ok"}
    assert "lock: nobody holds the file" in told.stdout
    assert "jobs: no background work is left" in told.stdout
    assert everything(demo_file.parent) == before


def test_a_missing_file_is_a_problem_and_is_not_made(tmp_path: Path) -> None:
    code, found = doctor(tmp_path / "none.duckdb")
    assert code == 1
    assert "there is no such file" in found["file"]["found"]
    assert list(tmp_path.iterdir()) == []


def broken(kind: str, demo: Path, folder: Path) -> Path:
    path = folder / "broken.duckdb"
    if kind in ("text", "sqlite", "duckdb"):
        return foreign(kind, folder)
    if kind == "directory":
        path.mkdir()
        return path
    whole = demo.read_bytes()
    cut = {"empty": 0, "header": 9_000, "half": len(whole) // 2, "corrupt": len(whole), "newer": len(whole)}
    path.write_bytes(whole[: cut[kind]])
    if kind == "corrupt":
        with path.open("r+b") as file:
            for block in range(12_288, len(whole), 262_144):
                file.seek(block + 100)
                file.write(b"\xff" * 200)
    if kind == "newer":
        with duckdb.connect(str(path)) as other:
            other.execute("UPDATE _meta SET value = '99' WHERE name = 'format'")
    return path


@pytest.mark.parametrize(
    ("kind", "check", "said"),
    [
        ("text", "content", "is not a thought-fabric file"),
        ("sqlite", "content", "is not a thought-fabric file"),
        ("duckdb", "content", "is a DuckDB file, but not one of thought-fabric"),
        ("directory", "file", "is a directory"),
        ("empty", "content", "the file is empty"),
        ("header", "content", "was cut off"),
        ("half", "content", "the file is damaged"),
        ("corrupt", "content", "the file is damaged"),
        ("newer", "version", "file format 99"),
    ],
)
def test_each_broken_file_has_a_line_of_its_own(
    demo_made: Path, tmp_path: Path, kind: str, check: str, said: str
) -> None:
    path = broken(kind, demo_made, tmp_path)
    before = {} if kind == "directory" else everything(tmp_path)
    code, found = doctor(path)
    assert code == 1
    assert found[check]["state"] == "problem"
    assert said in found[check]["found"]
    assert ({} if kind == "directory" else everything(tmp_path)) == before


def test_who_holds_the_file_is_named(demo_file: Path, holder: "subprocess.Popen[str]") -> None:
    code, found = doctor(demo_file)
    assert code == 1
    assert f"held by process {holder.pid} on " in found["lock"]["found"]
    assert "python" in found["lock"]["found"]
    assert f"kill {holder.pid}" in found["lock"]["mend"]
    assert set(found) == {"lock", "changes"}


def test_what_a_killed_process_left_behind_is_no_problem(demo_file: Path, holder: "subprocess.Popen[str]") -> None:
    holder.kill()
    holder.wait()
    before = everything(demo_file.parent)
    assert f"{demo_file.name}.wal" in before
    code, found = doctor(demo_file)
    assert code == 0
    assert set(found) == {"changes"}
    assert found["changes"]["state"] == "warning"
    assert everything(demo_file.parent) == before
    told = run("doctor", demo_file, "--embedder", "none").stdout
    assert "notes 1" in told, "the changes that are not merged yet are seen"


def test_a_file_that_this_process_holds(demo_file: Path) -> None:
    with Fabric(demo_file):
        _, found = doctor(demo_file)
    assert "held by this process" in found["lock"]["found"]


def test_lines_are_the_same_in_a_process_of_its_own(demo_file: Path) -> None:
    other = start("doctor", demo_file)
    said, error = other.communicate(timeout=60)
    assert (other.returncode, error) == (0, "")
    assert said == run("doctor", demo_file).stdout


@pytest.mark.parametrize(
    ("model", "state", "said"),
    [
        ("openai/gpt-4o-mini", "problem", "OPENAI_API_KEY is not set"),
        ("no-such-model", "problem", "no provider for 'no-such-model'"),
        ("openai/gpt-4o-minni", "problem", "OPENAI_API_KEY is not set"),
    ],
)
def test_a_model_that_cannot_work_is_a_problem(demo_file: Path, model: str, state: str, said: str) -> None:
    code, found = doctor(demo_file, "--model", model)
    assert code == 1
    assert found["model"]["state"] == state
    assert said in found["model"]["found"]


def test_a_key_is_named_and_never_written(demo_file: Path) -> None:
    os.environ["OPENAI_API_KEY"] = "sk-secret-secret"
    for options in (("--model", "openai/gpt-4o-mini"), ("--model", "openai/x", "--embedder", "openai/y")):
        told = run("doctor", demo_file, *options).stdout
        assert "OPENAI_API_KEY is set" in told
        assert "secret" not in told
    assert doctor(demo_file, "--model", "openai/gpt-4o-mini") == (0, {})
    assert doctor(demo_file, "--model", "openai/gpt-4o-minni")[1]["model"]["state"] == "warning"


def sql(file: Path, *statements: str) -> Any:
    with duckdb.connect(str(file)) as other:
        for one in statements:
            found = other.execute(one).fetchall()
    return found
