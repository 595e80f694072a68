"""Two users on one file, with the same names and session ids: nothing of one is visible to the other."""

import threading
from typing import Any

import pytest

from fabric import Fabric, sequencer
from fabric.errors import ScopeError
from pipelines import memory_system
from tests.stories.scripts import chat_with


def everything(session: Any, mem: Any) -> str:
    """Return all that a session can get out of the product, as one text."""
    exported = session.run(mem.export_block).output
    ids = [record["id"] for record in exported]
    parts = [
        exported,
        session.items,
        list(session.run(mem.recall_block, "secret")),
        list(session.run(mem.recall_block)),
    ]
    parts += [session.run(mem.why_block, record_id).output for record_id in ids]
    return repr(parts)


def test_sixteen_threads_two_users_one_file(tmp_path: Any):
    mem = memory_system(episodic=True, semantic=True)
    pipeline = chat_with(mem)
    with Fabric(tmp_path / "shared.duckdb") as fabric:

        def talk(user: str, number: int) -> None:
            session = fabric.session("monday", user=user)
            session.run(pipeline, f"I work at {user.capitalize()}corp{number}.")

        users = ["alpha", "omega"]
        threads = [threading.Thread(target=talk, args=(users[number % 2], number)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        fabric.drain()
        for user, other in (users, reversed(users)):
            session = fabric.session("monday", user=user)
            seen = everything(session, mem)
            assert f"{user.capitalize()}corp" in seen
            assert f"{other.capitalize()}corp" not in seen
            assert sum(item.role == "user" for item in session.items) == 8


def test_nobody_can_explain_or_forget_what_belongs_to_somebody_else():
    mem = memory_system(episodic=True, semantic=True)
    with Fabric() as fabric:
        mine = fabric.session("monday", user="alpha")
        theirs = fabric.session("monday", user="omega")
        mine.run(mem.capture, "I work at Stripe.")
        (fact,) = [record["id"] for record in mine.run(mem.export_block).output if record["kind"] == "fact"]
        assert theirs.run(mem.why_block, fact).output is None
        assert not theirs.run(mem.forget_block, {"id": fact}).output.found
        assert not theirs.run(mem.forget_block, {"scope": "user"}).output.found
        assert mine.run(mem.why_block, fact).output.content == "Works at Stripe"


@pytest.mark.parametrize(
    "user",
    ['") or true or ("', "%", "*", "a'b", "x\x00y", "jake ", "JAKE", "u" * 500, '["user",null,"jake"]', "\ud83d"],
)
def test_a_hostile_user_id_is_only_another_user(user: str):
    mem = memory_system(episodic=True, semantic=True)
    with Fabric() as fabric:
        fabric.session("monday", user="jake").run(mem.capture, "I work at Stripe.")
        stranger = fabric.session("monday", user=user)
        assert list(stranger.run(mem.recall_block, "Stripe")) == []
        stranger.run(mem.capture, "I work at Globex.")
        assert [memory.content for memory in stranger.run(mem.recall_block)] == ["Works at Globex"]
        jake = fabric.session("monday", user="jake")
        assert [memory.content for memory in jake.run(mem.recall_block)] == ["Works at Stripe"]


@pytest.mark.parametrize("user", ["", "   ", 7, b"jake", "u" * 10_000])
def test_a_scope_that_is_none_is_refused_and_never_widened(user: Any):
    with Fabric() as fabric, pytest.raises(ScopeError, match="user"):
        fabric.session("monday", user=user)


def test_a_session_without_a_user_is_told_what_is_missing():
    mem = memory_system(episodic=True, semantic=True)
    with Fabric() as fabric, pytest.raises(ScopeError, match=r"no user.*user=\.\.\."):
        fabric.session("monday").run(mem.capture, "I work at Stripe.")


def test_a_project_shares_what_a_user_does_not():
    mem = memory_system(episodic={"scope": "project"}, semantic=True)
    with Fabric() as fabric:
        fabric.session("monday", user="alpha", project="apollo").run(mem.capture, "I work at Stripe.")
        colleague = fabric.session("tuesday", user="omega", project="apollo")
        outsider = fabric.session("tuesday", user="omega", project="gemini")
        assert [memory.content for memory in colleague.run(mem.recall_block)] == ["Works at Stripe"]
        assert list(outsider.run(mem.recall_block)) == []


def test_an_organisation_is_a_wall():
    mem = memory_system(episodic=True, semantic=True)
    with Fabric() as fabric:
        fabric.session("monday", user="jake", org="acme").run(mem.capture, "I work at Stripe.")
        assert list(fabric.session("monday", user="jake", org="globex").run(mem.recall_block)) == []
        assert list(fabric.session("monday", user="jake").run(mem.recall_block)) == []


def test_sessions_of_one_user_do_not_share_working_memory():
    mem = memory_system()
    with Fabric() as fabric:
        fabric.session("monday", user="jake").run(sequencer(name="s").then(mem.capture), "I work at Stripe.")
        assert list(fabric.session("tuesday", user="jake").run(mem.recall_block)) == []


def test_what_was_said_to_ones_own_memory_never_comes_into_that_of_the_project():
    own = memory_system(episodic=True, semantic=True, embedder=None, name="own")
    team = memory_system(episodic={"scope": "project"}, semantic=True, embedder=None, name="team")
    with Fabric() as fabric:
        session = fabric.session("monday", user="alpha", project="apollo")
        session.run(own.capture, "I am allergic to peanuts.")  # nobody answers
        session.run(chat_with(team), "I work at Stripe.")
        fabric.drain()
        colleague = fabric.session("monday", user="omega", project="apollo")
        assert [memory.content for memory in colleague.run(team.recall_block)] == ["Works at Stripe"]
        assert "peanuts" not in everything(colleague, team)
