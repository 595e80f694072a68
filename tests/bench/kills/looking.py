"""What a file holds after a kill, read through what users have and, for what was forgotten, out of every table."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from capabilities.mind import MindStatus
from fabric import Context, Fabric, handler
from fabric.store.finding import Finding
from pipelines.checkup import check_up
from tests.fabric.small_pipelines import notes

from ..words import words_of
from .operations import MIND, USERS, Doing, Telling, system

MACHINE = ("disk", "extras", "packages", "model")
"""What a check-up says of the machine, and not of the file."""


@dataclass(slots=True)
class Found:
    """What the file holds: for each user and word how often it stands in each place, and what is wrong on its own."""

    words: dict[str, dict[str, Counter[str]]] = field(default_factory=dict[str, dict[str, Counter[str]]])
    twice: list[str] = field(default_factory=list[str])
    unfinished: list[str] = field(default_factory=list[str])
    uncaptured: set[str] = field(default_factory=set[str])
    everywhere: set[str] = field(default_factory=set[str])
    doctor: list[str] = field(default_factory=list[str])
    is_checked_up: bool = False


@handler(name="look", uses=[MIND])
async def look(_: object, ctx: Context) -> MindStatus:
    """Return how the mind stands; what a killed run left is written by this one first."""
    status: MindStatus = await ctx.cap.mind.status()
    return status


def look_into(path: Path, number: int, *, is_begun: bool) -> Found:
    """Open the file, let it finish what was begun, and return what it holds; a check-up is part of it now and then.

    ``is_begun`` says that something was acknowledged: a file that was still being made is none that can be checked.
    """
    left = wrong(path) if is_begun and number % 5 == 0 else []
    found = Found(doctor=[f"before opening: {one}" for one in left if "problem" in one])
    mem, seen = system(number), found.words
    with Fabric(path) as fabric:
        doings = [Doing.of(fabric, user, mem, path.parent, Telling()) for user in USERS]
        found.unfinished += [f"{job.block}: {job.status} {job.error}" for job in fabric.drain()]
        for doing in doings:
            status = doing.run(look)
            if status.drafts or status.failed:
                found.unfinished.append(f"{doing.user}'s mind: {status}")
            doing.run(mem.reembed_block)
            if (left := doing.run(mem.embedding_status_block)).left:
                found.unfinished.append(f"{doing.user}'s vectors: {left}")
            seen[doing.user] = _places_of_words(doing, found)
    found.everywhere = set(words_of(everything(path)))
    found.is_checked_up = bool(number % 2)
    found.doctor += wrong(path) if found.is_checked_up else []
    return found


def _places_of_words(doing: Doing, found: Found) -> dict[str, Counter[str]]:
    """Return how often each word stands in each place of what a user has."""
    records = list(doing.memory.export())
    places: dict[str, Counter[str]] = defaultdict(Counter)
    for place, texts in _texts(doing, records):
        for text in texts:
            for word in words_of(text):
                places[word][place] += 1
    for kind in ("fact", "episode", "turn", "trace", "belief", "reflection"):
        ids = [str(record["id"]) for record in records if record["kind"] == kind]
        found.twice += [f"{doing.user}: {kind} {one}" for one, times in Counter(ids).items() if times > 1]
    for name in {str(record["session"]) for record in records if record["kind"] in ("item", "turn")}:
        found.twice += [f"{doing.user}, session {name}: {one}" for one in _doubled(doing, name)]
    found.uncaptured |= {
        word
        for record in records
        if record["kind"] == "turn" and record["role"] == "user" and not record["captured"]
        for word in words_of(record["text"])
    }
    return places


def _doubled(doing: Doing, name: str) -> Iterator[str]:
    """Yield which numbers of a session are there twice."""
    items = doing.fabric.session(name, user=doing.user).items
    asked = [item.turn for item in items if item.role == "user" and item.kind == "message"]
    for what, numbers in (("seq", [item.seq for item in items]), ("id", [item.id for item in items]), ("turn", asked)):
        yield from (f"{what} {one}" for one, times in Counter(numbers).items() if times > 1)


def _texts(doing: Doing, records: list[dict[str, Any]]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the places where a word can stand, and the texts there."""
    chosen: dict[str, Callable[[dict[str, Any]], bool]] = {
        "messages": lambda message: message["kind"] == "item" and message["role"] == "user",
        "turns": lambda message: message["kind"] == "turn" and message["role"] == "user",
        "facts": lambda record: record["kind"] == "fact",
        "episodes": lambda record: record["kind"] == "episode",
        "traces": lambda record: record["kind"] == "trace" and not record["deleted"],
        "mind": lambda record: record["kind"] in ("belief", "reflection"),
    }
    for place, is_there in chosen.items():
        here = [record for record in records if is_there(record)]
        yield place, [(one.get("subject"), one.get("content") or one.get("text")) for one in here]
    yield "jobs' notes", doing.run(notes)
    yield "anywhere", [records]


def everything(path: Path) -> str:
    """Return every text that any table of the file holds."""
    with duckdb.connect(str(path), read_only=True) as connection:
        tables = [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        return repr([connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in tables])


def wrong(path: Path) -> list[str]:
    """Return what a check-up of the file finds that is not well."""
    findings: Iterator[Finding] = check_up(path, embedder="none")
    return [
        f"{finding.state}: {finding.check}: {finding.found}"
        for finding in findings
        if finding.state != "ok" and finding.check not in MACHINE
    ]
