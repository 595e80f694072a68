"""What the killed process does, operation by operation, and how each is told over a pipe before and after it."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from blocks.tools import memory_tools
from capabilities.mind import mind
from fabric import Context, Fabric, handler, sequencer
from fabric.errors import RunError
from pipelines import Memory, memory_system
from tests.fabric.embedding.fakes import HashEmbedder
from tests.fabric.small_pipelines import talk

USERS = ("ann", "bob", "eve")
SAID = {
    "like": "I like {0}.",
    "work": "I work at {1}.",
    "live": "I live in {1}.",
    "friend": "My friend {1} likes chess.",
}
"""What is captured; {1} is the word with a capital letter."""
CHAINS = ("work", "live")
"""Of these a later one ends the one before, so they are versions of one fact."""
WEIGHTS = {
    "capture like": 16,
    "capture work": 5,
    "capture live": 5,
    "capture friend": 5,
    "run like": 8,
    "run work": 3,
    "count": 8,
    "remember": 9,
    "update": 4,
    "import": 4,
    "import file": 2,
    "mind": 8,
    "trace": 10,
    "merge": 3,
    "reflect": 2,
    "consolidate": 3,
    "prune": 3,
    "reembed": 2,
    "wait": 2,
    "forget id": 6,
    "forget session": 2,
    "forget tag": 2,
    "forget subject": 2,
    "forget all": 0.4,
}
IMPORTED = {"import": 5, "import file": 30}
PERIOD = 20
"""After so many operations a user talks in another session and files under another tag."""
MIND = mind(embedder=None, namespace="mind/killed", deduplication_threshold=1.0)
TOOLS = memory_tools(embedder=None)
COUNTING = talk(name="counting")


def system(number: int) -> Any:
    """Return a memory that keeps every episode, with one of two embedders."""
    embedder = HashEmbedder(16, seed=str(number % 2), name=f"hash{number % 2}")
    return memory_system(episodic={"max_episodes": 100_000}, semantic=True, embedder=embedder)


def name(text: str) -> str:
    """Return the id of a message or a turn: ids stay where a text is forgotten, so the word itself is not in it."""
    return text[::-1]


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of one user; ``words`` are what it says, or what it is to take away; ``ids`` the rows it names."""

    user: str
    kind: str
    session: str = "a"
    tag: str = ""
    words: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()

    @classmethod
    def of(cls, told: dict[str, Any]) -> "Operation":
        """Return the operation that was told."""
        return cls(**{**told, "words": tuple(told["words"]), "ids": tuple(told["ids"])})

    def told(self) -> dict[str, Any]:
        """Return it as JSON."""
        return asdict(self)


State = Literal["begun", "told", "done", "refused"]


class Telling:
    """Says what was begun and acknowledged, a line each, whichever thread it is."""

    def __init__(self) -> None:
        self._lock = Lock()

    def say(self, state: State, operation: Operation, part: str = "") -> None:
        """Print a line; once this returns, the other end of the pipe has it, whatever becomes of this process."""
        line = json.dumps({"state": state, "part": part, "operation": operation.told()})
        with self._lock:
            print(line, flush=True)


@dataclass(frozen=True, slots=True)
class Doing:
    """One user's access to the open file, and what carries operations out."""

    user: str
    fabric: Fabric
    memory: Memory
    mem: Any
    chatting: Any
    folder: Path
    telling: Telling

    @classmethod
    def of(cls, fabric: Fabric, user: str, mem: Any, folder: Path, telling: Telling) -> "Doing":
        """Return it, and have background work go on that was left."""
        answer = handler(lambda _: "I see what you mean.", name="chat")
        chatting = sequencer(name="chatting").then(answer).work(mem.capture_from_items)
        for block in (chatting, COUNTING):
            fabric.register(block)
        return cls(user, fabric, Memory(fabric, user=user, system=mem), mem, chatting, folder, telling)

    def run(self, block: Any, value: Any = None, session: str = "a", **named: Any) -> Any:
        """Run a block as this user."""
        return self.fabric.session(session, user=self.user).run(block, value, **named).output

    def do(self, operation: Operation) -> State:
        """Carry an operation out, and return whether it was done or refused."""
        done: bool | None = _DOING[operation.kind.split()[0]](self, operation)
        return "refused" if done is False else "done"


