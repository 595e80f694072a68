"""Any function as an embedder: texts in, rows of numbers out, plain or async."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

EmbedFunction = Callable[[list[str]], Any] | Callable[[list[str]], Awaitable[Any]]
"""Takes a list of texts, returns one row of numbers per text."""


class CallableEmbedder:
    """A function as an embedder; a plain one runs on a thread.

    ``name`` is stored beside the vectors: give it one that changes when the model behind it does.
    """

    def __init__(self, function: EmbedFunction, name: str = "") -> None:
        self._function = function
        self.name = name or str(getattr(function, "__qualname__", type(function).__qualname__))
        self.dimension = 0

    def embed(self, texts: Sequence[str]) -> Any:
        """Return what the function returns, or an awaitable of it."""
        found = self._function(list(texts))
        return self._awaited(found) if inspect.isawaitable(found) else self._measured(found)

    async def _awaited(self, found: Awaitable[Any]) -> Any:
        return self._measured(await found)

    def _measured(self, found: Any) -> Any:
        if not self.dimension and len(found) and hasattr(found[0], "__len__"):
            self.dimension = len(found[0])
        return found
