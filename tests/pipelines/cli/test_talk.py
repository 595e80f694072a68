"""What a process of its own writes: nothing but what was asked for, and no error where a pipe is closed."""

import json
from pathlib import Path

from .conftest import PATIENCE, one_line, start


def test_a_closed_pipe_is_no_error_message(demo_file: Path) -> None:
    shown = start("show", "--file", demo_file, "--user", "jake", "--json")
    assert shown.stdout is not None
    assert shown.stderr is not None
    shown.stdout.readline()
    shown.stdout.close()
    error = shown.stderr.read()
    shown.wait(timeout=PATIENCE)
    shown.stderr.close()
    assert shown.stdin is not None
    shown.stdin.close()
    assert "Traceback" not in error
    assert not one_line(error)


def test_a_process_of_its_own_prints_pure_json(demo_file: Path) -> None:
    shown = start("show", "facts", "--file", demo_file, "--user", "jake", "--json")
    said, error = shown.communicate(timeout=PATIENCE)
    assert (shown.returncode, error) == (0, "")
    assert json.loads(said)["counts"]["facts"] > 0
