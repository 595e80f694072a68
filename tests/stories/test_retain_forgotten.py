"""What is forgotten is gone from banks, and from what other sessions of the user have in their prompts."""

import re
from pathlib import Path
from typing import Any

import pytest

from fabric import Fabric, generator, sequencer
from fabric.models.base import Request
from fabric.testing import FrozenClock, ScriptedModel, call
from pipelines import memory_system, retain_memory

HINT = "My password hint is the purple elephant of Bergen."
FORGET = "Forget the hint, please."
DEPLOYS = "We deploy the elephant service on Thursdays with Docker."


class Works:
    """An agent with a memory and a bank, and the system texts of all its requests."""

    def __init__(self, path: Path, every: int = 1, clock: FrozenClock | None = None) -> None:
        options = {"retain_every_n_turns": every, "first_turn_deadline": 300.0}
        self.prompts: list[str] = []
        self.mem = memory_system(model=None, episodic=True, semantic=True)
        self.bank = retain_memory(backend="local", cwd=path, local=options)
        coder = generator(name="coder", model="m", system="Code.", history=True, uses=[self.bank.capability])
        self.pipeline = sequencer(name="c").then(coder).work(self.mem.capture_from_items).work(self.bank.auto_retain)
        self.fabric = Fabric(path / "agent.duckdb", models=ScriptedModel(self.answer), clock=clock)

    def answer(self, request: Request) -> Any:
        self.prompts.append(request.messages[0]["content"])
        last = request.messages[-1]
        if last["role"] == "user" and last["content"] == FORGET:
            shown = re.search(r"purple elephant.*\(id: (\w+)\)", self.prompts[-1])
            assert shown is not None
            return call("memory_edit", op="forget", id=shown[1])
        return "Understood."

    def say(self, session: str, *texts: str, user: str = "jake") -> str:
        """Say something and return what the prompt of the last turn was."""
        for text in texts:
            self.fabric.session(session, user=user).run(self.pipeline, text)
        self.fabric.drain()
        return self.prompts[-1]

    def forget(self, **asked: Any) -> Any:
        return self.fabric.session("tuesday", user="jake").run(self.mem.forget_block, asked).output


@pytest.mark.parametrize("asked", ["session", "scope"])
def test_what_is_forgotten_leaves_the_prompts_of_other_sessions(asked: str, tmp_path: Path):
    works = Works(tmp_path)
    with works.fabric:
        works.say("monday", HINT)
        works.say("sunday", DEPLOYS)
        prompt = works.say("tuesday", "What was that about the elephant?")
        assert "purple elephant" in prompt
        assert "on Thursdays" in prompt
        receipt = works.forget(session="monday") if asked == "session" else works.forget(scope="user")
        assert receipt.left == {}
        after = works.say("tuesday", "Go on.")
        assert "purple elephant" not in after
        assert ("on Thursdays" in after) is (asked == "session"), "what others said of it stays"
        again = works.say("wednesday", "What was that about the elephant?")
        assert "purple elephant" not in again


def test_what_a_model_forgets_for_the_user_leaves_its_own_prompt(tmp_path: Path):
    works = Works(tmp_path)
    with works.fabric:
        works.say("monday", HINT)
        works.say("sunday", DEPLOYS)
        works.say("tuesday", "What was that about the elephant?", FORGET)
        assert "purple elephant" in works.prompts[-1], "the turn in which it was deleted goes on as it began"
        after = works.say("tuesday", "Go on.")
        assert "purple elephant" not in after
        assert "on Thursdays" in after


@pytest.mark.parametrize("asked", ["session", "scope", "id", "tool"])
def test_what_is_forgotten_leaves_the_prompts_of_others_who_share_the_bank(asked: str, tmp_path: Path):
    works = Works(tmp_path)
    with works.fabric:
        works.say("monday", HINT)
        works.say("sunday", DEPLOYS)
        assert "purple elephant" in works.say("anna's", "What was that about the elephant?", user="anna")
        if asked == "tool":
            works.say("tuesday", "What was that about the elephant?", FORGET)
        elif asked in ("session", "scope"):
            assert works.forget(**({"session": "monday"} if asked == "session" else {"scope": "user"})).found
        else:
            assert works.forget(id=works.fabric.session("monday", user="jake").items[0].id).found
        after = works.say("anna's", "Go on.", user="anna")
        assert "purple elephant" not in after
        assert ("on Thursdays" in after) is (asked != "scope"), "what jake said on sunday stays unless all of his goes"
    with Works(tmp_path).fabric as fabric:
        assert "purple" not in str(fabric.session("anna's", user="anna").run(works.mem.export_block).output)


