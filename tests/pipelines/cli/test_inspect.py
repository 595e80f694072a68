"""What recall, show and graph print, for people and for programs."""

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Command, run


def test_recall_quotes_the_words_that_a_memory_rests_on(jake: Command) -> None:
    found = jake("recall", "allergic")
    assert found.exit_code == 0
    assert "Is allergic to peanuts" in found.stdout
    assert '"Remember that I am allergic to peanuts." (session monday, turn 8, 2026-03-02)' in found.stdout


def test_recall_as_json_is_ranked_and_carries_its_sources(jake: Command) -> None:
    found = json.loads(jake("recall", "works at", "--limit", 3, "--json").stdout)
    assert len(found) == 3
    relevance = [record["memory"]["relevance"] for record in found]
    assert relevance == sorted(relevance, reverse=True)
    assert "Stripe" in found[0]["memory"]["content"]
    assert found[0]["said"][0]["session"] in ("weekend", "may")


def test_recall_explains_why_one_stands_above_the_next(jake: Command) -> None:
    explained = jake("recall", "works at", "--limit", 3, "--explain").stdout
    assert "1. " in explained
    assert "above the next by " in explained
    as_json = jake("recall", "works at", "--limit", 3, "--explain", "--json").stdout
    assert json.loads(as_json)[0]["memory"]["parts"]["text"] > 0


def test_recall_keeps_to_tags_and_tokens(jake: Command) -> None:
    assert jake("recall", "works at", "--tag", "travel").exit_code == 3
    everything = json.loads(jake("recall", "works at", "--json").stdout)
    few = json.loads(jake("recall", "works at", "--tokens", 20, "--json").stdout)
    assert 0 < len(few) < len(everything)


def test_recall_of_the_past_finds_what_was_true_then(jake: Command) -> None:
    then = jake("recall", "works at", "--as-of", "2026-03-10", "--limit", 1).stdout
    assert "Google" in then
    assert "Stripe" not in then
    before = jake("recall", "works at", "--as-of", "2026-01-01", "--known-at", "2026-01-01T10:00:00")
    assert before.exit_code == 3


def test_recall_says_when_nothing_is_about_the_cue(jake: Command) -> None:
    found = jake("recall", "zebra")
    assert found.exit_code == 0
    assert 'nothing remembered shares a word with "zebra"' in found.stderr


def test_recall_of_somebody_unknown_finds_nothing(demo_file: Path) -> None:
    found = run("recall", "works", "--file", demo_file, "--user", "somebody else")
    assert (found.exit_code, found.stdout) == (3, "")
    assert run("recall", "works", "--file", demo_file, "--user", "jake", "--org", "acme").exit_code == 3
    assert run("recall", "works", "--file", demo_file, "--user", "jake", "--project", "apollo").exit_code == 3


@pytest.mark.parametrize("cue", ["", "   "])
def test_an_empty_cue_is_wrong_usage(jake: Command, cue: str) -> None:
    found = jake("recall", cue)
    assert found.exit_code == 2
    assert "CUE is blank" in found.stderr


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("working", "Working memory of session may"),
        ("episodes", "Episodes: "),
        ("facts", "Facts about jennifer"),
        ("turns", "messages kept whole"),
    ],
)
def test_show_draws_each_part_alone(jake: Command, part: str, said: str) -> None:
    shown = jake("show", part).stdout
    assert said in shown
    titles = ("Working memory of", "Episodes: ", "Facts about user", "messages kept whole")
    assert sum(title in shown for title in titles) == 1


def test_show_draws_everything_with_bars_for_salience(jake: Command) -> None:
    shown = jake("show").stdout
    assert "Working memory of session may" in shown
    assert "█" in shown
    assert "No longer so" in shown
    assert "messages kept whole" in shown


def test_show_takes_the_session_it_is_given(jake: Command) -> None:
    assert "session april" in jake("show", "working", "--session", "april").stdout
    held = json.loads(jake("show", "working", "--session", "april", "--json").stdout)
    assert held["session"] == "april"
    assert held["working"]


def test_show_as_json_counts_what_it_lists(jake: Command) -> None:
    held = json.loads(jake("show", "--json").stdout)
    assert held["counts"]["facts"] == sum(fact["status"] == "current" for fact in held["facts"])
    assert held["counts"]["turns"] == len(held["turns"])
    assert held["counts"]["episodes"] == len(held["episodes"])


def test_show_finds_nothing_for_somebody_unknown(demo_file: Path) -> None:
    assert run("show", "--file", demo_file, "--user", "nobody").exit_code == 3


def test_text_cannot_steer_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "memory.duckdb"
    conversation = tmp_path / "talk.json"
    text = "I like \x1b[31mred\x1b]0;title\x07 paint\nand [bold]brackets[/bold]"
    conversation.write_text(json.dumps([{"role": "user", "content": text}]))
    assert run("replay", conversation, "--file", file, "--user", "eve").exit_code == 0
    shown = run("show", "turns", "--file", file, "--user", "eve").stdout
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "[bold]" in shown


def test_graph_draws_the_pipeline_without_a_file() -> None:
    mermaid = run("graph").stdout
    assert mermaid.startswith("flowchart TD")
    assert "memory/capture-from-items" in mermaid
    assert "memory/reflect" in run("graph", "--format", "text").stdout
    assert "memory/observe" in run("graph", "--model", "any/model").stdout


def test_recall_tells_a_filter_that_left_everything_out_from_nothing_kept(jake: Command, demo_file: Path) -> None:
    left_out = jake("recall", "work", "--tag", "nowhere", "--since", "2030-01-01")
    assert left_out.exit_code == 3
    assert "nothing that --since, --tag leaves in" in left_out.stderr
    assert "nothing that" not in run("recall", "work", "--tag", "x", "--file", demo_file, "--user", "nobody").stderr


def test_recall_takes_the_options_that_a_block_takes(jake: Command) -> None:
    def found(*options: str) -> list[dict[str, Any]]:
        return [record["memory"] for record in json.loads(jake("recall", "work", "--json", *options).stdout)]

    assert {record["source"] for record in found("--tier", "semantic", "--tier", "turn")} == {"semantic", "turn"}
    assert {record["subject"] for record in found("--subject", "tom")} == {"tom"}
    assert {record["category"] for record in found("--category", "profession")} == {"profession"}
    (first, *_) = found("--tier", "turn")
    day, session = first["said_at"][:10], first["session"]
    assert found("--since", day, "--until", day, "--tier", "turn")
    assert {record["session"] for record in found("--tier", "turn", "--session", session)} == {session}


@pytest.mark.parametrize(
    ("option", "value", "good"),
    [("--tier", "long", "episodic"), ("--category", "job", "profession"), ("--since", "monday", "%Y-%m-%d")],
)
def test_recall_names_the_good_values_for_a_bad_one(jake: Command, option: str, value: str, good: str) -> None:
    told = jake("recall", "work", option, value)
    assert told.exit_code == 2
    assert good in told.stderr
