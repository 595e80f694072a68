"""What one step of a sequencer costs over the bare call, beside a LangGraph node and a Haystack component.

``python -m tests.bench.step [FOLDER]``: FOLDER is where the two peers are installed, when that is not this environment.
"""

import asyncio
import importlib.util
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import BaseModel

from fabric import Fabric, handler, sequencer

STEPS = 20
ROUNDS = 200
REPEATS = 9


class Number(BaseModel):
    value: int


async def trivial(value: Any) -> Any:
    return value


async def renewed(value: Any) -> Any:
    return {"value": 1}


async def per_step(run: Callable[[int], Awaitable[Any]], value: Any, rounds: int = ROUNDS) -> float:
    """Return the median seconds of one of the ``STEPS`` steps of a run."""
    times: list[float] = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        for _ in range(rounds):
            await run(value)
        times.append((time.perf_counter() - began) / rounds / STEPS)
    return statistics.median(times)


def chain_of(fn: Any, schema: Any) -> Any:
    chain = sequencer(name="chain")
    for number in range(STEPS):
        step = handler(fn, name=f"step {number}", input_schema=schema, output_schema=schema)
        chain = chain.then(step)
    return chain


async def ours(fn: Any, schema: Any, value: Any) -> float:
    chain, measured = (
        chain_of(fn, schema),
        handler(lambda ctx: per_step(lambda given: chain(given, ctx), value), name="m"),
    )
    async with Fabric() as fabric:
        result: float = (await fabric.session("s").arun(measured, None)).output
        return result


async def bare() -> float:
    async def run(value: Any) -> Any:
        for _ in range(STEPS):
            value = await trivial(value)
        return value

    return await per_step(run, 1)


async def langgraph() -> float:
    from langgraph.graph import END, START, StateGraph  # type: ignore[import-not-found]

    graph = StateGraph(dict)
    names = [f"node{number}" for number in range(STEPS)]
    for name in names:
        graph.add_node(name, trivial)
    for one, two in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(one, two)
    compiled = graph.compile()
    return await per_step(lambda value: compiled.ainvoke(value, {"recursion_limit": STEPS + 5}), {"a": 1}, 10)


async def haystack() -> float:
    from haystack import Pipeline, component  # type: ignore[import-not-found]

    @component
    class Step:
        @component.output_types(value=int)  # type: ignore[untyped-decorator]
        def run(self, value: int) -> dict[str, int]:
            return {"value": value}

    pipeline = Pipeline()
    for number in range(STEPS):
        pipeline.add_component(f"step{number}", Step())
        if number:
            pipeline.connect(f"step{number - 1}.value", f"step{number}.value")

    async def run(value: Any) -> Any:
        return pipeline.run({"step0": {"value": value}})

    return await per_step(run, 1, 10)


async def report() -> None:
    base = await bare()
    plain = await ours(trivial, None, 1) - base
    typed = await ours(trivial, Number, Number(value=1)) - base
    parsed = await ours(renewed, Number, Number(value=1)) - base
    print(f"bare async call                  {base * 1e6:8.2f} us")
    print(f"step, no schema, over the call   {plain * 1e6:8.2f} us  (target 10)")
    print(f"step, schemas on both sides      {typed * 1e6:8.2f} us  (target 25)")
    print(f"the same, a dict made a model    {parsed * 1e6:8.2f} us  (target 25)")
    for name, module, measure in (
        ("LangGraph node", "langgraph", langgraph),
        ("Haystack component", "haystack", haystack),
    ):
        if importlib.util.find_spec(module) is None:
            print(f"{name:32} skipped: not installed")
            continue
        cost = await measure() - base
        print(f"{name:32} {cost * 1e6:8.2f} us  = {cost / plain:.0f} steps of ours")


if __name__ == "__main__":
    sys.path.extend(sys.argv[1:])
    asyncio.run(report())
