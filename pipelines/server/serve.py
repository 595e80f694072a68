"""Serving: a memory's file opened, offered over stdio or HTTP, and closed with its background work done or kept."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp.server import Server

from fabric.lazy import lazy
from fabric.scope import ScopeIds
from fabric.sessions.fabric import Fabric

from .frames import AnsweringStream
from .offer import Offer
from .protocol import memory_server

if TYPE_CHECKING:
    from mcp.server import stdio

    from . import web
else:
    stdio = lazy("mcp.server.stdio")
    web = lazy(".web", __package__)

ENDING = (signal.SIGTERM, signal.SIGINT)
PATIENCE = 5.0
"""Seconds that background work may take when the server is asked to stop; what is left is done at the next start."""


async def serve_stdio(fabric: Fabric, offered: Offer, ids: ScopeIds) -> None:
    """Serve one client over standard input and output until it leaves, or a signal ends the process."""
    host = offered.host(fabric, ids)
    serving = asyncio.create_task(_over_stdio(memory_server(offered, lambda: host)))
    asked_to_stop = asyncio.Event()
    with _on_signal(asked_to_stop.set):
        stopping = asyncio.create_task(asked_to_stop.wait())
        await asyncio.wait([serving, stopping], return_when=asyncio.FIRST_COMPLETED)
        await fabric.aclose(timeout=PATIENCE)
    if not serving.done():
        # Threads of the SDK wait for the client's next line, or for it to read an answer: no cancelling ends them.
        _leave(0)
    await serving


async def _over_stdio(server: Server[Any]) -> None:

    try:
        async with stdio.stdio_server() as (reading, writing):
            await server.run(AnsweringStream(reading, writing), writing, server.create_initialization_options())
    except* BrokenPipeError:
        pass  # the client is gone without having read its answers


async def serve_http(
    fabric: Fabric,
    offered: Offer,
    ids: ScopeIds,
    *,
    bound_to: str,
    port: int,
    tokens: Path | None,
    origins: Sequence[str],
    ready: Callable[[], None],
) -> None:
    """Serve any number of clients over streamable HTTP until a signal ends the process.

    ``ready`` is called when it listens. ConfigurationError when it cannot, or for an open door.
    """
    known = None if tokens is None else web.read_tokens(tokens)
    app = web.web_app(offered, offered.host(fabric, ids), tokens=known, bound_to=bound_to, origins=origins)
    server = web.WebServer(app, bound_to, port)
    socket = web.listening(bound_to, port)
    ready()
    with _on_signal(server.stop):
        await server.serve([socket])
        await fabric.aclose(timeout=PATIENCE)


@contextlib.contextmanager
def _on_signal(stop: Callable[[], Any]) -> Generator[None]:
    """Call ``stop`` when the process is asked to end, so that the file is closed first; asked again, end at once."""
    loop = asyncio.get_running_loop()
    steps = iter([stop])

    def asked() -> None:
        next(steps, lambda: _leave(1))()

    for name in ENDING:
        with contextlib.suppress(NotImplementedError, ValueError):  # a platform, or a thread, without signal handlers
            loop.add_signal_handler(name, asked)
    try:
        yield
    finally:
        for name in ENDING:
            with contextlib.suppress(NotImplementedError, ValueError):
                loop.remove_signal_handler(name)


def _leave(code: int) -> None:
    """End the process without waiting for any thread: what the file holds is safe, whenever that is."""
    sys.stderr.flush()
    os._exit(code)
