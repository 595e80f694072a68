"""Embedding models of providers, through litellm: in batches, tried again like model calls, paid for."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..clock import Clock, SystemClock
from ..errors import ConfigurationError, ModelError
from ..lazy import lazy
from ..models import spans
from ..models.retry import Sleep, retrying
from ..usage import Usage
from .base import Vectors

if TYPE_CHECKING:
    import numpy as np

    from ..models import embedding
else:
    embedding = lazy("..models.embedding", __package__)
    np = lazy("numpy")

BATCH = 256
"""Texts per request: below what providers take at once."""


class RemoteEmbedder:
    """Text vectors of an embedding model that litellm knows, such as ``openai/text-embedding-3-small``.

    Keys come from the environment unless ``api_key`` is given; ``api_base`` is the address of an own server.
    ``timeout`` is in seconds per request, ``attempts`` counts all tries of one. ``usage`` is what all calls cost so
    far, failed ones included; ``dimension`` is 0 before the first answer.
    """

    def __init__(
        self,
        model: str,
        timeout: float = 30.0,
        attempts: int = 3,
        *,
        api_base: str | None = None,
        api_key: str | None = None,
        clock: Clock | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        if not model.strip() or timeout <= 0 or attempts < 1:
            raise ConfigurationError(
                f"embedder: got model={model!r}, timeout={timeout}, attempts={attempts}; "
                "expected a model id, more than 0 seconds and at least 1 attempt"
            )
        self.name = model
        self.dimension = 0
        self.usage = Usage()
        self._timeout = timeout
        self._attempts = attempts
        self._address = {
            name: value for name, value in (("api_base", api_base), ("api_key", api_key)) if value is not None
        }
        self._clock = clock or SystemClock()
        self._sleep = sleep

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text; ModelUnavailableError for what may pass, else ModelError with advice."""
        rows: list[list[float]] = []
        for start in range(0, len(texts), BATCH):
            rows += await self._batch(list(texts[start : start + BATCH]))
        found: Vectors = np.asarray(rows, np.float32).reshape(len(rows), -1)
        self.dimension = self.dimension or found.shape[1]
        return found

    async def _batch(self, texts: list[str]) -> list[list[float]]:

        request = embedding.EmbeddingRequest(self.name, texts, self._timeout, self._address)

        spent = Usage()

        async def attempt() -> list[list[float]]:
            nonlocal spent
            try:
                rows, usage = await embedding.embeddings(request, self._clock)
            except ModelError as error:
                spent += error.usage
                raise
            spent += usage
            return rows

        with spans.embeddings(self.name) as call:
            try:
                found: list[list[float]] = await retrying(self._attempts, self._clock, self._sleep)(attempt)
            except ModelError as error:
                spans.failed(call, error, spent)
                raise
            finally:
                self.usage += spent
            call.note({"gen_ai.embeddings.dimension.count": len(found[0])})
            spans.charged(call, spent)
            return found
