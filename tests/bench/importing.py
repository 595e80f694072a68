"""What importing costs, and that a killed import is finished by the next: ``python -m tests.bench.importing``.

Every import is a process of its own. The killed one ends by SIGKILL when half of its file is read.
"""

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fabric import Fabric
from pipelines import memory_system
from pipelines.importing import FileImport, file_import_block

from .recall.chatter import Chatter
from .recall.evaluate import print_table

PER_CONVERSATION = 50
HEAD = ("what", "records", "seconds", "records/s", "of it processor s", "peak memory, MB", "new", "known")


def main() -> None:
    """Read the command line, and print a row for every import."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--facts", type=int, default=20_000)
    parser.add_argument("--embedder", default="default", help='what memory_system takes, or "none"')
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    read = parser.parse_args()
    if read.child:
        print(json.dumps(child(*read.child, read.embedder)))
        return
    with TemporaryDirectory() as folder:
        rows = list(measured(Path(folder), read.messages, read.facts, read.embedder))
    print_table(f"Importing, embedder {read.embedder}, {os.cpu_count()} cores", HEAD, rows)


def measured(folder: Path, messages: int, facts: int, embedder: str) -> list[list[str]]:
    """Write the files, import them in every way, and return the rows of the table."""
    lines, whole, memories = (folder / name for name in ("lines.jsonl", "whole.json", "mem0.json"))
    write_messages(lines, whole, messages)
    write_memories(memories, facts)

    def run(file: str, path: Path, how: str = "import") -> dict[str, Any]:
        command = [sys.executable, "-m", "tests.bench.importing", "--embedder", embedder]
        done = subprocess.run(
            [*command, "--child", str(folder / file), str(path), how, str(path.stat().st_size)],
            check=how != "kill",
            stdout=subprocess.PIPE,
            text=True,
        )
        assert how != "kill" or done.returncode == -signal.SIGKILL
        result: dict[str, Any] = json.loads(done.stdout) if how != "kill" else {}
        return result

    rows = [
        row("messages, JSON lines", run("a.duckdb", lines)),
        row("the same again", run("a.duckdb", lines)),
        row("dry run beside them", run("a.duckdb", lines, "dry")),
        row("messages, one JSON list", run("b.duckdb", whole)),
    ]
    run("c.duckdb", lines, "kill")
    rows.append(row("finished after a kill", run("c.duckdb", lines)))
    kept = run("c.duckdb", lines, "count")["kept"]
    print(f"After a kill and a second import: {kept} of {messages} messages, each once.", flush=True)
    assert kept == messages
    return [*rows, row("memories of mem0", run("d.duckdb", memories)), row("the same again", run("d.duckdb", memories))]


def row(what: str, done: dict[str, Any]) -> list[str]:
    """Return a row of the table."""
    total = done["new"] + done["known"]
    rate = f"{total / done['seconds']:,.0f}"
    numbers = (f"{done['seconds']:.1f}", rate, f"{done['processor']:.1f}", f"{done['memory']:.0f}")
    return [what, f"{total:,}", *numbers, f"{done['new']:,}", f"{done['known']:,}"]


def child(file: str, path: str, how: str, size: str, embedder: str) -> dict[str, Any]:
    """Import in this process; with "kill" end it by SIGKILL when half of the file is read."""
    mem = memory_system(episodic=True, semantic=True, embedder=None if embedder == "none" else embedder)
    begun = time.perf_counter()
    with Fabric(file) as fabric:
        session = fabric.session("bench", user="ann")
        if how == "count":
            texts = [record["id"] for record in session.run(mem.export_block).output if record["kind"] == "turn"]
            return {"kept": len(set(texts)) if len(set(texts)) == len(texts) else -1}
        block = file_import_block(mem.layout, halfway(int(size)) if how == "kill" else lambda _: None)
        report = session.run(block, FileImport(path=Path(path), dry_run=how == "dry")).output
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "new": report.messages.new + report.facts.new,
        "known": report.messages.known + report.facts.known,
        "seconds": time.perf_counter() - begun,
        "processor": used.ru_utime + used.ru_stime,
        "memory": used.ru_maxrss / 1024,
    }


def halfway(size: int) -> Callable[[int], None]:
    """Return what ends this process when half of so many bytes are read."""
    read = 0

    def progress(more: int) -> None:
        nonlocal read
        read += more
        if read > size / 2:
            os.kill(os.getpid(), signal.SIGKILL)

    return progress


def write_messages(lines: Path, whole: Path, count: int) -> None:
    """Write the same messages as JSON lines of conversations, and as one list of messages."""
    chatter = Chatter()
    said = [{"role": ("user", "assistant")[at % 2], "content": f"{chatter.text()} {at}"} for at in range(count)]
    with lines.open("w") as file:
        for at in range(0, count, PER_CONVERSATION):
            talk = {
                "session": f"s{at}",
                "started_at": "2026-01-01T00:00:00Z",
                "messages": said[at : at + PER_CONVERSATION],
            }
            file.write(json.dumps(talk) + "\n")
    whole.write_text(json.dumps(said))


def write_memories(path: Path, count: int) -> None:
    """Write memories as mem0's get_all returns them."""
    chatter, chance = Chatter(1), random.Random(1)
    rows = [
        {
            "id": f"m{number}",
            "memory": " ".join(chatter.text().split()[:12]),
            "hash": f"{chance.getrandbits(128):032x}",
            "created_at": "2025-03-01T10:00:00Z",
            "user_id": "ann",
        }
        for number in range(count)
    ]
    path.write_text(json.dumps({"results": rows}))


if __name__ == "__main__":
    main()
