"""The memory of a coding agent, wired: its tools over a host, what they say, and a backend that changes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from blocks.retain.tools import NO_MATCH
from fabric import Fabric, generator, sequencer
from fabric.errors import ConfigurationError
from fabric.flow.block import Block
from fabric.testing import ScriptedModel
from fabric.text.prompt import DATA_NOTICE, memory_block
from pipelines import retain_memory
from pipelines.retain import RetainSystem
from tests.hindsight import HindsightDouble, hindsight_double

TABS = "We use tabs here, since the linter of 2019 wants it."


@pytest.fixture
def server() -> Iterator[HindsightDouble]:
    with hindsight_double() as double:
        yield double


def system(cwd: Path, url: str = "", **options: Any) -> RetainSystem:
    backend = "hindsight" if url else "local"
    return retain_memory(
        **{"backend": backend, "cwd": cwd, "hindsight": {"api_url": url or "http://[::1]:1"}, **options}
    )


def names(blocks: Any) -> list[str]:
    return [one.name for one in blocks]


def test_which_tools_there_are_depends_on_the_backend(tmp_path: Path) -> None:
    bank = retain_memory(cwd=tmp_path)
    assert (bank.backend, names(bank.tools), bank.current()) == ("off", [], None)
    bank.backend = "local"
    assert names(bank.tools) == ["retain", "recall", "reflect", "memory_edit"]
    bank.backend = "hindsight"
    assert names(bank.tools) == ["retain", "recall", "reflect"]
    with pytest.raises(ConfigurationError, match="expected one of local, hindsight, off"):
        bank.backend = "mnemopi"  # type: ignore[assignment]
    for tool in system(tmp_path).tools:
        arguments = set(tool.as_tool().schema()["function"]["parameters"]["properties"])
        assert arguments.isdisjoint({"bank", "bank_id", "tags", "scope", "user", "project", "session"})


def test_the_tools_of_a_bank_in_the_file(tmp_path: Path) -> None:
    with system(tmp_path).host(tmp_path / "agent.duckdb", session="monday", user="jake") as host:
        assert host.answer("recall", {"query": "tabs"}).count(NO_MATCH) == 1
        assert host.call("reflect", {"query": "tabs"})["output"]["details"] == {"useless": True}
        items = [{"content": TABS, "context": "review"}, {"content": "CI needs 10 minutes."}]
        kept = host.call("retain", {"items": items})["output"]
        assert kept["text"] == "2 memories stored."
        assert (kept["details"]["count"], len(kept["details"]["ids"])) == (2, 2)
        assert host.answer("retain", {"items": [{"content": "x y z"}]}) == "1 memory stored."
        found = host.call("recall", {"query": "tabs or spaces?"})["output"]
        first = kept["details"]["ids"][0]
        assert found["text"].startswith(f"{found['details']['count']} memor")
        assert f"- {TABS} (id: {first}) [coding-agent-retain] (2" in found["text"]
        assert TABS in host.call("reflect", {"query": "tabs?", "context": "for the style guide"})["output"]["text"]
        for asked, said in (
            ({"op": "update", "id": first, "content": "We use spaces here."}, f"Memory {first} was updated."),
            ({"op": "update", "id": first, "importance": 7}, f"Memory {first} was updated."),
            ({"op": "invalidate", "id": first}, f"Memory {first} no longer counts."),
            ({"op": "forget", "id": first}, f"Memory {first} was deleted."),
            ({"op": "forget", "id": first}, f"There is no memory {first} that can be changed."),
        ):
            assert host.call("memory_edit", asked)["output"]["text"] == said
        refused = host.call("memory_edit", {"op": "update", "id": first})
        assert not refused["success"]
        assert "content, importance" in refused["error"]


def test_all_of_a_long_memory_is_read_by_its_id(tmp_path: Path) -> None:
    long = f"The release notes begin here. {'And so on. ' * 90}They end with ninja."
    with system(tmp_path).host(tmp_path / "agent.duckdb") as host:
        (memory,) = host.call("retain", {"items": [{"content": long}]})["output"]["details"]["ids"]
        found = host.call("recall", {"query": "release notes"})["output"]
        assert found["details"]["results"][0]["truncated"]
        assert "ninja" not in found["text"]
        assert host.call("recall", {"query": f"memory://{memory}"})["output"]["text"] == long
        assert host.call("recall", {"query": "memory://nobody"})["output"]["details"]["useless"]


@pytest.mark.parametrize(
    "items", [[], [{"content": " "}], [{"content": ""}], [{}], "text", [{"content": "a", "bank": "other"}], None]
)
def test_what_cannot_be_retained_is_refused_and_nothing_is_kept(tmp_path: Path, items: Any) -> None:
    with system(tmp_path).host(tmp_path / "agent.duckdb") as host:
        assert not host.call("retain", {"items": items})["success"]
        assert host.call("recall", {"query": "text a"})["output"]["details"]["count"] == 0


def test_secrets_and_blocks_of_a_prompt_are_not_kept(tmp_path: Path) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    recalled = memory_block("memories", "- old", DATA_NOTICE)
    with system(tmp_path).host(tmp_path / "agent.duckdb") as host:
        kept = host.call("retain", {"items": [{"content": f"The token is {key}. {recalled}"}]})["output"]
        assert kept["details"]["redacted"]
        text = host.call("recall", {"query": "token"})["output"]["text"]
    assert key not in text
    assert "- old" not in text
    assert key.encode() not in (tmp_path / "agent.duckdb").read_bytes()


def test_a_bank_on_a_server_is_asked_by_the_same_tools(tmp_path: Path, server: HindsightDouble) -> None:
    bank = system(tmp_path, server.url)
    with Fabric(tmp_path / "agent.duckdb") as fabric, bank.host(fabric, session="monday", user="jake") as host:
        queued = host.call("retain", {"items": [{"content": TABS}]})["output"]
        assert (queued["text"], queued["details"]["count"]) == ("1 memory queued.", 1)
        fabric.session("monday", user="jake").run(bank.flush)
        found = host.call("recall", {"query": "tabs"})["output"]["text"]
        assert f"- {TABS} [world] (2" in found
        assert "tabs" in host.call("reflect", {"query": "tabs?"})["output"]["text"]
        refused = host.call("memory_edit", {"op": "forget", "id": "x"})
    assert not refused["success"]


def test_a_backend_changes_between_runs_and_each_keeps_its_own(tmp_path: Path, server: HindsightDouble) -> None:
    bank = system(tmp_path, server.url)
    with Fabric(tmp_path / "agent.duckdb") as fabric:
        session = fabric.session("monday", user="jake")
        session.run(bank.retain, {"items": [{"content": "The server knows of ninja."}]})
        session.run(bank.flush)
        bank.backend = "local"
        session.run(bank.retain, {"items": [{"content": "The file knows of make."}]})
        assert "make" in session.run(bank.recall, {"query": "knows of"}).output.text
        assert "ninja" not in session.run(bank.recall, {"query": "knows of"}).output.text
        bank.backend = "hindsight"
        assert "ninja" in session.run(bank.recall, {"query": "knows of"}).output.text
        bank.backend = "off"
        with pytest.raises(ConfigurationError, match="retain is off"):
            session.run(bank.recall, {"query": "knows of"})


def test_a_bank_is_copied_to_a_server_and_back_and_a_second_time_nothing_changes(
    tmp_path: Path, server: HindsightDouble
) -> None:
    bank = system(tmp_path, server.url, backend="local")
    said = [TABS, "The build uses ninja.", "Deploys happen on Tuesdays."]

    def documents() -> int:
        return len(server.banks[bank.of("hindsight").bank.id].documents)

    with Fabric(tmp_path / "one.duckdb") as fabric:
        session = fabric.session("monday", user="jake")
        session.run(bank.retain, {"items": [{"content": one} for one in said]})
        moved = [session.run(bank.move_to("hindsight")).output.taken]
        bank.backend = "hindsight"
        session.run(bank.flush)
        assert documents() == len(said)
        moved.append(session.run(bank.move_to("hindsight")).output.taken)
        session.run(bank.flush)
        moved.append(session.run(bank.move_to("local")).output.taken)
        assert moved == [len(said), 0, 0]
    with Fabric(tmp_path / "two.duckdb") as fabric:
        session = fabric.session("friday", user="jake")
        assert session.run(bank.move_to("local")).output.taken == len(said)
        assert session.run(bank.move_to("local")).output.known == len(said)
        bank.backend = "local"
        assert TABS in session.run(bank.recall, {"query": "tabs"}).output.text
        session.run(bank.move_to("hindsight"))
        bank.backend = "hindsight"
        session.run(bank.flush)
    assert documents() == len(said)


def test_an_agent_begins_a_session_with_what_an_earlier_one_decided(tmp_path: Path) -> None:
    bank = system(tmp_path)
    model = ScriptedModel(["Noted.", "With tabs."])
    agent = generator(name="coder", model="gpt-5", uses=[bank.capability])
    pipeline: Block[Any, Any] = sequencer(name="coding").then(agent).work(bank.auto_retain)
    with Fabric(tmp_path / "agent.duckdb", models=model) as fabric:
        fabric.session("monday", user="jake").run(bank.retain, {"items": [{"content": TABS}]})
        fabric.session("tuesday", user="jake").run(pipeline, "How do we indent, tabs or spaces?")
    prompt = str(model.requests[0].messages)
    assert "<memories>" in prompt
    assert TABS in prompt


def test_clearing_empties_the_bank_of_the_directory_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "a" / "app").mkdir(parents=True)
    (tmp_path / "b" / "app").mkdir(parents=True)
    ours, theirs = system(tmp_path / "a" / "app"), system(tmp_path / "b" / "app")
    with Fabric(tmp_path / "agent.duckdb") as fabric:
        session = fabric.session("monday", user="jake")
        for bank in (ours, theirs):
            session.run(bank.retain, {"items": [{"content": TABS}]})
        assert "Removed 1 memories" in session.run(ours.clear).output
        assert session.run(ours.recall, {"query": "tabs"}).output.details["count"] == 0
        assert session.run(theirs.recall, {"query": "tabs"}).output.details["count"] == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"backend": "redis"}, "expected one of local, hindsight, off"),
        ({"scoping": "mine"}, "scoping"),
        ({"cwd": "/nowhere/at/all"}, "give the directory of the project"),
        ({"cwd": None}, "cwd is None; give the directory of the project"),
        ({"local": {"recal_limit": 3}}, "recall_limit"),
        ({"local": ["auto_recall"]}, "local is .* expected a dictionary"),
        ({"hindsight": "http://localhost:8888"}, "hindsight is .* expected a dictionary"),
        ({"hindsight": {"recall_budget": "huge"}}, "recall_budget"),
        ({"name": "a b"}, "name"),
        ({"bankid": "x"}, "bank_id"),
    ],
)
def test_options_that_cannot_work_are_refused_where_they_are_given(tmp_path: Path, options: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        retain_memory(**{"backend": "local", "cwd": tmp_path, **options})


def test_a_bank_is_moved_to_a_backend_that_there_is(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="expected one of local, hindsight, off"):
        retain_memory(backend="local", cwd=tmp_path).move_to("redis")  # type: ignore[arg-type]


def test_a_bank_that_is_off_has_no_tools_to_host(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="set backend to 'local' or 'hindsight'"):
        retain_memory(cwd=tmp_path).host()
