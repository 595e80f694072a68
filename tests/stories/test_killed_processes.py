"""A process that is killed while it captures and consolidates: no turn is lost and no fact is doubled."""

from pathlib import Path

import pytest

from fabric import Fabric, handler
from tests.soak import either

from .crash import capturing_first, kill_and_check, killed_answering, memory


@pytest.mark.soak
def test_a_memory_that_is_killed_again_and_again_is_what_was_said(tmp_path: Path):
    assert kill_and_check(tmp_path / "killed.duckdb", either(2, 40), seed=3) > 0


def test_what_was_said_before_a_kill_is_taken_in_once_with_what_is_said_next(tmp_path: Path):
    path = tmp_path / "killed.duckdb"
    killed_answering(path, "I like jazz.")
    mem = memory()
    pipeline = capturing_first(mem, handler(lambda _: "Noted.", name="dies"))
    with Fabric(path) as fabric:
        session = fabric.session("a", user="a")
        assert [item.text for item in session.items] == ["I like jazz."]
        for said in ("I like tea.", "I like chess.", "I like jazz."):
            session.run(pipeline, said)
            fabric.drain()
        records = session.run(mem.export_block).output
        facts = {record["content"]: record["reinforcement_count"] for record in records if record["kind"] == "fact"}
        assert facts == {"Likes jazz": 2, "Likes tea": 1, "Likes chess": 1}
        turns = [(record["text"], record["captured"]) for record in records if record["kind"] == "turn"]
        assert turns == [(said, True) for said in ("I like jazz.", "I like tea.", "I like chess.", "I like jazz.")]
    killed_answering(path, "I like cats.")
    with Fabric(path) as fabric:  # who gets no answer says it again: that is the same message
        session = fabric.session("a", user="a")
        session.run(pipeline, "I like cats.")
        fabric.drain()
        texts = [record["text"] for record in session.run(mem.export_block).output if record["kind"] == "turn"]
        assert texts.count("I like cats.") == 1
