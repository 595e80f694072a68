"""Calls of twelve owners side by side in one open file, who share names, projects and organisations.

``python -m tests.bench.callers [CALLS] [SEED]``: half of the calls come from threads, half from tasks of one event
loop. Every answer is looked through for words of others; at the end each owner has his own, each project and
organisation all that was said in it, once. One line per check; exit code 1 where one does not hold.
"""

import asyncio
import random
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from blocks.tools import memory_tools
from capabilities.mind import mind
from fabric import Context, Fabric, Session, handler, sequencer
from pipelines import memory_system
from tests.bench.checks import print_checks

from .words import numbered, words_of

CALLS = 20_000
USERS = {"ann": "apollo", "bob": "apollo", "eve": "gemini", "joe": "gemini"}
"""Who works in which project; they are other people and other projects in each organisation."""
ORGS = ("acme", "globex", None)
SESSIONS = ("monday", "tuesday")
EPISODES = 1_000_000
OWN: Any = memory_system(episodic={"max_episodes": EPISODES}, semantic=True, embedder=None, name="own")
TEAM: Any = memory_system(
    episodic={"scope": "project", "max_episodes": EPISODES}, semantic=True, embedder=None, name="team"
)
TOOLS = memory_tools(embedder=None)


def chatting(name: str, capture: Any) -> Any:
    """Return a chat with a memory behind it."""
    return sequencer(name=name).then(handler(lambda _: "I see what you mean.", name="chat")).work(capture)


CHAT, TEAM_CHAT = chatting("chatting", OWN.capture_from_items), chatting("team-chatting", TEAM.capture_from_items)
FOREIGN = "nobody sees what belongs to another"
HELD = "each owner and each shared scope has all that was said there, once"
GONE = "nothing that was forgotten is left"
NUMBERED = "ids and numbers of a session are there once"
FAILED = "no call and no work behind it fails"
CHECKS = (FOREIGN, HELD, GONE, NUMBERED, FAILED)
Place = tuple[str, str | None, str]
"""A scope: its kind, its organisation, and whose or which it is."""


@dataclass(frozen=True, slots=True)
class Owner:
    """One of the twelve."""

    org: str | None
    user: str

    @property
    def places(self) -> dict[str, Place]:
        """The scopes that he may look into, by their kind."""
        found: dict[str, Place] = {
            "user": ("user", self.org, self.user),
            "project": ("project", self.org, USERS[self.user]),
        }
        return found if self.org is None else {**found, "org": ("org", self.org, "")}

    def session(self, fabric: Fabric, name: str) -> Session:
        """Return one of his sessions, whose names all owners share."""
        return fabric.session(name, user=self.user, project=USERS[self.user], org=self.org)


OWNERS = [Owner(org, user) for org in ORGS for user in USERS]


@dataclass(frozen=True, slots=True)
class Call:
    """A block and its input; a word that it says, in which scope, and how often each kind of record holds it then."""

    block: Any
    value: Any
    said: str = ""
    scope: str = "user"
    kept: dict[str, int] = field(default_factory=dict[str, int])
    forgets: str = ""


def believing(scope: Any) -> Any:
    """Return the block that believes something in the mind of a scope."""

    @handler(name=f"believes-{scope}", uses=[mind(None, scope=scope, namespace="mind/b", deduplication_threshold=1.0)])
    async def believe(text: str, ctx: Context) -> str:
        await ctx.cap.mind.believe(text)
        return str(await ctx.cap.mind.header()) + str(await ctx.cap.mind.recall("green"))

    return believe


BELIEVES = {scope: believing(scope) for scope in ("user", "project", "org")}


