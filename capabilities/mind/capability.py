"""The mind as a capability: declared on a block, it heads its prompt, offers its tools, and flushes when it ends."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Literal, get_args

from fabric.embedding.choose import EmbedderChoice, embedder_of
from fabric.errors import ConfigurationError
from fabric.flow.capability import Capability, define_capability
from fabric.flow.context import Context
from fabric.options import names_options
from fabric.telling import error_text

from ..equal import one_for
from ..meaning import Meaning
from .config import DEFAULT_MIND_CONFIG, MindConfig, MindTtlDefaults
from .live_mind import Mind, Place
from .provider import MindProvider
from .record import ConfidenceLevel
from .store import StoreProvider
from .tools import TOOLS

MindScope = Literal["user", "agent", "project", "org"]
_SCOPES = get_args(MindScope)


@names_options()
def mind(
    embedder: EmbedderChoice = "default",
    *,
    provider: MindProvider | None = None,
    namespace: str | None = None,
    scope: MindScope = "user",
    token_budget: int = DEFAULT_MIND_CONFIG.token_budget,
    recency_window_days: float = DEFAULT_MIND_CONFIG.recency_window_days,
    max_goals: int = DEFAULT_MIND_CONFIG.max_goals,
    max_pinned_reflections: int = DEFAULT_MIND_CONFIG.max_pinned_reflections,
    deduplication_threshold: float = DEFAULT_MIND_CONFIG.deduplication_threshold,
    retrieval_threshold: float = DEFAULT_MIND_CONFIG.retrieval_threshold,
    ttl_defaults: Mapping[str, Any] | MindTtlDefaults | None = None,
    header_confidence: ConfidenceLevel = "high",
) -> Capability[Mind]:
    """Return the mind of an agent, to be declared with ``uses=[mind()]``. ConfigurationError for what cannot work.

    Equal options always give the same capability, so that several blocks of a pipeline may declare it.

    ``embedder`` as for a memory system, None to compare by words. ``provider`` keeps the entries, by default in the
    file. ``namespace`` names the mind, by default ``mind/<agent>`` after the session's agent or the block that declares
    it; agents share a mind by sharing a namespace. ``scope`` says who owns the entries: by default what an agent learns
    about one user never reaches another. ``token_budget`` and ``recency_window_days`` bound the header's beliefs and
    reflections, ``header_confidence`` is the least sure belief it shows. ``max_goals`` and ``max_pinned_reflections``
    are 10 where more is given. From ``deduplication_threshold`` on, a belief updates a similar one; below
    ``retrieval_threshold`` nothing is recalled. ``ttl_defaults`` may be a mapping of `MindTtlDefaults`.

    >>> mind(max_goals=0)
    Traceback (most recent call last):
    fabric.errors.ConfigurationError: MindConfig: max_goals=0: Input should be greater than or equal to 1
    """
    _check_place(provider, namespace, scope)
    config = MindConfig(
        token_budget=token_budget,
        recency_window_days=recency_window_days,
        max_goals=max_goals,
        max_pinned_reflections=max_pinned_reflections,
        deduplication_threshold=deduplication_threshold,
        retrieval_threshold=retrieval_threshold,
        ttl_defaults=MindTtlDefaults.of(ttl_defaults) or MindTtlDefaults(),
        header_confidence=header_confidence,
    )

    def make() -> Capability[Mind]:
        return _capability(provider or StoreProvider(scope), namespace, config, Meaning(embedder_of(embedder)))

    return one_for(make, "mind", provider, namespace, scope, config.model_dump_json(), embedder)


def _check_place(provider: object, namespace: object, scope: str) -> None:
    if scope not in _SCOPES:
        raise ConfigurationError(f"mind: scope={scope!r}; expected one of {', '.join(_SCOPES)}")
    if namespace is not None and not (isinstance(namespace, str) and namespace.strip()):
        raise ConfigurationError(f"mind: namespace={namespace!r}; expected a name, or None for mind/<agent>")
    if provider is not None and (isinstance(provider, type) or not isinstance(provider, MindProvider)):
        raise ConfigurationError(
            f"mind: provider={provider!r}; expected an object with resources, namespaces and transact, such as "
            "InMemoryProvider(), or None for the file"
        )


def _capability(
    provider: MindProvider, namespace: str | None, config: MindConfig, meaning: Meaning
) -> Capability[Mind]:
    @asynccontextmanager
    async def during(ctx: Context) -> AsyncGenerator[Mind]:
        named = namespace or f"mind/{ctx.agent or _declaring(ctx)}"
        mind = Mind(ctx, Place(provider, named, config, meaning))
        try:
            yield mind
        except BaseException as error:
            second = (await _to_its_end(mind, failed=True)).exception()
            if second is not None:
                error.add_note(f"and its mind could not be flushed: {error_text(second)}")
            raise
        (await _to_its_end(mind, failed=False)).result()

    return define_capability("mind", resources=provider.resources, header=[_header], tools=TOOLS, during=during)


async def _header(ctx: Context) -> str:
    mind: Mind = ctx.cap.mind
    return await mind.header()


def _declaring(ctx: Context) -> str:
    return "agent" if ctx.block is None else ctx.block.name


async def _to_its_end(mind: Mind, *, failed: bool) -> "asyncio.Task[None]":
    """Flush, whole even if the run is cancelled meanwhile, however often; return the flush, which is over."""
    flushing = asyncio.ensure_future(mind.end(failed=failed))
    cancelled: asyncio.CancelledError | None = None
    while not flushing.done():
        try:
            await asyncio.wait([flushing])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None and not failed:
        raise cancelled
    return flushing
