"""traces: how the traces of a cognitive memory stand, and what a cue brings to mind."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from fabric import Fabric
from fabric.testing import FrozenClock
from pipelines import cognitive_memory

from .conftest import one_line, run

BEES, PORTO = "Rosalind keeps bees on the roof.", "Rosalind is moving to Porto."
BORN = "Our daughter was born, wonderful, I am so happy and I love her!"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in which Jake's traces are two days old, one was used since, and his agent nova has one of its own."""
    monkeypatch.setenv("THOUGHT_FABRIC_EMBEDDER", "none")
    clock = FrozenClock(datetime.now(UTC) - timedelta(days=2))
    moods = [(0.0, 0.0, 0.0)]
    mem = cognitive_memory(mood=lambda: moods[-1], embedder=None)
    made = tmp_path / "mind.duckdb"
    with Fabric(made, clock=clock) as fabric:
        session = fabric.session("monday", user="jake")
        session.run(mem.encode, BEES)
        session.run(mem.encode, PORTO)
        moods.append((1.0, 0.9, 0.0))
        session.run(mem.encode, BORN)
        clock.advance(days=1)
        session.run(mem.use, session.run(mem.retrieve, "bees").output.ids[:1])
        nova = fabric.session("monday", user="jake", agent="nova")
        nova.run(mem.tools.add, {"content": "Answer briefly", "scope": "persona"})
    return made


def test_traces_stand_with_their_strength_and_what_keeps_them(file: Path) -> None:
    listed = json.loads(run("traces", file, "--user", "jake", "--json").stdout)
    by_text = {record["trace"]["content"]: record for record in listed}
    assert {text: record["kept_by"] for text, record in by_text.items()} == {
        BEES: ["uses"],
        PORTO: ["new"],
        BORN: ["flashbulb"],
    }
    assert all(1 > record["strength"] > record["in_a_week"] > 0 for record in listed)
    assert by_text[BORN]["fades_at"] is None
    assert by_text[BEES]["fades_at"] > by_text[PORTO]["fades_at"]
    told = run("traces", file, "--user", "jake").stdout
    words = " ".join(told.replace("│", " ").split())
    assert "Traces: 3" in words
    assert "1 use, until" in words
    assert "just new, until" in words
    assert "flashbulb 0.90" in words
    fewer = run("traces", "--file", file, "--user", "jake", "--limit", "1")
    assert "Traces: 1" in fewer.stdout
    assert "2 weaker ones are not shown" in fewer.stderr
    assert "Answer briefly" in " ".join(run("traces", file, "-u", "jake", "--agent", "nova", "--json").stdout.split())


def test_a_cue_brings_its_neighbourhood_to_mind(file: Path) -> None:
    told = run("traces", file, "bees", "--user", "jake").stdout
    assert told == run("traces", "bees", "--file", file, "--user", "jake").stdout
    best, after = told.split(PORTO, 1)
    assert BEES in best
    assert "similarity 1.00" in best
    assert "shared entity 0.50: " in best
    assert "similarity" in after
    found = json.loads(run("traces", file, "bees", "--user", "jake", "--limit", "1", "--json").stdout)
    assert [one["trace"]["content"] for one in found["retrieval"]["results"]] == [BEES]
    assert [(tie["type"], tie["content"]) for tie in found["ties"]] == [("shared_entity", PORTO)]


def test_nothing_is_told_of_others_and_a_missing_file_is_one_line(file: Path, tmp_path: Path) -> None:
    for more in ([], ["bees"]):
        asked = run("traces", file, *more, "--user", "kim")
        assert (asked.exit_code, asked.stdout) == (3, "")
        assert "no trace is seen by user kim" in asked.stderr
    lost = run("traces", tmp_path / "none.duckdb")
    assert lost.exit_code == 1
    assert one_line(lost.stderr)


def test_the_last_consolidation_tells_what_it_did_and_why(file: Path) -> None:
    none = run("traces", file, "--user", "jake", "--consolidation")
    assert none.exit_code == 3
    assert "there was no consolidation" in none.stderr
    mem = cognitive_memory(embedder=None)
    with Fabric(file, clock=FrozenClock(datetime.now(UTC) + timedelta(days=1))) as fabric:
        done = fabric.session("tuesday", user="jake").run(mem.consolidate).output
    assert done.reinforced_count == 1
    told = run("traces", file, "--user", "jake", "--consolidation").stdout
    words = " ".join(told.replace("│", " ").split())
    assert "over 3 traces: 1 repeated" in words
    assert "reinforce" in words
    assert "due since" in words
    (line,) = json.loads(run("traces", file, "--user", "jake", "--consolidation", "--json").stdout)
    assert line["changes"][0]["step"] == "reinforce"
