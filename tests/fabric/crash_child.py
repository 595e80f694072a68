"""A process that is killed while it talks: it says "ready", then each turn it was told is done."""

import os
import sys

from fabric import Fabric, handler

from .talk import talk

SESSIONS = ("a", "b")


@handler(name="deadly")
def deadly() -> None:
    """End the process, as a crash in a library would."""
    os._exit(9)


def die(path: str) -> None:
    """Run one turn whose background work ends the process."""
    pipeline = talk(deadly)
    with Fabric(path, max_attempts=2) as fabric:
        fabric.session("s").run(pipeline, "x", turn_id="t")


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
    if len(sys.argv) > 2:
        main(sys.argv[1], int(sys.argv[2]))
    else:
        die(sys.argv[1])
