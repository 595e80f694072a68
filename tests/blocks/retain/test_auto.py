"""A conversation is kept by itself: each turn once, whatever ends when, and nothing of tools of other generators."""

import time
from pathlib import Path
from typing import Any

import pytest

from blocks.retain.auto import EXIT_SECONDS
from capabilities.retain import Bank, HindsightConfig, LocalConfig
from capabilities.retain.record import Flushed
from capabilities.retain.transcript import document_name
from fabric import Fabric, generator, handler, sequencer
from fabric.models.base import Request
from fabric.scope import ScopeIds
from fabric.testing import FrozenClock, ScriptedModel, call

from .small_bank import Agent, Row, SmallBank, kept, kept_later, state


def answers(request: Request) -> str:
    """Answer with what was said last."""
    return f"re: {request.messages[-1]['content']}"


def opened(path: Any = ":memory:", script: Any = answers) -> Fabric:
    return Fabric(path, models=ScriptedModel(script))


def texts(row: Row) -> list[str]:
    return row.user_text.split("\n\n")


def said(numbers: Any) -> list[str]:
    return [f"statement number {number}" for number in numbers]


def document(session: str, user: str | None = "jake") -> str:
    return document_name(ScopeIds(session, user=user))


def test_every_few_turns_what_was_not_kept_is_kept():
    agent = Agent()
    with opened() as fabric:
        agent.say(fabric, "monday", *said([1, 2]))
        assert kept(fabric) == []
        agent.say(fabric, "monday", *said([3]))
        assert [texts(row) for row in kept(fabric)] == [said([1, 2, 3])]
        assert state(fabric, "monday").retained_through_user_turn == {"local:project-1": 3}
        agent.say(fabric, "monday", *said([4, 5, 6, 7]))
        assert [texts(row) for row in kept(fabric)] == [said([1, 2, 3]), said([4, 5, 6])]
        first = kept(fabric)[0]
        assert first.text.startswith("[user]\nstatement number 1\n[/user]\n\n[assistant]\nre: statement number 1\n")
        assert (first.session, first.user) == ("monday", "jake")


def test_a_server_is_given_the_whole_session_each_time():
    agent = Agent(SmallBank(name="hindsight"), HindsightConfig())
    with opened() as fabric:
        agent.say(fabric, "monday", *said(range(1, 8)))
        (row,) = kept(fabric)
        assert (row.id, row.turns, row.version) == (document("monday"), 6, 2)
        assert texts(row) == said(range(1, 7))


def test_or_its_last_turns_with_some_before():
    agent = Agent(SmallBank(name="hindsight"), HindsightConfig(retain_mode="last-turn", retain_overlap_turns=2))
    with opened() as fabric:
        agent.say(fabric, "monday", *said(range(1, 7)))
        first, second = kept(fabric)
        assert (texts(first), texts(second)) == (said([1, 2, 3]), said([2, 3, 4, 5, 6]))
        assert first.id != second.id
        assert all(row.id.startswith(document("monday")) for row in (first, second))


def test_what_is_left_is_kept_when_the_file_is_closed(tmp_path: Path):
    agent = Agent()
    with opened(tmp_path / "bank.duckdb") as fabric:
        agent.say(fabric, "monday", *said([1, 2, 3, 4]))
        agent.say(fabric, "tuesday", *said([5]))
    assert sorted(texts(row) for row in kept_later(tmp_path / "bank.duckdb")) == [
        said([1, 2, 3]),
        said([4]),
        said([5]),
    ]


def test_closing_waits_for_sending_no_longer_than_it_may(tmp_path: Path):
    agent = Agent(SmallBank(flush_delay=600))
    began = time.monotonic()
    with opened(tmp_path / "bank.duckdb") as fabric:
        fabric.session("monday", user="jake").run(agent.pipeline, said([1])[0])
        while not agent.bank or not agent.bank.flushes:
            time.sleep(0.01)
    assert EXIT_SECONDS < time.monotonic() - began < 300
    with opened(tmp_path / "bank.duckdb") as fabric:
        assert len(fabric.jobs()) == 2
        assert [texts(row) for row in kept(fabric)] == [said([1])], "it is kept in time, and sent later"
        agent.bank = SmallBank()
        fabric.register(agent.pipeline)
        assert fabric.drain() == []
        assert [texts(row) for row in kept(fabric)] == [said([1])]
        assert agent.bank.flushes == 2


