"""A program that asked a model and closed its file ends without a word."""

import subprocess
import sys

import pytest

from tests.stub_server import StubServer, text

PROGRAM = """
import sys
from fabric import Fabric, generator
from fabric.models.litellm import LiteLLMClient

with Fabric(":memory:", models=LiteLLMClient(api_base=sys.argv[1] + "/v1", api_key="k")) as fabric:
    session, block = fabric.session("s", user="u"), generator(name="answer", model="openai/stub")
    said = [session.run(block, "hi").output] if sys.argv[2] == "run" else list(session.stream(block, "hi"))
    print(bool(said))
"""


@pytest.mark.parametrize("way", ["run", "stream"])
def test_a_program_that_asked_a_model_ends_silently(way: str) -> None:
    with StubServer() as server:
        server.script([text("hello")])
        ended = subprocess.run(
            [sys.executable, "-c", PROGRAM, server.url, way], capture_output=True, text=True, check=False
        )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "True\n", "")
