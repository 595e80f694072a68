"""Any provider through litellm, which is imported at the first call: it takes seconds and 200 MB."""

import asyncio
import atexit
import gc
import importlib.util
import json
import logging
import os
import re
import warnings
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from ..clock import Clock, SystemClock
from ..errors import ConfigurationError, ModelError, ModelUnavailableError
from ..threads.portal import elsewhere
from .base import Delta, Reply, Request, Usage
from .failures import about_schema, model_error, timed_out
from .provider_loop import begin_on_provider_loop, end_provider_loop, on_provider_loop
from .retry import Sleep, retrying
from .server import ModelServer
from .wire import Assembly, arguments, reply_of, usage_of

_ENVIRONMENT = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True"}
GRACE = 5.0
"""Seconds beyond its timeout after which a call is given up even if the provider's own code does not."""
NO_KEY = "none"
"""What is sent as a key to a server that needs none: the client library insists on one."""
_LISTED = "model_prices_and_context_window_backup.json"
_SECRET = re.compile("KEY|TOKEN|SECRET|CREDENTIAL")
_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy")


@dataclass(frozen=True, slots=True)
class Provider:
    """The imported library and the errors that it may raise for a call."""

    litellm: Any
    errors: tuple[type[BaseException], ...]


def embedding_models() -> frozenset[str]:
    """Return the names of the embedding models that the library lists, without importing it; none if it has no list."""
    found = importlib.util.find_spec("litellm")
    folders = found.submodule_search_locations if found is not None else None
    listed = Path(folders[0]) / _LISTED if folders else None
    if listed is None or not listed.is_file():
        return frozenset()
    models = json.loads(listed.read_text(encoding="utf-8"))
    return frozenset(name for name, about in models.items() if about.get("mode") == "embedding")


