"""Forgetting follows links: whatever was drawn from a forgotten row goes with it, wherever it is kept."""

import asyncio
import threading
from typing import Any

import pytest

from blocks.tools import memory_tools
from capabilities.mind import mind
from capabilities.mind.store import mind_collections
from capabilities.mind.writing.draft import DraftOperation
from fabric import Context, Fabric, generator, handler, sequencer
from fabric.errors import ModelUnavailableError
from fabric.models.base import Reply, Request
from fabric.testing import ScriptedModel, call
from pipelines import Memory, memory_system
from tests.stories.scripts import MemoryModel, chat_with, observation, open_memory, outcomes
from tests.stories.test_forget import dump

MEM = memory_system(model=None, episodic=True, semantic=True)
MIND = mind(None)
TOOLS = memory_tools(embedder=None)


@handler(name="believes", uses=[MIND])
async def believes(text: str, ctx: Context) -> str:
    return (await ctx.cap.mind.believe(text)).id


@handler(name="adds", uses=[TOOLS.capability])
async def adds(text: str, ctx: Context) -> str:
    return (await ctx[TOOLS.traces].add(text)).trace.id


@handler(name="merges", uses=[TOOLS.capability])
async def merges(asked: dict[str, Any], ctx: Context) -> str:
    return (await ctx[TOOLS.traces].merge(asked["ids"], content=asked.get("content"))).merged_trace_id


def test_a_draft_that_a_killed_run_left_does_not_bring_a_forgotten_belief_back(tmp_path: Any):
    path = tmp_path / "memory.duckdb"
    with Fabric(path) as fabric:
        session = fabric.session("monday", user="jake")
        belief = session.run(believes, "Takes HIV medication").output

        @handler(name="leaves-a-draft", uses=[MIND])
        async def leaves(_: object, ctx: Context) -> None:
            drafts = mind_collections("user").drafts

            def work(tx: Any) -> None:
                held = tx.get(mind_collections("user").beliefs, belief)
                shared: Any = {"namespace": held.namespace, "run": "mrun_dead", "made_at": held.created_at}
                update = DraftOperation(id="d1", target=belief, type="belief", action="update", entry=held, **shared)
                tx.put(drafts, [update])

            await ctx.transact(work)

        session.run(leaves, None)
        assert session.run(MEM.forget_block, {"id": belief}).output.found
        session.run(believes, "Something else entirely")
        assert "HIV" not in str(session.run(MEM.export_block).output)
    assert "HIV" not in dump(path)


@pytest.mark.parametrize("kind", ["belief", "trace"])
def test_the_tool_call_that_wrote_it_and_its_result_go_too(tmp_path: Any, kind: str):
    path = tmp_path / "memory.duckdb"
    said = "Takes HIV medication"
    asked = call("mind_believe", content=said) if kind == "belief" else call("memory_add", content=said)
    model = ScriptedModel([asked, "Noted.", call("memory_search", query="medication"), "I see.", "Hello again."])
    chat: Any = generator(name="chat", model="test/m", history=True, uses=[MIND, TOOLS.capability])
    with Fabric(path, models=model) as fabric:
        session = fabric.session("monday", user="jake")
        session.run(chat, "Keep in mind what I told you.")
        session.run(chat, "What do you know?")
        held = [record for record in session.run(MEM.export_block).output if record["kind"] == kind]
        assert session.run(MEM.forget_block, {"id": held[0]["id"]}).output.found
        assert "HIV" not in str(session.run(MEM.export_block).output)
        session.run(chat, "Hello?")
        assert "HIV" not in str(model.requests[-1].messages)
    assert "HIV" not in dump(path)


