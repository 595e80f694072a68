"""doctor: what is wrong with a file is told in one line each, with what mends it, and nothing is changed."""

import json
import os
import re
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
from tests import forkserver

from .conftest import PATIENCE, one_line, run, start
from .test_files import foreign

needs_static = pytest.mark.skipif(not is_installed(PACKAGE), reason="the static model has no wheel for this platform")
Findings = dict[str, dict[str, str]]
HOLD = """
import sys
from fabric.store.duckdb.store import DuckDBStore
store = DuckDBStore(sys.argv[1])
store.open()
if len(sys.argv) > 2:
    from fabric.scope import Scope
    from fabric.store.base import Table
    notes = Table("notes", {})
    store.define(notes)
    store.transact_sync(lambda rows: rows.put(notes, Scope("user", '["user",null,"jake"]'), [{"id": "n1"}]))
print("open", flush=True)
sys.stdin.read()
"""


def doctor(file: Path, *options: str) -> tuple[int, Findings]:
    """Return the exit code and what is not ok, by what was checked."""
    done = run("doctor", file, "--json", *options)
    assert done.stderr == ""
    told: list[dict[str, str]] = json.loads(done.stdout)
    assert all(list(one) == ["check", "state", "found", "mend"] for one in told)
    assert all(bool(record["mend"]) == (record["state"] != "ok") for record in told)
    assert done.exit_code == any(record["state"] == "problem" for record in told)
    return done.exit_code, {record["check"]: record for record in told if record["state"] != "ok"}


def without_room(text: str) -> str:
    """Return what was printed without how much of the disk is free, which others change meanwhile."""
    found, count = re.subn(r"(?<=disk: )[\d.]+ [A-Z]*B(?= free)", "some", text)
    assert count == 1
    return found


def test_the_file_is_named_as_for_other_commands_too(tmp_path: Path) -> None:
    file, told = tmp_path / "m.duckdb", "Is allergic to peanuts"
    assert run("remember", told, "--file", file, "--user", "jake").exit_code == 0
    assert without_room(run("doctor", "--file", file).stdout) == without_room(run("doctor", file).stdout)
    both = run("doctor", file, "--file", tmp_path / "other.duckdb")
    assert both.exit_code == 2
    assert "two files are named" in both.stderr


def everything(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.iterdir()}


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
    command = [sys.executable, "-c", HOLD, str(demo_file), "write"]
    with forkserver.popen(command, stdin=-1, stdout=-1, text=True) as other:
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
    assert "holds: 5 sessions, 1 user; fabric_items " in told.stdout
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


@pytest.mark.parametrize("mode", [0o000, 0o444])
def test_a_file_that_may_not_be_read_or_written_is_not_called_damaged(demo_file: Path, mode: int) -> None:
    demo_file.chmod(mode)
    if os.access(demo_file, os.W_OK):
        pytest.skip("this user may read and write everything")
    code, found = doctor(demo_file)
    assert code == 1
    assert set(found) == {"permission"}
    assert str(demo_file) in found["permission"]["found"]
    assert "chmod" in found["permission"]["mend"]


def test_who_holds_the_file_is_named(demo_file: Path, holder: "subprocess.Popen[str]") -> None:
    code, found = doctor(demo_file)
    assert code == 1
    assert f"held by process {holder.pid} on " in found["lock"]["found"]
    assert "python" in found["lock"]["found"]
    assert f"kill {holder.pid}" in found["lock"]["mend"]
    assert set(found) == {"lock"}


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


def test_changes_that_are_damaged_are_told_apart_from_the_file(
    demo_file: Path, holder: "subprocess.Popen[str]"
) -> None:
    holder.kill()
    holder.wait()
    changes = demo_file.with_name(f"{demo_file.name}.wal")
    written = changes.read_bytes()
    changes.write_bytes(written[:60] + b"\xff" * 20 + written[80:])
    before = everything(demo_file.parent)
    code, found = doctor(demo_file)
    assert code == 1
    assert set(found) == {"content"}
    assert found["content"]["found"].startswith(f"{changes.name} is damaged: ")
    assert f"with {changes.name} moved away" in found["content"]["mend"]
    assert everything(demo_file.parent) == before


def test_a_file_that_this_process_holds(demo_file: Path) -> None:
    with Fabric(demo_file):
        _, found = doctor(demo_file)
    assert "held by this process" in found["lock"]["found"]


def test_lines_are_the_same_in_a_process_of_its_own(demo_file: Path) -> None:
    other = start("doctor", demo_file)
    text, error = other.communicate(timeout=PATIENCE)
    assert (other.returncode, error) == (0, "")
    assert without_room(text) == without_room(run("doctor", demo_file).stdout)


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
        for statement in statements:
            found = other.execute(statement).fetchall()
    return found


