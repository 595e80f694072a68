"""A user forgotten after a month leaves nothing: in no buffer, note, archive, graph, community, reminder, or log."""

from pathlib import Path
from typing import Any

from fabric import Context, Fabric, handler
from fabric.testing import FrozenClock, ScriptedModel
from pipelines import cognitive_memory, memory_system
from tests.stories.month import PEOPLE, TOPICS, Month
from tests.stories.month_life import MIND, TURN, Present
from tests.stories.month_model import answers
from tests.stories.test_forget import dump
from tests.stub_server.server import Received

MEM = memory_system(model=None, episodic=True, semantic=True, embedder=None)
GRAPH = cognitive_memory(embedder=None).communities
"""By rules."""
MONTH = Month(13)
KINDS = {
    "archive access",
    "archived trace",
    "cognitive consolidation",
    "community",
    "document",
    "heard message",
    "intention",
    "memory graph",
    "observation",
    "trace",
    "trace edge",
}
WORDS = (*PEOPLE, *TOPICS, "Say0", "Reply0", "Gist", "pricing", "devastated", "Oslo", "water", "bins")


@handler(name="after", uses=[MIND.capability])
async def after(archived: list[str], ctx: Context) -> None:
    """Ask for what was archived, and write notes."""
    for one in archived:
        assert await ctx.cap.cognitive.rehydrate(one)
    await ctx.cap.cognitive.write_notes("# Jake\n- Rosalind sings in the choir")


def kinds(session: Any) -> set[str]:
    """Return of which kinds an export holds anything."""
    return {record["kind"] for record in session.run(MEM.export_block).output}


def test_a_user_who_is_forgotten_after_a_month_leaves_no_word_of_it(tmp_path: Path):
    path, clock, model = tmp_path / "month.duckdb", FrozenClock(), answers(MONTH)
    Present.month = MONTH
    asked = ScriptedModel(lambda one: model(Received("", {}, {"messages": list(one.messages)})).content)
    with Fabric(path, clock=clock, models=asked) as fabric:
        for number in range(MONTH.turns):
            Present.number = number
            clock.set(MONTH.moment(number))
            session = fabric.session(MONTH.session(number), user="jake", agent="bot")
            session.run(TURN, MONTH.message(number))
            fabric.drain()
        exported = session.run(MEM.export_block).output
        session.run(after, [one["id"] for one in exported if one["kind"] == "archived trace"])
        assert session.run(GRAPH.build, None).output.communities > 0
        ann = fabric.session("monday", user="ann", agent="bot")
        ann.run(MIND.encode, "Yrsa keeps bees in Lima")
        assert kinds(session) >= KINDS
        given = str(session.run(MEM.export_block).output)
        assert sum(word in given for word in WORDS) > 15
        assert session.run(MEM.forget_block, {"scope": "user"}).output.found
        fabric.drain()
        assert kinds(session) == set()
        assert kinds(ann) == {"item", "trace"}
    text = dump(path)
    assert [word for word in WORDS if word in text] == []
    assert "Yrsa" in text