@pytest.mark.parametrize("asked", ["kept", "joined"])
def test_a_transcript_is_kept_without_the_turn_that_is_forgotten(asked: str, tmp_path: Path):
    clock = FrozenClock()
    works = Works(tmp_path, every=3, clock=clock)
    with works.fabric:
        works.say("monday", "I live in Oslo.", HINT, DEPLOYS)
        jake = works.fabric.session("monday", user="jake")
        (kept,) = [row for row in jake.run(works.mem.export_block).output if row["kind"] == "retained memory"]
        if asked == "joined":
            clock.advance(days=1)
            assert jake.run(works.bank.sleep).output.consolidated == 1
        prompt = works.say("tuesday", "What was that about the elephant?")
        assert "purple elephant" in prompt
        hint = next(item for item in jake.items if item.text == HINT).id
        assert works.forget(id=hint).left == {}
        assert "purple elephant" not in works.say("tuesday", "Go on.")
        rows = jake.run(works.mem.export_block).output
        (left,) = [row for row in rows if row["id"] == kept["id"]]
        assert "purple" not in str(rows)
        assert left["content"] == (
            "[user]\nI live in Oslo.\n[/user]\n\n[assistant]\nUnderstood.\n[/assistant]\n\n"
            f"[user]\n{DEPLOYS}\n[/user]\n\n[assistant]\nUnderstood.\n[/assistant]"
        )
        assert [source["turn"] for source in left["sources"]] == [1, 3]
        if asked == "joined":
            assert jake.run(works.bank.sleep).output.consolidated
        wednesday = works.fabric.session("wednesday", user="jake")
        found = wednesday.run(works.bank.recall, {"query": "Where does the elephant live?"}).output.text
        assert "on Thursdays" in found
        assert "Oslo" in found
        assert "purple" not in found


def test_a_process_that_knows_no_bank_takes_the_turn_out_of_its_transcripts_too(tmp_path: Path):
    works = Works(tmp_path, every=3)
    with works.fabric:
        works.say("monday", "I live in Oslo.", HINT, DEPLOYS)
        hint = next(item.id for item in works.fabric.session("monday", user="jake").items if item.text == HINT)
    mem = memory_system(model=None, episodic=True, semantic=True, embedder=None)
    with Fabric(tmp_path / "agent.duckdb") as fabric:
        session = fabric.session("other", user="jake")
        assert session.run(mem.forget_block, {"id": hint}).output.left == {}
        rows = session.run(mem.export_block).output
        assert "purple" not in str(rows)
        assert [DEPLOYS in row["content"] for row in rows if row["kind"] == "retained memory"] == [True]
    again = Works(tmp_path)
    with again.fabric:
        prompt = again.say("wednesday", "Where is the elephant service deployed?")
        assert "on Thursdays" in prompt
        assert "purple" not in prompt


def test_forgetting_a_fact_takes_its_turn_out_of_the_transcript(tmp_path: Path):
    works = Works(tmp_path, every=3)
    with works.fabric:
        works.say("monday", "I live in Oslo.", HINT, DEPLOYS)
        jake = works.fabric.session("monday", user="jake")
        (fact, *_) = jake.run(works.mem.recall_block, {"cue": "Where do I live?", "tiers": ["semantic"]}).output
        assert fact.content == "Lives in Oslo"
        receipt = works.forget(id=fact.id)
        rows = jake.run(works.mem.export_block).output
        assert receipt.left == {}
        assert "Oslo" not in str(rows)
        assert [HINT in row["content"] for row in rows if row["kind"] == "retained memory"] == [True]
