"""Importing: conversations are kept in bulk, each message once, and an import that was killed is finished later."""

import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blocks.import_turns import BATCH
from tests import forkserver
from tests.soak import examples

from .commands import bring, command, counts, held, report, turns

START = "2026-03-02T09:00:00+00:00"
ROOT = Path(__file__).parents[3]
KILLED = """
import os, signal, sys
from pathlib import Path
from fabric import Fabric
from pipelines import memory_system
from pipelines.importing import FileImport, file_import_block

mem = memory_system(episodic=True, semantic=True, embedder=None)
read = []

def progress(size):
    read.append(size)
    if len(read) > 2:
        os.kill(os.getpid(), signal.SIGKILL)

with Fabric(sys.argv[2]) as fabric:
    fabric.session("x", user="ann").run(file_import_block(mem.layout, progress), FileImport(path=Path(sys.argv[1])))
"""


def said(role: str, text: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": text, **more}


def record(session: str, *messages: dict[str, Any], **more: Any) -> str:
    return json.dumps({"session": session, "messages": messages, **more})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "talk.jsonl"


def test_what_was_said_is_kept_in_order_and_recalled(path: Path) -> None:
    talk = [said("user", "My cat is called Momo."), said("assistant", "Lovely."), said("user", "Bye.")]
    path.write_text(record("one", said("system", "Be kind."), *talk, said("tool", "rain"), started_at=START))
    told = bring(path)
    assert (told.exit_code, told.stderr) == (0, "")
    assert told.stdout.splitlines() == [
        "format: messages",
        "3 messages of 1 session: 3 new, 0 were there already.",
        "left out: 1 system messages",
        "left out: 1 tool results",
    ]
    assert turns(path, "one") == [(message["role"], message["content"]) for message in talk]
    found = command("recall", "Momo", "--json", "--user", "ann", "--file", path.with_suffix(".duckdb"))
    assert "My cat is called Momo." in found.stdout


def test_a_second_import_adds_nothing_and_a_longer_file_adds_the_rest(path: Path) -> None:
    talk = [said("user", "ok"), said("assistant", "ok"), said("user", "ok"), said("assistant", "ok")]
    path.write_text(record("one", *talk[:3]))
    assert [counts(path), counts(path)] == [(3, 0), (0, 3)]
    path.write_text("\n".join([record("one", *talk), record("two", *talk)]))
    assert [counts(path), counts(path)] == [(5, 3), (0, 8)]
    assert [len(turns(path, session)) for session in ("one", "two")] == [4, 4]


def test_an_import_that_was_killed_is_finished_by_running_it_again(path: Path) -> None:
    padding = "x" * 200
    messages = [
        said("user" if number % 2 == 0 else "assistant", f"word {number} {padding}") for number in range(3 * BATCH)
    ]
    path.write_text("\n".join(record(f"long {at}", *messages[at : at + 10]) for at in range(0, len(messages), 10)))
    file = path.with_suffix(".duckdb")
    killed = forkserver.run([sys.executable, "-c", KILLED, path, file], cwd=ROOT, timeout=600, check=False)
    assert killed.returncode == -signal.SIGKILL
    new, known = counts(path)
    assert known >= BATCH
    assert known % BATCH == 0
    assert (new + known, counts(path)) == (len(messages), (0, len(messages)))
    kept = [record["text"] for record in held(path) if record["kind"] == "turn"]
    assert sorted(kept) == sorted(message["content"] for message in messages)


def test_problems_are_listed_with_line_and_reason_and_the_rest_is_imported(path: Path) -> None:
    late = record("late", said("user", "x"), started_at="9999-12-31T23:59:59+00:00")
    path.write_text(
        "\n".join([record("one", said("user", "hi")), "{nonsense", record("two", said("wizard", "x")), late])
    )
    told = bring(path)
    assert told.exit_code == 1
    assert "1 message of 1 session: 1 new" in told.stdout
    first, second, third = told.stderr.splitlines()
    assert first.startswith("skipped: line 2: not JSON: ")
    assert second.startswith("skipped: line 3, message 1: message role 'wizard'")
    assert third.startswith("skipped: line 4: no time that can be meant: ")
    assert len(report(path)["problems"]) == 3


@pytest.mark.parametrize("content", ["", "[]", record("one", said("user", "  "))])
def test_a_file_without_a_message_is_nothing_found_and_makes_no_memory(path: Path, content: str) -> None:
    path.write_text(content)
    assert bring(path).exit_code == 3
    assert not path.with_suffix(".duckdb").exists()


def test_a_file_that_cannot_be_read_is_one_line(path: Path) -> None:
    told = bring(path)
    assert (told.exit_code, told.stderr) == (1, f"error: {path}: No such file or directory\n")


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture], max_examples=examples(10))
@given(texts=st.lists(st.text(st.characters()), min_size=1, max_size=5))
def test_any_text_is_imported_once(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    path = tmp_path_factory.mktemp("any") / "talk.json"
    path.write_text(json.dumps([said("user", text) for text in texts]))
    kept = sum(1 for text in texts if text.strip())
    if kept:
        assert [counts(path), counts(path)] == [(kept, 0), (0, kept)]


def test_ids_are_made_of_session_turn_and_role(path: Path) -> None:
    def ids(session: str, text: str) -> list[str]:
        path.write_text(record(session, said("user", text), said("assistant", text), said("assistant", text)))
        bring(path)
        return [record["id"] for record in held(path) if record["kind"] == "turn"]

    assert len({*ids("a", "x"), *ids("b", "x"), *ids("a", "y")}) == 9
    assert len(ids("a", "x")) == 9
