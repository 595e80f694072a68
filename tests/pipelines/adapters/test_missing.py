"""Adapters and the rest of the project: each is imported by name only, and says what to install."""

import subprocess
import sys

import pytest

LIBRARIES = {
    "langgraph": ("langgraph", "langgraph"),
    "openai_agents": ("agents", "openai-agents"),
    "pydantic_ai": ("pydantic_ai", "pydantic-ai"),
}
"""The library that each adapter adapts to, as it is imported, and the extra that installs it."""


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("adapter", LIBRARIES)
def test_an_adapter_says_which_extra_is_missing(adapter: str):
    library, extra = LIBRARIES[adapter]
    done = python(f"import sys; sys.modules[{library!r}] = None; import pipelines.adapters.{adapter}")
    assert done.returncode == 1
    assert f"pip install 'thought-fabric[{extra}]'" in done.stderr.splitlines()[-1]


def test_nothing_else_imports_what_only_adapters_need():
    libraries = sorted(["litellm", *(library for library, _ in LIBRARIES.values())])
    done = python(f"import sys, pipelines, pipelines.cli; print([one for one in {libraries} if one in sys.modules])")
    assert done.stdout == "[]\n"
