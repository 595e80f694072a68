"""A program that asked a model ends without a word, however it asked, and however many loops it had."""

import sys
from pathlib import Path

from tests import forkserver
from tests.provider import reply
from tests.stub_server import StubServer

ROOT = Path(__file__).parents[3]
PROGRAM = """
import asyncio, contextlib, gc, sys, threading
import litellm
from fabric import Fabric, generator, sequencer
from fabric.models.base import Request
from fabric.models.litellm import LiteLLMClient
from fabric.models.server import ModelServer
from fabric.embedding.remote import RemoteEmbedder
from pipelines import memory_system

url = sys.argv[1] + "/v1"
request = Request("openai/stub", [{"role": "user", "content": "hi"}])
mem = memory_system(model="stub", api_base=url, episodic=True, semantic=True)
answer = generator(name="answer", model="stub", server=ModelServer(url), uses=[mem.capability])
chat = sequencer(name="chat").then(answer).work(mem.capture_from_items)

async def ask():
    await LiteLLMClient(api_base=url, api_key="k").complete(request)

async def leave():
    async for _ in LiteLLMClient(api_base=url, api_key="k").stream(request):
        break

async def embed():
    await RemoteEmbedder("openai/vectors", api_base=url, api_key="k").embed(["a", "b"])

async def without_us():
    await litellm.acompletion(model="openai/stub", api_base=url, api_key="k", messages=request.messages)

for number in range(2):
    with Fabric(":memory:") as fabric:
        for turn in range(2):  # the answer is asked on one loop, what is remembered of it on another
            fabric.session("s", user="u").run(chat, f"I joined Stripe, {number} {turn}.")
            gc.collect()
        print(len(list(fabric.session("t", user="u").stream(answer, "hi"))) > 0)
for way in (ask, leave, embed, without_us, ask):
    asyncio.run(way())
    gc.collect()
threads = [threading.Thread(target=lambda: asyncio.run(ask())) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
loops = [asyncio.new_event_loop(), asyncio.new_event_loop()]
for loop in loops * 2:
    loop.run_until_complete(ask())
    gc.collect()
for loop in loops:
    loop.close()
from pipelines.cli.app import app
options = ["--file", sys.argv[2], "--user", "u", "--model", "stub", "--api-base", url]
with contextlib.redirect_stderr(sys.stdout):  # what it learned is told there
    app(["chat", *options], standalone_mode=False)
"""
AT_EXIT = """
import atexit, sys
from pipelines import Memory

memory = Memory(sys.argv[2], user="u", model="stub", api_base=sys.argv[1] + "/v1")

def end():
    memory.capture("I joined Stripe.")
    memory.wait(60)
    memory.close()
    print("closed")

atexit.register(end)
"""


def ended(*command: str, text: str = "") -> tuple[int, str, str]:
    """Run a program to its end, and return its code and what it printed."""
    run = forkserver.run(
        [sys.executable, *command],
        imports=("litellm",),
        cwd=ROOT,
        input=text,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return run.returncode, run.stdout, run.stderr


def test_many_loops_threads_streams_that_are_left_and_the_command_line_end_silently(tmp_path: Path):
    with StubServer() as server:
        server.script([reply] * 100)
        code, printed, told = ended("-c", PROGRAM, server.url, str(tmp_path / "m.duckdb"), text="I joined Stripe.\n")
    assert (code, told) == (0, "")
    assert "True" in printed
    assert "learned 1: Joined Stripe last month" in printed


def test_a_model_that_is_first_asked_by_an_exit_handler_leaves_its_work_for_the_next_process(tmp_path: Path):
    path = str(tmp_path / "m.duckdb")
    with StubServer() as server:
        code, printed, told = ended("-c", AT_EXIT, server.url, path)
    assert (code, printed) == (0, "closed\n")
    assert "closed with background work left, which is done when the file is opened next" in told
    assert "failed" not in told
