"""The spans of a whole memory: the work behind a turn is below it, and no span holds what was said or remembered."""

from pathlib import Path

from opentelemetry.trace import StatusCode

from fabric import Fabric, generator, sequencer
from fabric.models.base import Request
from fabric.testing import ScriptedModel, call
from pipelines import Memory, memory_system, mind
from tests.fabric.recorded import Spans, attributes, recording, said

USER = "zoe.quill@example.org"
WORDS = ("zoe", "quill", "stripe", "joined", "lisbon", "sister", "tsmc", "booked", "tangerine")


def answers(request: Request) -> object:
    """Believe something, once, then answer."""
    if any(message.get("role") == "tool" for message in request.messages):
        return "Lisbon is lovely, and so is Stripe."
    return call("mind_believe", content="TSMC is booked for Q2", confidence="high")


def quiet(spans: Spans) -> None:
    text = said(spans).lower()
    assert [word for word in WORDS if word in text] == []


def test_a_turn_with_its_memory_is_one_trace_that_quotes_nothing(tmp_path: Path):
    mem = memory_system(model=None, episodic=True, semantic=True, embedder=None)
    chat = generator(name="chat", model="openai/gpt-5", uses=[mem.capability, mind(embedder=None)], history=True)
    talk = sequencer(name="talk").then(chat).work(mem.capture_from_items)
    with recording() as spans, Fabric(tmp_path / "f.duckdb", models=ScriptedModel(answers)) as fabric:
        session = fabric.session("monday", user=USER)
        session.run(talk, "I joined Stripe last month, and my sister lives in Lisbon.")
        fabric.drain()
        found = session.run(mem.recall_block, "where do I work?").output
    assert any("Stripe" in memory.content for memory in found)
    names = [span.name for span in spans.all]
    assert {"invoke_agent chat", "chat gpt-5", "execute_tool mind_believe"} <= set(names)
    (job,) = [span for span in spans.all if span.name.startswith("job ")]
    assert spans.path(job)[:2] == ["run talk", "sequencer talk"]
    assert {spans.path(span)[0] for span in spans.all} == {"run talk", f"run {mem.recall_block.name}"}
    assert {span.status.status_code for span in spans.all} == {StatusCode.UNSET}
    quiet(spans)


def test_a_memory_without_a_pipeline_is_traced_and_quotes_nothing(tmp_path: Path):
    with recording() as spans, Memory(tmp_path / "f.duckdb", user=USER) as memory:
        memory.remember("The password of the house is tangerine.")
        memory.capture([{"role": "user", "content": "My sister lives in Lisbon."}])
        assert memory.recall("where does my sister live?")
        list(memory.export())
        memory.forget(memory.recall("tangerine")[0].id)
    assert len([span for span in spans.all if span.name.startswith("run ")]) >= 5
    assert all(attributes(span)["gen_ai.conversation.id"] for span in spans.all)
    quiet(spans)
