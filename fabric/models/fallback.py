"""A list of models instead of one: the next is asked when one cannot answer."""

import time
from collections.abc import AsyncIterator, Sequence
from contextvars import ContextVar
from dataclasses import replace

from ..errors import BudgetExceededError, ConfigurationError, ModelError, ModelUnavailableError
from ..threads.portal import INSIDE
from . import spans
from .base import Delta, ModelClient, Reply, Request, Usage

ASKING: ContextVar[bool] = ContextVar("ASKING", default=False)
"""Whether what runs is a model client that background work asks."""
Failures = list[tuple[str, ModelError]]


async def complete_with_fallback(client: ModelClient, models: Sequence[str], request: Request) -> Reply:
    """Return the answer of the first of ``models`` that gives one; ``request.model`` is not used.

    When none does, the error names each model and why it failed: ModelUnavailableError if one of them may answer
    later, else ModelError.
    """
    failures: Failures = []
    for model in _checked(models):
        try:
            reply = await _complete(client, replace(request, model=model))
        except BudgetExceededError:
            raise
        except ModelError as error:
            failures.append((model, error))
        else:
            return replace(reply, usage=_spent(failures) + reply.usage)
    raise _summary(failures)


async def stream_with_fallback(client: ModelClient, models: Sequence[str], request: Request) -> AsyncIterator[Delta]:
    """Yield the answer of the first of ``models`` that gives one; after its first piece there is no way back."""
    failures: Failures = []
    for model in _checked(models):
        begun = False
        try:
            async for delta in _stream(client, replace(request, model=model)):
                begun = True
                reply = delta.reply and replace(delta.reply, usage=_spent(failures) + delta.reply.usage)
                yield replace(delta, reply=reply)
        except BudgetExceededError:
            raise
        except ModelError as error:
            if begun:
                error.usage = _spent(failures) + error.usage
                raise
            failures.append((model, error))
        else:
            return
    raise _summary(failures)


async def _complete(client: ModelClient, request: Request) -> Reply:
    with spans.chat(request) as call:
        token = ASKING.set(INSIDE.get().startswith("job "))
        try:
            reply = await client.complete(request)
        except ModelError as error:
            spans.failed(call, error, error.usage)
            raise
        finally:
            ASKING.reset(token)
        spans.answered(call, reply)
        return reply


async def _stream(client: ModelClient, request: Request) -> AsyncIterator[Delta]:
    call = spans.chat(request, stream=True)
    began, first = time.perf_counter(), True
    pieces = aiter(client.stream(request))
    try:
        while True:
            with call.current():  # not while the caller has the piece: it would be inside of the call's span
                delta = await anext(pieces, None)
            if delta is None:
                return
            if first:
                call.note({"gen_ai.response.time_to_first_chunk": time.perf_counter() - began})
                first = False
            if delta.reply is not None:
                spans.answered(call, delta.reply)
            yield delta
    except BaseException as error:
        spans.failed(call, error, error.usage if isinstance(error, ModelError) else Usage())
        raise
    finally:
        call.end()


def _checked(models: Sequence[str]) -> Sequence[str]:
    if isinstance(models, str) or not models:
        raise ConfigurationError(f"models: got {models!r}; expected a list with at least one model id")
    return models


def _spent(failures: Failures) -> Usage:
    return sum((error.usage for _, error in failures), Usage())


def _summary(failures: Failures) -> ModelError:
    if len(failures) == 1:
        return failures[0][1]
    message = f"none of {len(failures)} models answered:" + "".join(
        f"\n- {model}: {error}" for model, error in failures
    )
    passing = [error for _, error in failures if isinstance(error, ModelUnavailableError)]
    if not passing:
        return ModelError(message, usage=_spent(failures))
    waits = [error.retry_after for error in passing if error.retry_after is not None]
    return ModelUnavailableError(message, retry_after=min(waits, default=None), usage=_spent(failures))
