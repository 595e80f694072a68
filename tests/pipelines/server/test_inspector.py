"""The MCP inspector's command line mode against the server; it runs where ``MCP_INSPECTOR`` names the command."""

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from .programs import PATIENCE, command

INSPECTOR = shlex.split(os.environ.get("MCP_INSPECTOR", "")) or ["mcp-inspector"]
"""For example ``npx @modelcontextprotocol/inspector``; by default the command that installing it globally gives."""
pytestmark = pytest.mark.skipif(
    shutil.which(INSPECTOR[0]) is None,
    reason="npm has no MCP inspector here: npm install -g @modelcontextprotocol/inspector, or name it in MCP_INSPECTOR",
)


def inspect(file: Path, method: str, *options: str) -> Any:
    asked = [*INSPECTOR, "--cli", *command(file, "--user", "jake"), "--method", method, *options]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=3 * PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def call(file: Path, name: str, *arguments: str) -> Any:
    given = [word for argument in arguments for word in ("--tool-arg", argument)]
    return inspect(file, "tools/call", "--tool-name", name, *given)


def test_the_inspector_lists_and_calls_what_the_server_offers(tmp_path: Path):
    file = tmp_path / "m.duckdb"
    listed = {record["name"]: record for record in inspect(file, "tools/list")["tools"]}
    assert listed["recall"]["inputSchema"]["required"] == ["query"]
    assert listed["recall"]["annotations"]["readOnlyHint"]
    stored = call(file, "remember", "content=Works at Stripe")
    assert not stored["isError"]
    found = call(file, "recall", "query=work", "limit=3", 'kinds=["semantic"]')["structuredContent"]["result"]
    assert [record["content"] for record in found] == ["Works at Stripe"]
    refused = call(file, "forget")
    assert refused["isError"]
    assert refused["structuredContent"]["do"]