def _capture(doing: Doing, asked: Operation) -> None:
    (said,) = asked.words
    text = SAID[asked.kind.split()[1]].format(said, said.capitalize())
    tags = [asked.tag] if asked.tag else []
    doing.memory.capture({"role": "user", "content": text, "id": name(said)}, session=asked.session, tags=tags)


def _run(doing: Doing, asked: Operation) -> None:
    (said,) = asked.words
    text = SAID[asked.kind.split()[1]].format(said, said.capitalize())
    doing.run(doing.chatting, text, asked.session, turn_id=name(said))


def _count(doing: Doing, asked: Operation) -> None:
    doing.run(COUNTING, f"counted {asked.words[0]}", "counting", turn_id=name(asked.words[0]))


def _remember(doing: Doing, asked: Operation) -> None:
    doing.memory.remember(f"Owns the boat {asked.words[0]}", session=asked.session)


def _update(doing: Doing, asked: Operation) -> bool:
    try:
        doing.memory.update(asked.ids[0], f"Owns the boat {asked.words[0]}")
    except RunError:
        return False  # it is no current fact any more, as after the first of two tries
    return True


def _turns(asked: Operation) -> Iterator[dict[str, Any]]:
    for minute, word in enumerate(asked.words):
        text, at = f"The {word} lies in the harbour", f"2025-05-01T10:{minute:02}:00Z"
        yield {"session": asked.session, "role": "user", "said_at": at, "text": text}


def _import(doing: Doing, asked: Operation) -> None:
    if asked.kind == "import":
        doing.memory.import_turns(list(_turns(asked)))
        return
    path = doing.folder / f"{asked.words[0]}.jsonl"
    messages = [{"role": "user", "content": turn["text"], "created_at": turn["said_at"]} for turn in _turns(asked)]
    path.write_text(json.dumps(messages))
    report = doing.memory.import_file(path, format="messages", session=asked.session)
    assert report.total == len(messages), report


@handler(name="minding", uses=[MIND])
async def _minding(asked: tuple[Operation, Telling], ctx: Context) -> None:
    operation, telling = asked
    believed, noted = operation.words
    await ctx.cap.mind.believe(f"The {believed} is green")
    telling.say("told", operation, believed)
    await ctx.cap.mind.reflect(f"Saw the {noted} today")
    telling.say("told", operation, noted)


def _mind(doing: Doing, asked: Operation) -> None:
    doing.run(_minding, (asked, doing.telling), asked.session)


def _tool(doing: Doing, name: str, arguments: dict[str, Any]) -> bool:
    host = TOOLS.host(doing.fabric, user=doing.user)
    return bool(host.call(name, arguments)["success"])


def _trace(doing: Doing, asked: Operation) -> None:
    assert _tool(doing, "memory_add", {"content": f"The {asked.words[0]} stands in the hall", "type": "semantic"})


def _merge(doing: Doing, asked: Operation) -> bool:
    return _tool(doing, "memory_merge", {"trace_ids": list(asked.ids)})


def _forget(doing: Doing, asked: Operation) -> None:
    given: dict[str, dict[str, Any]] = {
        "id": {"memory_id": asked.ids[0] if asked.ids else ""},
        "session": {"session": asked.session},
        "tag": {"tag": asked.tag},
        "subject": {"subject": asked.words[0] if asked.words else None},
        "all": {"everything": True},
    }
    doing.memory.forget(**given[asked.kind.split()[1]])


def _tidy(doing: Doing, asked: Operation) -> None:
    blocks = {"consolidate": doing.mem.consolidate, "prune": doing.mem.prune, "reembed": doing.mem.reembed_block}
    doing.run(blocks[asked.kind], {"force": True})


def _wait(doing: Doing, _: Operation) -> None:
    doing.memory.wait()


_DOING: dict[str, Callable[[Doing, Operation], bool | None]] = {
    "capture": _capture,
    "run": _run,
    "count": _count,
    "remember": _remember,
    "update": _update,
    "import": _import,
    "mind": _mind,
    "trace": _trace,
    "merge": _merge,
    "forget": _forget,
    "reflect": lambda doing, _: _tool(doing, "memory_reflect", {}),
    "consolidate": _tidy,
    "prune": _tidy,
    "reembed": _tidy,
    "wait": _wait,
}
