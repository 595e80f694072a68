"""One request for embeddings through litellm: rows of numbers and what they cost, failures in our own tree."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..clock import Clock
from ..errors import ModelUnavailableError
from ..threads.portal import elsewhere
from ..usage import Usage
from .failures import model_error, timed_out
from .litellm import GRACE, cost_of, load_provider
from .provider_loop import on_provider_loop
from .wire import usage_of


class _No(int):
    """A zero that is true: litellm takes a plain 0 of retries for none given, and has its client try twice more."""

    def __bool__(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class EmbeddingRequest:
    """What to embed and with which model; ``timeout`` is in seconds, ``address`` may hold api_base and api_key."""

    model: str
    texts: list[str]
    timeout: float
    address: Mapping[str, str]


async def embeddings(request: EmbeddingRequest, clock: Clock) -> tuple[list[list[float]], Usage]:
    """Return one row of numbers per text, in order, and the cost of the request, which is tried once.

    ModelUnavailableError for what may pass (an answer that is no list of rows too), ModelError for what will not.
    """
    provider = await elsewhere(load_provider)
    try:
        async with asyncio.timeout(request.timeout + GRACE):
            response = await on_provider_loop(
                provider.litellm.aembedding(
                    model=request.model,
                    input=request.texts,
                    timeout=request.timeout,
                    max_retries=_No(),
                    num_retries=0,
                    drop_params=True,
                    **request.address,
                )
            )
    except TimeoutError as error:
        raise timed_out(request.model, request.timeout) from error
    except provider.errors as error:
        raise model_error(error, request.model, clock.now()) from error
    usage = usage_of(response, cost_of(provider.litellm, request.model, response))
    return _rows(response, request, usage), usage


def _rows(response: Any, request: EmbeddingRequest, usage: Usage) -> list[list[float]]:
    try:
        data = sorted(response.data, key=lambda record: record["index"])
        rows = [[float(number) for number in record["embedding"]] for record in data]
    except (AttributeError, KeyError, TypeError, ValueError):
        rows = []
    if len(rows) != len(request.texts) or len({len(row) for row in rows}) != 1:
        raise ModelUnavailableError(
            f"model {request.model!r} is not available now: it answered {len(rows)} vectors of lengths "
            f"{sorted({len(row) for row in rows})} for {len(request.texts)} texts",
            usage=usage,
        )
    return rows
