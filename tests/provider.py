"""A model provider on loopback that answers like a chat model and like the memory's models, for code run as written."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.prompts import asked_by
from tests.stub_server import Received, StubReply, StubServer, text

ENOUGH = 200
"""More requests than any document makes."""
WORK = {
    "subject": "user",
    "content": "Joined Stripe last month",
    "importance": 0.8,
    "durability": "persistent",
    "category": "profession",
    "replaces": "",
}
DEPLOYMENT = {
    "content": "The user has to deploy by Friday",
    "kind": "commitment",
    "importance": 0.9,
    "numbers": [1],
    "when": "Friday",
}

STEPS = {
    "consolidate": {"facts": []},
    "prune": {"removals": [], "merges": []},
    "cognitive_observe": {"notes": [DEPLOYMENT]},
    "cognitive_reflect": {"traces": [{"content": DEPLOYMENT["content"], "numbers": [1]}]},
}
"""What the memory's own steps are answered, by the prompt that they ask with."""


def reply(received: Received) -> StubReply:
    """Return what the step that asks could be answered: observations, notes, no facts, no removals, or a sentence."""
    messages = received.body["messages"]
    step, asked = asked_by(messages), str(messages[-1]["content"])
    if step == "observe":
        said = asked.partition("The turn:")[2]
        return text(json.dumps({"observations": [WORK] if "joined Stripe" in said else []}))
    if step in STEPS:
        return text(json.dumps(STEPS[step]))
    deploys = "deploy by Friday" in asked
    return text("I can help with that deployment." if deploys else "Congratulations on the new job!")


@contextmanager
def scripted_provider(folder: Path) -> Iterator[StubServer]:
    """Let every OpenAI model id reach a scripted server, and make ``folder`` the working directory."""
    with StubServer() as server, _environment({"OPENAI_API_BASE": f"{server.url}/v1", "OPENAI_API_KEY": "none"}):
        server.script([reply] * ENOUGH)
        before = Path.cwd()
        os.chdir(folder)
        try:
            yield server
        finally:
            os.chdir(before)


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
