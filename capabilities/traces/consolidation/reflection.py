"""What a consolidation decides: which traces are too weak, which settle, and what is left of two that say the same."""

from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from capabilities.formulas.retention import are_prunable, current_strengths
from capabilities.tag_lists import unite_tags
from fabric.search.views import holds

from ..record import Trace, TracesConfig
from ..seen import Seen
from ..table import said_again
from ..words import count_words

Ints = NDArray[np.int64]
DAY = 86_400.0


def prunable(seen: Seen, now: datetime, threshold: float) -> Ints:
    """Return the positions of traces of whose strength, since they were used last or made, too little is left.

    What was felt strongly when it was encoded stays.
    """
    left = current_strengths(seen.cells("strength"), now.timestamp() - seen.last_used(), seen.cells("stability"))
    return seen.positions[are_prunable(left, seen.cells("intensity"), threshold)]


def settled(seen: Seen, now: datetime, config: TracesConfig) -> Ints:
    """Return the positions of episodic traces that are old and were retrieved often enough to become semantic."""
    old = now.timestamp() - seen.cells("created_at") > config.compact_days * DAY
    often = seen.cells("retrieval_count") >= config.compact_retrievals
    return seen.positions[old & often & holds(seen.index, "type", ["episodic"])[seen.positions]]


def melted(survivor: Trace, other: Trace, now: datetime) -> Trace:
    """Return the trace that is left of two that say the same: tags of both, the larger strength, all retrievals.

    It is said otherwise only where both are: one that is not was said after all that is.
    """
    tags = unite_tags([*survivor.tags, *other.tags])
    accessed = [trace.last_accessed for trace in (survivor, other) if trace.last_accessed is not None]
    update: dict[str, Any] = {
        "tags": tags,
        "length": count_words(survivor.content, tags),
        "strength": max(survivor.strength, other.strength),
        "stability": max(survivor.stability, other.stability),
        "importance": max(survivor.importance, other.importance),
        "interval": max(survivor.interval, other.interval),
        "last_awake": max(survivor.last_awake, other.last_awake),
        "retrieval_count": survivor.retrieval_count + other.retrieval_count,
        "last_accessed": max(accessed, default=None),
        "verification_count": survivor.verification_count + 1 + other.verification_count,
        "contradicted_by": survivor.contradicted_by if other.contradicted_by else (),
        "merged_from": (*survivor.merged_from, other.id),
        "updated_at": now,
    }
    return said_again(survivor.model_copy(update=update), other.sources)
