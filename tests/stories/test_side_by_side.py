"""Several memory systems in one pipeline: each takes in the same messages, and keeps, recalls and forgets by itself."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from blocks.reembed import reembed_file
from capabilities.keys import key_of
from capabilities.memory.layout import MemoryLayout
from fabric import Context, Fabric, handler, sequencer
from fabric.sessions.session import Session
from fabric.testing import FrozenClock
from pipelines import memory_system
from pipelines.checkup import check_up
from pipelines.system import MemorySystem
from tests.fabric.embedding.fakes import HashEmbedder

SHARED: dict[str, Any] = {"model": None, "semantic": True, "embedder": None}
TEAM = memory_system(name="team", episodic={"scope": "project"}, **SHARED)
ME = memory_system(name="me", episodic=True, **SHARED)
CHAT = handler(lambda _: "Fine.", name="chat")
BOTH = sequencer(name="both").then(CHAT).work(TEAM.capture_from_items).work(ME.capture_from_items)


@pytest.fixture
def fabric() -> Iterator[Fabric]:
    with Fabric(clock=FrozenClock()) as opened:
        yield opened


def session_of(fabric: Fabric, user: str, session: str = "") -> Session:
    return fabric.session(session or f"of-{user}", user=user, project="boat")


def say(fabric: Fabric, session: Session, *texts: str) -> None:
    for text in texts:
        session.run(BOTH, text)
    fabric.drain()


def facts(session: Session, mem: MemorySystem) -> set[str]:
    """Return what the current facts of one system say, as its session can read them."""
    layout: MemoryLayout = mem.layout
    semantic = layout.semantic
    assert semantic is not None

    @handler(name="facts", uses=[semantic])
    async def read(_: object, ctx: Context) -> set[str]:
        found = await ctx.transact(lambda tx: tx.find(semantic))
        return {fact.content for fact in found if fact.status == "current"}

    read_out: set[str] = session.run(read, None).output
    return read_out


def told(fabric: Fabric) -> str:
    """Return all that any scope of the file holds, as one text."""

    def read(rows: Any) -> str:
        held = (rows.scan(owner, table) for owner in rows.owners() for table in rows.tables())
        return "\n".join(str(row) for some in held for row in some)

    return fabric.store.transact_sync(read)


def test_each_takes_in_the_same_message_and_is_recalled_by_itself(fabric: Fabric):
    anna, bob = session_of(fabric, "anna"), session_of(fabric, "bob")
    say(fabric, anna, "I live in Oslo.")
    assert (facts(anna, TEAM), facts(anna, ME)) == ({"Lives in Oslo"}, {"Lives in Oslo"})
    assert (facts(bob, TEAM), facts(bob, ME)) == ({"Lives in Oslo"}, set())
    anna.run(ME.remember_block, "Is allergic to peanuts")
    assert "peanuts" in anna.run(ME.recall_block, "what am I allergic to?").output[0].content
    assert "peanuts" not in str(anna.run(TEAM.recall_block, "what is Anna allergic to?").output)

    @handler(name="asking", uses=[TEAM.capability, ME.capability])
    async def asking(_: object, ctx: Context) -> tuple[str, str, int]:
        entries = await ctx.cap.me_working_memory.items()
        return await ctx.cap.team.context(), await ctx.cap.me.context(), len(entries)

    of_team, mine, entries = anna.run(asking, None).output
    assert ("peanuts" in of_team, "peanuts" in mine, entries) == (False, True, 1)
    assert ('title="memory: team"' in of_team, 'title="memory: me"' in mine) == (True, True)
    exported = [record for record in ME.export(anna) if record["kind"] == "fact"]
    assert sorted(record["memory"] for record in exported) == ["me", "me", "team"]
    for record in exported:  # an id says enough, whichever system is asked
        found = anna.run(ME.why_block, record["id"]).output
        assert (found.tier, found.content) == ("semantic", record["content"])
        assert found.evidence[0].text


def test_consolidation_and_what_was_taken_in_are_each_systems_own(fabric: Fabric):
    anna = session_of(fabric, "anna")
    say(fabric, anna, "I live in Oslo.")
    anna.run(ME.consolidate, {"force": True})
    episodes = {record["memory"]: record["consolidated"] for record in ME.export(anna) if record["kind"] == "episode"}
    assert episodes == {"me": True, "team": False}
    alone = sequencer(name="alone").then(CHAT).work(ME.capture_from_items)
    anna.run(alone, "I work at Stripe.")
    fabric.drain()
    assert (facts(anna, TEAM), facts(anna, ME)) == ({"Lives in Oslo"}, {"Lives in Oslo", "Works at Stripe"})
    assert anna.run(ME.prune, {"force": True}).output.removed == 0


def test_what_is_forgotten_in_one_system_goes_with_its_words_from_the_other(fabric: Fabric):
    anna, bob = session_of(fabric, "anna"), session_of(fabric, "bob")
    say(fabric, anna, "I live in Oslo.", "I work at Stripe.")
    say(fabric, bob, "I work at Google.")
    anna.run(ME.remember_block, "Likes tea")
    known = [record for record in ME.export(anna) if record["kind"] == "fact"]
    (home,) = [record for record in known if "Oslo" in record["content"] and record["memory"] == "me"]
    preview = anna.run(ME.forget_block, {"id": home["id"], "preview": True}).output
    receipt = anna.run(ME.forget_block, {"id": home["id"]}).output
    assert receipt.removed == preview.removed
    assert (receipt.removed["facts"], receipt.removed["kept turns"], receipt.left) == (2, 4, {})
    assert "Oslo" not in told(fabric)
    assert facts(anna, TEAM) == {"Works at Stripe", "Works at Google"}
    # Through the team's memory Bob takes what Anna said there, with its words her own copy, and nothing else of hers.
    (work,) = [record for record in TEAM.export(bob) if record["kind"] == "fact" and "Stripe" in record["content"]]
    bob.run(TEAM.forget_block, {"id": work["id"]})
    assert "Stripe" not in told(fabric)
    assert (facts(anna, ME), facts(bob, ME)) == ({"Likes tea"}, {"Works at Google"})


def test_forgetting_a_session_takes_it_out_of_both_and_a_user_stays_in_neither(fabric: Fabric):
    monday, friday = session_of(fabric, "anna", "monday"), session_of(fabric, "anna", "friday")
    say(fabric, monday, "I live in Oslo.")
    say(fabric, friday, "I live in Bergen now.")
    assert (facts(monday, TEAM), facts(monday, ME)) == ({"Lives in Bergen"}, {"Lives in Bergen"})
    monday.run(ME.forget_block, {"session": "friday"})
    assert "Bergen" not in told(fabric)
    assert (facts(monday, TEAM), facts(monday, ME)) == ({"Lives in Oslo"}, {"Lives in Oslo"})
    monday.run(ME.forget_block, {"scope": "user"})
    assert "Oslo" not in told(fabric)


def test_a_file_tells_the_systems_that_it_holds(tmp_path: Path):
    file = tmp_path / "memory.duckdb"
    with Fabric(file, clock=FrozenClock()) as fabric:
        anna = session_of(fabric, "anna")
        say(fabric, anna, "I live in Oslo.")
        assert "Oslo" in anna.run(TEAM.recall_block, "where does Anna live?").output[0].content
    found = {finding.check: finding for finding in check_up(file, embedder="none")}
    assert not [finding for finding in found.values() if finding.state == "problem"]
    assert found["sources"].found.startswith("4 memories with their turns and versions")
    assert not found["index"].mend
    with Fabric(file) as fabric:  # where nobody declared them yet
        layout = memory_system(episodic=True, semantic=True, embedder=HashEmbedder()).layout
        assert fabric.call(reembed_file(layout, fabric.store)).embedded == 8


def test_names_that_are_no_keys_have_a_form_that_is_one():
    odd = ["Team", "team", "TEAM", "team a", "team-a", "2", "日本", "", "memory ", "x" * 80, "a__b", "turns"]
    keys = [key_of("episodic_memory", name) for name in odd]
    assert len({*keys}) == len(odd)
    assert all(key.isidentifier() and key.isascii() and key == key.lower() and len(key) <= 63 for key in keys)
    assert key_of("turns", "memory") == "turns"
