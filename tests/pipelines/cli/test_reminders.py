"""reminders: what is to be done later, listed and settled from the command line."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from fabric import Fabric
from fabric.testing import FrozenClock
from pipelines import cognitive_memory

from .conftest import one_line, run


def test_reminders_are_listed_and_settled(tmp_path: Path) -> None:
    file, mind = tmp_path / "mind.duckdb", cognitive_memory(embedder=None)
    past = FrozenClock(datetime.now(UTC) - timedelta(days=1))
    with Fabric(file, clock=past) as fabric:
        session = fabric.session("monday", user="jake")
        made = {
            content: session.run(mind.remind, {"content": content, **more}).output.id
            for content, more in {
                "Look at the PR": {"at": "in 1 hour", "importance": 0.8},
                "Water the fig": {"at": "in 9 days", "every": "week"},
                "Tag the release": {"on": ["deploy"]},
            }.items()
        }
    options = ("--user", "jake", "--json")
    assert [one["content"] for one in json.loads(run("reminders", file, *options).stdout)] == list(made)
    due = json.loads(run("reminders", "--file", file, "--due", *options).stdout)
    assert [one["content"] for one in due] == ["Look at the PR"]
    assert due[0]["status"] == "pending"  # looking tells nobody
    told = " ".join(run("reminders", file, "--user", "jake", "--zone", "Asia/Tokyo").stdout.replace("│", " ").split())
    assert "Reminders: 3 due (Asia/Tokyo)" in told
    assert "FREQ=WEEKLY" in told
    assert "on deploy" in told
    put_off = run("reminders", file, "--snooze", made["Look at the PR"], "--until", "in 3 days", *options)
    assert json.loads(put_off.stdout)[0]["snoozed_until"] is not None
    assert run("reminders", file, "--due", "--user", "jake").exit_code == 3
    assert json.loads(run("reminders", file, "--done", made["Tag the release"], *options).stdout)[0]["status"] == "done"
    run("reminders", file, "--cancel", made["Water the fig"], *options)
    assert len(json.loads(run("reminders", file, *options).stdout)) == 1
    assert len(json.loads(run("reminders", file, "--all", *options).stdout)) == 3
    for wrong, said in {
        ("--done", "pm_x"): "no reminder",
        ("--snooze", "pm_x", "--until", "yesterday"): "passed",
    }.items():
        refused = run("reminders", file, *wrong, "--user", "jake")
        assert (refused.exit_code, one_line(refused.stderr), said in refused.stderr) == (1, True, True)
    assert run("reminders", file, "--until", "tomorrow").exit_code == 2
    for blank in ("--done", "--cancel", "--snooze"):  # an empty variable of a script settles nothing, and says so
        more = ("--until", "tomorrow") if blank == "--snooze" else ()
        refused = run("reminders", file, blank, "", *more, "--user", "jake")
        assert (refused.exit_code, "the id is blank" in refused.stderr) == (2, True)
    assert run("reminders", file, "--user", "kim").exit_code == 3


def test_a_reminder_is_put_off_in_its_own_time_zone(tmp_path: Path) -> None:
    file, mind = tmp_path / "mind.duckdb", cognitive_memory(embedder=None, zone="Asia/Tokyo")
    with Fabric(file) as fabric:
        asked = {"content": "Look at the PR", "at": "in 1 hour"}
        made = fabric.session("monday", user="jake").run(mind.remind, asked).output.id
    for zone, hour in ((), 0), (("--zone", "Europe/Madrid"), 8), (("--zone", "UTC"), 9):
        options = ("--snooze", made, "--until", "2099-01-05 at 9", "--user", "jake", "--json", *zone)
        (put_off,) = json.loads(run("reminders", file, *options).stdout)
        assert put_off["snoozed_until"] == f"2099-01-05T{hour:02d}:00:00Z"