class LiteLLMClient:
    """A model client for every provider litellm knows; keys come from the environment unless ``api_key`` is given.

    ``timeout`` is in seconds, for a whole answer or for the next piece of a stream. ``attempts`` counts all tries of
    one call; rate limits, server errors, lost connections and timeouts are tried again after a growing wait or after
    what the provider asks for. ``api_base``, ``api_key`` and ``response_format`` are those of `ModelServer`, for
    requests that name no server of their own.
    """

    def __init__(
        self,
        timeout: float = 60.0,
        attempts: int = 3,
        *,
        api_base: str | None = None,
        api_key: str | None = None,
        response_format: bool | None = None,
        clock: Clock | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        if timeout <= 0 or attempts < 1:
            raise ConfigurationError(
                f"model client: got timeout={timeout} and attempts={attempts}; "
                "expected more than 0 seconds and at least 1 attempt"
            )
        self.timeout = timeout
        self.attempts = attempts
        self._server = ModelServer(api_base or "", api_key or "", response_format)
        self._clock = clock or SystemClock()
        self._sleep = sleep
        self._schema_refused: set[tuple[str, str]] = set()

    async def complete(self, request: Request) -> Reply:
        """Return the answer to one request; its usage includes answers that were paid for but could not be used."""
        provider = await elsewhere(load_provider)
        spent = Usage()

        async def attempt() -> Reply:
            nonlocal spent
            try:
                return await self._complete_once(provider, request)
            except ModelError as error:
                spent = error.usage = spent + error.usage
                raise

        reply: Reply = await retrying(self.attempts, self._clock, self._sleep)(attempt)
        return replace(reply, usage=spent + reply.usage)

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Yield the answer to one request piece by piece; the last piece has ``reply`` set.

        A failure before the first piece is tried again; a later one raises ModelUnavailableError with ``partial``.
        """
        provider = await elsewhere(load_provider)

        async def attempt() -> tuple[Delta, AsyncGenerator[Delta, None]]:
            rest = self._stream_once(provider, request)
            return await anext(rest), rest

        opened: tuple[Delta, AsyncGenerator[Delta, None]] = await retrying(self.attempts, self._clock, self._sleep)(
            attempt
        )
        async with aclosing(opened[1]) as rest:
            yield opened[0]
            async for delta in rest:
                yield delta

    async def _complete_once(self, provider: Provider, request: Request) -> Reply:
        response = await self._call(provider, request, stream=False)
        cost = cost_of(provider.litellm, request.model, response)
        reply = reply_of(response, request.model, cost)
        if reply is None:
            raise ModelUnavailableError(
                f"model {request.model!r} is not available now: its answer has no choices",
                usage=usage_of(response, cost),
            )
        return reply

    async def _stream_once(self, provider: Provider, request: Request) -> AsyncGenerator[Delta, None]:
        chunks = await self._call(provider, request, stream=True)
        assembly = Assembly()
        try:
            while (chunk := await self._next(provider, request, chunks, assembly)) is not None:
                text = assembly.add(chunk)
                if text:
                    yield Delta(text=text)
        finally:
            if hasattr(chunks, "aclose"):
                begin_on_provider_loop(chunks.aclose())  # not awaited: the caller's loop may be ending
        cost = cost_of(provider.litellm, request.model, assembly.counted)
        yield Delta(reply=assembly.reply(request.model, cost))

    async def _next(self, provider: Provider, request: Request, chunks: Any, assembly: Assembly) -> Any:
        timeout = request.timeout or self.timeout
        try:
            async with asyncio.timeout(timeout):
                return await on_provider_loop(_piece(chunks))
        except TimeoutError as error:
            failed: ModelError = timed_out(request.model, timeout)
            cause: BaseException = error
        except provider.errors as error:
            failed, cause = model_error(error, request.model, self._clock.now()), error
        if assembly.text:
            failed = ModelUnavailableError(
                f"{failed} (the stream was cut after {len(assembly.text)} characters)", partial=assembly.text
            )
        raise failed from cause

    async def _call(self, provider: Provider, request: Request, *, stream: bool) -> Any:
        server = request.server or self._server
        native = request.schema is not None and self._has_native_schema(provider.litellm, request.model, server)
        try:
            return await self._send(provider, request, server, stream=stream, native=native)
        except provider.errors as error:
            if not (native and about_schema(error, asked=bool(server.response_format))):
                missing = () if server.api_key else needs_of(request.model).missing_keys
                raise model_error(error, request.model, self._clock.now(), missing) from error
            self._schema_refused.add((request.model, server.api_base))
        return await self._call(provider, request, stream=stream)

    async def _send(
        self, provider: Provider, request: Request, server: ModelServer, *, stream: bool, native: bool
    ) -> Any:
        timeout = request.timeout or self.timeout
        options = {"stream": True, "stream_options": {"include_usage": True}} if stream else {}
        try:
            async with asyncio.timeout(timeout + GRACE):
                return await on_provider_loop(
                    provider.litellm.acompletion(
                        **reached(server, request.model),
                        timeout=timeout,
                        max_retries=0,
                        num_retries=0,
                        drop_params=True,
                        **({"allowed_openai_params": ["response_format"]} if native else {}),
                        **options,
                        **arguments(request, native_schema=native),
                    )
                )
        except TimeoutError as error:
            raise timed_out(request.model, timeout) from error

    def _has_native_schema(self, litellm: Any, model: str, server: ModelServer) -> bool:
        if (model, server.api_base) in self._schema_refused:
            return False
        if server.response_format is not None:
            return server.response_format
        return bool(litellm.supports_response_schema(model=model))


def load_provider() -> Provider:
    """Import litellm without its network fetches, and quiet unless the user asked for its log."""
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    # It builds pydantic records at any later call; where warnings are errors, its notes on them would be lost answers.
    warnings.filterwarnings("ignore", message=".*`ReadOnly` qualifier", category=UserWarning)
    try:
        with _uncollected():
            import httpx  # noqa: PLC0415
            import litellm  # noqa: PLC0415
            import openai  # noqa: PLC0415
    except RuntimeError as error:  # it starts threads, which an ending interpreter refuses
        raise ModelUnavailableError(f"models are not available now: {error}") from error
    _end_before_litellm()
    litellm.suppress_debug_info = True
    if not os.environ.get("LITELLM_LOG"):
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL)
    return Provider(litellm, (openai.OpenAIError, httpx.HTTPError, OSError, ImportError, json.JSONDecodeError))


@contextmanager
def _uncollected() -> Generator[None]:
    """Look for no garbage meanwhile: what a large import makes stays, and looking through it takes a seventh of it."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@dataclass(frozen=True, slots=True)
class Needs:
    """What a model id needs: its provider ("" when litellm knows none), and environment variables, by their names."""

    provider: str = ""
    is_listed: bool = False
    """Whether litellm has the model, and what it costs, in its list; those of an own server it has not."""
    key: str = ""
    """The variable that holds the key, where one is set."""
    missing: tuple[str, ...] = ()

    @property
    def missing_keys(self) -> tuple[str, ...]:
        """Those of the missing variables that hold a secret."""
        return tuple(name for name in self.missing if _SECRET.search(name))


def needs_of(model: str) -> Needs:
    """Return what a model id needs, without asking anybody on the network; no value of a variable is returned.

    >>> needs_of("no-such-model").provider
    ''
    """
    litellm, errors = load_provider().litellm, load_provider().errors
    try:
        name, provider, *_ = litellm.get_llm_provider(model)
        missing = litellm.validate_environment(model)["missing_keys"]
    except errors:
        return Needs()
    key = f"{provider.upper()}_API_KEY"
    listed = bool({model, name, f"{provider}/{name}"} & litellm.model_cost.keys())
    return Needs(provider, listed, key if os.environ.get(key) else "", tuple(missing))


def reached(server: ModelServer, model: str) -> dict[str, str]:
    """Return where litellm finds a model: an own server speaks OpenAI's form unless the id names another provider.

    A server that no key was given for, nor set in the environment, is one that needs none.
    """
    if not server.api_base:
        return server.address
    needs = needs_of(model)
    added = {} if needs.provider else {"custom_llm_provider": "openai"}
    if not server.api_key and (needs.missing_keys or (not needs.provider and not os.environ.get("OPENAI_API_KEY"))):
        added["api_key"] = NO_KEY
    return {**server.address, **added}


def cost_of(litellm: Any, model: str, response: Any) -> float:
    """Return the price of an answer in US dollars, 0.0 for a model without a known price."""
    if response is None or not {model, model.partition("/")[2]} & litellm.model_cost.keys():
        return 0.0
    try:
        return float(litellm.completion_cost(completion_response=response, model=model))
    except (ValueError, TypeError, KeyError, AttributeError, litellm.exceptions.BadRequestError):
        return 0.0


@cache
def _end_before_litellm() -> None:
    """Let the loop on which providers are asked end before litellm's own exit handlers, which begin others."""

    async def report() -> None:
        from litellm.litellm_core_utils.logging_worker import GLOBAL_LOGGING_WORKER  # noqa: PLC0415
        from litellm.llms.custom_httpx.async_client_cleanup import close_litellm_async_clients  # noqa: PLC0415
        from litellm.responses.streaming_iterator import drain_logging_tasks  # noqa: PLC0415

        try:
            await drain_logging_tasks()
            await GLOBAL_LOGGING_WORKER.flush()
        finally:
            close: Any = close_litellm_async_clients  # it has no types
            await close()

    atexit.register(end_provider_loop, report)  # after the library was imported, and so before its handlers


async def _piece(chunks: Any) -> Any:
    return await anext(chunks, None)
