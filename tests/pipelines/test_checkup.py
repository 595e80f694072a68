"""What a check-up finds inside a file: work that is left, minds that crashed, vectors, and what points to nothing."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from blocks.tools import memory_tools
from fabric import Context, Fabric, handler, sequencer
from fabric.embedding.files import is_installed
from fabric.embedding.static import PACKAGE
from fabric.errors import ModelUnavailableError, StoreLockedError
from fabric.store.duckdb.check.file_check import refusal
from fabric.store.finding import Finding
from fabric.testing import ScriptedModel
from pipelines import memory_system, mind
from pipelines.chat import chat_pipeline
from pipelines.checkup import check_up, known_tables
from tests import forkserver
from tests.fabric.store.test_formats import FORMAT_1

ROOT = Path(__file__).parents[2]
MEM = memory_system(episodic=True, semantic=True)
needs_static = pytest.mark.skipif(not is_installed(PACKAGE), reason="the static model has no wheel for this platform")
CRASH = """
import sys, time
from fabric import Fabric, handler
from pipelines import mind

@handler(name="write", uses=[mind(embedder=None)])
async def write(_, ctx):
    await ctx.cap.mind.believe("Tea is hot")
    await ctx.cap.mind.set_goal("Drink tea")
    print("told", flush=True)
    time.sleep(60)

with Fabric(sys.argv[1]) as fabric:
    fabric.session("s", user="ann").run(write, None)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.duckdb"


def amiss(path: Path, embedder: str = "none") -> dict[str, Finding]:
    """Return what is not ok, by what was checked."""
    return {finding.check: finding for finding in check_up(path, embedder=embedder) if finding.state != "ok"}


def told(path: Path, check: str, embedder: str = "none") -> str:
    (found,) = [finding for finding in check_up(path, embedder=embedder) if finding.check == check]
    return found.found


def change(path: Path, *statements: str) -> Any:
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        return connection.fetchall()


def leave_work(path: Path, pipeline: Any) -> None:
    with Fabric(path) as fabric:
        fabric.session("monday", user="jake").run(pipeline, "I work at Stripe.")
        fabric.drain()


def test_a_job_that_failed_is_told_with_its_error_and_the_command_that_tries_again(path: Path):
    @handler(name="broken")
    def broken(_: str) -> None:
        raise ValueError("the disk of the provider is full")

    leave_work(path, sequencer(name="chat-with-memory").work(lambda text: text, broken))
    found = amiss(path)["jobs"]
    assert found.state == "problem"
    assert "1 try" in found.found
    assert "the disk of the provider is full" in found.found
    job = found.found.split()[0]
    assert found.mend == f"thought-fabric jobs --file {path} --retry {job}"


def test_a_job_of_a_program_of_its_own_is_left_to_that_program(path: Path):
    @handler(name="broken")
    def broken(_: str) -> None:
        raise ValueError("no")

    leave_work(path, sequencer(name="my own").work(lambda text: text, broken))
    assert "the program whose pipeline is 'my own'" in amiss(path)["jobs"].mend


def test_work_that_waits_is_no_problem_and_is_told_with_its_age(path: Path):
    mem = memory_system(model="gpt-5-mini", episodic=True, semantic=True, embedder=None)
    with Fabric(path, models=ScriptedModel([ModelUnavailableError("down"), ModelUnavailableError("down")])) as fabric:
        fabric.session("monday", user="jake").run(
            sequencer(name="chat-with-memory").work(str, mem.capture), "Hi, I am Jo"
        )
        fabric.drain()
    found = amiss(path)["jobs"]
    assert found.state == "warning"
    assert found.found.startswith("1 job waiting, the oldest since 20")
    assert f"thought-fabric jobs --file {path} --retry job_" in found.mend


