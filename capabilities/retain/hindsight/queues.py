"""The queues of this process: one for each open file, server, bank and organisation; they end with the file."""

import asyncio
from functools import partial
from weakref import WeakKeyDictionary

from fabric.flow.context import Context
from fabric.runs.services import Services
from fabric.threads.portal import Portal

from ..config import HindsightConfig
from .errors import address
from .queue import Place, Queue

_QUEUES: "WeakKeyDictionary[Portal, dict[Place, asyncio.Task[Queue]]]" = WeakKeyDictionary()


async def queue_to(ctx: Context, config: HindsightConfig, bank_id: str) -> Queue:
    """Return the queue of the context's open file to a bank, with these options from now on; made where missing."""
    services = ctx.run.services
    place = Place(address(config.api_url), bank_id, ctx.org)
    known = _QUEUES.get(services.portal, {}).get(place)
    if known is not None and known.done() and not known.cancelled() and known.exception() is None:
        queue = known.result()
    else:
        queue = await asyncio.wrap_future(services.portal.submit(_queue(services, place, config)))
    queue.configure(config)
    return queue


async def _queue(services: Services, place: Place, config: HindsightConfig) -> Queue:
    """Return the queue that is there, or that another call is just opening, or a new one. On the portal's loop."""
    queues = _QUEUES.setdefault(services.portal, {})
    if place not in queues:
        queues[place] = asyncio.get_running_loop().create_task(_opened(services, place, config))
        queues[place].add_done_callback(partial(_check, queues, place))
    return await asyncio.shield(queues[place])


async def _opened(services: Services, place: Place, config: HindsightConfig) -> Queue:
    queue = Queue(services, place, config)
    await queue.open(ended=lambda: _QUEUES.pop(services.portal, None))
    return queue


def _check(queues: dict[Place, "asyncio.Task[Queue]"], place: Place, opened: "asyncio.Task[Queue]") -> None:
    """Let one that could not be opened be opened anew."""
    if opened.cancelled() or opened.exception() is not None:
        queues.pop(place, None)