def test_work_on_an_earlier_turn_takes_nothing_back_from_a_later_one(tmp_path: Path):
    agent = Agent(SmallBank(flush_delay=600))
    with opened(tmp_path / "bank.duckdb") as fabric:
        for text in said([1, 2]):
            fabric.session("monday", user="jake").run(agent.pipeline, text)
        while not agent.bank or not agent.bank.flushes:
            time.sleep(0.01)
    agent.bank = SmallBank()
    with opened(tmp_path / "bank.duckdb") as fabric:
        assert [job.turn for job in fabric.jobs()] == [1, 2, 1], "the last one is that of the first turn, kept waiting"
        agent.say(fabric, "tuesday", *said([3]))
    rows = kept_later(tmp_path / "bank.duckdb")
    assert sorted(text for row in rows for text in texts(row)) == said([1, 2, 3])
    with opened(tmp_path / "bank.duckdb") as fabric:
        assert fabric.jobs() == []


def test_the_next_session_keeps_what_an_earlier_one_has_not(tmp_path: Path):
    agent = Agent()
    fabric = opened(tmp_path / "bank.duckdb")
    agent.say(fabric, "monday", *said([1, 2]))
    agent.say(fabric, "hers", "I am Anna, and this is mine.", user="anna")
    fabric.close(timeout=0)  # as a killed process leaves it, but for the jobs that it adds
    with opened(tmp_path / "bank.duckdb") as fabric:
        agent.say(fabric, "tuesday", "What was said in statement number 2?")
        rows = [row for row in kept(fabric) if row.session == "monday"]
        assert [texts(row) for row in rows] == [said([1, 2])]
        assert rows[0].user == "jake"
        assert rows[0].version == 1
        assert state(fabric, "monday").retained_through_user_turn == {"local:project-1": 2}


def test_two_sessions_side_by_side_do_not_cut_each_other_short():
    agent = Agent(options=LocalConfig(retain_every_n_turns=2))
    with opened() as fabric:
        for number in range(1, 7):
            agent.say(fabric, "one", f"one says {number}")
            agent.say(fabric, "two", f"two says {number}")
        by_session = {
            name: [text for row in kept(fabric) if row.session == name for text in texts(row)]
            for name in ("one", "two")
        }
    assert by_session["one"][:5] == [f"one says {number}" for number in range(1, 6)]
    assert by_session["two"] == [f"two says {number}" for number in range(1, 7)]


def test_nothing_is_kept_where_that_is_switched_off_but_sent():
    agent = Agent(options=LocalConfig(auto_retain=False, retain_every_n_turns=1))
    with opened() as fabric:
        agent.say(fabric, "monday", *said([1, 2]))
        assert kept(fabric) == []
        assert agent.bank is not None
        assert agent.bank.flushes == 2
        agent.bank = None
        agent.say(fabric, "monday", *said([3]))


def test_another_backend_gets_the_whole_session():
    agent = Agent()
    with opened() as fabric:
        agent.say(fabric, "monday", *said([1, 2, 3]))
        agent.bank = SmallBank(name="hindsight", bank=Bank("project-2", ("project-2",)))
        agent.say(fabric, "monday", *said([4]))
        assert [texts(row) for row in kept(fabric, "project-2")] == [said([1, 2, 3, 4])]
        assert state(fabric, "monday").retained_through_user_turn == {"local:project-1": 3, "hindsight:project-2": 4}


def test_how_many_could_not_be_sent_is_told_to_the_user_only(capfd: pytest.CaptureFixture[str]):
    agent = Agent(SmallBank(flushed=Flushed(done=1, waiting=2, given_up=3, problem="refused")))
    with opened() as fabric:
        agent.say(fabric, "monday", *said([1, 2]))
        told = [item.data["result"]["flushed"] for item in fabric.session("monday", user="jake").items if item.data]
        assert told == [{"done": 1, "waiting": 2, "given_up": 3, "problem": "refused"}] * 2
    captured = capfd.readouterr()
    assert "memories could not be sent" in captured.out + captured.err


def test_what_came_meanwhile_and_only_waits_is_no_trouble_to_tell(capfd: pytest.CaptureFixture[str]):
    agent = Agent(SmallBank(flushed=Flushed(done=1, waiting=2)))
    with opened() as fabric:
        agent.say(fabric, "monday", *said([1, 2]))
    captured = capfd.readouterr()
    assert "could not be sent" not in captured.out + captured.err


