"""A process that is killed as soon as a message is encoded, in a turn that has no name."""

import os
import signal
import sys

from fabric import Fabric, handler, sequencer
from pipelines import cognitive_memory

MIND = cognitive_memory(embedder=None, consolidation=None)


@handler(name="dies")
async def dies(_: object) -> None:
    """Kill this process."""
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    with Fabric(sys.argv[1]) as fabric:
        fabric.session("s", user="ann").run(sequencer(name="turn").then(MIND.encode).then(dies), sys.argv[2])
