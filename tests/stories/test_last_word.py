"""The last word counts in whatever order it is read: values that return, sessions side by side, outages, reopenings."""

import json
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from fabric import Fabric
from fabric.errors import ModelUnavailableError
from fabric.models.base import Request
from fabric.testing import FrozenClock, ScriptedModel
from pipelines import Memory
from tests.prompts import asked_by
from tests.soak import examples

CITIES = ("Rome", "Oslo", "Kyiv", "Bonn")
SESSIONS = ("monday", "tuesday", "wednesday")
CITED = ("own", "none", "all")


class Contrary:
    """A memory model that is away for some sessions, and would turn every fact into what any episode says."""

    def __init__(self) -> None:
        self.away: set[str] = set()
        self.cites = "own"
        self.client = ScriptedModel(self.answer)

    def answer(self, request: Request) -> Any:
        step, text = asked_by(request.messages), str(request.messages[-1]["content"])
        if step == "consolidate":
            return json.dumps({"facts": self.changes(text)})
        if step == "prune":
            return json.dumps({"removals": [], "merges": []})
        session, city = re.findall(r"On (\w+) I say: I live in (\w+)", text)[-1]
        if session in self.away:
            raise ModelUnavailableError("nobody answers")
        known = re.findall(r"- (\S+) \[user, identity\]", text)
        return json.dumps({"observations": [lives_in(city, importance=0.9, replaces=known[-1] if known else "")]})

    def changes(self, text: str) -> list[dict[str, Any]]:
        facts = re.findall(r"- (sf_\S+) \[identity", text)
        episodes = re.findall(r"- (ep_\S+) \[.*?\] Lives in (\w+)", text)
        cited = {"own": lambda one: [one], "none": lambda _: [], "all": lambda _: [one for one, _ in episodes]}
        actions = [(fact, action) for fact in facts or [""] for action in ("update", "invalidate", "new")]
        return [
            lives_in(
                city,
                confidence=0.9,
                action=action,
                target_fact_id="" if action == "new" else fact,
                source_episode_ids=cited[self.cites](episode),
            )
            for episode, city in episodes[:2]
            for fact, action in actions
        ][:10]


def lives_in(city: str, **fields: Any) -> dict[str, Any]:
    place = {"subject": "user", "content": f"Lives in {city}", "category": "identity"}
    return {**place, **fields} if "confidence" in fields else {**place, "durability": "persistent", **fields}


class LastWordMachine(RuleBasedStateMachine):
    """Somebody moves again and again, and says so on several days at once."""

    asks_model = True

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.model = Contrary()
        self.clock = FrozenClock()
        self.last = ""
        self.open()

    def open(self) -> None:
        self.fabric = Fabric(
            self.folder / "memory.duckdb", models=self.model.client, clock=self.clock, retry_delay=3_600.0
        )
        self.memory = Memory(self.fabric, user="jake", model="test/memory" if self.asks_model else None)

    def teardown(self) -> None:
        if hasattr(self, "memory"):
            try:
                self.come_back()
                assert self.memory.wait() == []
                self.check()
            finally:
                self.fabric.close()
                shutil.rmtree(self.folder)

    @rule(session=st.sampled_from(SESSIONS), city=st.sampled_from(CITIES), seconds=st.integers(1, 90_000))
    def say(self, session: str, city: str, seconds: int) -> None:
        self.clock.advance(seconds)
        self.memory.capture(f"On {session} I say: I live in {city}." if self.asks_model else f"I live in {city}.")
        self.last = city

    @rule(session=st.sampled_from(SESSIONS), city=st.sampled_from(CITIES), seconds=st.integers(1, 90_000))
    def say_elsewhere(self, session: str, city: str, seconds: int) -> None:
        self.clock.advance(seconds)
        text = f"On {session} I say: I live in {city}." if self.asks_model else f"I live in {city}."
        self.memory.capture(text, session=session)
        self.last = city

    @rule()
    def wait(self) -> None:
        if not self.memory.wait():
            self.check()

    @rule(cites=st.sampled_from(CITED))
    def consolidate(self, cites: str) -> None:
        self.model.cites = cites
        self.fabric.session("default", user="jake").run(self.memory.system.consolidate, {"force": True})

    @rule()
    def prune(self) -> None:
        self.fabric.session("default", user="jake").run(self.memory.system.prune, {"force": True})

    @precondition(lambda self: self.asks_model)
    @rule(session=st.sampled_from(SESSIONS))
    def go_away(self, session: str) -> None:
        self.model.away.add(session)

    @precondition(lambda self: self.asks_model)
    @rule()
    def come_back(self) -> None:
        self.model.away.clear()
        for job in self.memory.wait():
            self.fabric.retry(job)

    @rule(patience=st.sampled_from([0.0, None]))
    def reopen(self, patience: float | None) -> None:
        self.fabric.close(timeout=patience)
        self.open()

    def check(self) -> None:
        facts = [record for record in self.memory.export() if record["kind"] == "fact"]
        current = [fact["content"] for fact in facts if fact["status"] == "current"]
        assert current == ([f"Lives in {self.last}"] if self.last else [])