def saying(kind: str, word: str, scopes: list[str], chance: random.Random) -> Call:
    """Return a call that says a word."""
    turns = {"item": 1, "turn": 1, "fact": 1}
    stated = {"turn": 1, "fact": 1}
    scope = chance.choice(scopes)
    said_at = f"2025-05-01T10:{chance.randrange(60):02}:00Z"
    imported = [{"session": "tuesday", "role": "user", "said_at": said_at, "text": f"The {word} lies in the harbour"}]
    calls: dict[str, Call] = {
        "capture": Call(OWN.capture, f"I like {word}.", kept=turns),
        "chat": Call(CHAT, f"I like {word}.", kept=turns),
        "team": Call(TEAM.capture, f"I like {word}.", scope="project", kept=stated),
        "remember": Call(OWN.remember_block, f"Owns the boat {word}", kept=stated),
        "team remembers": Call(TEAM.remember_block, f"Owns the boat {word}", scope="project", kept=stated),
        "import": Call(OWN.import_block, imported, kept={"turn": 1}),
        "team imports": Call(TEAM.import_block, imported, scope="project", kept={"turn": 1}),
        "trace": Call(TOOLS.add, {"content": f"The {word} stands in the hall"}, kept={"trace": 1}),
        "organisation's trace": Call(
            TOOLS.add,
            {"content": f"The {word} stands in the hall", "scope": "organization"},
            scope="org",
            kept={"trace": 1},
        ),
        "belief": Call(BELIEVES[scope], f"The {word} is green", scope=scope, kept={"belief": 1}),
        "team's chat": Call(TEAM_CHAT, f"I like {word}.", scope="project", kept=stated),
    }
    chosen = calls[kind]
    return Call(chosen.block, chosen.value, word, chosen.scope, chosen.kept)


SAYINGS = {
    "capture": 12,
    "chat": 8,
    "team": 10,
    "remember": 7,
    "team remembers": 5,
    "import": 4,
    "team imports": 4,
    "trace": 7,
    "organisation's trace": 5,
    "belief": 6,
    "team's chat": 6,
}
ASKING = 27
FORGETTING = 1


class Caller:
    """One line of calls of one owner, each after the one before."""

    def __init__(self, owner: Owner, known: "Known", chance: random.Random) -> None:
        self.owner, self.known, self.chance = owner, known, chance

    def next(self) -> Call:
        """Return the next call."""
        (kind,) = self.chance.choices(
            [*SAYINGS, "ask", "forget"], [*SAYINGS.values(), ASKING, FORGETTING if self.known.facts[self.owner] else 0]
        )
        if kind == "ask":
            return self.asking()
        if kind == "forget":
            return self.forgetting()
        if self.owner.org is None and kind == "organisation's trace":
            kind = "trace"
        return saying(kind, self.known.new(), list(self.owner.places), self.chance)

    def asking(self) -> Call:
        """Return a call that asks, often for the very word of somebody else."""
        cue = self.chance.choice(["what do I like?", "boat", "hall", *self.known.some(self.chance)])
        blocks: dict[str, Call] = {
            "recall": Call(OWN.recall_block, cue),
            "team": Call(TEAM.recall_block, cue),
            "context": Call(TEAM.context_block, cue),
            "search": Call(TOOLS.search, {"query": cue}),
            "export": Call(OWN.export_block, None),
        }
        return self.chance.choices(list(blocks.values()), [30, 25, 15, 30, 1])[0]

    def forgetting(self) -> Call:
        """Return a call that forgets a fact that was remembered before."""
        word, fact = self.known.taken(self.owner)
        return Call(OWN.forget_block, {"id": fact}, forgets=word)

    def done(self, call: Call, output: Any) -> None:
        """Note what a call said or took away, and look through its answer."""
        if call.said:
            self.known.say(self.owner, call, output)
        if call.forgets:
            self.known.gone.add(call.forgets)
        self.known.look(self.owner, output)


