"""After any sequence of operations and a forget, no table, export, prompt or span holds what was forgotten."""

import re
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from blocks.tools import memory_tools
from capabilities.mind import mind
from fabric import Context, Fabric, generator, handler, sequencer
from fabric.models.base import Request
from fabric.testing import ScriptedModel, call
from pipelines import cognitive_memory, memory_system
from tests.fabric.recorded import recording, said
from tests.soak import either
from tests.stories.test_forget import dump

MEM = memory_system(model=None, episodic=True, semantic=True, embedder=None)
MIND = mind(None)
TOOLS = memory_tools(embedder=None)
COGNITION = cognitive_memory(embedder=None)
KINDS = ("fact", "episode", "working", "turn", "belief", "goal", "reflection", "trace")
SESSIONS = ("a", "b")
_TOKEN = re.compile(r"zq\d+")


def answer(request: Request) -> Any:
    text = str(request.messages[-1].get("content") or "")
    if request.messages[-1]["role"] != "user":
        return "Done."
    words = text.split(" ", 1)
    told = words[1] if len(words) > 1 else ""
    calls = {
        "believe": call("mind_believe", content=told),
        "goal": call("mind_set_goal", description=told),
        "note": call("mind_reflect", content=told),
        "add": call("memory_add", content=told),
        "search": call("memory_search", query=told),
        "look": call("mind_recall", query=told),
    }
    return calls.get(words[0], "Fine.")


CHAT: Any = (
    sequencer(name="talking")
    .then(generator(name="chat", model="test/m", history=True, uses=[MIND, TOOLS.capability]))
    .work(MEM.capture_from_items)
)


@handler(name="merges", uses=[TOOLS.capability])
async def merges(ids: list[str], ctx: Context) -> None:
    await ctx[TOOLS.traces].merge(ids)


@handler(name="tidies", uses=[TOOLS.capability])
async def tidies(_: object, ctx: Context) -> None:
    await ctx[TOOLS.traces].reflect()


@handler(name="ponders", uses=[COGNITION.capability])
async def ponders(text: str, ctx: Context) -> str:
    found = await ctx.cap.cognitive.retrieve(text, limit=3)
    await ctx.cap.cognitive.use(found.ids)
    await ctx.cap.cognitive.assemble(text)
    if len(found.ids) % 2:
        await ctx.cap.cognitive.write_notes(f"- {text}")
    return "Noted."


@handler(name="ages", uses=[COGNITION.capability])
async def ages(days: float, ctx: Context) -> None:
    await ctx.cap.cognitive.end_turn()
    await ctx.cap.cognitive.restore((await ctx.cap.cognitive.sweep()).faded[: int(days)])


THINKING: Any = sequencer(name="thinking").then(COGNITION.encode).then(ponders).work(COGNITION.after_turn)


@handler(name="fails")
def fails(text: str) -> str:
    raise ValueError(f"cannot do {text}")


FAILING: Any = sequencer(name="failing").work(fails)


