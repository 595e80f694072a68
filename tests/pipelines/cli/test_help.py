"""The help: every option is described, and printing it loads nothing heavy."""

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from pipelines.cli.app import app

from .conftest import PATIENCE, ROOT, run, start

WHOLE: Any = typer.main.get_command(app)
COMMANDS = list(WHOLE.commands)


def test_help_lists_every_command_and_the_exit_codes() -> None:
    told = run("--help").stdout
    assert all(f"\n  {command} " in told for command in COMMANDS)
    assert "0 done, 1 error, 2 wrong usage, 3 nothing found" in told


def every(group: Any, *path: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        yield " ".join((*path, name)), command
        if hasattr(command, "commands"):
            yield from every(command, *path, name)


@pytest.mark.parametrize(("name", "command"), list(every(WHOLE)))
def test_every_command_option_and_argument_is_described(name: str, command: Any) -> None:
    assert command.help.endswith((".", "!", "?"))
    assert [parameter.name for parameter in command.params if not (parameter.help or "").strip()] == []
    shown = " ".join(run(*name.split(), "--help").stdout.split())
    assert [parameter.name for parameter in command.params if " ".join(parameter.help.split()) not in shown] == []


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("rec", ["recall"]), ("mind c", ["complete"]), ("forget --sub", ["--subject"]), ("show fa", ["facts"])],
)
def test_a_shell_completes_commands_and_options(typed: str, offered: list[str]) -> None:
    words = f"thought-fabric {typed}"
    asked = {"_THOUGHT_FABRIC_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    script = "from pipelines.cli import main; import sys; sys.argv[0] = 'thought-fabric'; main()"
    environment = {**os.environ, **asked}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT, env=environment
    )
    assert done.stdout.split() == offered


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["show", "nonsense"],
        ["recall"],
        ["recall", "x", "--limit", "0"],
        ["recall", "x", "--as-of", "soon"],
    ],
)
def test_wrong_usage_exits_with_2(arguments: list[str]) -> None:
    assert run(*arguments).exit_code == 2


@pytest.mark.parametrize("arguments", [["--help"], ["show", "--help"], ["demo", "--help"]])
def test_help_loads_neither_the_engine_nor_what_it_stands_on(arguments: list[str]) -> None:
    heavy = ["fabric", "blocks", "capabilities", "duckdb", "litellm", "networkx", "numpy", "asyncio", "rich"]
    script = (
        "import sys\nfrom pipelines.cli import main\n"
        f"sys.argv = ['thought-fabric', *{arguments!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stderr == "[]\n"


def test_python_m_is_the_same_command_line() -> None:
    helped = start("--help")
    said, error = helped.communicate(timeout=PATIENCE)
    assert (helped.returncode, error) == (0, "")
    assert said.startswith("Usage: thought-fabric ")
    assert all(f"\n  {command} " in said for command in COMMANDS)