def test_a_turn_that_failed_is_kept_with_its_answer():
    script = [RuntimeError("down"), "Answered at last."]
    agent = Agent(options=LocalConfig(retain_every_n_turns=1))
    with opened(script=script) as fabric:
        with pytest.raises(RuntimeError):
            agent.say(fabric, "monday", "A question of ours.")
        fabric.drain()
        assert kept(fabric) == []
        agent.say(fabric, "monday", "A question of ours.")
        (row,) = kept(fabric)
        assert "Answered at last." in row.text


def test_a_plain_function_may_stand_in_for_the_agent():
    agent = Agent(options=LocalConfig(retain_every_n_turns=1))
    chat = handler(lambda text: f"You said: {text}", name="chat")
    pipeline = sequencer(name="plain").then(chat).work(agent.auto_retain)
    with opened() as fabric:
        fabric.session("monday", user="jake").run(pipeline, "Use tabs, please.")
        fabric.drain()
        assert kept(fabric)[0].text == (
            "[user]\nUse tabs, please.\n[/user]\n\n[assistant]\nYou said: Use tabs, please.\n[/assistant]"
        )


def test_what_a_tool_of_another_generator_says_is_neither_kept_nor_recalled():
    agent = Agent(options=LocalConfig(retain_every_n_turns=1))
    systems: dict[bool, list[str]] = {True: [], False: []}

    def script(request: Request) -> Any:
        systems[bool(request.tools)].append(request.messages[0]["content"])
        if not request.tools:
            return "Words of the sub-agent."
        is_asked = request.messages[-1]["role"] == "user"
        return call("coding", input="Secret task of the sub-agent.") if is_asked else "The other one did it."

    lead = generator(name="lead", model="m", system="Lead.", context=[agent.lines], tools=[agent.pipeline.as_tool()])
    parent = sequencer(name="parent").then(lead).work(agent.auto_retain)
    with opened(script=script) as fabric:
        agent.say(fabric, "sunday", "Let me tell the other one what to do.")
        assert agent.bank is not None
        agent.bank.queries.clear()
        agent.bank.flushes = 0
        run = fabric.session("monday", user="jake").run(parent, "Let the other one do it.")
        fabric.drain()
        assert run.output == "The other one did it."
        rows = [row for row in kept(fabric) if row.session == "monday"]
        assert [texts(row) for row in rows] == [["Let the other one do it."]]
        assert "sub-agent" not in rows[0].text
        assert agent.bank.queries == ["Let the other one do it."], "the parent alone recalled"
        assert agent.bank.flushes == 1
        memories = systems[True][0].removeprefix("Lead.")
        assert "what to do" in memories
        assert systems[False][-1].removeprefix("Be brief.") == memories, "its parent's state is its own"


def test_before_compaction_all_is_kept_and_recalled_anew():
    agent = Agent()
    with opened() as fabric:
        session = fabric.session("monday", user="jake")
        assert session.run(agent.before_compaction).output == ""
        agent.say(fabric, "monday", *said([1, 2]))
        block = session.run(agent.before_compaction).output
        assert [texts(row) for row in kept(fabric)] == [said([1, 2])]
        assert block.startswith("<memories>\n")
        assert "statement number 1" in block
        assert state(fabric, "monday").text == block
        again = session.run(agent.before_compaction).output
        assert again.count("statement number 2") == block.count("statement number 2")
        assert [row.version for row in kept(fabric)] == [1]


def test_flushing_alone():
    agent = Agent(SmallBank(flushed=Flushed(done=2)))
    with opened() as fabric:
        assert fabric.session("monday").run(agent.flush).output == Flushed(done=2)
        agent.bank = None
        assert fabric.session("monday").run(agent.flush).output == Flushed()


def test_times_come_from_the_clock():
    agent = Agent(SmallBank(name="hindsight"), HindsightConfig(retain_mode="last-turn", retain_every_n_turns=1))
    with Fabric(models=ScriptedModel(answers), clock=FrozenClock()) as fabric:
        agent.say(fabric, "monday", *said([1]))
        assert kept(fabric)[0].id == f"{document('monday')}-20260101T120000000000Z"
