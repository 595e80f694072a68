"""The help: every option is described, and printing it loads nothing heavy."""

import subprocess
import sys

import pytest

from .conftest import ROOT, run, start

TALK = ["demo", "chat", "replay"]
LOOK = ["recall", "show", "why", "graph", "mind"]
SERVE = ["mcp"]
CARE = ["forget", "import", "export", "consolidate", "prune", "jobs", "status", "reembed"]
COMMANDS = [*TALK, *LOOK, *SERVE, *CARE]


def test_help_lists_every_command_and_the_exit_codes() -> None:
    told = run("--help").stdout
    assert all(f"\n  {command} " in told for command in COMMANDS)
    assert "0 done, 1 error, 2 wrong usage, 3 nothing found" in told


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_described(command: str) -> None:
    lines = run(command, "--help").stdout.split("Options:")[1].splitlines()
    options = [index for index, line in enumerate(lines) if line.strip().startswith("-")]
    assert options
    for index in options:
        described = lines[index].strip().split("  ")[1:] or lines[index + 1 : index + 2]
        assert any(part.strip() and not part.strip().startswith("-") for part in described), lines[index]


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
    heavy = ["fabric", "blocks", "capabilities", "duckdb", "litellm", "networkx", "numpy", "structlog", "rich"]
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
    said, error = helped.communicate(timeout=60)
    assert (helped.returncode, error) == (0, "")
    assert said.startswith("Usage: thought-fabric ")
    assert all(f"\n  {command} " in said for command in COMMANDS)
