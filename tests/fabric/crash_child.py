"""A process that is killed while it talks: it says "ready", then each turn it was told is done."""

import sys

from fabric import Fabric

from .talk import talk

SESSIONS = ("a", "b")


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
    main(sys.argv[1], int(sys.argv[2]))
