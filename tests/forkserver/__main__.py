"""The process that programs are forked from: ``python -m tests.forkserver DESCRIPTOR``."""

import gc
import importlib
import json
import os
import re
import runpy
import socket
import sys
import time
from contextlib import suppress
from pkgutil import walk_packages
from types import ModuleType
from typing import Any, TextIO

import blocks
import capabilities
import fabric
import pipelines
from blocks.readers.observe import observe_text
from capabilities.claims.asked import asked_attributes, asks_for_profile
from capabilities.claims.read import read
from capabilities.retrieval.question import read_question
from capabilities.retrieval.time.time_cue import named_spans
from fabric.clock import SystemClock
from fabric.redaction.text import redact
from tests.forkserver import MESSAGE_BYTES

OPTIONAL = re.compile(r"\.(adapters|server|__main__|minilm)\b")
"""Modules of the project that import a library which only some programs have, or run when they are imported."""
LIBRARIES = ("duckdb", "numpy", "num2words", "structlog", "tokenizers", "safetensors", "rich.console", "prompt_toolkit")
"""What the project imports late."""
LATE = {"litellm": ("litellm._service_logger", "litellm.proxy._types")}
"""What a library imports late: the first call of a model takes as long as many tests."""


def asked(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Return what each program is asked to be, and its streams: in its own process, once that is forked."""
    while True:
        message, streams, *_ = socket.recv_fds(connection, MESSAGE_BYTES, 3)
        if not message:
            os._exit(0)
        wanted = json.loads(message)
        for name in wanted["imports"]:
            importlib.import_module(name)
            for late in LATE.get(name, ()):
                with suppress(ImportError):
                    importlib.import_module(late)
        gc.freeze()
        if not (between := os.fork()):
            reading, writing = os.pipe()
            if not (program := os.fork()):
                if wanted["session"]:
                    os.setsid()
                os.close(reading)
                os.close(writing)
                return wanted, streams
            os.close(writing)
            os.read(reading, 1)  # ends when the program has its session: a signal to its group must not be for ours
            connection.send(str(program).encode())
            os._exit(0)
        os.waitpid(between, 0)
        connection.send(b"adopt it")
        for stream in streams:
            os.close(stream)


def opened(before: TextIO, descriptor: int, mode: str) -> TextIO:
    """Open a standard stream anew: what it was before may have been of another kind, as a file is and a pipe is not."""
    lined = mode == "w" and (descriptor == 2 or os.isatty(descriptor))
    stream = open(descriptor, mode, encoding=before.encoding, errors=before.errors, closefd=False)  # noqa: SIM115
    stream.reconfigure(line_buffering=lined, write_through=mode == "w" and "PYTHONUNBUFFERED" in os.environ)
    return stream


def become(wanted: dict[str, Any], streams: list[int]) -> None:
    """Take over streams, folder, environment and arguments, and run as the main program."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(wanted["cwd"])
    os.environ.clear()
    os.environ.update(wanted["env"])
    time.tzset()
    sys.stdin = opened(sys.stdin, 0, "r")
    sys.stdout = opened(sys.stdout, 1, "w")
    sys.stderr = opened(sys.stderr, 2, "w")
    sys.path.insert(0, wanted["cwd"])
    sys.argv = [wanted["kind"], *wanted["arguments"]]
    if wanted["kind"] == "-m":
        runpy.run_module(wanted["what"], run_name="__main__", alter_sys=True)
    else:
        main = sys.modules["__main__"] = ModuleType("__main__")
        exec(compile(wanted["what"], "<string>", "exec"), main.__dict__)  # noqa: S102  the tests' own programs


def warm() -> None:
    """Import what programs use, and compile the patterns that text is read by; nothing is opened or started here.

    The embedder stays unloaded: what a program does when it ends differs with it.
    """
    for floor in (fabric, blocks, capabilities, pipelines):
        for module in walk_packages(floor.__path__, f"{floor.__name__}."):
            if not OPTIONAL.search(module.name):
                importlib.import_module(module.name)
    for name in LIBRARIES:
        importlib.import_module(name)
    for text in ("I live in Oslo.", "Where do I live?", "Ich wohne in Wien.", "I work at Stripe since last May."):
        observe_text(text)
        redact(text)
        read(text)
        read_question(text)
        asked_attributes(text)
        asks_for_profile(text)
        named_spans(text, SystemClock().now())


if __name__ == "__main__":
    warm()
    with socket.socket(fileno=int(sys.argv[1])) as ours:
        program = asked(ours)
    become(*program)