class Known:
    """What was said where, told by all callers; what they saw that is not theirs."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.new = numbered(1)
        self.said: dict[str, tuple[Place, dict[str, int]]] = {}
        self.facts: dict[Owner, list[tuple[str, str]]] = defaultdict(list)
        self.gone: set[str] = set()
        self.checked: Counter[str] = Counter()
        self.wrong: list[tuple[str, str]] = []

    def some(self, chance: random.Random) -> list[str]:
        """Return some words that were said by anybody."""
        with self._lock:
            texts = list(self.said)
        return chance.sample(texts, 2) if len(texts) > 2 else []

    def say(self, owner: Owner, call: Call, output: Any) -> None:
        """Note what a call said; what was remembered can be forgotten later."""
        with self._lock:
            self.said[call.said] = owner.places[call.scope], call.kept
            if call.block is OWN.remember_block:
                self.facts[owner].append((call.said, output.id))

    def taken(self, owner: Owner) -> tuple[str, str]:
        """Return the word and the id of a fact that nobody else will forget."""
        with self._lock:
            word, fact = self.facts[owner].pop(0)
            self.said.pop(word)
        return word, fact

    def look(self, owner: Owner, answer: object) -> None:
        """Look an answer through for words that are said where the owner may not look."""
        places = set(owner.places.values())
        words = words_of(answer)
        with self._lock:
            self.checked[FOREIGN] += 1
            for word in words:
                if word in self.said and self.said[word][0] not in places:
                    self.wrong.append((FOREIGN, f"{owner} was told {word} of {self.said[word][0]}"))

    def fail(self, told: str) -> None:
        """Note a failure."""
        with self._lock:
            self.wrong.append((FAILED, told))


def by_threads(fabric: Fabric, known: Known, calls: int, seed: int) -> list[Thread]:
    """Start a thread for each owner that makes so many calls."""

    def work(owner: Owner) -> None:
        caller = Caller(owner, known, random.Random(f"thread {owner} {seed}"))
        for _ in range(calls):
            call = caller.next()
            session = owner.session(fabric, caller.chance.choice(SESSIONS))
            try:
                caller.done(call, session.run(call.block, call.value).output)
            except Exception as error:
                known.fail(f"{owner} {call}: {type(error).__name__}: {error}")

    return [Thread(target=work, args=(owner,)) for owner in OWNERS]


async def by_tasks(fabric: Fabric, known: Known, calls: int, seed: int) -> None:
    """Make so many calls of each owner in tasks of this event loop."""

    async def work(owner: Owner) -> None:
        caller = Caller(owner, known, random.Random(f"task {owner} {seed}"))
        for _ in range(calls):
            call = caller.next()
            session = owner.session(fabric, caller.chance.choice(SESSIONS))
            try:
                caller.done(call, (await session.arun(call.block, call.value)).output)
            except Exception as error:
                known.fail(f"{owner} {call}: {type(error).__name__}: {error}")

    await asyncio.gather(*(work(owner) for owner in OWNERS))


def at_the_end(fabric: Fabric, known: Known) -> None:
    """Compare what everybody has with what was said."""
    known.checked[FAILED] += 1
    for job in fabric.drain():
        known.fail(f"{job.block}: {job.status} {job.error}")
    for owner in OWNERS:
        records = owner.session(fabric, "monday").run(OWN.export_block).output
        known.look(owner, records)
        known.wrong += held(owner, known, records)
        for name in SESSIONS:
            known.checked[NUMBERED] += 1
            known.wrong += [(NUMBERED, f"{owner} {one}") for one in doubled(owner.session(fabric, name))]


def held(owner: Owner, known: Known, records: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield where what an owner has is not what was said in the scopes that are his."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for record in records:
        if not record.get("deleted") and record.get("role") != "assistant":
            for word in words_of(record.get("content") or record.get("text")):
                found[word][record["kind"]] += 1
    places = set(owner.places.values())
    for word, (place, kept) in known.said.items():
        if place in places:
            known.checked[HELD] += 1
            wrong = {kind: found[word][kind] for kind, times in kept.items() if found[word][kind] != times}
            if wrong:
                yield HELD, f"{owner}: {word} of {place} is there {wrong}, expected {kept}"
    known.checked[GONE] += len(known.gone)
    yield from ((GONE, f"{owner} has {word}") for word in known.gone if word in found)


def doubled(session: Session) -> Iterator[str]:
    """Yield which numbers of a session are there twice."""
    items = session.items
    asked = [item.turn for item in items if item.role == "user" and item.kind == "message"]
    for what, numbers in (("seq", [item.seq for item in items]), ("id", [item.id for item in items]), ("turn", asked)):
        yield from (f"{what} {one}" for one, times in Counter(numbers).items() if times > 1)


def main(calls: int, seed: int) -> int:
    """Run the campaign, print what was counted, and return how much was wrong."""
    known, begun, each = Known(), time.perf_counter(), calls // len(OWNERS) // 2
    with tempfile.TemporaryDirectory() as folder:
        with Fabric(Path(folder) / "callers.duckdb") as fabric:
            threads = by_threads(fabric, known, each, seed)
            for thread in threads:
                thread.start()
            asyncio.run(by_tasks(fabric, known, each, seed))
            for thread in threads:
                thread.join()
            at_the_end(fabric, known)
        with Fabric(Path(folder) / "callers.duckdb") as fabric:
            at_the_end(fabric, known)
    for told in known.wrong[:50]:
        print(*told, sep=": ")
    print_checks(CHECKS, known.checked, Counter(check for check, _ in known.wrong))
    print(f"{each * 2 * len(OWNERS)} calls of {len(OWNERS)} owners, {time.perf_counter() - begun:.0f} s")
    return len(known.wrong)


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:]]
    sys.exit(bool(main(numbers[0] if numbers else CALLS, numbers[1] if len(numbers) > 1 else 0)))
