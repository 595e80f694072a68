"""mind show, recall, complete and unpin: the person whose agent it is sees what it has in mind, and changes it."""

import json
from pathlib import Path
from typing import Any

import pytest

from capabilities.mind import mind
from fabric import Context, Fabric, generator, handler
from fabric.testing import ScriptedModel, call

from .conftest import Command, one_line, run


async def think(ctx: Context) -> None:
    held = ctx.cap.mind
    await held.set_goal("Watch TSMC capacity", priority="high", due_by="2026-12-01", tags=["tsmc"])
    await held.believe("TSMC is booked for Q2", confidence="high")
    await held.reflect("Ask before deleting anything", pin=True)
    await held.reflect("Company names find more", related_to="task 7")


def remember(file: Path, *agents: str, scope: Any = "user", **ids: str) -> None:
    with Fabric(file) as fabric:
        for agent in agents:
            uses = [mind(embedder=None, namespace=f"mind/{agent}", scope=scope)]
            fabric.session("s", **{"user": "ann", **ids}).run(handler(think, name="think", uses=uses))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "mind.duckdb"
    remember(made, "tracker")
    return made


@pytest.fixture
def ann(file: Path) -> Command:
    """The command line on the mind's file, as its owner."""
    return lambda *args: run("mind", *args, "--file", file, "--user", "ann")


def entries(ann: Command) -> dict[str, dict[str, Any]]:
    return {
        record.get("description") or record["content"]: record for record in json.loads(ann("show", "--json").stdout)
    }


def test_show_lists_every_entry_with_its_id(ann: Command) -> None:
    told = ann("show").stdout
    for text, entry in entries(ann).items():
        assert text in told
        assert entry["id"] in told
    assert "Standing rules: 1" in told
    assert "2026-12-01" in told


def test_recall_shows_the_parts_of_each_score(ann: Command) -> None:
    told = ann("recall", "TSMC capacity").stdout
    assert "goal, active" in told
    assert "belief, high confidence" in told
    assert "similarity 0." in told
    found = json.loads(ann("recall", "TSMC capacity", "--limit", "1", "--json").stdout)
    assert [record["content"] for record in found] == ["Watch TSMC capacity"]


def test_a_completed_goal_is_shown_as_such_and_is_no_active_one_any_more(ann: Command) -> None:
    goal = entries(ann)["Watch TSMC capacity"]["id"]
    done = ann("complete", goal, "--outcome", "all watched")
    assert (done.exit_code, done.stdout) == (0, f"{goal} is completed.\n")
    after = entries(ann)["Watch TSMC capacity"]
    assert (after["status"], after["outcome"]) == ("completed", "all watched")
    again = ann("complete", goal)
    assert again.exit_code == 1
    assert one_line(again.stderr)


def test_an_unpinned_rule_stays_as_a_reflection(ann: Command) -> None:
    rule = entries(ann)["Ask before deleting anything"]["id"]
    assert json.loads(ann("unpin", rule, "--json").stdout) == {"status": "ok"}
    assert entries(ann)["Ask before deleting anything"]["pinned"] is False


@pytest.mark.parametrize("command", ["complete", "unpin"])
def test_an_unknown_id_is_an_error_of_one_line_that_names_it(ann: Command, command: str) -> None:
    told = ann(command, "mx_made_up")
    assert told.exit_code == 1
    assert one_line(told.stderr)
    assert "mx_made_up" in told.stderr


def test_of_several_minds_one_is_named(file: Path, ann: Command) -> None:
    remember(file, "writer")
    asked = ann("show")
    assert asked.exit_code == 2
    assert "mind/tracker, mind/writer" in asked.stderr
    assert ann("show", "--agent", "writer").exit_code == 0
    assert ann("show", "--namespace", "mind/writer").exit_code == 0
    assert ann("show", "--agent", "writer", "--namespace", "mind/writer").exit_code == 2


def test_a_mind_of_a_project_is_found_by_its_scope(file: Path, ann: Command) -> None:
    remember(file, "planner", scope="project", project="apollo")
    assert "Watch TSMC capacity" in ann("show", "--scope", "project", "--project", "apollo").stdout
    assert ann("show", "--scope", "project").exit_code == 2


def test_another_user_sees_nothing(file: Path) -> None:
    asked = run("mind", "show", "--file", file, "--user", "bob")
    assert (asked.exit_code, asked.stdout) == (3, "")
    assert run("mind", "recall", "TSMC", "--file", file, "--user", "bob", "--agent", "tracker").exit_code == 3
    assert run("mind", "show", "--file", file, "--user", "bob", "--agent", "tracker").exit_code == 3


def test_a_missing_file_is_an_error_of_one_line(tmp_path: Path) -> None:
    told = run("mind", "show", "--file", tmp_path / "none.duckdb")
    assert told.exit_code == 1
    assert one_line(told.stderr)
    assert not (tmp_path / "none.duckdb").exists()


@pytest.mark.parametrize("command", ["show", "recall", "complete", "unpin"])
def test_every_option_is_described(command: str) -> None:
    lines = run("mind", command, "--help").stdout.split("Options:")[1].splitlines()
    options = [index for index, line in enumerate(lines) if line.strip().startswith("-")]
    assert len(options) >= 8
    for index in options:
        described = lines[index].strip().split("  ")[1:] or lines[index + 1 : index + 2]
        assert any(part.strip() and not part.strip().startswith("-") for part in described), lines[index]


def test_show_says_in_which_turn_an_entry_was_written(tmp_path: Path) -> None:
    file = tmp_path / "said.duckdb"
    model = ScriptedModel([call("mind_believe", content="TSMC is booked"), "done"])
    with Fabric(file, models=model) as fabric:
        tracker = generator(name="tracker", model="m", uses=[mind(embedder=None)])
        fabric.session("monday", user="ann").run(tracker, "Is TSMC booked?")
    told = run("mind", "show", "--file", file, "--user", "ann").stdout
    assert "from turn 1 of monday" in " ".join(told.split())
