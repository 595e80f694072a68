"""The engine is light to import: what is heavy is loaded when it is used."""

import subprocess
import sys

import pytest

HEAVY = ("litellm", "duckdb", "networkx", "opentelemetry")


def loaded_after(statement: str) -> set[str]:
    """Return the names of all modules that a fresh interpreter holds after a statement."""
    code = f"{statement}\nimport sys\nprint(' '.join(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize("statement", ["import fabric", "from pipelines import memory_system", "import pipelines.cli"])
def test_an_import_loads_nothing_heavy(statement: str):
    loaded = loaded_after(statement)
    assert "pipelines" in loaded or "fabric" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_the_lexicon_of_feelings_is_read_by_whoever_asks_how_a_text_feels():
    loaded = loaded_after("import capabilities\nfrom capabilities.cognitive.content.sentiment import sentiment")
    assert "capabilities.cognitive.content.sentiment" in loaded
    assert "vader" not in loaded


def test_the_engine_is_there_before_a_model_is_built_or_a_text_is_cut_into_words():
    assert "fabric.flow.block" not in loaded_after("import fabric")
    loaded = loaded_after("from fabric import Fabric, generator, handler, router, sequencer")
    assert "fabric.sessions.fabric" in loaded
    assert loaded.isdisjoint({"regex", "numpy", "pydantic.root_model", "pydantic.plugin._loader"})


@pytest.mark.parametrize("what", ["import memory_system", "import Memory", "import chat"])
def test_a_memory_is_made_without_what_only_its_use_needs(what: str):
    made = "from pipelines import memory_system\nmemory_system(model=None, episodic=True, semantic=True)"
    loaded = loaded_after(f"from pipelines {what}\n{made}")
    assert "capabilities.semantic" in loaded
    assert loaded.isdisjoint({"numpy", "capabilities.mind", "capabilities.traces", *HEAVY})


def test_the_names_of_the_pipelines_are_known_without_loading_what_they_stand_for():
    loaded = loaded_after("import pipelines\nassert 'memory_tools' in dir(pipelines)")
    assert loaded.isdisjoint({"numpy", "blocks", "capabilities", "fabric.sessions.fabric", *HEAVY})


@pytest.mark.parametrize("name", ["memory_system", "memory_tools", "mind"])
def test_what_agents_are_given_is_imported_from_one_place(name: str):
    assert {"pipelines", "fabric"} <= loaded_after(f"from pipelines import {name}")


def test_the_help_of_the_command_line_does_not_load_the_engine():
    loaded = loaded_after("import pipelines.cli.app")
    assert "typer" in loaded
    assert loaded.isdisjoint({"fabric.sessions.fabric", *HEAVY})


def test_opening_a_file_loads_the_store_and_no_model():
    loaded = loaded_after("from fabric import Fabric\nFabric(':memory:').close()")
    assert "duckdb" in loaded
    assert "litellm" not in loaded