def test_what_a_crashed_run_of_a_mind_left_behind_is_told_until_the_next_run_takes_it_in(path: Path):
    with forkserver.popen([sys.executable, "-c", CRASH, str(path)], cwd=ROOT, stdout=-1, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "told\n"
        process.kill()
    found = amiss(path)
    assert found["drafts"].found == "2 writes of 1 run that did not end, in mind/write"
    assert found["drafts"].state == "warning"

    @handler(name="look", uses=[mind(embedder=None, namespace="mind/write")])
    async def look(_: object, ctx: Context) -> int:
        return len(await ctx.cap.mind.entries())

    with Fabric(path) as fabric:
        assert fabric.session("s", user="ann").run(look).output > 0
    assert "drafts" not in amiss(path)


@needs_static
def test_rows_of_another_model_are_told_with_what_converts_them(path: Path):
    with Fabric(path) as fabric:
        fabric.session("monday", user="jake").run(MEM.capture, "I work at Stripe.")
    assert "all 3 rows have its vectors" in told(path, "embedder", "")
    found = amiss(path, "openai/text-embedding-3-small")
    assert "3 of 3 rows have no vector of it; 3 have one of wordllama" in found["embedder"].found
    assert found["embedder"].mend == (f"thought-fabric reembed --file {path} --embedder openai/text-embedding-3-small")


@needs_static
def test_long_rows_with_one_vector_are_told_until_they_are_embedded_again(path: Path):
    with Fabric(path) as fabric:
        said = "I work at Stripe. " + "The weather was rather nice again today. " * 20
        turn = {"session": "monday", "role": "user", "text": said, "said_at": "2026-03-01T09:00:00Z"}
        fabric.session("monday", user="jake").run(MEM.import_block, [turn])
    assert "rows have its vectors" in told(path, "embedder", "")
    change(path, "UPDATE turns SET _parts = NULL")
    found = amiss(path, "")["embedder"]
    assert "0 of 1 rows have no vector of it; long rows with one for all of their text: 1" in found.found
    assert found.mend == f"thought-fabric reembed --file {path}"
    with Fabric(path) as fabric:
        session = fabric.session("monday", user="jake")
        assert session.run(MEM.embedding_status_block).output.without_passages == 1
        assert session.run(MEM.reembed_block).output.embedded == 1
        assert session.run(MEM.embedding_status_block).output.degraded == ""
    assert "all 1 rows have its vectors" in told(path, "embedder", "")


def test_an_embedder_that_there_is_not_is_a_problem(path: Path):
    with Fabric(path):
        pass
    assert amiss(path, " ")["embedder"].state == "problem"


def test_a_file_of_an_earlier_format_is_left_as_it_is(path: Path):
    change(path, FORMAT_1)
    before = path.read_bytes()
    found = amiss(path)
    assert set(found) == {"version"}
    assert found["version"].state == "warning"
    assert "file format 1" in found["version"].found
    assert told(path, "holds") == "1 user; notes 3000"
    assert path.read_bytes() == before


def test_a_database_in_which_nothing_was_kept_is_not_called_damaged(path: Path):
    change(path, "SELECT 1")
    found = amiss(path)["content"]
    assert found.found.endswith("is a database in which nothing was ever kept")


def filled(path: Path) -> None:
    tools = memory_tools()

    @handler(name="add", uses=[tools.traces])
    async def add(text: str, ctx: Context) -> Any:
        return (await ctx[tools.traces].add(text, scope="user")).trace.id

    @handler(name="merge", uses=[tools.traces])
    async def merge(ids: list[str], ctx: Context) -> None:
        await ctx[tools.traces].merge(ids)

    with Fabric(path) as fabric:
        for number, text in enumerate(["I work at Stripe.", "I live in Oslo.", "My sister Anna lives in Rome."]):
            session = fabric.session(f"s{number}", user="jake")
            session.run(chat_pipeline(MEM), text)
        session.run(MEM.capture, "I work at Globex now.")
        fabric.drain()
        session.run(MEM.consolidate, {"force": True})
        session.run(merge, [session.run(add, text).output for text in ("tea", "green tea")])


def test_all_is_well_with_a_memory_of_which_a_part_was_forgotten(path: Path):
    filled(path)
    assert amiss(path) == {}
    assert told(path, "traces") == "1 live, 2 deleted that are kept for provenance; their ties agree"
    for asked in ({"subject": "anna"}, {"scope": "session"}):
        with Fabric(path) as fabric:
            session = fabric.session("s0", user="jake")
            assert session.run(MEM.forget_block, asked).output.found
        assert amiss(path) == {}
    with Fabric(path) as fabric:
        session = fabric.session("s1", user="jake")
        turn = next(record for record in session.run(MEM.export_block).output if record["kind"] == "turn")
        session.run(MEM.forget_block, {"id": turn["id"]})
    assert amiss(path) == {}


@pytest.mark.parametrize(
    ("wrong", "check", "said"),
    [
        ("DELETE FROM turns", "sources", "of which no turn is kept"),
        ("DELETE FROM semantic_memory WHERE status = 'current'", "history", "replaced by a version that is not there"),
        (
            'UPDATE semantic_memory SET _row = \'{{"id":"\' || id || \'","content":"x"}}\'',
            "rows",
            "not readable as Fact",
        ),
    ],
)
def test_what_points_to_nothing_is_told(path: Path, wrong: str, check: str, said: str):
    filled(path)
    change(path, wrong.format())
    assert said in amiss(path)[check].found


def test_a_tie_to_a_trace_that_is_gone_is_told(path: Path):
    filled(path)
    edge = {"id": "e1", "source": "a", "target": "b", "weight": 0.5}
    columns, row = "(_key, _scope, _seq, id, _row)", f"1, _scope, 0, 'e1', '{json.dumps(edge)}'"
    change(path, f"INSERT INTO trace_edges_user {columns} SELECT {row} FROM traces_user LIMIT 1")
    assert "1 tie to a trace that is not there, such as e1" in amiss(path)["traces"].found


def test_every_collection_of_a_file_of_ours_is_compared(path: Path):
    filled(path)
    tables = {table.name for table in known_tables()}
    kept = {name for (name,) in change(path, "SELECT name FROM _tables")}
    assert kept
    assert kept <= tables


@pytest.mark.parametrize("alive", [True, False])
def test_who_holds_the_file_is_looked_for_here(path: Path, alive: bool):
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=-1) as other:
        if not alive:
            other.kill()
            other.wait()
        found = refusal(path, StoreLockedError("in use", pid=other.pid, program="/usr/bin/python3"))
        other.kill()
    assert f"process {other.pid} on " in found.found
    assert ("which does not run here" in found.found) is not alive
    assert ("kill" in found.mend) is alive
