"""Why: every id that the product prints can be explained, with who wrote it and what became of it."""

from fabric import Fabric
from pipelines import memory_system
from tests.stories.scripts import chat_with


def test_every_exported_memory_can_be_explained_with_its_turn_its_writer_and_its_versions():
    mem = memory_system(episodic=True, semantic=True)
    with Fabric() as fabric:
        session = fabric.session("monday", user="jake")
        for said in ("I work at Google.", "I joined Stripe last week."):
            session.run(chat_with(mem), said)
        fabric.drain()
        exported = session.run(mem.export_block).output
        for record in [record for record in exported if record["kind"] in ("fact", "episode", "working", "turn")]:
            why = session.run(mem.why_block, record["id"]).output
            assert why.content == record.get("content", record.get("text"))
            assert why.evidence[0].text
            if record["kind"] != "turn":
                assert why.made_by == "chat-with-memory > memory/capture-from-items > memory/reflect"
                assert [version.status for version in why.history] == ["superseded", "current"]
        assert session.run(mem.why_block, "sf_unknown").output is None
