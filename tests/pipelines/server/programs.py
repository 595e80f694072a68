"""The server as a process of its own, and clients of it."""

import asyncio
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import mcp
from mcp.client import stdio
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests import forkserver

JAKE, ANNA = "jakes-token-0123456789", "annas-token-0123456789"
PATIENCE = 300.0
stdio.PROCESS_TERMINATION_TIMEOUT = PATIENCE  # the SDK kills a server that does not end in 2 seconds

TOKENS = {JAKE: {"user": "jake"}, ANNA: {"user": "anna"}}

SERVER = ("pipelines.server.serve", "pipelines.server.web", "uvicorn", "mcp.server.stdio")
"""What a server imports first of all."""
WITH_MODEL = (*SERVER, "litellm")
"""The same of one that has a model."""


def command(file: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "pipelines", "mcp", str(file), *options]


@asynccontextmanager
async def over_stdio(file: Path, *options: str) -> AsyncGenerator[Any]:
    _, *rest = command(file, *options)
    asked = StdioServerParameters(command=sys.executable, args=rest, env=dict(os.environ))
    async with mcp.Client(stdio_client(asked)) as client:
        yield client


def free_port() -> int:
    """Return a port that is free now and that the system gives nobody by itself until it is used."""
    while True:
        port = 20_000 + secrets.randbelow(10_000)
        if not _listens(port):
            return port


def _listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@asynccontextmanager
async def served(file: Path, *options: str) -> AsyncGenerator[tuple[str, subprocess.Popen[bytes]]]:
    port = free_port()
    asked = command(file, "--http", "--port", str(port), *options)
    process = forkserver.popen(asked, imports=WITH_MODEL if "--model" in options else SERVER, stderr=subprocess.PIPE)
    try:
        ends = time.monotonic() + PATIENCE
        while not _listens(port) and process.poll() is None and time.monotonic() < ends:  # a process sets no event
            await asyncio.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp", process
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)


@asynccontextmanager
async def client_of(url: str, token: str = "") -> AsyncGenerator[Any]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx.AsyncClient(headers=headers, timeout=PATIENCE) as http,
        mcp.Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client
