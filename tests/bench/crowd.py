"""A crowd of clients at one server over HTTP, each with a token of its own, each looking for what is not its own."""

import asyncio
import json
import multiprocessing
import os
import re
import statistics
import time
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.pipelines.server.programs import client_of, served

PROCESSES = 2
OWN = 20
"""Facts and notes that each client writes before it asks."""
ASKED = (
    ("recall", {"query": "what is the code word?"}),
    ("context", {"query": "what is the code word?", "tokens": 500}),
    ("memory_search", {"query": "code word"}),
    ("mind_recall", {"query": "code word"}),
)
WRITES = 4
"""Every so many calls, a client writes: something again that it wrote, or something that it forgets at once."""
PASSING = "Has a passing code word"
ID = re.compile(r'"id":\s*"([^"]+)"')
NAMED = re.compile(r"owner(\d+)x")


@dataclass(frozen=True)
class State:
    """What the server's process holds after so many calls; zeros where the system does not tell."""

    calls: int
    megabytes: float
    files: int
    threads: int

    @classmethod
    def of(cls, pid: int, calls: int) -> "State":
        """Return the state of a process now."""
        at = Path(f"/proc/{pid}")
        if not at.exists():
            return cls(calls, 0.0, 0, 0)
        pages = int((at / "statm").read_text().split()[1])
        files, threads = (len(list((at / part).iterdir())) for part in ("fd", "task"))
        return cls(calls, pages * os.sysconf("SC_PAGE_SIZE") / 1e6, files, threads)


@dataclass(frozen=True)
class Seen:
    """What clients saw: milliseconds of each call, answers with something that is another's, calls that failed."""

    times: tuple[float, ...]
    foreign: tuple[str, ...]
    failed: tuple[str, ...]
    empty: int


def token(number: int) -> str:
    """Return a client's token."""
    return f"token-of-client-number-{number:04}"


def crowd(folder: Path, clients: int, calls: int, parts: int = 3, own: int = OWN) -> tuple[list[State], Seen]:
    (
        """Make about so many calls in so many parts, each client with ``own`` facts and notes.

    Return the server's state before and after each part, and what was seen.
    """
        ""
    )
    tokens = folder / "tokens.json"
    tokens.write_text(json.dumps({token(number): {"user": f"user{number}"} for number in range(clients)}))
    tokens.chmod(0o600)
    return asyncio.run(_crowd(folder / "crowd.duckdb", tokens, clients, calls // clients // parts, parts, own))


async def _crowd(file: Path, tokens: Path, clients: int, each: int, parts: int, own: int) -> tuple[list[State], Seen]:
    groups = [range(start, clients, PROCESSES) for start in range(min(PROCESSES, clients))]
    spawned = multiprocessing.get_context("spawn")
    async with served(file, "--tokens", str(tokens)) as (url, process):
        with ProcessPoolExecutor(len(groups), mp_context=spawned) as pool:
            states, seen = [], []
            for part in range(parts + 1):
                share = each if part else 0
                running: list[Future[Seen]] = [pool.submit(_group, url, tuple(group), share, own) for group in groups]
                seen += await asyncio.gather(*(asyncio.wrap_future(one) for one in running))
                states.append(await _settled(process.pid, part * each * clients, states[1:2]))
    return states, _together(seen)


async def _settled(pid: int, calls: int, before: list[State]) -> State:
    """Return the server's state when it has noticed that clients left: no more than before, or after a minute."""
    ends = time.monotonic() + 60
    while True:
        state = State.of(pid, calls)
        if time.monotonic() > ends or all(state.files <= one.files for one in before):
            return state
        await asyncio.sleep(0.1)


def _group(url: str, numbers: tuple[int, ...], calls: int, own: int) -> Seen:
    async def run() -> list[Seen]:
        return await asyncio.gather(*(_client(url, number, calls, own) for number in numbers))

    return _together(asyncio.run(run()))


async def _client(url: str, number: int, calls: int, own: int) -> Seen:
    times: list[float] = []
    foreign: list[str] = []
    failed: list[str] = []
    empty = 0
    async with client_of(url, token(number)) as client:
        for name, arguments in _asked(number, calls) if calls else _own(number, own):
            begun = time.perf_counter()
            answer = await client.call_tool(name, arguments)
            times.append((time.perf_counter() - begun) * 1000)
            text = answer.content[0].text
            named = set(NAMED.findall(text))
            if answer.is_error:
                failed.append(f"{name}: {text}")
            if named - {str(number)}:
                foreign.append(f"client {number}, {name}: {text}")
            empty += calls > 0 and (name, arguments) in ASKED and not named
            passing = ID.search(text) if str(arguments.get("content")).startswith(PASSING) else None
            if passing is not None:
                forgotten = await client.call_tool("forget", {"id": passing[1]})
                failed += [f"forget: {forgotten.content[0].text}"] if forgotten.is_error else []
    return Seen(tuple(times), tuple(foreign), tuple(failed), empty)


def _own(number: int, own: int) -> Iterator[tuple[str, dict[str, Any]]]:
    for count in range(own):
        word = f"owner{number}x{count}"
        yield "remember", {"content": f"Has the code word {word}", "category": "attribute"}
        yield "memory_add", {"content": f"The code word is {word}"}
        yield "mind_believe", {"content": f"The code word is {word}", "confidence": "high"}
    yield "capture", {"message": f"My code word is owner{number}x."}


def _asked(number: int, calls: int) -> Iterator[tuple[str, dict[str, Any]]]:
    word = f"owner{number}x0"
    writes = (
        ("remember", {"content": f"Has the code word {word}", "category": "attribute"}),
        ("memory_add", {"content": f"The code word is {word}"}),
        ("mind_believe", {"content": f"The code word is {word}", "confidence": "high"}),
        ("remember", {"content": f"{PASSING} owner{number}x", "category": "attribute"}),
        ("capture", {"message": f"My code word is owner{number}x."}),
        ("memory_reflect", {}),
    )
    for count in range(calls):
        written, is_write = divmod(count, WRITES)
        yield ASKED[count % len(ASKED)] if is_write != WRITES - 1 else writes[written % len(writes)]


def _together(seen: list[Seen]) -> Seen:
    return Seen(
        tuple(time for one in seen for time in one.times),
        tuple(found for one in seen for found in one.foreign),
        tuple(found for one in seen for found in one.failed),
        sum(one.empty for one in seen),
    )


def told(states: list[State], seen: Seen) -> Iterator[str]:
    """Return what came of it, a line each."""
    for state in states:
        yield f"after {state.calls:,} calls: {state.megabytes:.0f} MB, {state.files} files, {state.threads} threads"
    worst = statistics.quantiles(seen.times, n=100)[98]
    yield f"{len(seen.times):,} calls, median {statistics.median(seen.times):.1f} ms, 99th percentile {worst:.0f} ms"
    yield f"answers with another's words: {len(seen.foreign)}; failed: {len(seen.failed)}; found nothing: {seen.empty}"