class RulesMachine(LastWordMachine):
    asks_model = False


TestLastWordOfAModel = LastWordMachine.TestCase
TestLastWordOfAModel.settings = settings(max_examples=examples(6), stateful_step_count=12)
TestLastWordByRules = RulesMachine.TestCase
TestLastWordByRules.settings = settings(max_examples=examples(4), stateful_step_count=12)


def test_a_value_that_returns_day_after_day_stays_what_was_said_last(tmp_path: Path):
    for day, city in enumerate(("Rome", "Oslo", "Rome", "Oslo", "Rome")):
        with Memory(tmp_path / "memory.duckdb", user="jake", session=f"day{day}") as memory:
            memory.capture(f"I live in {city}.")
            assert memory.wait() == []
    with Memory(tmp_path / "memory.duckdb", user="jake") as memory:
        facts = [record for record in memory.export() if record["kind"] == "fact"]
        assert [fact["content"] for fact in facts if fact["status"] == "current"] == ["Lives in Rome"]
        assert len(memory.history(facts[-1]["id"])) == 5


@pytest.mark.parametrize("count", [6, 30])
def test_what_is_said_without_waiting_ends_with_what_was_said_last(count: int):
    with Memory(user="jake") as memory:
        for number in range(count):
            memory.capture(f"I live in {CITIES[number % 4]}.", session=f"day {number % 5}")
        assert memory.wait() == []
        facts = [record for record in memory.export() if record["kind"] == "fact" and record["status"] == "current"]
    assert [fact["content"] for fact in facts] == [f"Lives in {CITIES[(count - 1) % 4]}"]


def test_an_older_statement_that_is_read_late_becomes_history():
    model, clock = Contrary(), FrozenClock()
    model.away = {"monday"}
    with Fabric(models=model.client, clock=clock, retry_delay=3_600.0) as fabric:
        memory = Memory(fabric, user="jake", model="test/memory")
        for session, city in (("monday", "Rome"), ("tuesday", "Oslo")):
            memory.capture(f"On {session} I say: I live in {city}.", session=session)
            memory.wait()
            clock.advance(days=1)
        (late,) = memory.wait()
        model.away.clear()
        fabric.retry(late)
        assert memory.wait() == []
        kept = list(memory.export())
    rome, oslo = sorted(
        (record for record in kept if record["kind"] == "fact"), key=lambda record: str(record["valid_from"])
    )
    assert (rome["content"], rome["status"], rome["valid_to"]) == ("Lives in Rome", "superseded", oslo["valid_from"])
    assert (oslo["content"], oslo["status"], rome["superseded_by"]) == ("Lives in Oslo", "current", oslo["id"])
    assert {record["content"]: record["superseded"] for record in kept if record["kind"] == "episode"} == {
        "Lives in Rome": True,
        "Lives in Oslo": False,
    }
