"""One recall over all: facts, turns, traces and what agents keep in mind, each marked by where it comes from."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from blocks.tools import memory_tools
from capabilities.mind import mind
from fabric import Context, Fabric, handler
from fabric.flow.capability import Capability
from fabric.scope import ScopeIds
from pipelines import Memory, cognitive_memory, memory_system
from pipelines.server.offer import offer

MEM = memory_system(model=None, episodic=True, semantic=True)
THOUGHTS = cognitive_memory()
CUE = "the trip to Japan"
GOAL = "Book the trip to Japan"
BELIEF = "A trip to Japan needs no visa"
RULE = "Compare the fares before a trip to Japan is booked"
NOTED = "Rail passes pay off on a trip to Japan of two weeks"
FELT = "The trip to Japan must avoid the rainy season"
SAID = "Mum gave us a map for the trip to Japan."
WROTE = "Likes to plan the trip to Japan day by day"
FACT = "Takes a trip to Japan with Ruth in May"
KEPT = {GOAL: "goal", BELIEF: "belief", RULE: "reflection", NOTED: "trace", FELT: "trace", WROTE: "note"}


def run(fabric: Fabric, work: Callable[[Context], Awaitable[Any]], **ids: str) -> Any:
    """Return what a block of an agent with a memory, traces and a mind returns."""
    uses: list[Capability[Any]] = [MEM.capability.presets(context=False), THOUGHTS.capability, THOUGHTS.traces, mind()]
    who = {"session": "monday", "user": "jake", **ids}
    return fabric.session(**who).run(handler(work, name="tracker", uses=uses)).output


async def think(ctx: Context) -> None:
    """Keep a goal, a belief, a reflection, and a trace of either kind."""
    await ctx.cap.mind.set_goal(GOAL)
    await ctx.cap.mind.believe(BELIEF)
    await ctx.cap.mind.reflect(RULE)
    await ctx[THOUGHTS.traces].add(NOTED, tags=["rail"])
    await ctx.cap.cognitive.encode(FELT)
    await ctx.cap.cognitive.write_notes(f"# About Jake\n\n- {WROTE}\n- Drinks tea")


def marked(found: list[Any]) -> dict[str, str]:
    return {memory.content: memory.source for memory in found}


async def look(ctx: Context) -> dict[str, str]:
    """Return what is recalled, with where each is from."""
    return marked(await ctx.cap.memory.recall(CUE, limit=20))


def test_one_recall_finds_all_that_is_kept_about_a_subject_each_marked(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "m.duckdb"
    with Memory(file, user="jake") as memory:
        memory.capture(SAID)
        memory.remember(FACT)
        assert set(marked(memory.recall(CUE)).values()) <= {"turn", "semantic", "working", "episodic"}
        run(memory.fabric, think)
        found = memory.recall(CUE, limit=20, explain=True)
        assert marked(found).items() >= KEPT.items()
        assert marked(found)[SAID] == "turn"
        assert marked(found)[FACT] == "semantic"
        assert f"goal {found[[one.content for one in found].index(GOAL)].id}: {GOAL}" in capsys.readouterr().out
        assert run(memory.fabric, look) == marked(found)
        for kind in ("trace", "goal", "belief", "reflection", "note"):
            wanted = {text: source for text, source in KEPT.items() if source == kind}
            assert marked(memory.recall(CUE, tiers=[kind])) == wanted
            assert marked(memory.recall(tiers=[kind])).items() >= wanted.items()  # and without a cue, where asked for
        assert not KEPT.keys() & marked(memory.recall()).keys()
        assert marked(memory.recall(CUE, tags=["rail"])) == {NOTED: "trace"}
        assert not KEPT.keys() & marked(memory.recall(CUE, subject="user")).keys()
        for line in (f"goal: {GOAL}", f"belief: {BELIEF}", f"trace: {FELT}", f"user: {SAID}", FACT):
            assert line in memory.context(CUE)
        host = offer(MEM).host(memory.fabric, ScopeIds(session="mcp", user="jake"))
        served = host.call("recall", {"query": CUE, "limit": 20})["output"]
        assert {one["content"]: one["kind"] for one in served}.items() >= KEPT.items()
    with Memory(file, user="jake") as memory:  # where nobody has declared traces or a mind
        assert marked(memory.recall(CUE, limit=20)).items() >= KEPT.items()
        assert run(memory.fabric, look).items() >= KEPT.items()  # and now somebody has


def test_nobody_else_sees_them_and_what_is_retired_or_forgotten_is_not_found() -> None:
    async def note(ctx: Context) -> None:
        await ctx.cap.mind.set_goal(f"{GOAL} at last")
        await ctx[THOUGHTS.traces].add(NOTED, scope="thread")
        await ctx[THOUGHTS.traces].add(FELT, scope="persona")

    async def retire(ctx: Context) -> None:
        (goal,) = await ctx.cap.mind.recall("Japan", type="goal")
        await ctx.cap.mind.complete_goal(goal.id)
        await ctx[THOUGHTS.traces].delete(next(one.id for one in await kept(ctx) if one.content == NOTED))

    async def kept(ctx: Context) -> list[Any]:
        found: list[Any] = await ctx.cap.memory.recall(CUE)
        return found

    with Fabric() as fabric:
        run(fabric, note, agent="nova")
        assert set(run(fabric, look, agent="nova").values()) == {"goal", "trace"}
        assert run(fabric, look, user="ann", agent="nova") == {}
        assert run(fabric, look, session="sunday", agent="echo") == {}
        assert run(fabric, look, session="sunday", agent="nova").keys() == {f"{GOAL} at last", FELT}
        run(fabric, think, user="ruth")
        assert run(fabric, look, user="ruth") == KEPT
        run(fabric, retire, user="ruth")
        assert run(fabric, look, user="ruth").keys() == {BELIEF, RULE, FELT, WROTE}
        for memory in run(fabric, kept, user="ruth"):
            fabric.session("monday", user="ruth").run(MEM.forget_block, {"id": memory.id.partition("#")[0]})
        assert run(fabric, look, user="ruth") == {}


def test_what_a_trace_says_twice_or_no_longer_holds_is_told_by_the_facts() -> None:
    async def note(ctx: Context) -> None:
        await ctx[THOUGHTS.traces].add("I work at Google")
        await ctx.cap.mind.believe("I live in Oslo")

    def told(memory: Memory, cue: str) -> list[str]:
        return [str(found) for found in memory.recall(cue) if found.source not in ("turn", "working", "episodic")]

    with Memory(user="jake") as memory:
        run(memory.fabric, note)
        assert told(memory, "where do I work?")[0] == "trace: I work at Google"
        memory.remember("Works at Stripe")
        memory.remember("Lives in Oslo")
        assert told(memory, "where do I work?")[:2] == [
            "Works at Stripe",
            "trace: I work at Google [no longer so]",
        ]
        assert told(memory, "where do I live?")[0] == "Lives in Oslo"
        assert "belief: I live in Oslo" not in told(memory, "where do I live?")


def test_traces_that_were_said_nowhere_lift_one_another_no_more_than_those_of_two_files() -> None:
    tools = memory_tools()

    async def note(ctx: Context) -> None:
        for text in ("The dentist is on Monday", "Sheep eat grass"):
            await ctx[tools.traces].add(text)

    with Memory(user="jake") as memory:
        memory.fabric.session("a", user="jake").run(handler(note, name="note", uses=[tools.traces]))
        found = memory.recall("when is the dentist?", tiers=["trace"])
        assert found[0].content == "The dentist is on Monday"
        assert all(one.parts.neighbours == 0 for one in found)
