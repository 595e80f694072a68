"""The memory of this project as a system under test: its public blocks on a file, and no model."""

import html
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fabric import Fabric
from fabric.testing import FrozenClock
from pipelines import memory_system

from .data import Haystack, Question
from .system import Answer


class Product:
    """A memory system on a file of its own; each haystack is one user's."""

    def __init__(self, name: str, embedder: Any) -> None:
        self.name = name
        self._memory = memory_system(episodic=True, semantic=True, embedder=embedder)
        self._folder = TemporaryDirectory()
        self._clock = FrozenClock()
        self._fabric = Fabric(Path(self._folder.name) / "memory.duckdb", clock=self._clock)
        self._imported: set[str] = set()

    def answer(self, haystack: Haystack, question: Question, limit: int) -> Answer:
        """Rank the haystack's turns by `recall_block`."""
        found = self._run(haystack, question, self._memory.recall_block, {"cue": question.text, "limit": limit})
        ranked = list(dict.fromkeys(turn for one in found for turn in [source.turn_id for source in one.sources]))
        return Answer(ranked, found[0].relevance if found else 0.0)

    def context(self, haystack: Haystack, question: Question, tokens: int) -> str:
        """Return the text of `context_block`, as it was before it was escaped and marked as data."""
        asked = {"cue": question.text, "tokens": tokens}
        block = str(self._run(haystack, question, self._memory.context_block, asked))
        return html.unescape("\n".join(block.splitlines()[2:-1]))

    def close(self) -> None:
        """Close the file and remove it."""
        self._fabric.close()
        self._folder.cleanup()

    def _run(self, haystack: Haystack, question: Question, block: Any, value: dict[str, Any]) -> Any:
        session = self._fabric.session("bench", user=haystack.name)
        if haystack.name not in self._imported:
            self._imported.add(haystack.name)
            self._clock.set(haystack.turns[-1].said_at)
            self._import(session, haystack)
        self._clock.set(question.asked_at)
        return session.run(block, value).output

    def _import(self, session: Any, haystack: Haystack) -> None:
        session.run(self._memory.import_block, [turn.record for turn in haystack.turns])
