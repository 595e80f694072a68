"""Recall with a hypothetical answer, where a call or the memory's policy wants one; see `blocks.hyde`."""

from collections.abc import Mapping
from typing import Any

from capabilities.hypothesis import Hypothesis
from capabilities.memory.layout import MemoryLayout
from capabilities.memory.recall.recall import RankedMemory, RecallRequest, asks, recall_request
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
        sureness=lambda found: max((one.relevance for one in found), default=0.0),
        degraded=lambda found, reason: [one.model_copy(update={"degraded": reason}) for one in found],
        has_embedder=layout.meaning.embedder is not None,
    )
    found: list[RankedMemory] = await search_with(hyde.block, how, search, ctx)
    return found
