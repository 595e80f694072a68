"""communities: groups of what is remembered, level by level, and what is known around a cue."""

import json
from pathlib import Path

from fabric import Fabric
from pipelines import cognitive_memory

from .conftest import run


def test_communities_are_shown_built_and_searched(tmp_path: Path) -> None:
    file, mind = tmp_path / "mind.duckdb", cognitive_memory(embedder=None)
    with Fabric(file) as fabric:
        session = fabric.session("monday", user="jake")
        for said in ("We deploy with Docker at Stripe.", "My sister Rosa met Bo in Oslo."):
            session.run(mind.encode, said)
    options = ("--user", "jake", "--json")
    assert run("communities", file, "--user", "jake").exit_code == 3
    built = json.loads(run("communities", file, "--build", *options).stdout)
    assert {one["level"] for one in built} == {0, 1, 2}
    shown = " ".join(run("communities", file, "--user", "jake").stdout.replace("│", " ").split())
    assert "Level 0: 2 community" in shown
    assert "Docker, Stripe" in shown
    around = json.loads(run("communities", file, "rosa", *options).stdout)
    assert {one["name"] for one in around["entities"]} == {"Rosa", "Bo", "Oslo"}
    told = run("communities", "--file", file, "rosa", "--user", "jake").stdout
    assert "Relations: 2" in told
    over = run("communities", file, "deploying with Docker", "--global", "--user", "jake").stdout
    assert "Docker with Stripe" in " ".join(over.split())
    assert run("communities", file, "atlantis", "--user", "jake").exit_code == 3
    assert run("communities", file, "--user", "kim").exit_code == 3
