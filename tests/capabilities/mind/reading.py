"""Entries of a mind made by hand, and a provider in memory that holds them, to read from."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from zlib import crc32

import numpy as np

from capabilities.meaning import Embedded
from capabilities.mind.ephemeral import InMemoryProvider
from capabilities.mind.provider import MindTable
from capabilities.mind.record import MindBelief, MindEntry, MindGoal, MindReflection
from fabric import Context, handler
from fabric.testing import FrozenClock, run_block

T = TypeVar("T")
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
MIND = "mind/tester"


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


def goal(description: str, days: float = 1, **more: Any) -> MindGoal:
    return MindGoal(**_shared("mg", description, days), description=description, **more)


def belief(content: str, days: float = 1, **more: Any) -> MindBelief:
    return MindBelief(**_shared("mb", content, days), content=content, **{"confidence": "high", **more})


def reflection(content: str, days: float = 1, **more: Any) -> MindReflection:
    return MindReflection(**_shared("mr", content, days), content=content, **more)


def _shared(prefix: str, text: str, days: float) -> dict[str, Any]:
    return {
        "id": f"{prefix}_{crc32(text.encode()):08x}",
        "namespace": MIND,
        "created_at": ago(days),
        "updated_at": ago(days),
    }


async def read(
    entries: Sequence[MindEntry], work: Callable[[MindTable], T], vectors: Mapping[str, Sequence[float]] | None = None
) -> T:
    """Return what ``work`` makes of a mind that holds the entries; ``vectors`` are those of texts, by default none."""
    provider, texts = InMemoryProvider(), list(vectors or {})
    embedded = Embedded("test/2", np.array(list(vectors.values()), np.float32)) if vectors else Embedded()

    async def reading(ctx: Context) -> T:
        await provider.transact(ctx, MIND, lambda table: table.put(entries), embedded, texts)
        return await provider.transact(ctx, MIND, work, embedded, texts)

    result = await run_block(handler(reading, name="reading"), clock=FrozenClock(NOW))
    found: T = result.output
    return found
