"""Tools for an agent loop of one's own: schemas, calls, and an envelope for everything that goes wrong."""

from pathlib import Path

import pytest
from pydantic import BaseModel, Field
from structlog.testing import capture_logs

from fabric import Context, Fabric, define_capability, handler, sequencer
from fabric.errors import ConfigurationError, DuplicateNameError, RefusedError, ScopeError, StoreError
from fabric.flow.resource import Collection
from fabric.scope import ScopeIds
from fabric.sessions.toolhost import ToolHost

JAKE = ScopeIds(session="tools", user="jake")


class Note(BaseModel):
    id: str
    text: str


notes = Collection("notes", Note, "user")


async def write(text: str, ctx: Context) -> Note:
    """Write a note."""
    if not text.strip():
        raise RefusedError("the note is blank", do="Write something.")
    note = Note(id=ctx.clock.new_id("note"), text=text)
    await ctx.transact(lambda tx: tx.put(notes, [note]))
    return note


async def read(ctx: Context) -> list[str]:
    """Read the notes."""
    return [one.text for one in await ctx.transact(lambda tx: tx.find(notes))]


notebook = define_capability("notebook", resources=[notes], tools=[write, read])


def test_calls_are_carried_out_for_their_owner_alone(tmp_path: Path):
    with Fabric(tmp_path / "m.duckdb") as fabric:
        jake = ToolHost(fabric, JAKE, uses=[notebook])
        anna = ToolHost(fabric, ScopeIds(session="tools", user="anna"), uses=[notebook])
        written = jake.call("write", '{"text": "buy tea"}')
        assert (written["success"], written["output"]["text"]) == (True, "buy tea")
        assert jake.call("read", session="another")["output"] == ["buy tea"]
        assert anna.call("read", {})["output"] == []
        assert [schema["function"]["name"] for schema in jake.schemas()] == ["write", "read"]


@pytest.mark.parametrize(
    ("name", "arguments", "error", "do"),
    [
        ("fly", "{}", "there is no tool 'fly'", "Use one of: write, read."),
        ("write", '{"txt": 1}', "the arguments do not fit", "Call the tool again"),
        ("write", "[[[[", "the arguments", "Call the tool again"),
        ("write", '{"text": " "}', "the note is blank", "Write something."),
    ],
)
def test_a_models_mistake_is_an_answer(name: str, arguments: str, error: str, do: str):
    with Fabric() as fabric:
        answer = ToolHost(fabric, JAKE, uses=[notebook]).call(name, arguments)
    assert not answer["success"]
    assert error in answer["error"]
    assert do in answer["do"]


async def test_async_does_the_same_and_an_owner_closes_its_file(tmp_path: Path):
    async with ToolHost(Fabric(tmp_path / "m.duckdb"), JAKE, uses=[notebook], owns=True) as host:
        assert (await host.acall("write", {"text": "tea"}))["success"]
    with pytest.raises(StoreError, match="is closed"):
        await host.acall("read")


def test_a_path_is_opened_and_freed_again_when_the_host_is_closed(tmp_path: Path):
    path = tmp_path / "m.duckdb"
    with ToolHost(path, JAKE, uses=[notebook]) as host:
        assert host.call("write", '{"text": "tea"}')["success"]
    with ToolHost(str(path), JAKE, uses=[notebook]) as host:
        assert host.call("read")["output"] == ["tea"]
    with Fabric(path) as fabric:
        ToolHost(fabric, JAKE, uses=[notebook]).close()
        fabric.check_open()


def test_a_host_that_cannot_be_opens_no_file(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="no tool to offer"):
        ToolHost(tmp_path / "m.duckdb", JAKE)
    assert not (tmp_path / "m.duckdb").exists()


def test_a_failing_store_is_an_answer_too():
    with Fabric() as fabric:
        host = ToolHost(fabric, JAKE, uses=[notebook])
        fabric.store.close()
        done = host.call("read")
        fabric.store.open()
    assert not done["success"]
    assert "StoreError" in done["error"]


def test_an_answer_is_the_text_that_a_model_is_shown():
    with Fabric() as fabric:
        host = ToolHost(fabric, JAKE, uses=[notebook])
        host.call("write", {"text": "tea"})
        assert host.answer("read") == '["tea"]'
        assert host.answer("fly") == '{"error": "there is no tool \'fly\'", "do": "Use one of: write, read."}'


def test_what_a_tool_finds_wrong_is_told_and_logged_without_the_refused_value():
    class Short(BaseModel):
        text: str = Field(max_length=3)

    def shorten(text: str) -> str:
        """Keep a short text."""
        return Short(text=text).text

    with Fabric() as fabric, capture_logs() as logged:
        answer = ToolHost(fabric, JAKE, tools=[shorten]).call("shorten", {"text": "a secret"})
    assert "text: String should have at most 3 characters" in answer["error"]
    assert "tool failed" in str(logged)
    assert "secret" not in f"{answer} {logged}"


def test_nothing_to_offer_and_two_of_one_name_are_refused():
    def write(word: str) -> str:
        """Write a word."""
        return word

    with Fabric() as fabric:
        with pytest.raises(ConfigurationError, match="no tool to offer"):
            ToolHost(fabric, JAKE)
        with pytest.raises(DuplicateNameError, match="'write'"):
            ToolHost(fabric, JAKE, tools=[write], uses=[notebook])


def test_the_same_tools_serve_other_owners_and_close_nothing():
    with Fabric() as fabric:
        jake = ToolHost(fabric, JAKE, uses=[notebook])
        with jake.of(ScopeIds(session="tools", user="anna")) as anna:
            assert anna.call("write", {"text": "tea"})["success"]
            assert (anna.call("read")["output"], jake.call("read")["output"]) == (["tea"], [])
        assert jake.call("read")["success"]


def test_the_blocks_that_are_tools_are_inside_it_so_that_their_background_work_is_found_again(tmp_path: Path):
    done: list[str] = []
    later = sequencer(name="later").work(handler(done.append, name="note")).map(lambda _: "noted").as_tool()
    with Fabric(tmp_path / "m.duckdb") as fabric:
        host = ToolHost(fabric, JAKE, tools=[later])
        fabric.register(host.block)
        assert host.call("later", {"input": "tea"})["output"] == "noted"
        fabric.drain()
    assert done == ["tea"]
    assert [path for path, _ in host.block.children()] == ["tool later"]


def test_who_is_no_owner_is_refused_before_a_file_is_opened(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="ScopeIds"):
        ToolHost(tmp_path / "m.duckdb", "jake", uses=[notebook])  # type: ignore[arg-type]
    with pytest.raises(ScopeError, match="no user"):
        ToolHost(tmp_path / "m.duckdb", ScopeIds(session="tools"), uses=[notebook])
    assert not (tmp_path / "m.duckdb").exists()


async def test_the_header_is_what_capabilities_put_before_a_prompt():
    async def greet(ctx: Context) -> str:
        return f"Be kind to {len(await read(ctx))} notes."

    polite = define_capability("polite", resources=[notes], header=[greet], tools=[write])
    with Fabric() as fabric:
        host = ToolHost(fabric, JAKE, uses=[polite])
        await host.acall("write", {"text": "tea"})
        assert await host.aheader() == "Be kind to 1 notes."
        assert ToolHost(fabric, JAKE, uses=[notebook]).header() == ""