def test_an_insight_is_not_written_when_its_sources_went_while_the_model_was_asked(tmp_path: Any):
    path = tmp_path / "memory.duckdb"
    going, gone = asyncio.Event(), asyncio.Event()
    texts = [f"Takes HIV pill {name}" for name in ("one", "two", "three", "four", "five")]
    traces = TOOLS.traces

    async def derive(_: Any) -> str:
        going.set()
        await gone.wait()
        return "The user lives with HIV"

    @handler(name="reflects", uses=[TOOLS.capability])
    async def reflects(_: object, ctx: Context) -> int:
        return (await ctx[traces].reflect(derive)).derived

    @handler(name="prepares", uses=[TOOLS.capability])
    async def prepares(_: object, ctx: Context) -> None:
        for text in texts:
            done = await ctx[traces].add(text)
            await ctx[traces].feedback(done.trace.id, "used", "which pills?")

    async def both() -> None:
        async with Fabric(path) as fabric:
            session = fabric.session("monday", user="jake")
            await session.arun(prepares, None)
            reflecting = asyncio.create_task(session.arun(reflects, None))
            await going.wait()
            await fabric.session("other", user="jake").arun(MEM.forget_block, {"scope": "user"})
            gone.set()
            assert (await reflecting).output == 0

    asyncio.run(asyncio.wait_for(both(), 30))
    assert "HIV" not in dump(path)


@pytest.mark.parametrize("scope", ["agent", "org", "project"])
def test_a_mind_of_every_scope_that_the_ids_open_is_forgotten_and_exported(scope: Any):
    shared = mind(None, scope=scope)

    @handler(name="believes-there", uses=[shared])
    async def believes_there(text: str, ctx: Context) -> str:
        return (await ctx.cap.mind.believe(text)).id

    with Fabric() as fabric:
        session = fabric.session("monday", user="jake", agent="bot", org="acme", project="p")
        belief = session.run(believes_there, "Takes HIV medication").output
        assert "HIV" in str(session.run(MEM.export_block).output)
        assert session.run(MEM.why_block, belief).output is not None
        assert session.run(MEM.forget_block, {"id": belief}).output.removed["beliefs"] == 1
        assert "HIV" not in str(session.run(MEM.export_block).output)


def test_a_trace_of_the_organization_is_forgotten_and_exported():
    @handler(name="adds-there", uses=[TOOLS.capability])
    async def adds_there(text: str, ctx: Context) -> str:
        return (await ctx[TOOLS.traces].add(text, scope="organization")).trace.id

    with Fabric() as fabric:
        session = fabric.session("monday", user="jake", org="acme")
        trace = session.run(adds_there, "Takes HIV medication").output
        assert "HIV" in str(session.run(MEM.export_block).output)
        assert session.run(MEM.forget_block, {"id": trace}).output.removed["traces"] == 1
        assert "HIV" not in str(session.run(MEM.export_block).output)


def test_a_mind_deletes_its_own_entries_for_good():
    @handler(name="erases", uses=[MIND])
    async def erases(belief: str, ctx: Context) -> bool:
        erased: bool = await ctx.cap.mind.erase(belief)
        return erased

    with Fabric() as fabric:
        session = fabric.session("monday", user="jake", agent="bot")
        belief = session.run(believes, "Takes HIV medication").output
        assert session.run(erases, belief).output
        assert not session.run(erases, belief).output
        assert "HIV" not in str(
            [record for record in session.run(MEM.export_block).output if record["kind"] == "belief"]
        )


@pytest.mark.parametrize("forgotten", ["source", "merged"])
def test_a_merged_copy_goes_with_its_source_and_a_source_with_its_copy(tmp_path: Any, forgotten: str):
    path = tmp_path / "memory.duckdb"
    with Fabric(path) as fabric:
        session = fabric.session("monday", user="jake")
        first, second = (session.run(adds, text).output for text in ("Takes HIV medication", "Sees Dr. Weber"))
        other = session.run(adds, "Likes jazz").output
        merged = session.run(merges, {"ids": [first, second]}).output
        receipt = session.run(MEM.forget_block, {"id": first if forgotten == "source" else merged}).output
        assert receipt.removed["traces"] >= 2
        assert session.run(MEM.why_block, merged).output is None
        assert session.run(MEM.why_block, other).output is not None
    assert "HIV" not in dump(path)


