"""LangGraph's own tests of its store, run on ours.

They come with the source of langgraph-checkpoint. Unpack it (``pip download --no-binary :all: --no-deps
langgraph-checkpoint``), install ``pytest-mock``, and name its folder in the environment variable ``LANGGRAPH_SOURCE``.
"""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SOURCE = Path(os.environ.get("LANGGRAPH_SOURCE") or "nowhere")
TESTS = SOURCE / "tests" / "test_store.py"


@pytest.mark.skipif(not TESTS.exists(), reason="LANGGRAPH_SOURCE names no source of langgraph-checkpoint")
@pytest.mark.skipif(find_spec("pytest_mock") is None, reason="LangGraph's own tests need pytest-mock")
def test_the_store_passes_the_tests_of_langgraph():
    path = os.pathsep.join([str(HERE.parents[2]), str(HERE), os.environ.get("PYTHONPATH", "")])
    options = ["-q", "-p", "in_place_of_memory_store", "-o", "asyncio_mode=auto", "-o", "addopts="]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "tests/test_store.py"],
        cwd=SOURCE,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "skipped" not in done.stdout.splitlines()[-1]
