"""What is forgotten while a run waits for its model is blanked in that run, whatever tool had returned it."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blocks.tools import memory_tools
from capabilities.mind import mind
from fabric import Context, Fabric, generator, handler
from fabric.models.base import Reply, Request, ToolCall
from fabric.testing import call
from pipelines import cognitive_memory, memory_system
from pipelines.server.verbs import verbs
from tests.stories.scripts import MemoryModel, chat_with, observation, open_memory
from tests.stories.test_forget import dump

MEM = memory_system(model=None, episodic=True, semantic=True)
MIND = mind(None, namespace="shared")
TOOLS = memory_tools(embedder=None)


class Interrupted:
    """A model that calls a tool, lets something happen before its answer (``at_once``: its call), and answers."""

    def __init__(self, *, at_once: bool = False) -> None:
        self.at_once = at_once
        self.requests: list[Request] = []
        self.script: list[ToolCall | str | Reply] = []
        self.meanwhile: Callable[[], Awaitable[Any]] | None = None

    async def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        if (self.at_once or request.messages[-1]["role"] == "tool") and self.meanwhile is not None:
            meanwhile, self.meanwhile = self.meanwhile, None
            await meanwhile()
        said = self.script.pop(0)
        if isinstance(said, Reply):
            return said
        calls = () if isinstance(said, str) else (said,)
        return Reply(said if isinstance(said, str) else "", calls, model=request.model)

    def stream(self, request: Request) -> Any:
        raise NotImplementedError


async def contents_only(question: str, ctx: Context) -> list[str]:
    """Recall, and show the words alone."""
    return [f"> {memory.content[:12]}" for memory in await MEM.recall(ctx, question, tiers=("semantic",))]


@handler(name="fills", uses=[MIND, TOOLS.capability, MEM.capability])
async def fills(_: object, ctx: Context) -> dict[str, str]:
    """Keep one row of each kind, and return their ids."""
    held = ctx.cap.mind
    return {
        "trace": (await ctx[TOOLS.traces].add("Takes Truvada at dawn")).trace.id,
        "thread trace": (await ctx[TOOLS.traces].add("Takes Descovy at dusk")).trace.id,
        "belief": (await held.believe("Trusts Doctor Bellweather")).id,
        "goal": (await held.set_goal("Stop taking Gabapentin")).id,
        "reflection": (await held.reflect("Never mention Rifampicin aloud")).id,
    }


CASES: tuple[tuple[str, str, dict[str, Any], str, str], ...] = (
    ("trace", "memory_search", {"query": "dawn"}, "Truvada", "Takes Truvada at dawn."),
    ("thread trace", "memory_search", {"query": "takes"}, "Descovy", "Takes Descovy at dusk."),
    (
        "belief",
        "mind_recall",
        {"query": "Whom does he trust, which doctor?", "threshold": 0},
        "Bellweather",
        "Trusts Doctor Bellweather.",
    ),
    ("goal", "mind_recall", {"query": "", "type": "goal"}, "Gabapentin", "Stop taking Gabapentin!"),
    (
        "reflection",
        "mind_recall",
        {"query": "what never to mention aloud", "threshold": 0},
        "Rifampicin",
        "Never mention Rifampicin aloud",
    ),
    ("semantic", "recall", {"query": "Where do I work?"}, "Frobisher", "Works at Frobisher."),
    ("turn", "context", {"query": "peanuts"}, "peanuts", "I am allergic to peanuts."),
    ("working", "recall", {"query": "Where do I live?", "kinds": ["working"]}, "Ljubljana", "Lives in Ljubljana."),
    ("shortened", "contents_only", {"question": "What is my job title?"}, "undertak", "Is an undertaker by trade."),
)


def test_what_a_tool_returned_is_blanked_when_its_row_is_forgotten_meanwhile(tmp_path: Any):
    path, model = tmp_path / "memory.duckdb", Interrupted()
    tools = [verb for verb in verbs(MEM) if verb.name in ("recall", "context")]
    chat: Any = generator(
        name="chat",
        model="test/m",
        history=True,
        uses=[MIND, TOOLS.capability, MEM.capability],
        tools=[*tools, contents_only],
    )

    async def forgets(fabric: Fabric, kind: str, ids: dict[str, str], word: str) -> None:
        other = fabric.session("other", user="jake")
        held = ids.get(kind)
        if held is None:
            filling = fabric.session("filling", user="jake")
            found = (
                await filling.arun(MEM.recall_block, {"tiers": [kind], "cue": word if kind == "turn" else None})
            ).output
            held = next(memory.id for memory in found if word in memory.content)
        assert (await other.arun(MEM.forget_block, {"id": held})).output.found

    async def tells() -> None:
        async with Fabric(path, models=model) as fabric:
            filling = fabric.session("filling", user="jake")
            ids = (await filling.arun(fills, None)).output
            for text in ("I work at Frobisher.", "I am allergic to peanuts.", "I live in Ljubljana."):
                await filling.arun(MEM.capture, text)
            await fabric.adrain()
            stated = await filling.arun(MEM.remember_block, {"content": "Is an undertaker by trade"})
            ids["shortened"] = stated.output.id
            for number, (kind, name, arguments, word, text) in enumerate(CASES):
                repeating = Reply(f"I know: {text}", (call("mind_recall", query="zebra"),))
                model.script = [call(name, f"c{number}", **arguments), repeating, "Ah."]
                before = len(model.requests)
                model.meanwhile = lambda kind=kind, word=word: forgets(fabric, kind, ids, word)
                await filling.arun(chat, "What do you know?")
                _, behind, after = model.requests[before:]
                assert word in str(behind.messages), kind  # the tool had returned it
                assert word not in str(after.messages), kind
                assert "[forgotten]" in str(after.messages), kind
                model.script = ["Hello."]
                await filling.arun(chat, "Hello?")
                assert word not in str(model.requests[-1].messages), kind

    asyncio.run(asyncio.wait_for(tells(), 60))
    stored = dump(path)
    assert [word for _, _, _, word, _ in CASES if word in stored] == []


@pytest.mark.parametrize("asked", [{"scope": "user"}, {"session": "monday"}])
def test_a_whole_scope_that_is_forgotten_meanwhile_leaves_nothing_in_the_next_prompt(asked: dict[str, str]):
    model = Interrupted()
    chat: Any = generator(name="chat", model="test/m", history=True, uses=[TOOLS.capability])

    @handler(name="adds", uses=[TOOLS.capability])
    async def adds(text: str, ctx: Context) -> None:
        await ctx[TOOLS.traces].add(text, scope="thread")

    async def tells() -> None:
        async with Fabric(models=model) as fabric:
            session, other = (fabric.session(name, user="jake") for name in ("monday", "other"))
            await session.arun(adds, "Takes HIV medication")
            model.script = ["I see."]
            await session.arun(chat, "My HIV test was fine.")
            model.script = [call("memory_search", query="medication"), call("memory_search", "c2", query="tea"), "Ah."]
            model.meanwhile = lambda: other.arun(MEM.forget_block, asked)
            await session.arun(chat, "What do you know?")
            assert "HIV" in str(model.requests[-2].messages)
            assert "HIV" not in str(model.requests[-1].messages)
            assert "HIV" not in str((await session.arun(MEM.export_block)).output)

    asyncio.run(asyncio.wait_for(tells(), 60))


def test_what_another_user_holds_with_the_same_words_stays():
    model = Interrupted()
    chat: Any = generator(name="chat", model="test/m", uses=[TOOLS.capability])

    @handler(name="adds", uses=[TOOLS.capability])
    async def adds(text: str, ctx: Context) -> str:
        return (await ctx[TOOLS.traces].add(text)).trace.id

    async def tells() -> None:
        async with Fabric(models=model) as fabric:
            jake, anna = (fabric.session("monday", user=name) for name in ("jake", "anna"))
            trace = (await jake.arun(adds, "Takes HIV medication")).output
            await anna.arun(adds, "Takes HIV medication")
            model.script = [call("memory_search", query="medication"), call("memory_search", "c2", query="tea"), "Ah."]
            model.meanwhile = lambda: jake.arun(MEM.forget_block, {"id": trace})
            await anna.arun(chat, "What do you know?")
            assert "HIV" in str(model.requests[-1].messages)

    asyncio.run(asyncio.wait_for(tells(), 60))


def test_what_is_forgotten_while_it_is_imported_does_not_come_in_behind():
    batches: list[int] = []

    async def embed(texts: Sequence[str]) -> Any:
        batches.append(len(texts))
        await asyncio.sleep(0)
        return np.tile(np.array([[0.6, 0.8]], np.float32), (len(texts), 1))

    memory = memory_system(model=None, episodic=True, semantic=True, embedder=embed)
    said = {"session": "old", "role": "user", "said_at": "2024-01-01T00:00:00Z"}
    turns = [{**said, "text": f"Jupiter {number}"} for number in range(2_100)]

    async def tells() -> None:
        async with Fabric() as fabric:
            session = fabric.session("monday", user="jake")
            importing = asyncio.ensure_future(session.arun(memory.import_block, turns))
            while not batches:  # it may be embedded on another loop
                await asyncio.sleep(0.001)
            other = fabric.session("tuesday", user="jake")
            forgotten = (await other.arun(memory.forget_block, {"session": "old"})).output
            assert (await importing).output.imported == forgotten.removed["kept turns"] == len(turns)
            assert not [record for record in memory.export(session) if record["kind"] == "turn"]

    asyncio.run(asyncio.wait_for(tells(), 60))


def test_a_capture_whose_session_is_forgotten_while_it_runs_ends_without_a_warning(capsys: pytest.CaptureFixture[str]):
    def forgets(_: Request) -> list[dict[str, Any]]:
        forgetting = threading.Thread(target=lambda: session.run(mem.forget_block, {"session": "monday"}))
        forgetting.start()
        forgetting.join()
        return [observation("Works at Stripe")]

    fabric, mem = open_memory(MemoryModel(forgets))
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(chat_with(mem), "I work at Stripe.")
        fabric.drain()
        assert [row for row in session.run(mem.export_block).output if row["kind"] == "fact"] == []
    printed = "".join(capsys.readouterr())
    assert "background work failed" not in printed


async def test_of_a_turn_that_is_forgotten_while_a_model_is_asked_nothing_is_kept(tmp_path: Path):
    """Neither what a tool is to keep of it, nor what a step encodes once the model has told what it holds."""
    remembering = cognitive_memory(model="m", embedder=None, consolidation=None)
    calls = [
        call("create_reminder", content="Take Truvada", at="tomorrow at 9"),
        call("memory_add", content="Takes Truvada", type="semantic", scope="user"),
        call("notes_write", text="# takes Truvada"),
        None,
    ]
    reply = generator(
        name="reply",
        model="m",
        uses=[remembering.prospective.presets(tools=True), remembering.notes, remembering.tools.capability],
    )
    for number, asked in enumerate(calls):
        model, path = Interrupted(at_once=True), tmp_path / f"{number}.duckdb"
        model.script = ["{}"] * 3 if asked is None else [asked, "Done."]
        async with Fabric(path, models=model) as fabric:
            session = fabric.session("monday", user="jake")

            async def forget(session: Any = session) -> None:
                assert (await session.arun(MEM.forget_block, {"id": session.items[-1].id})).output.found

            model.meanwhile = forget
            await session.arun(remembering.encode if asked is None else reply, "I take Truvada at dawn")
            assert model.meanwhile is None
        assert "Truvada" not in dump(path)


@pytest.mark.parametrize(
    ("asked", "by"), [({"scope": "user"}, "monday"), ({"scope": "user"}, "tuesday"), ({"session": "monday"}, "tuesday")]
)
async def test_of_what_a_witness_tells_nothing_is_kept_once_the_user_is_forgotten(
    asked: dict[str, Any], by: str, tmp_path: Path
):
    """What a step is given, and no message, is of the session that it runs in."""
    mem, model, path = cognitive_memory(model="m", embedder=None), Interrupted(at_once=True), tmp_path / "m.duckdb"
    model.script = ['{"memories": ["I took Truvada."]}']
    event = {"id": "dawn", "content": "Jake takes Truvada at dawn", "importance": 0.9}
    async with Fabric(path, models=model) as fabric:
        session = fabric.session("monday", user="jake")
        await session.arun(MEM.capture, "I like tea.")

        async def forget() -> None:
            assert (await fabric.session(by, user="jake").arun(MEM.forget_block, asked)).output.found

        model.meanwhile = forget
        (told,) = (await session.arun(mem.witness, {"events": [event], "witness": {"name": "Jake"}})).output
        assert (told.trace_id, told.is_perspective) == ("", False)
        assert told.reason == "its session was forgotten meanwhile: nothing is kept of it"
    assert "Truvada" not in dump(path)
