"""Recall, and evidence for a prompt, by a hypothetical answer where a call or the memory's policy wants one.

See `blocks.hyde`.
"""

from collections.abc import Mapping
from typing import Any

from capabilities.hypothesis import NONE, Hypothesis
from capabilities.memory.evidence import TOKENS, Evidence, evidence
from capabilities.memory.layout import MemoryLayout
from capabilities.memory.recall.recall import RankedMemory, RecallRequest, asks, recall_request
from fabric.errors import ConfigurationError
from fabric.flow.context import Context

from .hyde import Hyde, Search, policy, search_with


async def recall_by(
    ctx: Context, layout: MemoryLayout, hyde: Hyde, asked: Mapping[str, Any] | RecallRequest
) -> list[RankedMemory]:
    """Return what is remembered, most relevant first: by the options of `RecallRequest`, and ``hyde``."""
    options = {} if isinstance(asked, RecallRequest) else dict(asked)
    how = policy(hyde, options)
    request = asked if isinstance(asked, RecallRequest) else RecallRequest.of(options)
    if how is None or request.cue is None or not asks(request.cue):
        return await recall_request(ctx, layout, request)

    async def find(hypothesis: Hypothesis) -> list[RankedMemory]:
        return await recall_request(ctx, layout, request.model_copy(update={"hypothesis": hypothesis}))

    search = Search(
        request.cue,
        find,
        sureness=lambda found: max((memory.relevance for memory in found), default=0.0),
        degraded=lambda found, reason: [memory.model_copy(update={"degraded": reason}) for memory in found],
        has_embedder=layout.meaning.embedder is not None,
    )
    found: list[RankedMemory] = await search_with(hyde.block, how, search, ctx)
    return found


async def evidence_by(ctx: Context, layout: MemoryLayout, hyde: Hyde, asked: Mapping[str, Any]) -> str:
    """Return the best evidence for a cue as text for a prompt: by ``cue``, ``tokens`` and ``hyde``.

    Where no hypothetical answer can be had it is that of the plain cue, and the log says why. ConfigurationError for
    other options.
    """
    options = dict(asked)
    how = policy(hyde, options)
    if options.keys() - {"cue", "tokens"}:
        raise ConfigurationError(f"context: got the options {', '.join(asked)}; expected cue, tokens and hyde")
    cue, tokens = options.get("cue"), options.get("tokens", TOKENS)

    async def find(hypothesis: Hypothesis = NONE) -> Evidence:
        return await evidence(ctx, layout, cue, tokens, hypothesis)

    if how is None or not isinstance(cue, str) or not asks(cue):
        return (await find()).text
    search = Search(
        cue,
        find,
        sureness=lambda found: found.relevance,
        degraded=lambda found, _: found,
        has_embedder=layout.meaning.embedder is not None,
    )
    found: Evidence = await search_with(hyde.block, how, search, ctx)
    return found.text
