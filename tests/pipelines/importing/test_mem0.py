"""Importing from mem0: memories become facts with their times and origin, once, and a changed one takes its place."""

from pathlib import Path
from typing import Any

import pytest

from pipelines import Memory

from .commands import bring, command, facts, held, report, write

CREATED = "2025-03-01T10:00:00-07:00"
LATER = "2025-06-01T10:00:00-07:00"


def memory(number: int, text: str, **more: Any) -> dict[str, Any]:
    """Return a memory as `get_all` does."""
    return {
        "id": f"0000-{number}",
        "memory": text,
        "hash": "d41d8cd98f00b204e9800998ecf8427e",
        "metadata": None,
        "created_at": CREATED,
        "updated_at": None,
        "user_id": "ann-there",
        **more,
    }


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "mem0.json"


def test_memories_become_facts_with_their_times_categories_and_origin(path: Path) -> None:
    write(
        path,
        {
            "results": [
                memory(1, "Works at Stripe", categories=["professional_details", "Career Moves"]),
                memory(2, "Likes jazz", updated_at=LATER, metadata={"category": "music"}),
            ]
        },
    )
    told = bring(path)
    assert (told.exit_code, told.stderr) == (0, "")
    assert told.stdout == "format: mem0\nwhose: ann-there (2)\n2 facts: 2 new, 0 were there already.\n"
    job, taste = facts(path)
    assert (job["content"], job["category"], job["status"]) == ("Works at Stripe", "profession", "current")
    assert (job["valid_from"], job["recorded_at"]) == ("2025-03-01T17:00:00Z", "2025-03-01T17:00:00Z")
    assert (taste["valid_from"], taste["recorded_at"]) == ("2025-03-01T17:00:00Z", "2025-06-01T17:00:00Z")
    words = next(record for record in held(path) if record["kind"] == "turn" and record["text"] == "Works at Stripe")
    assert (words["tags"], words["session"]) == (["professional_details", "career-moves"], "mem0")
    why = command("why", job["id"], "--user", "ann", "--file", path.with_suffix(".duckdb")).stdout
    assert "written by import from mem0, record 0000-1" in why


def test_a_second_import_adds_nothing_and_a_changed_memory_supersedes(path: Path) -> None:
    write(path, {"results": [memory(1, "Lives in Dublin")]})
    before = report(path)["facts"], report(path)["facts"]
    assert [(record["new"], record["known"]) for record in before] == [(1, 0), (0, 1)]
    write(path, {"results": [memory(1, "Lives in Cork", updated_at=LATER)]})
    assert [report(path)["facts"]["changed"], report(path)["facts"]["known"]] == [1, 1]
    old, new = facts(path)
    assert (old["status"], old["superseded_by"], old["valid_to"]) == ("superseded", new["id"], "2025-06-01T17:00:00Z")
    assert (new["status"], new["content"]) == ("current", "Lives in Cork")
    write(path, {"results": [memory(1, "Lives in Galway", updated_at="2025-04-01T00:00:00Z")]})
    assert report(path)["facts"]["older"] == 1
    assert facts(path) == [old, new]


def test_what_was_corrected_here_stays_until_the_memory_there_is_newer(path: Path) -> None:
    write(path, [memory(1, "Lives in Dublin", created_at="2025-01-01T00:00:00Z")])
    bring(path)
    with Memory(path.with_suffix(".duckdb"), user="ann", embedder=None) as here:
        here.update(facts_of(here)[0], "Lives in Wicklow")
    assert report(path)["facts"]["known"] == 1
    assert [fact["content"] for fact in facts(path) if fact["status"] == "current"] == ["Lives in Wicklow"]


def facts_of(here: Memory) -> list[str]:
    return [memory.id for memory in here.recall() if memory.source == "semantic"]


def test_what_was_forgotten_comes_back_with_an_explicit_import(path: Path) -> None:
    write(path, [memory(1, "Lives in Dublin")])
    bring(path)
    with Memory(path.with_suffix(".duckdb"), user="ann", embedder=None) as here:
        assert here.forget(facts_of(here)[0]).removed == {"facts": 1, "kept turns": 1}
    assert facts(path) == []
    assert report(path)["facts"]["new"] == 1


