"""What a check advises exists: every command, option and tool that its texts name."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main

from pipelines import memory_system
from pipelines.cli.app import app
from pipelines.server.offer import offer

ROOT = Path(__file__).parents[2]
CHECKS = [
    path
    for floor in ("fabric", "blocks", "capabilities", "pipelines")
    for path in sorted((ROOT / floor).rglob("*.py"))
    if path.stem in ("checkup", "file_check", "index_check", "finding", "doctor", "mending", "duckdb_file")
]
_COMMAND = re.compile(r"thought-fabric (?P<name>[a-z][\w-]*)(?P<rest>[^`\n;,]*)")
_TOOL = re.compile(r"\b(?:mind|memory)_[a-z_]+\b")


def advised() -> Iterator[tuple[str, str]]:
    for path in CHECKS:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                yield (
                    path.name,
                    "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values),
                )
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield path.name, node.value


def test_every_command_and_option_that_is_advised_exists():
    group = typer.main.get_command(app)
    commands = getattr(group, "commands")  # noqa: B009  a group's own
    found = [match for _, text in advised() for match in _COMMAND.finditer(text)]
    assert len(found) >= 5
    for one in found:
        assert one["name"] in commands, one[0]
        options = {name for parameter in commands[one["name"]].params for name in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", one["rest"])) <= options, one[0]


def test_every_tool_that_is_advised_exists():
    tools = set(offer(memory_system(model=None, episodic=True, semantic=True, embedder=None)).tools)
    values = {"memory_system", "memory_state", "memory_limit", "mind_collections"}
    named = {(name, one) for name, text in advised() for one in _TOOL.findall(text)}
    assert {one for _, one in named} - values <= tools, named
    assert "mind_status" not in tools


@pytest.mark.parametrize("name", ["forget", "why"])
def test_the_tools_of_the_memory_are_offered(name: str):
    assert name in offer(memory_system(model=None, episodic=True, semantic=True, embedder=None)).tools
