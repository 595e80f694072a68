"""The server as a process of its own, and clients of it."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import mcp
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

JAKE, ANNA = "jakes-token-0123456789", "annas-token-0123456789"
PATIENCE = 30.0


TOKENS = {JAKE: {"user": "jake"}, ANNA: {"user": "anna"}}


def command(file: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "pipelines", "mcp", str(file), *options]


@asynccontextmanager
async def over_stdio(file: Path, *options: str) -> AsyncGenerator[Any]:
    _, *rest = command(file, *options)
    asked = StdioServerParameters(command=sys.executable, args=rest, env=dict(os.environ))
    async with mcp.Client(stdio_client(asked)) as client:
        yield client


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@asynccontextmanager
async def served(file: Path, *options: str) -> AsyncGenerator[tuple[str, subprocess.Popen[bytes]]]:
    port = free_port()
    asked = command(file, "--http", "--port", str(port), *options)
    process = subprocess.Popen(asked, stderr=subprocess.PIPE)  # noqa: ASYNC220  it outlives this loop's waits
    try:
        for _ in range(int(PATIENCE * 20)):
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", port)) == 0:
                    break
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
