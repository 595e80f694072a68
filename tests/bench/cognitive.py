"""What a cognitive memory costs beside its size: ``python -m tests.bench.cognitive``.

Encoding without a model, retrieving beside plain recall over the same texts in a file of its own, sweeping,
spreading activation, consolidating, and what of all that a reply waits for.
"""

import argparse
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import numpy as np

from capabilities.cognitive.graph import activate
from capabilities.cognitive.memory import CognitiveMemory
from capabilities.formulas.activation import Spread
from capabilities.traces.graph import edge_between
from capabilities.traces.record import Trace, content_hash
from capabilities.traces.tables import USER
from capabilities.traces.words import count_words
from fabric import Context, Fabric, generator, handler, sequencer
from fabric.testing import FrozenClock, ScriptedModel
from pipelines import CognitiveSystem, cognitive_memory, cognitive_turn, memory_system

from .recall.chatter import Chatter
from .recall.evaluate import print_table

T = TypeVar("T")
CALLS = 100
EDGES = 100_000


def main() -> None:
    """Read the command line, and print a row for every size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=(100, 10_000, 20_000))
    parser.add_argument("--sweep", type=int, default=100_000, help="how many traces one sweep looks at")
    parser.add_argument("--cycle", type=int, default=20_000, help="how many traces a consolidation goes through")
    options = parser.parse_args()
    head = ("traces", "encode p50 / p95, ms", "retrieve p50 / p95, ms", "plain recall p50 / p95, ms", "ratio of p50")
    print_table("A cognitive memory without a model", head, [measured(size) for size in options.rows])
    print_table("At once", ("what", "ms"), [swept(options.sweep), spreading(), *consolidated(options.cycle), delayed()])


def measured(size: int) -> tuple[str, ...]:
    """Fill a memory with so many texts, and return the table's row."""
    mem, plain, chatter = cognitive_memory(), memory_system(episodic=True, semantic=True), Chatter()
    turns = chatter.turns(0, size)
    with (
        TemporaryDirectory() as folder,
        Fabric(Path(folder) / "memory.duckdb") as fabric,
        Fabric(Path(folder) / "plain.duckdb") as other,
    ):
        session, turned = fabric.session("now", user="someone"), other.session("now", user="someone")
        turned.run(plain.import_block, turns)
        session.run(*fill(mem, [turn["text"] for turn in turns]))
        more = [turn["text"] for turn in chatter.turns(size, CALLS)]
        cues = [chatter.cue(turn["text"]) for turn in turns[:: max(1, size // CALLS)][:CALLS]]
        calls: dict[str, Callable[[CognitiveMemory, int], Awaitable[Any]]] = {
            "encode": lambda memory, number: memory.encode(more[number]),
            "retrieve": lambda memory, number: memory.retrieve(cues[number]),
        }
        spent = {name: session.run(timed(mem, call, len(cues))).output for name, call in calls.items()}
        recalls = [_milliseconds(partial(turned.run, plain.recall_block, {"cue": cue})) for cue in cues]
    ratio = np.median(spent["retrieve"]) / np.median(recalls)
    return (f"{size:,}", _pair(spent["encode"]), _pair(spent["retrieve"]), _pair(recalls), f"{ratio:.2f}")


def fill(mem: CognitiveSystem, texts: list[str]) -> tuple[Any, None]:
    """Return the block that stores traces of these texts at once, with vectors, as encoding would have made them."""

    @handler(name="fill", uses=[mem.capability])
    async def store(_: object, ctx: Context) -> None:
        traces = [trace(f"mt_{number}", text, ctx.clock.now()) for number, text in enumerate(texts)]
        meaning = ctx[mem.capability].meaning
        for first in range(0, len(traces), 2_000):
            some = traces[first : first + 2_000]
            embedded = await meaning.embed_stored([one.content for one in some])

            def put(tx: Any, some: list[Trace] = some, embedded: Any = embedded) -> None:
                tx.embedded = embedded.by_text([one.content for one in some])
                tx.put(USER.traces, some)

            await ctx.transact(put)

    return store, None


def trace(trace_id: str, text: str, now: Any, **fields: Any) -> Trace:
    """Return a trace as it would be stored."""
    made = {"strength": 0.3, "stability": 200_000.0, "created_at": now, "updated_at": now, **fields}
    return Trace(id=trace_id, content=text, content_hash=content_hash(text), length=count_words(text, ()), **made)


def timed(mem: CognitiveSystem, call: Callable[[CognitiveMemory, int], Awaitable[Any]], count: int) -> Any:
    """Return the block that calls so often and returns the milliseconds of each; the first ten warm up."""

    @handler(name="timed", uses=[mem.capability])
    async def run(_: object, ctx: Context) -> list[float]:
        spent: list[float] = []
        for number in range(count):
            begun = time.perf_counter()
            await call(ctx[mem.capability], number)
            spent.append((time.perf_counter() - begun) * 1000)
        return spent[10:]

    return run


def swept(size: int) -> tuple[str, str]:
    """Return how long a sweep of so many traces takes, of which one in a hundred has faded."""
    mem, clock = cognitive_memory(), FrozenClock()
    old = clock.now() - timedelta(days=90)
    with Fabric(clock=clock) as fabric:
        session = fabric.session("now", user="someone")

        @handler(name="fill", uses=[mem.capability])
        async def store(_: object, ctx: Context) -> None:
            for first in range(0, size, 10_000):
                numbers = range(first, min(size, first + 10_000))
                some = [
                    trace(f"mt_{number}", f"word{number}", clock.now() if number % 100 else old) for number in numbers
                ]
                await ctx.transact(partial(_put, some))

        session.run(store)
        session.run(mem.retrieve, "word1")
        return f"a sweep of {size:,} traces", f"{_milliseconds(lambda: session.run(mem.sweep)):,.0f}"


def consolidated(size: int) -> list[tuple[str, str]]:
    """Return how long cycles take over so many traces of the last days, without a model and with all mechanisms."""
    rows: list[tuple[str, str]] = []
    for profile in ("daily", "as_specified"):
        first, *later = cycles(size, profile)
        told = f"a cycle over {size:,} traces, {profile}"
        rows += [(f"{told}: the first", f"{first:,.0f}"), (f"{told}: later ones, p50", f"{np.median(later):,.0f}")]
    return rows


def cycles(size: int, profile: str) -> list[float]:
    """Return the milliseconds of five cycles, an hour between them."""
    mem, clock = cognitive_memory(profile=profile, mechanisms=True, consolidation=None), FrozenClock()
    spent: list[float] = []
    with TemporaryDirectory() as folder, Fabric(Path(folder) / "memory.duckdb", clock=clock) as fabric:
        session = fabric.session("now", user="someone")

        @handler(name="fill", uses=[mem.capability])
        async def store(_: object, ctx: Context) -> None:
            for first in range(0, size, 5_000):
                some = [lived(number, size, ctx.clock.now()) for number in range(first, min(size, first + 5_000))]
                await ctx.transact(partial(_put, some))

        session.run(store)
        for _ in range(5):
            spent.append(_milliseconds(lambda: session.run(mem.consolidate)))
            clock.advance(hours=1)
    return spent


def lived(number: int, size: int, now: Any) -> Trace:
    """Return one of so many traces of the last days: said or inferred, some used, some due."""
    return trace(
        f"mt_{number}",
        f"word{number} and name{number % 300}",
        now - timedelta(seconds=15 * (size - number)),
        strength=0.6,
        stability=1_000_000.0,
        entities=(f"name{number % 300}",),
        source_type=("user_statement", "user_statement", "agent_inference", "reflection")[number % 4],
        due_at=now + timedelta(seconds=number % 7_200),
        retrieval_count=number % 3,
    )


def spreading() -> tuple[str, str]:
    """Return how long activation takes to spread from five traces over a graph of many ties."""
    mem, chance = cognitive_memory(), np.random.default_rng(7)
    pairs = chance.integers(0, EDGES // 5, (EDGES, 2)).tolist()
    edges = [edge_between(f"mt_{one}", f"mt_{other}", 0.5, "shared_entity") for one, other in pairs if one != other]
    with Fabric() as fabric:

        @handler(name="spread", uses=[mem.capability])
        async def spread(_: object, ctx: Context) -> list[float]:
            await ctx.transact(lambda tx: tx.put(USER.edges, edges))
            seeds = [[f"mt_{5 * turn + place}" for place in range(5)] for turn in range(20)]
            return [await ctx.transact(partial(_spread, some)) for some in seeds]

        spent = fabric.session("now", user="someone").run(spread).output
    return f"activation over {len(edges):,} ties, p50", f"{np.median(spent[1:]):.1f}"


def delayed() -> tuple[str, str]:
    """Return how much later a reply is there for all that happens behind it, which is done before the next turn."""
    mem, said = cognitive_memory(mechanisms=True), [turn["text"] for turn in Chatter().turns(0, 2 * CALLS)]
    replies = [
        generator(name=name, model="scripted", context=[mem.assemble()], uses=[mem.capability])
        for name in ("alone", "whole")
    ]
    turns = (sequencer(name="without").then(mem.encode).then(replies[0]), cognitive_turn(mem, replies[1]))
    spent: list[list[float]] = [[], []]
    model = ScriptedModel(lambda _: "a reply")
    with TemporaryDirectory() as folder, Fabric(Path(folder) / "memory.duckdb", models=model) as fabric:
        for number, text in enumerate(said):
            session = fabric.session(f"day {number % 10}", user="someone")
            spent[number % 2].append(_milliseconds(partial(session.run, turns[number % 2], text)))
            fabric.drain()
    without, whole = (float(np.median(some[10:])) for some in spent)
    return "a reply is later for all behind it, p50", f"{whole - without:.1f} of {whole:.0f}"


def _put(traces: list[Trace], tx: Any) -> None:
    tx.put(USER.traces, traces)


def _spread(seeds: list[str], tx: Any) -> float:
    return _milliseconds(lambda: activate(tx, USER, seeds, Spread()))


def _milliseconds(call: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    call()
    return (time.perf_counter() - begun) * 1000


def _pair(milliseconds: list[float]) -> str:
    return f"{np.median(milliseconds):.1f} / {np.percentile(milliseconds, 95):.1f}"


if __name__ == "__main__":
    main()
