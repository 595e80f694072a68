"""The demo: what must be remembered of its conversation, what must not, and that a second run adds nothing."""

import json
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
from typer.testing import CliRunner

from pipelines.cli.app import app
from tests import forkserver

Json = dict[str, Any]


def demo(*args: str) -> str:
    done = CliRunner().invoke(app, ["demo", *args])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "demo.duckdb"


@pytest.fixture(scope="module")
def first(file: Path) -> Json:
    told: Json = json.loads(demo("--file", str(file), "--json"))
    return told


@pytest.fixture(scope="module")
def held(file: Path, first: Json) -> Json:
    shown = CliRunner().invoke(app, ["show", "--file", str(file), "--user", "jake", "--json"])
    told: Json = json.loads(shown.stdout)
    return told


def current(held: Json, subject: str = "user") -> list[str]:
    return [fact["content"] for fact in held["facts"] if fact["status"] == "current" and fact["subject"] == subject]


def test_every_turn_is_new_on_the_first_run(first: Json) -> None:
    assert (first["turns"], first["added"], first["replayed"], first["sessions"]) == (42, 42, 0, 5)
    assert first["jobs_left"] == 0
    assert first["problems"] == []
    assert first["before"] == {"turns": 0, "working": 0, "episodes": 0, "facts": 0, "facts_closed": 0}


def test_a_second_run_adds_nothing(file: Path, first: Json) -> None:
    again = json.loads(demo("--file", str(file), "--json"))
    assert (again["added"], again["replayed"]) == (0, 42)
    assert again["holds"] == again["before"] == first["holds"]
    assert again["facts"] == first["facts"]


def test_a_second_run_says_so(file: Path, first: Json) -> None:
    told = demo("--file", str(file))
    assert "42 turns of 5 sessions: 0 new, 42 were there already." in told
    assert "Nothing was added twice." in told
    assert str(file) in told


def test_the_new_employer_is_current_and_the_old_one_is_history(held: Json) -> None:
    assert any("Stripe" in fact for fact in current(held))
    assert not any("Google" in fact for fact in current(held))
    by_id = {fact["id"]: fact for fact in held["facts"]}
    google = next(fact for fact in held["facts"] if "Google" in fact["content"])
    assert google["status"] == "superseded"
    while google["superseded_by"]:
        google = by_id[google["superseded_by"]]
    assert "Stripe" in google["content"]


def test_the_new_home_is_current(held: Json) -> None:
    assert any("Amsterdam" in fact for fact in current(held))
    assert not any("Lisbon" in fact for fact in current(held))


def test_the_trip_was_cancelled(held: Json) -> None:
    assert any("ancelled the Berlin trip" in episode["content"] for episode in held["episodes"])


def test_the_allergy_is_kept(held: Json) -> None:
    assert any("llergic to peanuts" in fact for fact in current(held))


def test_other_people_have_facts_of_their_own(held: Json) -> None:
    assert current(held, "jennifer")
    assert any("Madrid" in fact for fact in current(held, "tom"))
    assert not any("Acme" in fact or "Madrid" in fact for fact in current(held))


@pytest.mark.parametrize("word", ["Porto", "meetings", "Tokyo", "Paris", "chocolate", "haiku", "weather"])
def test_nothing_is_taken_from_quotes_ifs_code_questions_and_small_talk(held: Json, word: str) -> None:
    tiers = [record["content"] for tier in ("facts", "episodes", "working") for record in held[tier]]
    assert not [content for content in tiers if word in content]


def test_the_paragraph_in_german_is_kept_as_it_was_said(held: Json) -> None:
    assert any(turn["text"].startswith("Ich schreibe heute auf Deutsch") for turn in held["turns"])


def test_facts_bear_the_time_at_which_they_were_said(held: Json) -> None:
    peanuts = next(fact for fact in held["facts"] if "peanuts" in fact["content"])
    assert peanuts["valid_from"].startswith("2026-03-02T09:07")
    assert peanuts["recorded_at"].startswith("2026-03-02T09:07")
    assert peanuts["sources"][0]["said_at"].startswith("2026-03-02T09:07")


def test_no_password_is_anywhere_in_the_file(file: Path, held: Json) -> None:
    texts = 0
    with duckdb.connect(str(file), read_only=True) as rows:
        columns = rows.execute(
            "select table_schema, table_name, column_name from information_schema.columns "
            "where data_type not in ('BIGINT', 'INTEGER', 'DOUBLE', 'BOOLEAN')"
        ).fetchall()
        for schema, table, column in columns:
            query = f'select cast("{column}" as varchar) from "{schema}"."{table}"'
            values = rows.execute(query).fetchall()
            texts += sum("allergic to peanuts" in str(value) for (value,) in values)
            assert not [value for (value,) in values if "hunter2" in str(value)], (table, column)
    assert texts > 1, "the columns that hold text were not looked at"
    assert b"hunter2" not in file.read_bytes()


def test_the_tiers_are_drawn_and_recall_names_its_sources(file: Path, first: Json) -> None:
    told = demo("--file", str(file))
    for title in ("Working memory of session may", "Episodes: ", "Facts about user", "No longer so", "Recall "):
        assert title in told
    assert '"Remember that I am allergic to peanuts." (session monday, turn 8, 2026-03-02)' in told
    assert [len(found) for found in first["recalled"].values()] == [1, 1, 1]
    assert all(found[0]["said"] for found in first["recalled"].values())


def test_the_conversation_is_found_from_any_directory(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pipelines", "demo"]
    root = Path(__file__).parents[2]
    done = forkserver.run(
        command, cwd=tmp_path, env={"PYTHONPATH": str(root)}, capture_output=True, text=True, check=True
    )
    assert (tmp_path / "demo.duckdb").is_file()
    assert "The memory is in demo.duckdb" in done.stdout