def test_forgetting_a_session_takes_its_turns_and_what_rests_on_them_alone(tmp_path: Any):
    path = tmp_path / "memory.duckdb"
    with Memory(path, user="jake") as memory:
        memory.capture("I live in Porto.", session="a")
        memory.capture("I take HIV medication. I live in Porto.", session="b")
        memory.remember("Takes HIV medication", session="b")
        memory.wait()
        preview = memory.forget(session="b", preview=True)
        assert preview.found
        assert len(memory.recall("HIV medication", tiers=["turn"])) >= 1
        receipt = memory.forget(session="b")
        assert receipt.removed == preview.removed
        (fact,) = [recalled for recalled in memory.recall(tiers=["semantic"]) if "Porto" in recalled.content]
        assert receipt.stays["fact"] == [fact.id]
        assert "HIV" not in str(list(memory.export()))
        assert not memory.forget(session="b").found
    assert "HIV" not in dump(path)


def test_forgetting_a_tag_takes_what_was_filed_there(tmp_path: Any):
    path = tmp_path / "memory.duckdb"
    with Memory(path, user="jake") as memory:
        memory.capture("I live in Porto.", tags=["home"])
        memory.capture("I take HIV medication.", tags=["health"])
        memory.remember("Takes HIV medication", tags=["health"])
        memory.wait()
        assert memory.forget(tag="Health").found
        assert "HIV" not in str(list(memory.export()))
        assert "Porto" in str(list(memory.export()))
    assert "HIV" not in dump(path)


def test_why_answers_for_every_kind_of_memory():
    chat: Any = generator(name="chat", model="test/m", uses=[MIND, TOOLS.capability])
    calls = [
        call("mind_believe", "c1", content="Works at Stripe"),
        call("mind_set_goal", "c2", description="Find a flat"),
        call("mind_reflect", "c3", content="Ask before acting"),
        call("memory_add", "c4", content="Prefers tea"),
    ]
    with Fabric(models=ScriptedModel([calls, "Done."])) as fabric:
        session = fabric.session("monday", user="jake")
        session.run(chat, "Remember all of this.")
        held = {record["kind"]: record["id"] for record in session.run(MEM.export_block).output}
        for kind in ("belief", "goal", "reflection", "trace"):
            found = session.run(MEM.why_block, held[kind]).output
            assert (found.tier, [one.text for one in found.evidence]) == (kind, ["Remember all of this."])
            assert found.made_by


def test_a_refused_merge_leaves_nothing_of_a_forgotten_fact(tmp_path: Any):
    path = str(tmp_path / "memory.duckdb")

    model = MemoryModel([observation("Takes HIV medication", category="attribute")], [observation("Likes jazz")])
    fabric, mem = open_memory(model, path)
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(chat_with(mem), "I take HIV medication")
        session.run(chat_with(mem), "I like jazz")
        fabric.drain()
        facts = [memory for memory in session.run(mem.recall_block, {"tiers": ["semantic"]}) if "HIV" in memory.content]
        ids = [facts[0].id, "sf_unknown"]
        merge = {"sourceFactIds": ids, "mergedContent": "Takes HIV medication daily", "reason": "same"}
        model.prunes.append({"removals": [], "merges": [merge]})
        tidying: Any = sequencer(name="tidying").work(lambda _: {"force": True}, mem.prune)
        session.run(tidying, "tidy up")
        fabric.drain()
        assert any("HIV" in outcome["content"] for outcome in outcomes(session))
        session.run(mem.forget_block, {"id": facts[0].id})
        assert "HIV" not in str(session.run(mem.export_block).output)
    assert "HIV" not in dump(path)


class Slow:
    """A model that says when it was asked, and answers when it is told to."""

    def __init__(self, text: str) -> None:
        self.said, self.asked, self.go = text, threading.Event(), threading.Event()

    async def complete(self, request: Request) -> Reply:
        self.asked.set()
        await asyncio.to_thread(self.go.wait, 20)
        return Reply(self.said, model=request.model)

    def stream(self, request: Request) -> Any:
        raise NotImplementedError


