"""consolidate, prune and jobs: what they did, and what is left to do."""

import json
from pathlib import Path

from fabric import Fabric
from fabric.errors import ModelUnavailableError
from fabric.testing import ScriptedModel
from pipelines import memory_system
from pipelines.chat import RecordedTurn, replay_pipeline

from .conftest import Command, run


def test_consolidate_says_why_it_did_nothing(jake: Command) -> None:
    jake("consolidate", "--force")
    told = jake("consolidate")
    assert told.exit_code == 0
    assert told.stdout.startswith("Nothing done: ")
    assert json.loads(jake("consolidate", "--json").stdout)["skipped"]


def test_consolidate_and_prune_by_force_count_what_they_did(jake: Command, tmp_path: Path) -> None:
    talk = tmp_path / "talk.json"
    talk.write_text(json.dumps([{"role": "user", "content": "My birthday is March 14."}]))
    assert jake("replay", talk).exit_code == 0
    assert jake("consolidate", "--force").stdout.startswith("Facts: ")
    assert set(json.loads(jake("prune", "--force", "--json").stdout)) >= {"removed", "merged", "outcomes"}
    assert jake("prune", "--force").exit_code == 0


def test_jobs_finds_nothing_when_all_is_done(jake: Command, demo_file: Path) -> None:
    told = run("jobs", "--file", demo_file)
    assert (told.exit_code, told.stdout) == (3, "")
    assert run("jobs", "--file", demo_file, "--retry", "job_none").exit_code == 3
    assert json.loads(run("jobs", "--file", demo_file, "--json").stdout or "[]") == []


def failed_file(folder: Path, *, attempts: int = 1) -> Path:
    """Return a file with one piece of background work whose model was down."""
    file = folder / "memory.duckdb"
    down = ScriptedModel(lambda _: ModelUnavailableError("the provider is down\nfor now"))
    mem = memory_system(model="any/model", episodic=True, semantic=True)
    with Fabric(file, models=down, max_attempts=attempts, retry_delay=3600) as fabric:
        turn = RecordedTurn(messages=[{"role": "user", "content": "I live in Oslo."}])
        fabric.session("monday", user="ann").run(replay_pipeline(mem), turn)
        fabric.drain()
    return file


def test_jobs_shows_failed_work_with_its_error_and_retries_it(tmp_path: Path) -> None:
    file = failed_file(tmp_path)
    (job,) = json.loads(run("jobs", "--file", file, "--json").stdout)
    assert (job["status"], job["user"], job["session"], job["tries"]) == ("failed", "ann", "monday", 1)
    assert "the provider is down" in job["why"]
    listed = run("jobs", "--file", file).stdout
    assert listed.startswith(f"{job['id']}: failed, tries: 1\n  for ann, session monday, turn 1\n")
    assert "the provider is down for now" in listed
    told = run("jobs", "--file", file, "--retry", job["id"], "--by-rules")
    assert told.exit_code == 0
    assert told.stdout == f"{job['id']} is done.\n"
    assert "Lives in Oslo" in run("show", "facts", "--file", file, "--user", "ann").stdout


def test_jobs_shows_work_that_waits(tmp_path: Path) -> None:
    (job,) = json.loads(run("jobs", "--file", failed_file(tmp_path, attempts=3), "--json").stdout)
    assert job["status"] == "pending"
    assert job["not_before"]
