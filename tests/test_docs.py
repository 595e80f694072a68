"""The documentation is true: what it lists is what there is, and all of its code runs (see the root conftest)."""

import inspect
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer
from pydantic import BaseModel

from blocks.readers.rule import families
from blocks.tools import memory_tools
from capabilities.episodic import DEFAULT_EPISODIC_CONFIG
from capabilities.semantic import DEFAULT_SEMANTIC_CONFIG
from capabilities.working import DEFAULT_WORKING_MEMORY_CONFIG
from pipelines import memory_system, mind
from pipelines.cli.app import app

ROOT = Path(__file__).parents[1]
FLOORS = ("fabric", "capabilities", "blocks", "pipelines", "tests")
READMES = sorted([ROOT / "README.md", *(path for floor in FLOORS for path in (ROOT / floor).rglob("README.md"))])
PAGES = [*READMES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]
FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?://)([^)#]+)")
RUN_OR_DRAWN = {"python", "bash", "mermaid", "json"}
README = (ROOT / "README.md").read_text(encoding="utf-8")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def rows(heading: str, text: str = README) -> list[list[str]]:
    """Return the cells of a README's table under a heading, without its first two lines."""
    section = text.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def page(folder: str) -> str:
    return (ROOT / folder / "README.md").read_text(encoding="utf-8")


def test_the_first_two_code_blocks_are_the_two_commands():
    assert FENCE.findall(README)[:2] == [("bash", "make demo\n"), ("bash", "make test\n")]


def test_the_first_two_python_blocks_are_short():
    first, second = [code for language, code in FENCE.findall(README) if language == "python"][:2]
    assert sum(bool(line.strip()) for line in first.splitlines()) == 10
    assert sum(bool(line.strip()) for line in second.splitlines()) <= 10


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_every_code_block_is_of_a_kind_that_runs(path: Path):
    text = path.read_text(encoding="utf-8")
    assert {language for language, _ in FENCE.findall(text)} <= RUN_OR_DRAWN
    assert text.count("```") == 2 * len(FENCE.findall(text))


def test_configurations_call_a_command_that_exists():
    texts = [code for language, code in FENCE.findall(README) if language == "json"]
    servers = [record for text in texts for record in json.loads(text)["mcpServers"].values()]
    assert servers
    commands: Any = typer.main.get_command(app)
    for server in servers:
        assert Path(server["command"]).name == "thought-fabric"
        name, *rest = server["args"]
        commands.commands[name].make_context(name, rest)  # raises for an option that it has not


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_links_lead_somewhere(path: Path):
    for target in LINK.findall(path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target


@pytest.mark.parametrize("floor", FLOORS)
def test_every_floor_has_a_short_readme(floor: str):
    text = (ROOT / floor / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 80
    assert [
        heading for heading in ("Reading order", "How to add one", "Decisions") if f"## {heading}" not in text
    ] == []


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_files_that_are_named_exist(path: Path):
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    named = set(re.findall(r"`((?:[\w.]+/)*[\w.]+(?:\.py|\.md|/))`", text))
    places = (path.parent, ROOT, *(one for one in path.parent.iterdir() if one.is_dir()))
    assert [name for name in sorted(named) if not any((place / name).exists() for place in places)] == []


def test_the_page_of_the_command_line_lists_every_command():
    command: Any = typer.main.get_command(app)
    listed = [cells[0].strip("`").split()[0] for cells in rows("Commands", page("pipelines/cli"))]
    assert listed == list(command.commands)


def defaults() -> dict[str, Any]:
    """Return every option of a memory system by its dotted name, with the default it has."""
    found: dict[str, Any] = {}
    tiers = {
        "working": DEFAULT_WORKING_MEMORY_CONFIG,
        "episodic": DEFAULT_EPISODIC_CONFIG,
        "semantic": DEFAULT_SEMANTIC_CONFIG,
    }
    for name, parameter in inspect.signature(memory_system).parameters.items():
        if name != "working":
            found[name] = parameter.default
        if name in tiers:
            found |= flat(name, tiers[name])
    return found


def flat(prefix: str, config: BaseModel) -> dict[str, Any]:
    values = {name: getattr(config, name) for name in type(config).model_fields}
    nested = {name: value for name, value in values.items() if isinstance(value, BaseModel)}
    found = {f"{prefix}.{name}": value for name, value in values.items() if name not in nested}
    for name, value in nested.items():
        found |= flat(f"{prefix}.{name}", value)
    return found


def test_the_page_of_the_memory_lists_every_option_with_its_default():
    listed = {cells[0].strip("`"): cells[1].strip("`") for cells in rows("Settings", page("capabilities/memory"))}
    assert listed == {name: repr(value) for name, value in defaults().items()}


def test_the_page_of_the_mind_lists_every_option_with_its_default():
    listed = {cells[0].strip("`"): cells[1].strip("`") for cells in rows("Options", page("capabilities/mind"))}
    assert listed == {name: repr(parameter.default) for name, parameter in inspect.signature(mind).parameters.items()}


def test_the_page_of_the_memory_tools_lists_every_option_and_all_six():
    text = page("blocks/tools")
    listed = {cells[0].strip("`"): cells[1].strip("`") for cells in rows("Options", text)}
    assert listed == {
        name: repr(parameter.default) for name, parameter in inspect.signature(memory_tools).parameters.items()
    }
    asked = " ".join(cells[1] for cells in rows("When to use which", text))
    assert [tool.name for tool in memory_tools().tools if f"`{tool.name}`" not in asked] == []


def test_the_page_of_the_prompts_lists_every_file_and_who_asks_with_it():
    listed = [
        (system.strip("`"), data.strip("`"), asked_by.split("`")[1], schema.strip("`"))
        for system, data, asked_by, schema in rows("Which step asks with which", page("blocks/prompts"))
    ]
    named = sorted(name for system, data, _, _ in listed for name in (system, data))
    assert named == sorted({path.name for path in (ROOT / "blocks/prompts").glob("*.md")} - {"README.md"})
    for system, data, asked_by, schema in listed:
        code = (ROOT / asked_by).read_text(encoding="utf-8")
        read = code.replace('.md"', '"')
        told = [f'"{Path(name).stem}"' for name in (system, data)] + ([] if schema == "text" else [schema])
        assert [one for one in told if one not in read] == []


def test_the_readme_counts_the_rules_and_the_sentences_that_they_are_measured_on():
    rules, sentences = re.findall(r"by (\d+) rules.* on (\d+) labelled", README, re.DOTALL)[0]
    labelled = (ROOT / "tests/blocks/readers/labelled.jsonl").read_text(encoding="utf-8").splitlines()
    assert (int(rules), int(sentences)) == (sum(map(len, families())), len(labelled))


def test_the_changelog_names_this_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## {version} " in changes or f"\n## Unreleased\n\nWhat becomes {version}, " in changes
    headings = re.findall(r"^### (.+)$", changes, re.MULTILINE)
    assert set(headings) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
