"""What a floor offers by name is there, loaded when it is asked for."""

import importlib
from typing import Any

import pytest

FROM_THE_TEXT = [
    "create_episodic_memory_capability",
    "create_episodic_memory_resource",
    "create_semantic_memory_resource",
    "create_working_memory_capability",
    "episodic_memory_capability",
    "memory_system",
    "semantic_memory_capability",
    "working_memory_capability",
    "working_memory_capture",
    "working_memory_observe",
    "working_memory_remember",
    "working_memory_tick",
]
"""What a pipeline with memory needs, tier by tier."""


@pytest.mark.parametrize("floor", ["fabric", "capabilities", "blocks", "pipelines"])
def test_every_name_of_a_floor_is_there(floor: str) -> None:
    module: Any = importlib.import_module(floor)
    assert sorted(module.__all__) == list(module.__all__)
    assert set(module.__all__) <= set(dir(module))
    assert all(getattr(module, name) is not None for name in module.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        module.nothing  # noqa: B018


def test_a_pipeline_with_memory_imports_from_one_place() -> None:
    pipelines: Any = importlib.import_module("pipelines")
    assert set(FROM_THE_TEXT) <= set(pipelines.__all__)


def test_one_name_is_one_thing_wherever_it_is_imported_from() -> None:
    homes: list[Any] = [importlib.import_module(floor) for floor in ("capabilities", "blocks", "pipelines")]
    for name in FROM_THE_TEXT:
        assert len({id(getattr(home, name)) for home in homes if name in home.__all__}) == 1
