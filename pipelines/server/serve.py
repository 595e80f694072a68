"""Serving: a memory's file opened, offered over stdio or HTTP, and closed with its background work done or kept."""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Coroutine, Generator, Sequence
from pathlib import Path
from typing import Any

from fabric.run import Fabric
from fabric.scope import ScopeIds

from ..system import MemorySystem
from .offer import offer
from .protocol import memory_server

ENDING = (signal.SIGTERM, signal.SIGINT)
PATIENCE = 5.0
"""Seconds that background work may take when the server is asked to stop; what is left is done at the next start."""


async def serve_stdio(fabric: Fabric, mem: MemorySystem, ids: ScopeIds, *, read_only: bool) -> None:
    """Serve one client over standard input and output until it leaves, or a signal ends the process."""
    from mcp.server.stdio import stdio_server  # noqa: PLC0415  an extra that only servers need

    offered = offer(mem, read_only=read_only)
    host = offered.host(fabric, ids)
    server = memory_server(offered, lambda: host)

    async def serve() -> None:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    await _until_stopped(serve())
    await fabric.aclose(timeout=PATIENCE)


async def serve_http(
    fabric: Fabric,
    mem: MemorySystem,
    ids: ScopeIds,
    *,
    read_only: bool,
    bound_to: str,
    port: int,
    tokens: Path | None,
    origins: Sequence[str],
) -> None:
    """Serve any number of clients over streamable HTTP until a signal ends the process."""
    from .web import WebServer, read_tokens, web_app  # noqa: PLC0415

    offered = offer(mem, read_only=read_only)
    known = None if tokens is None else read_tokens(tokens)
    app = web_app(offered, offered.host(fabric, ids), tokens=known, bound_to=bound_to, origins=origins)
    server = WebServer(app, bound_to, port)
    with _on_signal(server.stop):
        await server.serve()
    await fabric.aclose(timeout=PATIENCE)


async def _until_stopped(work: Coroutine[Any, Any, None]) -> None:
    """Wait for the work, or for SIGTERM or SIGINT, which cancel it."""
    task = asyncio.create_task(work)
    with _on_signal(task.cancel), contextlib.suppress(asyncio.CancelledError):
        await task


@contextlib.contextmanager
def _on_signal(stop: Callable[[], Any]) -> Generator[None]:
    """Call ``stop`` when the process is asked to end, so that the file is closed before it does."""
    loop = asyncio.get_running_loop()
    for name in ENDING:
        with contextlib.suppress(NotImplementedError, ValueError):  # a platform, or a thread, without signal handlers
            loop.add_signal_handler(name, stop)
    try:
        yield
    finally:
        for name in ENDING:
            with contextlib.suppress(NotImplementedError, ValueError):
                loop.remove_signal_handler(name)
