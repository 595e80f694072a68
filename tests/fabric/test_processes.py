"""A file that is open where the interpreter ends or forks: calls work, or say in one line why they cannot."""

import sys
from pathlib import Path

import pytest

from pipelines import Memory
from tests import forkserver

ROOT = Path(__file__).parents[2]


def lines_of(how: str, path: Path, code: int = 0) -> list[str]:
    """Run the child and return the lines it printed; it must not hang, nor say anything else on its way out."""
    command = [sys.executable, "-m", "tests.fabric.exit_child", how, str(path)]
    done = forkserver.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("how", ["at_exit", "used_at_exit", "own_at_exit", "used_own_at_exit"])
def test_exit_handlers_capture_recall_by_meaning_and_close(how: str, tmp_path: Path):
    path = tmp_path / "m.duckdb"
    assert lines_of(how, path) == ["gave 1", "gave [('Lives in Oslo', '')]", "gave None"]
    with Memory(path, user="u") as memory:
        assert memory.recall("where do I live?", tiers=["semantic"])[0].content == "Lives in Oslo"


def test_exit_handlers_remind_encode_and_retrieve(tmp_path: Path):
    assert lines_of("minded_at_exit", tmp_path / "m.duckdb") == ["gave call Anna", "gave I prefer tea.", "gave None"]


def test_a_handler_that_comes_too_late_is_told_in_one_line(tmp_path: Path):
    (line,) = lines_of("too_late", tmp_path / "m.duckdb")
    assert line.startswith("StoreError: the interpreter is ending")


def test_a_forked_child_is_told_at_once_and_leaves_the_file_alone(tmp_path: Path):
    path = tmp_path / "m.duckdb"
    *told, opened, closed, parent = lines_of("forked", path, code=9)
    assert len(told) == 4
    for line in told:
        assert line.startswith("StoreError:")
        assert "forked" in line
        assert "get_context('spawn')" in line
    assert opened.startswith("StoreLockedError:")
    assert "in use by another process (PID" in opened
    assert (closed, parent) == ("gave None", "gave 1")
    with Memory(path, user="u") as memory:
        found = [recalled.content for recalled in memory.recall("the user", tiers=["semantic"])]
        assert "Lives in Oslo" in found
        assert memory.recall("where do I work?", tiers=["semantic"])[0].content == "Works at Stripe"
