"""A process that is killed while it talks: it says "ready", then each turn it was told is done."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fabric import Fabric, handler, sequencer

from .small_pipelines import talk

ROOT = Path(__file__).parents[2]
SESSIONS = ("a", "b")
SIDE_BY_SIDE = ("long", "longer", "deadly")


@handler(name="deadly")
def deadly() -> None:
    """End the process, as a crash in a library would."""
    os._exit(9)


def die(path: str) -> None:
    """Run one turn whose background work ends the process."""
    pipeline = talk(deadly)
    with Fabric(path, max_attempts=2) as fabric:
        fabric.session("s").run(pipeline, "x", turn_id="t")


def beside(work: Callable[[str], Any]) -> Any:
    """Return a pipeline that leaves its input to background work."""
    return sequencer(name="beside").work(lambda text: text, handler(work, name="work"))


def die_beside(path: str) -> None:
    """Run jobs of three sessions side by side, of which one ends the process when all run, or later when it runs."""
    running, all_run = set[str](), asyncio.Event()

    async def work(text: str) -> None:
        running.add(text)
        if left or len(running) == len(SIDE_BY_SIDE):
            all_run.set()
        await all_run.wait()
        if text == "deadly":
            os._exit(9)
        if not left:
            await asyncio.Event().wait()

    with Fabric(path, max_attempts=9) as fabric:
        left = fabric.jobs()
        pipeline = beside(work)
        fabric.register(pipeline)
        for name in SIDE_BY_SIDE if not left else ():
            fabric.session(name).run(pipeline, name)


def main(path: str, turns: int) -> None:
    """Run the turns of all sessions, those of an earlier process included, and wait for the background work."""
    pipeline = talk()
    with Fabric(path) as fabric:
        fabric.register(pipeline)
        print("ready", flush=True)
        for turn in range(turns):
            for name in SESSIONS:
                fabric.session(name, user=name).run(pipeline, str(turn), turn_id=f"turn {turn}")
                print(f"{name} {turn}", flush=True)


if __name__ == "__main__":
    if sys.argv[-1] == "beside":
        die_beside(sys.argv[1])
    elif len(sys.argv) > 2:
        main(sys.argv[1], int(sys.argv[2]))
    else:
        die(sys.argv[1])
