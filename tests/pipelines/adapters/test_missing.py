"""Adapters and the rest of the project: each is imported by name only, and says what to install."""

import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")

LIBRARIES = {
    "langgraph": ("langgraph", "langgraph"),
    "openai_agents": ("agents", "openai-agents"),
    "pydantic_ai": ("pydantic_ai", "pydantic-ai"),
}
"""The library that each adapter adapts to, as it is imported, and the extra that installs it."""


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("adapter", LIBRARIES)
@pytest.mark.parametrize("found", ["None", "types.ModuleType('another')"], ids=["missing", "another version"])
def test_an_adapter_says_what_to_install_as_the_readme_does(adapter: str, found: str):
    library, extra = LIBRARIES[adapter]
    done = python(f"import sys, types; sys.modules[{library!r}] = {found}; import pipelines.adapters.{adapter}")
    assert done.returncode == 1
    error = done.stderr.splitlines()[-1]
    assert f"pip install 'path/to/thought-fabric[{extra}]'" in error
    assert "a version of" in error
    assert f"(extra `{extra}`)" in README
    assert "`pip install 'path/to/thought-fabric[langgraph]'`" in README


def test_the_callback_names_the_library_where_it_is_of_another_version():
    part = "litellm.litellm_core_utils.logging_worker"
    done = python(f"import litellm, sys; sys.modules[{part!r}] = None; import pipelines.adapters.litellm")
    assert done.returncode == 1
    assert "a version of litellm that it is tested with: pip install --upgrade" in done.stderr.splitlines()[-1]


def test_the_server_says_what_to_install_as_the_readme_does(tmp_path: Path):
    done = python(
        "import sys; sys.modules['mcp'] = None; from pipelines.cli import main;"
        f"sys.argv = ['thought-fabric', 'mcp', {str(tmp_path / 'm.duckdb')!r}]; main()"
    )
    assert done.returncode == 1
    assert "pip install 'path/to/thought-fabric[mcp]'" in done.stderr
    assert "`pip install 'path/to/thought-fabric[mcp]'`" in README


def test_nothing_else_imports_what_only_adapters_need():
    libraries = sorted(["litellm", *(library for library, _ in LIBRARIES.values())])
    done = python(f"import sys, pipelines, pipelines.cli; print([one for one in {libraries} if one in sys.modules])")
    assert done.stdout == "[]\n"
