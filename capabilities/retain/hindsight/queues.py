"""The queues of this process: one for each open file, server, bank and organisation; they end with the file."""

import asyncio
import threading
from concurrent.futures import Future
from functools import partial
from weakref import WeakKeyDictionary

from fabric.flow.context import Context
from fabric.threads.portal import Portal

from ..config import HindsightConfig
from .errors import address
from .queue import Place, Queue

_QUEUES: "WeakKeyDictionary[Portal, dict[Place, tuple[Queue, Future[None]]]]" = WeakKeyDictionary()
_LOCK = threading.Lock()


async def queue_to(ctx: Context, config: HindsightConfig, bank_id: str) -> Queue:
    """Return the queue of the context's open file to a bank, with these options from now on; made where missing."""
    services = ctx.run.services
    place = Place(address(config.api_url), bank_id, ctx.org)
    with _LOCK:
        queues = _QUEUES.setdefault(services.portal, {})
        if place not in queues:
            made = Queue(services, place, config)
            queues[place] = made, services.portal.submit(made.open(partial(queues.pop, place, None)))
        queue, opened = queues[place]
    if opened.done():
        opened.result()
    else:
        await asyncio.shield(asyncio.wrap_future(opened))  # others wait for it, too
    queue.config = config
    return queue
