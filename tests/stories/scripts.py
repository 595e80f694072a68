"""What the stories share: a memory whose model answers by role, and shorthand for observations."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fabric import Fabric, handler, sequencer
from fabric.models.base import Request
from fabric.testing import FrozenClock, ScriptedModel
from pipelines import MemorySystem, memory_system
from tests.prompts import asked_by

Says = Callable[[Request], Any]


def observation(content: str, **fields: Any) -> dict[str, Any]:
    """Return one observation as a model would write it; lasting and important unless said otherwise."""
    return {
        "subject": "user",
        "content": content,
        "importance": 0.8,
        "durability": "persistent",
        "category": "profession",
        "replaces": "",
        **fields,
    }


def told(observed: Sequence[dict[str, Any]]) -> str:
    """Return a message that bears these observations out: one that shares no word with its turn is refused."""
    return ". ".join(record["content"] for record in observed)


class MemoryModel:
    """A model that answers each step of the memory from its own script, and counts the calls of each step."""

    def __init__(
        self, *turns: Sequence[dict[str, Any]] | Says, facts: Sequence[Any] = (), prune: Sequence[Any] = ()
    ) -> None:
        self.turns, self.facts, self.prunes = list(turns), list(facts), list(prune)
        self.observed: list[str] = []
        self.consolidated: list[str] = []
        self.pruned: list[str] = []
        self.client = ScriptedModel(self._answer)

    def _answer(self, request: Request) -> Any:
        step, said = asked_by(request.messages), str(request.messages[-1]["content"])
        if step == "observe":
            self.observed.append(said)
            return self._next(self.turns, request, "observations")
        if step == "consolidate":
            self.consolidated.append(said)
            return self._next(self.facts, request, "facts")
        if step == "prune":
            self.pruned.append(said)
            return json.dumps(self.prunes.pop(0) if self.prunes else {"removals": [], "merges": []})
        return f"I heard: {said}"

    def _next(self, script: list[Any], request: Request, key: str) -> Any:
        said = script.pop(0) if script else []
        if callable(said):
            said = said(request)
        if isinstance(said, Exception | str):
            return said
        return json.dumps({key: said})


def open_memory(
    model: MemoryModel | None,
    path: str = ":memory:",
    *,
    clock: FrozenClock | None = None,
    opened: Mapping[str, Any] | None = None,
    **options: Any,
) -> tuple[Fabric, MemorySystem]:
    """Return an open fabric and a full memory system, answered by ``model`` (rules for None)."""
    settings: dict[str, Any] = {"episodic": True, "semantic": True, **options}
    mem = memory_system(model=None if model is None else "test/model", **settings)
    return Fabric(path, models=model.client if model else None, clock=clock or FrozenClock(), **(opened or {})), mem


def chat_with(mem: MemorySystem) -> Any:
    """Return a chat pipeline whose answers come from a plain handler."""
    answer = handler(lambda text: f"I heard: {text}", name="chat")
    return sequencer(name="chat-with-memory").then(answer).work(mem.capture_from_items)


def outcomes(session: Any) -> list[dict[str, Any]]:
    """Return every outcome that captures left in the session, in order."""
    found = [item.data["result"] for item in session.items if item.kind == "outcome"]
    return [one for result in found for one in result.get("outcomes", [])]
