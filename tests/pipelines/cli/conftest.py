"""A memory file as the demo leaves it, made once, and the command line as a function."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest
import typer.testing
from typer.testing import CliRunner, Result

from pipelines.cli.app import app
from tests import forkserver

ROOT = Path(__file__).parents[3]
PATIENCE = 300.0
Command = Callable[..., Result]
typer.testing._get_command = cache(typer.testing._get_command)  # or each run puts all commands together anew


def run(*args: object, text: str | None = None, env: Mapping[str, str] | None = None) -> Result:
    """Run the command line in this process, with ``env`` beside what is in the environment."""
    result = CliRunner().invoke(app, [str(argument) for argument in args], input=text, env=env)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def start(*args: object, **more: object) -> subprocess.Popen[str]:
    """Start the command line as a process of its own."""
    command = [sys.executable, "-m", "pipelines", *(str(argument) for argument in args)]
    pipe = subprocess.PIPE
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    return forkserver.popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment, **more)


def one_line(text: str) -> bool:
    """Return whether an error was said in one line, without a traceback."""
    return text.startswith("error: ") and text.count("\n") == 1 and "Traceback" not in text


@pytest.fixture(scope="session")
def demo_made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("demo") / "demo.duckdb"
    assert run("demo", "--file", file).exit_code == 0
    return file


@pytest.fixture
def demo_file(demo_made: Path, tmp_path: Path) -> Path:
    """A copy of the demo's file, to be changed at will."""
    return Path(shutil.copy(demo_made, tmp_path / "memory.duckdb"))


@pytest.fixture
def jake(demo_file: Path) -> Command:
    """The command line on the demo's file, as its user."""

    def command(*args: object, text: str | None = None) -> Result:
        return run(*args, "--file", demo_file, "--user", "jake", text=text)

    return command
