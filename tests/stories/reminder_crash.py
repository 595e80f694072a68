"""A process that checks for reminders while others do, or is killed between a check and the reply.

``python -m tests.stories.reminder_crash HOW FILE``: "reply" answers a turn, "die" is killed instead of answering, and
"often" answers until it is killed; each prints what was told once the turn is stored.
"""

import os
import signal
import sys
import time
from pathlib import Path

from capabilities.prospective import create_prospective
from fabric import Context, Fabric, handler
from fabric.errors import StoreLockedError
from fabric.testing import FrozenClock

START = FrozenClock().now()
MEMORY = create_prospective(embedder=None)


@handler(name="turn", uses=[MEMORY])
async def turn(how: str, ctx: Context) -> list[str]:
    """Tell what is due; or be killed, as SIGKILL does, with the check done and nothing said."""
    told = await ctx.cap.prospective.check()
    if how == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    return [f"{one.content}@{one.at}" for one in told]


@handler(name="plan", uses=[MEMORY])
async def plan(_: object, ctx: Context) -> None:
    """Remember ten things for the next minutes, and one for every minute."""
    for number in range(10):
        await ctx.cap.prospective.remind(f"once {number}", at=START.replace(minute=1 + number), importance=0.9)
    await ctx.cap.prospective.remind("again", every="minute")


def opened(path: Path, clock: FrozenClock) -> Fabric:
    """Open the file as soon as no other process has it open."""
    for _ in range(3_000):
        try:
            return Fabric(path, clock=clock)
        except StoreLockedError:
            time.sleep(0.01)
    raise TimeoutError(path)


def main(how: str, path: Path, minutes: int, name: str) -> None:
    """Run turns as told, the first after so many minutes."""
    clock = FrozenClock(START, first_id=1_000_000 * os.getpid())  # ids of a real clock are each process's own
    clock.advance(minutes=minutes)
    while True:
        with opened(path, clock) as fabric:
            session = fabric.session("monday", user="jake")
            told = session.run(turn, how, turn_id=name or None).output
        if told:
            print("\n".join(told), flush=True)
        if how != "often":
            return
        clock.advance(minutes=1)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4] if len(sys.argv) > 4 else "")