def test_a_file_of_several_people_is_refused_until_it_is_said_who_is_meant(path: Path) -> None:
    write(path, [memory(1, "Likes tea"), memory(2, "Likes tea", user_id="bob"), memory(3, "Likes mint")])
    told = bring(path)
    assert told.exit_code == 1
    assert told.stderr == (
        f"error: {path}: its records are of several people: 'ann-there' (2), 'bob' (1). "
        "Say with --source-user whose are meant.\n"
    )
    assert not path.with_suffix(".duckdb").exists()
    told = bring(path, "--source-user", "ann-there")
    assert (told.exit_code, told.stderr) == (0, "")
    assert "1 records of 'bob'" in told.stdout
    assert [fact["content"] for fact in facts(path)] == ["Likes tea", "Likes mint"]
    assert "no record is of 'carol'" in bring(path, "--source-user", "carol").stderr


def test_what_the_agent_remembers_for_itself_is_not_the_users(path: Path) -> None:
    own = memory(1, "Answers in French", agent_id="guide")
    del own["user_id"]
    write(path, [own])
    bring(path)
    assert [(fact["subject"], fact["content"]) for fact in facts(path)] == [("guide", "Answers in French")]


def test_the_history_of_memories_becomes_versions(path: Path) -> None:
    def event(number: int, name: str, old: str | None, new: str | None, day: int) -> dict[str, Any]:
        at = f"2025-03-0{day}T00:00:00Z"
        row = {"id": f"h{number}", "memory_id": "m1", "old_memory": old, "new_memory": new, "event": name}
        return {**row, "created_at": at, "updated_at": at, "is_deleted": name == "DELETE"}

    write(
        path,
        [
            event(1, "ADD", None, "Likes cheese pizza", 1),
            event(2, "UPDATE", "Likes cheese pizza", "Likes any pizza", 2),
            event(3, "DELETE", "Likes any pizza", None, 3),
        ],
    )
    bring(path)
    assert [(fact["content"], fact["status"]) for fact in facts(path)] == [
        ("Likes cheese pizza", "superseded"),
        ("Likes any pizza", "invalidated"),
    ]
    assert [record for record in held(path) if record["kind"] == "turn" and record["text"] == "Likes any pizza"] == []
    assert report(path)["facts"] == {"new": 0, "known": 3, "changed": 0, "older": 0}


def test_an_openmemory_export_names_its_categories_and_leaves_out_what_was_deleted(path: Path) -> None:
    def row(number: int, state: str) -> dict[str, Any]:
        times = {"created_at": CREATED, "updated_at": LATER, "archived_at": None, "deleted_at": None}
        text = {"content": f"Note {number}", "metadata": {}, "state": state, "category_ids": ["c1"]}
        return {"id": f"m{number}", "user_id": "u1", "app_id": "a1", **text, **times}

    write(
        path,
        {
            "user": {"id": "u1", "user_id": "ann-there", "name": None},
            "apps": [{"id": "a1", "name": "openmemory"}],
            "categories": [{"id": "c1", "name": "Travel", "description": None}],
            "memories": [row(1, "active"), row(2, "deleted"), row(3, "archived"), row(4, "paused")],
            "status_history": [],
            "export_meta": {"version": "1"},
        },
    )
    told = report(path)
    assert (told["facts"]["new"], told["users"]) == (3, {"ann-there": 3})
    assert told["left_out"]["deleted in mem0"] == 1
    assert [(fact["content"], fact["status"]) for fact in facts(path)] == [
        ("Note 1", "current"),
        ("Note 3", "invalidated"),
        ("Note 4", "current"),
    ]
    assert [record["tags"] for record in held(path) if record["kind"] == "turn"] == [["travel"], ["travel"]]


def test_a_dry_run_says_what_would_happen_and_changes_no_byte(path: Path) -> None:
    write(path, [memory(1, "Likes tea"), memory(1, "Likes tea"), memory(2, " "), memory(3, "Likes mint")])
    told = report(path, "--dry-run")
    assert (told["dry_run"], told["facts"]["new"], told["facts"]["known"], told["refused"]) == (True, 2, 1, 1)
    assert not path.with_suffix(".duckdb").exists()
    done = report(path)
    assert {**done, "dry_run": True} == told
    before = path.with_suffix(".duckdb").read_bytes()
    write(path, [memory(1, "Likes coffee", updated_at=LATER), memory(4, "Likes rye")])
    shown = bring(path, "--dry-run").stdout
    assert "2 facts: 1 would be new, 0 were there already, 1 would be changed." in shown
    assert path.with_suffix(".duckdb").read_bytes() == before
    assert sorted(one.name for one in path.parent.iterdir()) == ["mem0.duckdb", "mem0.json"]


def test_secrets_are_taken_out(path: Path) -> None:
    write(path, [memory(1, "My password: hunter2 is for the bank")])
    bring(path)
    assert [fact["content"] for fact in facts(path)] == ["My password: [redacted] is for the bank"]
    assert "hunter2" not in path.with_suffix(".duckdb").read_bytes().decode("latin-1")
