"""A process that retains until it is killed: ``python -m tests.contract.retain.crash FILE KIND FIRST PLACE...``.

It prints the number of each memory once the call that retained it has returned, and flushes after every fifth.
"""

import itertools
import sys

from capabilities.retain import RetainItem
from fabric import Fabric

from .kinds import KINDS, Desk, Place


def content(number: int) -> str:
    """Return a memory that states a fact of its own."""
    return f"I like module{number}. Service number{number} listens on port {20_000 + number}."


def main(path: str, kind: str, first: str, *place: str) -> None:
    """Retain one after another, from a number on."""
    with Fabric(path) as fabric:
        desk = Desk(fabric, next(one for one in KINDS if one.name == kind), Place(*place))
        backend = desk.open()
        for number in itertools.count(int(first)):
            item = RetainItem(content=content(number))
            desk.do(lambda ctx, item=item: backend.retain(ctx, [item]), session=f"turn-{number}")
            print(number, flush=True)
            if number % 5 == 4:
                desk.do(backend.flush)


if __name__ == "__main__":
    main(*sys.argv[1:])
