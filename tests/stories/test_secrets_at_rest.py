"""Whatever public door a secret comes in by, nothing that is stored holds it; the outcome says what was taken out."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from structlog.testing import capture_logs

from fabric import Context, Fabric, define_capability, generator, handler, sequencer
from fabric.flow.resource import Collection, Document
from fabric.scope import ScopeIds
from fabric.sessions.toolhost import ToolHost
from fabric.store.base import Rows
from fabric.testing import ScriptedModel, call
from pipelines import Memory, memory_tools, mind

TOKEN = "gh" + "p_" + "Zq81" * 9
CHOSEN = "long-enough-1"
SAID = f"Jake's token {TOKEN} is for the build"


class Note(BaseModel):
    id: str
    text: str = ""
    password: str = ""


notes = Collection("notes_kept", Note, "user")
page = Document("page_kept", Note, "user", default=lambda: Note(id="page"))


def at_rest(fabric: Fabric) -> str:
    """Return all that the file holds, as one text."""

    def every(rows: Rows) -> list[Any]:
        return [row for scope in rows.owners() for table in rows.tables() for row in rows.scan(scope, table)]

    return json.dumps(fabric.store.transact_sync(every), ensure_ascii=False)


def fails(text: str) -> str:
    raise RuntimeError(f"refused: {text}")


def capture(memory: Memory) -> None:
    memory.capture(SAID)


def capture_messages(memory: Memory) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "pay", "arguments": json.dumps({"key": TOKEN})}}
    memory.capture(
        [
            {"role": "system", "content": SAID},
            {"role": "user", "content": [{"type": "text", "text": SAID}, {"type": "image", "title": SAID}]},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": f'{{"got": "{TOKEN}"}}'},
            {"role": "assistant", "content": SAID, "name": TOKEN},
        ]
    )


def remember(memory: Memory) -> None:
    memory.remember(SAID, subject=TOKEN)


def update(memory: Memory) -> None:
    memory.update(memory.remember("Works at Stripe").id, SAID)


def import_turns(memory: Memory) -> None:
    memory.import_turns(
        [{"session": "s", "role": "user", "text": SAID, "speaker": TOKEN, "said_at": "2026-01-01T00:00:00Z"}]
    )


def add_messages(memory: Memory) -> None:
    memory.fabric.session("s", user="jake").add_messages([{"role": "user", "content": SAID, "name": TOKEN}])


def run_named(memory: Memory) -> None:
    echo = handler(lambda text: {"said": text, "list": [text]}, name="echo")
    memory.fabric.session("s", user="jake").run(echo, SAID, turn_id="t")


def failing_work(memory: Memory) -> None:
    pipeline = sequencer(name="failing").work(handler(fails, name="fails"))
    memory.fabric.session("s", user="jake").run(pipeline, SAID)


def resources(memory: Memory) -> None:
    @handler(name="keeps", uses=[notes, page])
    async def keeps(text: str, ctx: Context) -> str:
        note = Note(id="a", text=text, password=CHOSEN)
        await ctx.transact(lambda tx: tx.put(notes, [note]), once="put")
        await ctx.update(page, lambda old: old.model_copy(update={"text": text}))
        return text

    memory.fabric.session("s", user="jake").run(keeps, SAID)
    assert CHOSEN not in at_rest(memory.fabric)


def tools(memory: Memory) -> None:
    ids = ScopeIds(session="s", user="jake")
    host = ToolHost(memory.fabric, ids, uses=[mind(embedder=None), memory_tools(embedder=None).capability])
    for name, arguments in (
        ("mind_believe", {"content": SAID}),
        ("mind_set_goal", {"description": SAID}),
        ("mind_reflect", {"content": SAID}),
        ("memory_add", {"content": SAID, "type": "semantic", "tags": [TOKEN]}),
    ):
        assert host.call(name, arguments)["success"], name


DOORS = [
    capture,
    capture_messages,
    remember,
    update,
    import_turns,
    add_messages,
    run_named,
    failing_work,
    resources,
    tools,
]


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_no_table_holds_what_came_in_by_any_door(tmp_path: Path, door: Callable[[Memory], None]):
    with Memory(tmp_path / "m.duckdb", user="jake", embedder=None) as memory:
        before = at_rest(memory.fabric)
        door(memory)
        memory.wait()
        kept = at_rest(memory.fabric)
        assert TOKEN not in kept
        assert kept != before
        assert "[redacted]" in kept


def test_a_log_line_and_what_a_listener_hears_hold_no_more_than_the_stored_row():
    heard: list[str] = []
    asked = ScriptedModel([call("fails", text=SAID), "Done."])
    pipeline = sequencer(name="failing").work(handler(fails, name="fails"))
    chat: Any = generator(name="chat", model="test/m", tools=[fails])
    with capture_logs() as lines, Fabric(models=asked) as fabric:
        fabric.listen(lambda event: heard.append(event.error))
        session = fabric.session("s", user="jake")
        session.run(chat, "go")
        session.run(pipeline, SAID)
        fabric.drain()
        kept = at_rest(fabric)
    assert [line["event"] for line in lines] == ["tool failed", "background work failed"]
    assert TOKEN not in f"{lines}{heard}{kept}"
    assert all("RuntimeError: refused: Jake's token [redacted]" in one for one in (str(lines), str(heard), kept))


def test_what_a_model_writes_as_an_observation_is_cleaned(tmp_path: Path):
    found = {"subject": TOKEN, "content": SAID, "importance": 0.9, "durability": "persistent", "category": "attribute"}
    model = ScriptedModel(lambda _request: json.dumps({"observations": [{**found, "replaces": ""}]}))
    with Memory(tmp_path / "m.duckdb", user="jake", embedder=None, model="scripted", models=model) as memory:
        memory.capture("Jake's token for the build is on my desk.")
        memory.wait()
        assert TOKEN not in at_rest(memory.fabric)


def test_the_outcome_tells_kind_and_place_and_never_the_value():
    with Memory(user="jake", embedder=None) as memory:
        captured = memory.capture(SAID)
        outcome = memory.remember(SAID)
        again = memory.remember("Likes tea")
    place = f"github_token at {SAID.index(TOKEN)}-{SAID.index(TOKEN) + len(TOKEN)}"
    assert captured.redacted == outcome.redacted == (place,)
    assert again.redacted == ()
    assert TOKEN not in f"{captured}{outcome}"


def test_a_file_may_keep_everything():
    with Fabric(redact_secrets=False) as fabric, Memory(fabric, user="jake", embedder=None) as memory:
        captured = memory.capture(SAID)
        assert captured.redacted == ()
        assert TOKEN in at_rest(fabric)


def test_what_answers_a_question_for_a_secret_is_one_by_whatever_door_both_came():
    asked, bare = "Sure. What is your wifi password?", "hunter2-blue"
    talk = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": asked},
        {"role": "user", "content": bare},
    ]
    turns = [{"session": "t", "role": message["role"], "text": message["content"]} for message in talk]
    with Memory(user="jake", embedder=None) as memory:
        memory.capture("what is my password?", session="a")
        memory.capture(bare, session="a")
        assert memory.capture(talk, session="b").turns == 2
        assert memory.capture([*talk, {"role": "assistant", "content": "Thanks"}], session="b").turns == 0
        memory.import_turns([{**turn, "said_at": f"2026-01-01T00:00:0{at}Z"} for at, turn in enumerate(turns)])
        memory.fabric.session("c", user="jake").add_messages(talk)
        memory.capture("Nobody asked for hunter2-green", session="d")
        memory.wait()
        kept = at_rest(memory.fabric)
    assert bare not in kept
    assert "hunter2-green" in kept


def test_no_spelling_of_a_name_holds_a_secret():
    with Memory(user="jake", embedder=None) as memory:
        memory.remember("Likes tea", subject=TOKEN)
        memory.capture("I like jam", tags=[TOKEN])
        memory.wait()
        assert "zq81zq81" not in at_rest(memory.fabric).casefold().replace("-", "_")


def test_ids_are_left_alone(tmp_path: Path):
    """A changed id would point nowhere."""
    kept = define_capability("kept", resources=[notes])

    @handler(name="keeps-id", uses=[kept])
    async def keeps(_: str, ctx: Context) -> list[str]:
        await ctx.transact(lambda tx: tx.put(notes, [Note(id=TOKEN, text="x")]))
        return [one.id for one in await ctx.transact(lambda tx: tx.get_many(notes, [TOKEN]))]

    with Fabric(tmp_path / "m.duckdb") as fabric:
        assert fabric.session("s", user="jake").run(keeps, "").output == [TOKEN]
