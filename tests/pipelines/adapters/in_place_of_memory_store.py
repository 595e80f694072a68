"""A pytest plugin that puts our store in the place of LangGraph's in-memory one, so that its own tests run on ours."""

from typing import Any

import langgraph.store.memory

from pipelines.adapters.langgraph import ThoughtFabricStore


class InPlace(ThoughtFabricStore):
    """Our store, made as the other one is."""

    def __init__(self, *, index: Any = None) -> None:
        super().__init__(user="jake", index=index)


langgraph.store.memory.InMemoryStore = InPlace  # type: ignore[assignment,misc]