WRONG = {
    "key": ("UPDATE turns SET _key = _key + 1 WHERE _seq % 40 = 0", "not found by id: "),
    "column": (
        "UPDATE semantic_memory SET subject = 'nobody' WHERE subject = 'user'",
        "filed in other columns than they say: ",
    ),
    "terms": ("UPDATE turns SET _terms = 'abracadabra' WHERE _seq < 5", "found by other words than they say: 5 rows"),
    "no terms": ("UPDATE episodic_memory SET _terms = '' WHERE _seq < 3", "found by other words than they say: 3 rows"),
    "short vector": (
        "UPDATE turns SET _vector = 'abcd'::BLOB WHERE _seq = 0",
        "with a vector that cannot be used: 1 row",
    ),
    "NaN": (
        r"UPDATE turns SET _vector = repeat('\xFF', 512)::BLOB WHERE _seq = 1",
        "with a vector that cannot be used: 1 row",
    ),
    "lost space": ("UPDATE semantic_memory SET _space = 77 WHERE _seq = 1", "with a vector that cannot be used: 1 row"),
    "half a vector": (
        "UPDATE semantic_memory SET _space = NULL WHERE _seq = 2",
        "with a vector that cannot be used: 1 row",
    ),
    "index": ("DROP INDEX _turns_key", "own index is missing: _turns_key"),
}
needs_vectors = {"short vector", "NaN", "lost space", "half a vector"}


@pytest.mark.parametrize("kind", WRONG)
def test_an_index_that_disagrees_with_its_rows_is_seen_and_nothing_is_changed(demo_file: Path, kind: str) -> None:
    if kind in needs_vectors and not is_installed(PACKAGE):
        pytest.skip("the static model has no wheel for this platform")
    wrong, text = WRONG[kind]
    sql(demo_file, wrong)
    before = everything(demo_file.parent)
    code, found = doctor(demo_file, "--embedder", "none")
    assert code == 1
    assert set(found) == {"index"}
    assert text in found["index"]["found"]
    assert found["index"]["mend"] == f"thought-fabric doctor {demo_file} --rebuild-index"
    assert everything(demo_file.parent) == before


@pytest.mark.parametrize("with_vectors", [False, pytest.param(True, marks=needs_static)])
def test_whatever_disagrees_with_its_rows_is_made_anew(demo_file: Path, with_vectors: bool) -> None:
    exported = run("export", "--file", demo_file, "--user", "jake").stdout
    wrong = [kind for kind in WRONG if (kind in needs_vectors) == with_vectors]
    for kind in wrong:
        sql(demo_file, WRONG[kind][0])
    mended = run("doctor", demo_file, "--rebuild-index", "--embedder", "none")
    assert mended.exit_code == 0
    assert mended.stderr.startswith("made anew: ")
    assert doctor(demo_file, "--embedder", "none") == (0, {})
    assert run("export", "--file", demo_file, "--user", "jake").stdout == exported
    if with_vectors:
        assert f"{len(wrong)} of" in doctor(demo_file)[1]["embedder"]["found"]
        assert run("reembed", "--file", demo_file).exit_code == 0
        assert doctor(demo_file) == (0, {})


def test_words_find_again_what_they_found_once_the_index_is_made_anew(demo_file: Path) -> None:
    asked = ("recall", "Stripe", "--file", demo_file, "--user", "jake", "--json")
    os.environ["THOUGHT_FABRIC_EMBEDDER"] = "none"
    before = run(*asked).stdout
    for table in ("turns", "semantic_memory", "episodic_memory"):
        sql(demo_file, f"UPDATE {table} SET _terms = 'abracadabra'")
    assert run(*asked).stdout != before
    assert run("doctor", demo_file, "--rebuild-index").exit_code == 0
    assert run(*asked).stdout == before


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("UPDATE turns SET _row = '{' WHERE _seq = 3", "not readable at all: 1 row"),
        ("UPDATE turns SET _row = '[]' WHERE _seq = 3", "not readable at all: 1 row"),
        ("INSERT INTO turns SELECT * FROM turns WHERE _seq = 3", "there twice: 1 row"),
        ("UPDATE turns SET _scope = 999 WHERE _seq < 3", "of nobody: 3 rows"),
    ],
)
def test_rows_that_nothing_can_mend_are_told(demo_file: Path, wrong: str, said: str) -> None:
    sql(demo_file, wrong)
    code, found = doctor(demo_file)
    assert code == 1
    assert said in found["rows"]["found"]
    assert "backup" in found["rows"]["mend"]
    sql(demo_file, "DELETE FROM turns")
    assert run("doctor", demo_file, "--rebuild-index", "--embedder", "none").exit_code == 0


@pytest.mark.parametrize("kind", ["missing", "empty", "text", "duckdb", "corrupt"])
def test_only_a_memory_is_made_anew(demo_made: Path, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "none.duckdb" if kind == "missing" else broken(kind, demo_made, tmp_path)
    before = everything(tmp_path)
    done = run("doctor", path, "--rebuild-index")
    assert done.exit_code == 1
    assert one_line(done.stderr)
    assert everything(tmp_path) == before
