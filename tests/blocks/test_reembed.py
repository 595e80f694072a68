"""Re-embedding a memory: after a switch of the embedder, after a failure, after a kill; recall works all along."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from blocks.reembed import EmbeddingStatus, Reembedded, file_status, reembed_file
from fabric import Fabric
from fabric.store.renewal import BATCH
from pipelines import memory_system
from pipelines.system import MemorySystem
from tests import forkserver
from tests.fabric.embedding.fakes import HashEmbedder

ROOT = Path(__file__).parents[2]
SAID = ["I moved to Lisbon.", "My sister keeps owls.", "The piano is out of tune.", "We planted four apple trees."]
CHILD = """
import sys
from fabric import Fabric
from blocks.reembed import reembed_file
from pipelines import memory_system
from tests.fabric.embedding.fakes import HashEmbedder

told = []

def tell(rows):
    told.append(rows)
    print(rows, flush=True)

class Stuck(HashEmbedder):
    def embed(self, texts):
        if told:
            sys.stdin.read()
        return super().embed(texts)

mem = memory_system(episodic=True, semantic=True, embedder=Stuck(768, seed="new"))
with Fabric(sys.argv[1]) as fabric:
    fabric.call(reembed_file(mem.layout, fabric.store, tell))
"""


@pytest.fixture
def fabric() -> Iterator[Fabric]:
    with Fabric() as opened:
        yield opened


def memory(embedder: Any) -> MemorySystem:
    return memory_system(episodic=True, semantic=True, embedder=embedder)


def turns(count: int, session: str = "s") -> list[dict[str, Any]]:
    begun = datetime(2026, 1, 1, tzinfo=UTC)
    return [
        {
            "session": session,
            "role": "user",
            "text": f"{SAID[number % len(SAID)]} That was note {number}.",
            "said_at": (begun + timedelta(minutes=number)).isoformat(),
        }
        for number in range(count)
    ]


def imported(fabric: Fabric, embedder: Any, count: int = 8, user: str = "ann") -> None:
    fabric.session("s", user=user).run(memory(embedder).import_block, turns(count))


def status(fabric: Fabric, embedder: Any, user: str = "ann") -> EmbeddingStatus:
    block = memory(embedder).embedding_status_block
    found: EmbeddingStatus = fabric.session("s", user=user).run(block, None).output
    return found


def reembed(fabric: Fabric, embedder: Any, user: str = "ann") -> Reembedded:
    done: Reembedded = fabric.session("s", user=user).run(memory(embedder).reembed_block, None).output
    return done


def found(fabric: Fabric, embedder: Any, cue: str) -> list[str]:
    memories = fabric.session("s", user="ann").run(memory(embedder).recall_block, cue).output
    return [memory.content for memory in memories]


def test_what_is_imported_has_vectors_of_the_embedder(fabric: Fabric):
    imported(fabric, HashEmbedder())
    told = status(fabric, HashEmbedder())
    assert told.embedder == "hash"
    assert told.space.startswith("hash/384/")
    assert [(kind.name, kind.rows, kind.embedded) for kind in told.kinds] == [
        ("turns", 8, 8),
        ("episodes", 0, 0),
        ("facts", 0, 0),
    ]
    assert (told.left, told.degraded, told.mend) == (0, "", "")


@pytest.mark.parametrize("new", [HashEmbedder(768), HashEmbedder(384, seed="other")])
def test_a_switch_is_noticed_even_at_equal_dimension_and_mended(fabric: Fabric, new: HashEmbedder):
    old = HashEmbedder(384)
    imported(fabric, old)
    told = status(fabric, new)
    assert (told.left, told.kinds[0].missing) == (8, 0)
    assert told.other_models == {status(fabric, old).space: 8}
    assert told.degraded == "8 rows have no vector of this embedder and are found by their words"
    assert told.mend == "run: thought-fabric reembed"
    assert reembed(fabric, new) == Reembedded(embedded=8)
    assert status(fabric, new).degraded == ""


def test_recall_works_before_and_after_a_switch(fabric: Fabric):
    old, new = HashEmbedder(384), HashEmbedder(768)
    imported(fabric, old)
    assert "owls" in found(fabric, old, "owls")[0]
    assert "owls" in found(fabric, new, "owls")[0]
    imported(fabric, new, 12)
    assert status(fabric, new).left == 8
    assert "owls" in found(fabric, new, "owls")[0]
    reembed(fabric, new)
    assert "owls" in found(fabric, new, "owls")[0]


def test_what_was_kept_while_the_embedder_failed_is_embedded_later(fabric: Fabric):
    embedder = HashEmbedder()
    embedder.down = True
    imported(fabric, embedder)
    told = status(fabric, embedder)
    assert "the embedder fails" in told.degraded
    assert "no route to host" in told.degraded
    assert told.mend == "repair that, then run: thought-fabric reembed"
    assert "owls" in found(fabric, embedder, "owls")[0]
    failed = reembed(fabric, embedder)
    assert failed.embedded == 0
    assert "no route to host" in failed.degraded
    embedder.down = False
    assert status(fabric, embedder).left == 8
    assert reembed(fabric, embedder) == Reembedded(embedded=8)
    assert status(fabric, embedder).degraded == ""


def test_without_an_embedder_nothing_is_degraded_and_nothing_done(fabric: Fabric):
    imported(fabric, None)
    told = status(fabric, None)
    assert (told.embedder, told.left, told.degraded) == ("", 0, "")
    assert reembed(fabric, None).degraded == "there is no embedder: everything is found by its words"


def test_a_block_mends_one_user_and_the_file_everybody(fabric: Fabric):
    imported(fabric, None, 5, "ann")
    imported(fabric, None, 7, "bo")
    embedder = HashEmbedder()
    assert reembed(fabric, embedder, "ann").embedded == 5
    assert status(fabric, embedder, "bo").left == 7
    layout = memory(embedder).layout
    assert fabric.call(file_status(layout, fabric.store)).left == 7
    told: list[int] = []
    assert fabric.call(reembed_file(layout, fabric.store, told.append)) == Reembedded(embedded=7)
    assert told == [7]
    assert fabric.call(file_status(layout, fabric.store)).left == 0


def test_a_failure_in_the_middle_keeps_what_was_done(fabric: Fabric):
    class Failing(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> Any:
            self.down = len(self.calls) > 1
            return super().embed(texts)

    imported(fabric, None, BATCH + 44)
    done = reembed(fabric, Failing())
    assert done.embedded == BATCH
    assert "no route to host" in done.degraded
    assert reembed(fabric, HashEmbedder()).embedded == 44


def test_a_killed_re_embedding_goes_on_where_it_was(tmp_path: Path):
    path = tmp_path / "memory.duckdb"
    with Fabric(path) as opened:
        imported(opened, HashEmbedder(384), 2000)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with forkserver.popen([sys.executable, "-c", CHILD, str(path)], text=True, cwd=ROOT, **pipes) as child:
        assert child.stdout is not None
        assert int(child.stdout.readline()) == BATCH
        child.kill()
    new = HashEmbedder(768, seed="new")
    with Fabric(path) as opened:
        left = status(opened, new).left
        assert 0 < left <= 2000 - BATCH
        assert "owls" in found(opened, new, "owls")[0]
        assert reembed(opened, new).embedded == left
        assert status(opened, new).left == 0


def test_a_capture_behind_a_failure_catches_up_on_its_own(fabric: Fabric):
    embedder = HashEmbedder()
    mem = memory(embedder)
    session = fabric.session("s", user="ann")
    embedder.down = True
    session.run(mem.capture, "I work at Stripe.")
    fabric.drain()
    assert embedded(session.run(mem.embedding_status_block, None).output) == 0
    embedder.down = False
    session.run(mem.capture, "I live in Lisbon.")
    fabric.drain()
    told = session.run(mem.embedding_status_block, None).output
    assert embedded(told) > 2
    assert (told.left, told.degraded) == (0, "")
    assert fabric.jobs() == []


def test_what_consolidation_writes_gets_vectors_too(fabric: Fabric):
    mem = memory(HashEmbedder())
    session = fabric.session("s", user="ann")
    for said in ["I work at Stripe.", "I live in Lisbon.", "My sister is called Ana.", "I love green tea."] * 6:
        session.run(mem.capture, said)
    fabric.drain()
    told = session.run(mem.embedding_status_block, None).output
    assert {kind.name for kind in told.kinds if kind.rows} == {"turns", "episodes", "facts"}
    assert told.left == 0


def embedded(told: EmbeddingStatus) -> int:
    return sum(kind.embedded for kind in told.kinds)


def test_a_captured_turn_is_one_call_of_the_embedder(fabric: Fabric):
    embedder = HashEmbedder()
    mem = memory(embedder)
    session = fabric.session("s", user="ann")
    for said in ["I work at Stripe.", "I live in Lisbon and I love green tea."]:
        embedder.calls.clear()
        session.run(mem.capture, said)
        fabric.drain()
        assert len(embedder.calls) == 1
