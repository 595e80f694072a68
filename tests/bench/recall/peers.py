"""The same turns and questions through other systems and this one: ``python -m tests.bench.recall.peers``.

The others are no dependencies: install them into a folder (``pip install --target FOLDER mem0ai langgraph
langgraph-checkpoint-sqlite chromadb bm25s PyStemmer``) and name it with ``--site FOLDER``; those absent are skipped.
All that take an embedder get the default static one. Without a model: mem0 with ``infer=False``.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from fabric.embedding import default_embedder

from .adapters import PEERS, Ours, Peer
from .chatter import Chatter
from .data import LOCOMO, Haystack, Question, Said, locomo, need
from .evaluate import print_table
from .metrics import interval, measure

K = 10
HEAD = ("system", "insert one, ms p50 / p95", "search, ms p50 / p95", "file, kB a turn", "R@5", "R@10", "MRR")


@dataclass(slots=True)
class Taken:
    """Milliseconds and measures of one system."""

    insert: list[float] = field(default_factory=list)
    search: list[float] = field(default_factory=list)
    measures: dict[str, list[float]] = field(default_factory=dict)


def main() -> None:
    """Read the command line, run every system that can be imported, and print one row for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--site", type=Path, help="the folder that holds the other systems")
    parser.add_argument("--rows", type=int, help="so many made-up turns of one user instead of LoCoMo")
    parser.add_argument("--limit", type=int, help="so many conversations of LoCoMo")
    parser.add_argument("--only", action="append", default=[], help="run systems whose name holds this")
    read = parser.parse_args()
    if read.site:
        sys.path.append(str(read.site))
    os.environ |= {"MEM0_TELEMETRY": "False", "ANONYMIZED_TELEMETRY": "False"}
    if read.rows:
        haystacks = [made_up(read.rows)]
    else:
        need(LOCOMO)
        haystacks = locomo(read.limit)
    static = default_embedder()
    if static is None:
        sys.exit("this bench needs the default embedder: pip install wordllama")
    rows = [
        row(name, open_peer, haystacks)
        for name, open_peer in (*PEERS.items(), (Ours.name, Ours))
        if not read.only or any(part in name for part in read.only)
    ]
    turns = sum(len(haystack.turns) for haystack in haystacks)
    print_table(f"{turns:,} turns of {len(haystacks)} users, vectors of {static.name}", HEAD, filter(None, rows))


def row(name: str, open_peer: Callable[[Path], Peer], haystacks: Iterable[Haystack]) -> tuple[str, ...] | None:
    """Run one system, and return its row, None where it is not installed."""
    with TemporaryDirectory() as folder:
        try:
            peer = open_peer(Path(folder))
        except ImportError as missing:
            print(f"<!-- {name} skipped: {missing} -->")
            return None
        try:
            taken = run(peer, haystacks)
        finally:
            peer.close()
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()) / 1024
    shown = [interval(taken.measures.get(one, []))[0] for one in ("R@5", "R@10", "MRR")]
    turns = sum(len(haystack.turns) for haystack in haystacks)
    quality = [f"{one:.3f}" for one in shown] if taken.measures else ["-"] * 3
    print(f"<!-- {name} done -->", flush=True)
    return (name, _pair(taken.insert), _pair(taken.search), f"{size / turns:.1f}" if size else "-", *quality)


def run(peer: Peer, haystacks: Iterable[Haystack]) -> Taken:
    """Insert every turn by itself, then put every question of categories 1 to 4."""
    taken = Taken()
    for haystack in haystacks:
        for turn in haystack.turns:
            _timed(taken.insert, lambda turn=turn, user=haystack.name: peer.add(user, turn))  # type: ignore[misc]
    for haystack in haystacks:
        peer.search(haystack.name, "what was said first?", K)  # the first question may build an index
        for question in (question for question in haystack.questions if question.kind != "5"):
            found = list[str]()
            _timed(taken.search, lambda: found.extend(peer.search(haystack.name, question.text, K)))  # noqa: B023
            for name, value in measure(found, question.gold, (5, 10)).items() if question.gold else ():
                taken.measures.setdefault(name, []).append(value)
    return taken


def made_up(count: int) -> Haystack:
    """Return one user with made-up turns, and questions that no turn is known to answer."""
    chatter = Chatter()
    turns = [Said(speaker=turn["role"], **turn) for turn in chatter.turns(0, count)]
    cues = [chatter.cue(turn.text) for turn in turns[:: max(1, count // 200)]]
    asked_at = turns[-1].said_at
    return Haystack("user", turns, [Question(str(at), cue, "", (), asked_at) for at, cue in enumerate(cues)])


def _timed(taken: list[float], work: Callable[[], object]) -> None:
    start = time.perf_counter()
    work()
    taken.append((time.perf_counter() - start) * 1000)


def _pair(milliseconds: list[float]) -> str:
    return " / ".join(f"{one:.2f}" for one in np.percentile(milliseconds, [50, 95]))


if __name__ == "__main__":
    main()
