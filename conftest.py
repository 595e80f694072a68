"""Collects the documentation: every code block of a README runs as a test, in order, in an empty directory.

Python blocks share one namespace per file and run as written; a model id in them reaches a scripted provider on
loopback. Shell blocks run line by line and must succeed. A block after ``<!-- skip: next -->`` is not run.
"""

import gc
import os
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from sybil import Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser, SkipParser

from tests.provider import scripted_provider
from tests.shell import run_shell

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or litellm asks the network when it is imported
os.environ.setdefault("LOGGING_EXECUTOR_MAX_THREADS", "8")  # litellm has 100: not every machine does
collect_ignore_glob = ["tests/typing/[!t]*.py"]
"""Files for the type checkers: some of their lines must not run."""
_OPEN = "_open"


@pytest.hookimpl(specname="pytest_collect_file", wrapper=True)
def collect_examples(file_path: Path) -> Iterator[None]:
    """Look for doctests only in modules with a prompt of Python: in all others it takes as long as their tests."""
    collected: Any = yield
    return [
        one
        for one in collected
        if not isinstance(one, DoctestModule) or ">>> " in file_path.read_text(encoding="utf-8", errors="replace")
    ]


def _enter(namespace: dict[str, Any]) -> None:
    from tests.fabric.recorded import install

    install()  # a provider that the README sets would record all later tests: its code runs by itself in one of them
    stack = ExitStack()
    folder = stack.enter_context(TemporaryDirectory())
    stack.enter_context(scripted_provider(Path(folder)))
    namespace[_OPEN] = stack


def _leave(namespace: dict[str, Any]) -> None:
    namespace[_OPEN].close()
    with warnings.catch_warnings(action="ignore"):
        gc.collect()  # other libraries leave event loops and connections: no later test is warned of them


pytest_collect_file = Sybil(
    parsers=[
        PythonCodeBlockParser(),
        CodeBlockParser(language="bash", evaluator=lambda example: run_shell(str(example.parsed))),
        SkipParser(),
    ],
    patterns=["README.md"],
    setup=_enter,
    teardown=_leave,
).pytest()
