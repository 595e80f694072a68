"""What a session begins with is recalled once, stays the same to the byte, and never holds up a turn for long."""

import time
from pathlib import Path
from typing import Any

import pytest

from capabilities.retain import Bank, LocalConfig, RetainItem
from fabric import Context, Fabric, handler
from fabric.models.base import Request
from fabric.testing import ScriptedModel

from .small_bank import KEPT, Agent, SmallBank, kept, state


class Chats:
    """A model that remembers the system text of each request."""

    def __init__(self) -> None:
        self.systems: list[str] = []

    def __call__(self, request: Request) -> str:
        self.systems.append(request.messages[0]["content"])
        return "Fine."


def opened(chats: Chats, path: Any = ":memory:") -> Fabric:
    return Fabric(path, models=ScriptedModel(chats))


def remember(fabric: Fabric, bank: SmallBank, *texts: str) -> None:
    """Keep facts in a bank as the tool does."""

    @handler(name="remember", uses=[KEPT])
    async def store(_: Any, ctx: Context) -> None:
        await bank.retain(ctx, [RetainItem(content=text) for text in texts])

    fabric.session("before").run(store)


def test_the_first_turn_recalls_and_all_turns_have_the_same_text(tmp_path: Path):
    chats, agent = Chats(), Agent()
    assert agent.bank is not None
    agent.bank.model_text = "<mental_models>\nTabs.\n</mental_models>"
    with opened(chats, tmp_path / "bank.duckdb") as fabric:
        remember(fabric, agent.bank, "The build uses make.", "Deploys go through staging.")
        agent.say(fabric, "monday", "How does the build work?", "And deploys to staging?")
    agent.bank.model_text = "<mental_models>\nSpaces.\n</mental_models>"
    with opened(chats, tmp_path / "bank.duckdb") as fabric:
        remember(fabric, agent.bank, "The build uses ninja now.")
        agent.say(fabric, "monday", "How does the build work?")
        assert agent.bank.queries == ["How does the build work?"]
        assert state(fabric, "monday").recalled_at_turn == 1
    assert len(set(chats.systems)) == 1
    assert chats.systems[0].startswith("Be brief.\n\n<memories>\n")
    assert "The build uses make." in chats.systems[0]
    assert chats.systems[0].endswith("</memories>\n\n<mental_models>\nTabs.\n</mental_models>")


def test_another_session_recalls_anew_and_what_was_recalled_is_not_kept():
    chats, agent = Chats(), Agent(options=LocalConfig(retain_every_n_turns=1))
    assert agent.bank is not None
    with opened(chats) as fabric:
        remember(fabric, agent.bank, "The build uses make.")
        agent.say(fabric, "monday", "How does the build work?")
        agent.say(fabric, "tuesday", "How does the build of statement work?")
        assert len(agent.bank.queries) == 2
        assert all("<memories>" not in row.text and "uses make" not in row.text for row in kept(fabric)[1:])
    assert chats.systems[1].count("The build uses make.") == 1


def test_the_first_turn_finds_what_the_session_before_it_has_not_kept():
    chats, agent = Chats(), Agent()
    with opened(chats) as fabric:
        agent.say(fabric, "monday", "We decided to use DuckDB for storage.")
        agent.say(fabric, "tuesday", "What did we decide about storage?")
        agent.say(fabric, "elsewhere", "What did we decide about storage?", user="anna")
    assert "use DuckDB for storage" in chats.systems[1]
    assert chats.systems[2] == chats.systems[1], "a bank is shared by who works on the project"


def test_the_question_has_the_turns_before_where_the_bank_is_new_to_the_session():
    chats, agent = Chats(), Agent(options=LocalConfig(recall_context_turns=2))
    assert agent.bank is not None
    bank, agent.bank = agent.bank, None
    with opened(chats) as fabric:
        agent.say(fabric, "monday", "First.", "We use <memories>x</memories> pytest.")
        agent.bank = bank
        agent.say(fabric, "monday", "How do I run one?")
    assert bank.queries == [
        "Prior context:\nuser: We use\n pytest.\nassistant: Fine.\n\nHow do I run one?".replace("\n p", " p")
    ]


def test_another_bank_recalls_anew():
    chats, agent = Chats(), Agent()
    with opened(chats) as fabric:
        other = SmallBank(bank=Bank("project-2", ("project-2",)))
        remember(fabric, other, "The build uses ninja.")
        agent.say(fabric, "monday", "How does the build work?")
        agent.bank = other
        agent.say(fabric, "monday", "How does the build work?")
        agent.bank = None
        agent.say(fabric, "monday", "How does the build work?")
    assert ["ninja" in system for system in chats.systems] == [False, True, False]
    assert chats.systems[0] == chats.systems[2] == "Be brief."


@pytest.mark.parametrize("bank", [SmallBank(problem="no such server"), SmallBank(delay=600)])
def test_a_bank_that_fails_or_is_slow_costs_the_turn_nothing_but_its_memories(
    bank: SmallBank, capfd: pytest.CaptureFixture[str]
):
    chats, agent = Chats(), Agent(bank, LocalConfig(first_turn_deadline=0.2))
    began = time.monotonic()
    with opened(chats) as fabric:
        remember(fabric, bank, "The build uses make.")
        agent.say(fabric, "monday", "How does the build work?")
        bank.problem, bank.delay = "", 0.0
        agent.say(fabric, "monday", "How does the build work?")
        assert state(fabric, "monday").text == ""
    assert time.monotonic() - began < 300
    assert chats.systems == ["Be brief.", "Be brief."]
    captured = capfd.readouterr()
    assert "the turn goes on without what the bank remembers" in captured.out + captured.err


def test_without_automatic_recall_only_the_models_are_shown():
    chats, agent = Chats(), Agent(options=LocalConfig(auto_recall=False))
    assert agent.bank is not None
    agent.bank.model_text = "<mental_models>\nTabs.\n</mental_models>"
    with opened(chats) as fabric:
        remember(fabric, agent.bank, "The build uses make.")
        agent.say(fabric, "monday", "How does the build work?")
    assert chats.systems == ["Be brief.\n\n<mental_models>\nTabs.\n</mental_models>"]
    assert agent.bank.queries == []


def test_after_compaction_the_new_block_stands_in_the_prompt():
    chats, agent = Chats(), Agent()
    assert agent.bank is not None
    with opened(chats) as fabric:
        agent.say(fabric, "monday", "How does the build work?")
        remember(fabric, agent.bank, "The build uses make.")
        agent.say(fabric, "monday", "Does the build use make?")
        block = fabric.session("monday", user="jake").run(agent.before_compaction).output
        agent.bank.problem = "away"
        assert fabric.session("monday", user="jake").run(agent.before_compaction).output == ""
        agent.say(fabric, "monday", "Go on.")
    assert "The build uses make." in block
    assert chats.systems == ["Be brief.", "Be brief.", f"Be brief.\n\n{block}"]


def test_a_message_without_a_word_recalls_nothing():
    chats, agent = Chats(), Agent()
    assert agent.bank is not None
    with opened(chats) as fabric:
        agent.say(fabric, "monday", "???")
    assert agent.bank.queries == []
