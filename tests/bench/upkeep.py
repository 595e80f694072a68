"""Processor time of captures, of facts stated and of pruning: ``python -m tests.bench.upkeep``."""

import argparse
import json
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial

from fabric import Fabric, handler, sequencer
from fabric.models.base import Request
from fabric.testing import ScriptedModel
from pipelines import Memory, MemorySystem, memory_system

from ..prompts import asked_by
from .recall.dialogues import lives
from .reflect import sentence

CAPTURES = 120
STATED = 100
FACTS = 200
PRUNES = 3
TARGETS = {"capture": "10 ms", "remember": "4 ms", "prune": "100 ms"}


def messages(count: int) -> list[str]:
    """Return so many different English messages in which somebody tells of themselves and of others."""
    told = [message["text"] for life in lives() if life["language"] == "en" for message in life["messages"]]
    return [told[place % len(told)] for place in range(count)]


def busy_ms(work: Callable[[], object]) -> float:
    """Return the milliseconds of processor that all threads of this process spend on some work."""
    begun = time.process_time()
    work()
    return (time.process_time() - begun) * 1000


def capture_ms(texts: Sequence[str], model: ScriptedModel | None) -> list[float]:
    """Return what each turn of a chat takes with all that is done behind it, in a memory that grows by it."""
    mem = memory_system(model=None if model is None else "scripted", episodic=True, semantic=True)
    chat = handler(lambda text: f"You said: {text}", name="chat")
    pipeline = sequencer(name="chat-with-memory").then(chat).work(mem.capture_from_items)
    with Fabric(models=model) as fabric:

        def say(place: int, text: str) -> None:
            fabric.session(f"day {place // 10}", user="jake").run(pipeline, text)
            if fabric.drain():
                raise RuntimeError(f"the capture of {text!r} failed")

        return [busy_ms(partial(say, place, text)) for place, text in enumerate(texts)]


def facade_ms(texts: Sequence[str]) -> list[float]:
    """Return what each call of the facade takes with all that is done behind it."""
    with Memory(user="jake") as memory:

        def capture(place: int, text: str) -> None:
            memory.capture(text, session=f"day {place // 10}")
            memory.wait()

        return [busy_ms(partial(capture, place, text)) for place, text in enumerate(texts)]


def remember_ms(count: int) -> list[float]:
    """Return what each statement by hand takes, in a memory that grows by it."""
    with Memory(user="jake") as memory:
        return [busy_ms(partial(memory.remember, sentence(number))) for number in range(count)]


def prune_ms(facts: int, runs: int) -> list[float]:
    """Return what reviewing so many facts takes, none of which says what another one says."""
    mem = memory_system(episodic=True, semantic={"prune_threshold": 0})
    with Fabric() as fabric:
        _fill(fabric, mem, facts)
        session = fabric.session("bench", user="jake")
        return [busy_ms(lambda: session.run(mem.prune, {"force": True})) for _ in range(runs)]


def _fill(fabric: Fabric, mem: MemorySystem, facts: int) -> None:
    session = fabric.session("bench", user="jake")
    for number in range(facts):
        session.run(mem.remember_block, {"content": sentence(number)})


def answering(request: Request) -> str:
    """Answer each step of the memory at once: one observation of a turn, and nothing to tidy."""
    step, said = asked_by(request.messages), str(request.messages[-1]["content"])
    if step == "observe":
        text = said.partition("The turn:")[2].strip().splitlines()[-2:][0]
        observation = {
            "subject": "user",
            "content": f"Said: {text[:200]}",
            "importance": 0.7,
            "durability": "persistent",
            "category": "attribute",
            "replaces": "",
        }
        return json.dumps({"observations": [observation]})
    return json.dumps({"facts": []} if step == "consolidate" else {"removals": [], "merges": []})


def line(name: str, times: Sequence[float], target: str) -> str:
    """Return how long something took: mean and median in milliseconds, beside what it should take at most."""
    return (
        f"{name}: mean {statistics.fmean(times):.1f} ms, median {statistics.median(times):.1f} ms of processor "
        f"over {len(times)} (at most {target})"
    )


def main() -> None:
    """Print a line for each kind of work; what starts up once is left out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--captures", type=int, default=CAPTURES)
    parser.add_argument("--facts", type=int, default=FACTS, help="how many are pruned")
    options = parser.parse_args()
    capture_ms(messages(5), None)
    texts = messages(options.captures)
    print(line("a capture with its background work, by rules", capture_ms(texts, None), TARGETS["capture"]))
    scripted = ScriptedModel(answering)
    print(line("the same with a model that answers at once", capture_ms(texts, scripted), TARGETS["capture"]))
    print(line("a capture through the facade, by rules", facade_ms(texts), TARGETS["capture"]))
    print(line("remember", remember_ms(STATED), TARGETS["remember"]))
    print(line(f"pruning {options.facts} facts", prune_ms(options.facts, PRUNES), TARGETS["prune"]))


if __name__ == "__main__":
    main()