class Forgetting(RuleBasedStateMachine):
    """What is said has a word of its own, by which it is found again wherever it is."""

    def __init__(self) -> None:
        super().__init__()
        self.tracing = ExitStack()
        self.spans = self.tracing.enter_context(recording())
        self.place = tempfile.TemporaryDirectory()
        self.path = Path(self.place.name) / "memory.duckdb"
        self.model = ScriptedModel(answer)
        self.count = 0
        self.allowed: set[str] = set()
        self.open()

    def open(self) -> None:
        self.fabric = Fabric(self.path, models=self.model, max_attempts=1)

    def session(self, name: str) -> Any:
        return self.fabric.session(name, user="jake", agent="bot", org="acme")

    def new(self) -> str:
        self.count += 1
        return f"zq{self.count:04d}"

    def held(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.session("a").run(MEM.export_block).output
        return found

    @rule(name=st.sampled_from(SESSIONS), tool=st.sampled_from(["believe", "goal", "note", "add"]))
    def says_to_a_tool(self, name: str, tool: str) -> None:
        self.session(name).run(CHAT, f"{tool} the {self.new()} is in the garden house")

    @rule(name=st.sampled_from(SESSIONS))
    def states(self, name: str) -> None:
        self.session(name).run(CHAT, f"I work at {self.new()}. I like {self.new()}.")

    @rule(name=st.sampled_from(SESSIONS))
    def remembers(self, name: str) -> None:
        self.session(name).run(MEM.remember_block, {"content": f"Owns the boat {self.new()}", "tags": [name]})

    @rule(name=st.sampled_from(SESSIONS), tool=st.sampled_from(["search", "look"]))
    def looks(self, name: str, tool: str) -> None:
        self.session(name).run(CHAT, f"{tool} garden house")

    @rule(name=st.sampled_from(SESSIONS), about=st.sampled_from(["live in", "moved to", "work at"]))
    def thinks(self, name: str, about: str) -> None:
        self.session(name).run(THINKING, f"I {about} Zq garden house {self.new()}")

    @rule(name=st.sampled_from(SESSIONS))
    def ages(self, name: str) -> None:
        self.session(name).run(ages, 1)

    @rule(name=st.sampled_from(SESSIONS))
    def fails_in_the_background(self, name: str) -> None:
        token = self.new()
        self.session(name).run(CHAT, f"Please note that I own {token}.")
        self.session(name).run(FAILING, f"I own {token}")
        self.fabric.drain()

    @rule(name=st.sampled_from(SESSIONS))
    def imports(self, name: str) -> None:
        said = {"session": name, "role": "user", "text": f"I drive a {self.new()}", "said_at": "2025-05-01T10:00:00Z"}
        self.session(name).run(MEM.import_block, [said])

    @rule()
    def settles(self) -> None:
        self.fabric.drain()
        for block in (MEM.consolidate, MEM.prune):
            self.session("a").run(block, {"force": True})
        self.session("a").run(tidies, None)

    @rule(data=st.data())
    def merges(self, data: st.DataObject) -> None:
        live = [record["id"] for record in self.held() if record["kind"] == "trace" and not record["deleted"]]
        if len(live) > 1:
            chosen = data.draw(st.lists(st.sampled_from(sorted(live)), min_size=2, max_size=2, unique=True))
            self.session("b").run(merges, chosen)

    @rule()
    def reopens(self) -> None:
        self.fabric.close()
        self.open()

    @precondition(lambda self: self.count > 0)
    @rule(data=st.data())
    def forgets_one(self, data: st.DataObject) -> None:
        self.fabric.drain()
        ids = sorted(record["id"] for record in self.held() if record["kind"] in KINDS and _TOKEN.search(str(record)))
        if ids:
            chosen = data.draw(st.sampled_from(ids))
            self.forgets({"id": chosen}, [record for record in self.held() if record["id"] == chosen])

    @rule(name=st.sampled_from(SESSIONS))
    def forgets_a_session(self, name: str) -> None:
        self.fabric.drain()
        self.forgets(
            {"session": name},
            [record for record in self.held() if record["kind"] == "turn" and record["session"] == name],
        )

    @rule(name=st.sampled_from(SESSIONS))
    def forgets_a_tag(self, name: str) -> None:
        self.forgets({"tag": name}, [record for record in self.held() if name in (record.get("tags") or ())])

    @rule()
    def forgets_all(self) -> None:
        self.fabric.drain()
        self.forgets({"scope": "user"}, self.held())

    def forgets(self, asked: dict[str, str], records: list[dict[str, Any]]) -> None:
        tokens = {
            token
            for record in records
            for token in _TOKEN.findall(str(record.get("content") or record.get("text") or ""))
        }
        receipt = self.session("a").run(MEM.forget_block, asked).output
        told = {record_id for ids in (*receipt.left.values(), *receipt.stays.values()) for record_id in ids}
        holding = [record for record in self.held() if not tokens.isdisjoint(_TOKEN.findall(str(record)))]
        untold = [(record["kind"], record["id"]) for record in holding if record["id"] not in told]
        assert not untold, (asked, untold)
        asked_before = len(self.model.requests)
        for name in SESSIONS:
            self.session(name).run(CHAT, "Hello!")
        shown = {one for request in self.model.requests[asked_before:] for one in _TOKEN.findall(str(request.messages))}
        if not told:
            assert tokens.isdisjoint(shown)
            self.fabric.close()
            assert tokens.isdisjoint(_TOKEN.findall(dump(self.path)))
            self.open()

    def teardown(self) -> None:
        self.fabric.close()
        told = said(self.spans)
        self.tracing.close()
        self.place.cleanup()
        assert not _TOKEN.search(told)


TestForgetting = Forgetting.TestCase
TestForgetting.settings = settings(
    max_examples=either(2, 20),
    stateful_step_count=14,
    suppress_health_check=[HealthCheck.too_slow],
)