def test_a_run_under_way_stores_nothing_of_a_turn_that_was_forgotten_meanwhile(tmp_path: Any):
    path, model = tmp_path / "memory.duckdb", Slow("So you take HIV medication.")
    chat: Any = sequencer(name="talking").then(generator(name="chat", model="test/m")).work(MEM.capture_from_items)

    async def both() -> None:
        async with Fabric(path, models=model) as fabric:
            session = fabric.session("monday", user="jake")
            running = asyncio.create_task(session.arun(chat, "I take HIV medication."))
            await asyncio.to_thread(model.asked.wait, 20)
            await asyncio.sleep(0.2)  # by then the message is stored
            (message,) = session.items
            other = fabric.session("other", user="jake")
            assert (await other.arun(MEM.forget_block, {"id": message.id})).output.found
            model.go.set()
            await running
            await fabric.adrain()
            assert "HIV" not in str((await other.arun(MEM.export_block)).output)

    asyncio.run(both())
    assert "HIV" not in dump(path)


def test_work_that_waits_on_another_turn_with_the_same_answer_stays():
    model = MemoryModel([observation("Works at Stripe")], ModelUnavailableError("down"), [observation("Plays chess")])
    fabric, mem = open_memory(model)
    answer = handler(lambda _: "I will keep that in mind.", name="chat")
    chat: Any = sequencer(name="chat-with-memory").then(answer).work(mem.capture_from_items)
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(chat, "I work at Stripe", turn_id="first")
        fabric.drain()
        session.run(chat, "I play chess", turn_id="second")
        (waiting,) = fabric.drain()
        (fact,) = [memory for memory in session.run(mem.recall_block) if memory.content == "Works at Stripe"]
        assert session.run(mem.forget_block, {"id": fact.id}).output.found
        assert [job.id for job in fabric.jobs()] == [waiting.id]
        assert session.run(chat, "I play chess", turn_id="second").output == "I will keep that in mind."
        fabric.retry(waiting)
        assert fabric.drain() == []
        assert [memory.content for memory in session.run(mem.recall_block)] == ["Plays chess"]


def test_work_that_waits_on_what_was_said_of_somebody_else_stays():
    chess = observation("Likes chess", subject="tom", category="preference")
    again, works = {**chess, "subject": "ann"}, observation("Works at Stripe")
    fabric, mem = open_memory(MemoryModel([chess], ModelUnavailableError("down"), [again], [works]))
    silent: Any = sequencer(name="silent").then(handler(lambda _: "", name="chat")).work(mem.capture_from_items)
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(silent, "My friend Tom likes chess")
        fabric.drain()
        session.run(silent, "My friend Ann likes chess")
        session.run(silent, "I work at Stripe")  # brings along what nobody answered
        assert len(fabric.drain()) == 2
        (fact,) = [one for one in session.run(mem.recall_block) if one.subject == "tom" and one.source == "semantic"]
        session.run(mem.forget_block, {"id": fact.id})
        assert len(fabric.jobs()) == 2
        fabric.retry_all()
        assert fabric.drain() == []
        found = {(fact.subject, fact.content) for fact in session.run(mem.recall_block)}
        assert found == {("ann", "Likes chess"), ("user", "Works at Stripe")}


def test_what_was_forgotten_while_a_later_turn_was_read_does_not_come_back(tmp_path: Any):
    path = tmp_path / "memory.duckdb"

    def forgets(_: Request) -> list[dict[str, Any]]:
        forgetting = threading.Thread(target=lambda: session.run(mem.forget_block, {"id": outside.id}))
        forgetting.start()
        forgetting.join()
        return [observation("Lives in Oslo", category="identity"), observation("Works at Stripe")]

    fabric, mem = open_memory(MemoryModel(forgets), str(path))
    with fabric:
        session = fabric.session("monday", user="jake")
        (outside,) = session.add_messages([{"role": "user", "content": "I live in Oslo."}])
        session.run(chat_with(mem), "I work at Stripe.")
        assert fabric.drain() == []
        assert [memory.content for memory in session.run(mem.recall_block)] == ["Works at Stripe"]
    assert "Oslo" not in dump(path)
