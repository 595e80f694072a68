"""What is forgotten is gone from banks, and from what other sessions of the user have in their prompts."""

import re
from pathlib import Path
from typing import Any

import pytest

from fabric import Fabric, generator, sequencer
from fabric.models.base import Request
from fabric.testing import ScriptedModel, call
from pipelines import memory_system, retain_memory

HINT = "My password hint is the purple elephant of Bergen."
FORGET = "Forget the hint, please."
DEPLOYS = "We deploy the elephant service on Thursdays with Docker."


class Works:
    """An agent with a memory and a bank, and the system texts of all its requests."""

    def __init__(self, path: Path) -> None:
        options = {"retain_every_n_turns": 1, "first_turn_deadline": 300.0}
        self.prompts: list[str] = []
        self.mem = memory_system(model=None, episodic=True, semantic=True)
        self.bank = retain_memory(backend="local", cwd=path, local=options)
        coder = generator(name="coder", model="m", system="Code.", history=True, uses=[self.bank.capability])
        self.pipeline = sequencer(name="c").then(coder).work(self.mem.capture_from_items).work(self.bank.auto_retain)
        self.fabric = Fabric(path / "agent.duckdb", models=ScriptedModel(self.answer))

    def answer(self, request: Request) -> Any:
        self.prompts.append(request.messages[0]["content"])
        last = request.messages[-1]
        if last["role"] == "user" and last["content"] == FORGET:
            shown = re.search(r"purple elephant.*\(id: (\w+)\)", self.prompts[-1])
            assert shown is not None
            return call("memory_edit", op="forget", id=shown[1])
        return "Understood."

    def say(self, session: str, *texts: str) -> str:
        """Say something and return what the prompt of the last turn was."""
        for text in texts:
            self.fabric.session(session, user="jake").run(self.pipeline, text)
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
