"""why, forget and export: the person whose memory it is sees and decides."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from fabric import Context, Fabric, handler
from pipelines import Memory, mind

from .conftest import Command, run


@handler(name="believing", uses=[mind()])
async def believing(text: str, ctx: Context) -> None:
    await ctx.cap.mind.believe(text)


def facts(jake: Command) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(jake("show", "facts", "--json").stdout)["facts"]
    return found


def test_why_tells_the_words_the_writer_and_every_version(jake: Command) -> None:
    lisbon = next(fact for fact in facts(jake) if "Lisbon" in fact["content"])
    told = jake("why", lisbon["id"]).stdout
    assert '"I live in Lisbon with my wife Jennifer." (session monday, turn 4, 2026-03-02)' in told
    assert "memory/reflect" in told
    assert "all versions, oldest first:" in told
    assert "Amsterdam" in told
    assert json.loads(jake("why", lisbon["id"], "--json").stdout)["id"] == lisbon["id"]


def test_why_explains_whatever_recall_prints(jake: Command) -> None:
    found = [one["memory"] for one in json.loads(jake("recall", "dog", "--limit", 30, "--json").stdout)]
    of_each_tier = {one["source"]: one for one in found}
    assert len(of_each_tier) > 2
    for memory in of_each_tier.values():
        assert jake("why", memory["id"]).exit_code == 0, memory


def test_why_of_an_unknown_id_finds_nothing(jake: Command) -> None:
    assert jake("why", "sf_none").exit_code == 3


def test_forgetting_somebody_leaves_no_word_of_them(jake: Command) -> None:
    told = jake("forget", "--subject", "tom", "--yes")
    assert told.exit_code == 0
    assert told.stdout.startswith("Forgotten for good: ")
    assert "Madrid" not in jake("export").stdout
    assert "Stripe" in jake("export").stdout
    assert jake("forget", "--subject", "tom", "--yes").exit_code == 3


def test_forgetting_an_id_as_json_gives_the_receipt(jake: Command) -> None:
    peanuts = next(fact for fact in facts(jake) if "peanuts" in fact["content"])
    receipt = json.loads(jake("forget", "--id", peanuts["id"], "--yes", "--json").stdout)
    assert receipt["asked"]["id"] == peanuts["id"]
    assert sum(receipt["removed"].values()) > 1
    assert not any("peanuts" in fact["content"] for fact in facts(jake))


def test_an_id_is_forgotten_as_it_is_explained(tmp_path: Path) -> None:
    file = ("--file", tmp_path / "m.duckdb", "--user", "jake")
    told = run("remember", "Is allergic to peanuts", "--tag", "health", *file).stdout
    fact = told.split()[1].rstrip(":")
    assert told == f"stored {fact}: Is allergic to peanuts\n"
    assert "Is allergic to peanuts" in run("why", fact, *file).stdout
    assert run("forget", fact, "--id", "another", "--yes", *file).exit_code == 2
    assert run("forget", fact, "--subject", "anna", "--yes", *file).exit_code == 2
    assert run("forget", fact, "--yes", *file).stdout.startswith("Forgotten for good: ")
    assert run("why", fact, *file).exit_code == 3


def test_what_is_remembered_takes_the_place_of_what_it_changes(tmp_path: Path) -> None:
    file = ("--file", tmp_path / "m.duckdb", "--user", "jake")
    run("remember", "Works at Stripe", *file)
    told = run("remember", "Works at Shopify now", *file).stdout
    assert told.endswith(': Works at Shopify now in place of "Works at Stripe"\n')
    outcome = json.loads(run("remember", "Lives in Oslo", "--subject", "anna", "--json", *file).stdout)
    assert outcome["status"] == "stored"
    assert "Oslo" in run("recall", "where does Anna live?", *file).stdout
    told = run("remember", "The token is ghp_" + "a1B2" * 9, *file)
    assert "Secrets were taken out: " in told.stderr
    assert "a1B2" not in told.stdout


def test_forgetting_a_user_leaves_other_users_alone(jake: Command, demo_file: Path) -> None:
    run("chat", "--file", demo_file, "--user", "ann", text="I live in Oslo.\n")
    assert jake("forget", "--scope", "user", "--yes").exit_code == 0
    assert jake("show").exit_code == 3
    assert "Oslo" in run("show", "facts", "--file", demo_file, "--user", "ann").stdout


def test_forget_asks_and_a_no_keeps_everything(jake: Command) -> None:
    before = facts(jake)
    asked = jake("forget", "--scope", "user", text="n\n")
    assert asked.exit_code == 1
    assert "Forget everything of user jake for good?" in asked.stderr
    assert re.match(r"This deletes \d+ \w+, .*\b1?\d+ episodes?, \d+ facts\b", asked.stderr)
    assert "_" not in asked.stderr.partition(".")[0]
    assert jake("forget", "--scope", "user", text="").exit_code == 1
    assert facts(jake) == before


def test_forget_says_what_it_covers_before_it_asks(jake: Command) -> None:
    before = jake("export").stdout
    asked = jake("forget", "--subject", "tom", text="n\n")
    covered = asked.stderr.partition("This deletes ")[2].partition(".")[0]
    assert " facts" in covered
    assert " kept turns" in covered
    assert jake("export").stdout == before
    assert jake("forget", "--subject", "tom", "--yes").stdout == f"Forgotten for good: {covered}.\n"
    assert jake("forget", "--subject", "nobody").exit_code == 3


def test_forget_names_every_version_that_goes_with_a_fact(tmp_path: Path) -> None:
    file = tmp_path / "m.duckdb"
    with Memory(file, user="jake") as memory:
        old = memory.remember("Works at Stripe", category="profession").id
        new = memory.update(old, "Works at Shopify").id
    for one in (old, new):
        asked = run("forget", "--file", file, "--user", "jake", "--id", one, text="n\n").stderr
        assert "2 facts" in asked
        assert '"Works at Stripe"' in asked
        assert '"Works at Shopify"' in asked


def test_forget_lists_what_names_somebody_and_was_left(jake: Command, demo_file: Path) -> None:
    jake("forget", "--subject", "tom", "--yes")
    with Fabric(demo_file) as fabric:
        fabric.session("by-hand", user="jake").run(believing, "Tom is in Madrid")
    told = jake("forget", "--subject", "tom", "--yes")
    ((kind, belief),) = [line.strip().split(": ") for line in told.stderr.splitlines() if line.startswith("  ")]
    assert kind == "belief"
    assert jake("forget", "--id", belief, "--yes").exit_code == 0
    assert "Madrid" not in jake("export").stdout


@pytest.mark.parametrize(
    "options",
    ["", "--id a --subject b", "--subject b --scope user", "--scope project", "--scope session", "--scope galaxy"],
)
def test_forget_needs_to_know_what(jake: Command, options: str) -> None:
    assert jake("forget", "--yes", *options.split()).exit_code == 2


def test_export_writes_json_lines_with_where_they_come_from(jake: Command, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    assert jake("export", "--out", target).exit_code == 0
    records = [json.loads(line) for line in target.read_text().splitlines()]
    assert {record["kind"] for record in records} >= {"fact", "episode", "working", "turn"}
    assert all(record["sources"] for record in records if record["kind"] == "fact")
    printed = [json.loads(line) for line in jake("export").stdout.splitlines()]
    assert printed == records


def test_export_of_one_subject(jake: Command) -> None:
    records = [json.loads(line) for line in jake("export", "--subject", "jennifer").stdout.splitlines()]
    assert {record["subject"] for record in records if "subject" in record} == {"jennifer", "user"}
    assert all("ennifer" in json.dumps(record) for record in records)
    assert jake("export", "--subject", "zoe").exit_code == 3


def test_a_preview_tells_what_would_go_and_changes_nothing(jake: Command) -> None:
    told = jake("forget", "--subject", "tom", "--preview")
    assert told.exit_code == 0
    assert told.stdout.startswith("This would be deleted: ")
    assert jake("forget", "--subject", "tom", "--preview").stdout == told.stdout
    gone = jake("forget", "--subject", "tom", "--yes").stdout
    assert gone.removeprefix("Forgotten for good: ") == told.stdout.removeprefix("This would be deleted: ")
    assert jake("forget", "--subject", "tom", "--preview").exit_code == 3


def test_what_is_filed_under_a_tag_or_was_said_in_a_session_is_forgotten(tmp_path: Path) -> None:
    file = str(tmp_path / "tags.duckdb")
    with Memory(file, user="jake") as memory:
        memory.remember("Owns a boat", tags=["harbour"])
        memory.remember("Likes jazz")
        memory.capture("I live in Oslo.", session="monday")
    whose = ("--file", file, "--user", "jake")
    for what, gone in ((("--tag", "harbour"), "boat"), (("--scope", "session", "--session", "monday"), "Oslo")):
        told = run("forget", *whose, *what, "--preview")
        assert told.stdout.startswith("This would be deleted: ")
        assert gone in run("export", *whose).stdout
        receipt = run("forget", *whose, *what, "--yes").stdout
        assert receipt.removeprefix("Forgotten for good: ") == told.stdout.removeprefix("This would be deleted: ")
        assert gone not in run("export", *whose).stdout
        assert run("forget", *whose, *what, "--preview").exit_code == 3
    assert "jazz" in run("export", *whose).stdout
