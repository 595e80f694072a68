"""Cancel calls at random moments, and count where memory, file and a reopened file disagree afterwards.

``python -m tests.bench.cancel [MOMENTS] [SEED]``: captures, runs, named runs, streams and messages, each cancelled or
left after a random part of the time that it takes, and every named one repeated as whoever was timed out does.
"""

import asyncio
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

from fabric import Fabric, Item, Session, generator, sequencer
from fabric.record.log import ITEMS, item_of
from fabric.testing import ScriptedModel
from pipelines import AsyncMemory, memory_system

MOMENTS = 2_000
ROUND = 100
"""How many calls are made before the file is closed, reopened and looked at."""
SESSIONS = 10

mem = memory_system(model=None, episodic=True, semantic=True, embedder=None)
chatting = sequencer(name="chatting").then(generator(name="chat", model="scripted")).work(mem.capture_from_items)


async def stream(session: Session, text: str) -> None:
    """Stream a run to its end."""
    async for _ in session.stream(chatting, text):
        pass


def calls(memory: AsyncMemory, session: Session, text: str) -> dict[str, Callable[[], Coroutine[Any, Any, Any]]]:
    """Return the calls that are cancelled; those that carry an id may be repeated."""
    named = {"role": "user", "content": text, "id": text}
    return {
        "capture": lambda: memory.capture(named, session=session.ids.session),
        "named run": lambda: session.arun(chatting, text, turn_id=text),
        "messages": lambda: session.aadd_messages([named]),
        "run": lambda: session.arun(chatting, text),
        "stream": lambda: stream(session, text),
    }


async def cancelled(work: Coroutine[Any, Any, Any], seconds: float) -> bool:
    """Cancel a call after so many seconds; return whether it was not done by then."""
    task = asyncio.ensure_future(work)
    await asyncio.sleep(seconds)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    return task.cancelled()


def violations(items: list[Item], held: list[Item], texts: Counter[str]) -> Counter[str]:
    """Count what is wrong with a session: ``texts`` are those that were said in calls that carry an id."""
    asked = [item for item in items if item.role == "user" and item.kind == "message"]
    said = Counter(item.text for item in asked)
    return Counter(
        {
            "memory and file differ": int(items != held),
            "ids twice": len(items) - len({item.id for item in items}),
            "numbers twice": len(items) - len({item.seq for item in items}),
            "turns twice": len(asked) - len({item.turn for item in asked}),
            "said twice": sum(said[text] > 1 for text in texts),
            "lost": sum(said[text] == 0 for text in texts),
        }
    )


def in_file(fabric: Fabric, session: Session) -> list[Item]:
    """Return the items that the file holds."""
    scope = session.ids.scope("session")
    return [
        item_of({key: value for key, value in row.items() if key != "turn_id"})
        for row in fabric.store.transact_sync(lambda tx: tx.find(ITEMS, scope, order="seq"))
    ]


async def one_round(path: Path, chance: random.Random, first: int, durations: dict[str, float]) -> Counter[str]:
    """Make calls and cancel them, then compare; return how many were cut off, and what was wrong."""
    found: Counter[str] = Counter()
    named: dict[str, Counter[str]] = {}
    async with Fabric(path, models=ScriptedModel(lambda _: "I see what you mean.")) as fabric:
        memory = AsyncMemory(fabric, user="u", system=mem)
        sessions = [fabric.session(f"s{number}", user="u") for number in range(SESSIONS)]
        for number in range(first, first + ROUND):
            session = chance.choice(sessions)
            text = f"I bought lamp number {number}."
            made = calls(memory, session, text)
            kind = chance.choice(list(made))
            begun = time.perf_counter()
            was_cut = await cancelled(made[kind](), chance.uniform(0, 1.2 * durations.get(kind, 0.03)))
            found["cut off"] += was_cut
            if was_cut:
                durations[kind] = 1.05 * durations.get(kind, 0.03)
            else:
                durations[kind] = 0.8 * durations.get(kind, 0.03) + 0.2 * (time.perf_counter() - begun)
            if kind in ("capture", "named run", "messages"):
                named.setdefault(session.ids.session, Counter())[text] += 1
                await made[kind]()
        await fabric.on_portal(fabric.services.portal.finish_kept())
        await fabric.adrain()
        seen = {session.ids.session: session.items for session in sessions}
        for session in sessions:
            name = session.ids.session
            found += violations(seen[name], in_file(fabric, session), named.get(name, Counter()))
        found["work left"] += len(fabric.jobs())
    with Fabric(path) as fabric:
        for name, items in seen.items():
            found["reopened differs"] += int(fabric.session(name, user="u").items != items)
    return found


def main(moments: int, seed: int) -> int:
    """Run the campaign, print what was counted, and return how much was wrong."""
    chance, durations = random.Random(seed), dict[str, float]()
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for first in range(0, moments, ROUND):
            total += asyncio.run(one_round(Path(folder) / "cancel.duckdb", chance, first, durations))
    cut = total.pop("cut off", 0)
    wrong = {kind: count for kind, count in total.items() if count}
    print(f"{moments} calls, {cut} cut off at a random moment; violations: {sum(wrong.values())} {wrong or ''}")
    return sum(wrong.values())


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    sys.exit(bool(main(arguments[0] if arguments else MOMENTS, arguments[1] if len(arguments) > 1 else 0)))
