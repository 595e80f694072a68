"""What a consolidation decides: which traces are too weak, which settle, and what is left of two that say the same."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from capabilities.formulas.retention import current_strengths

from ..record import Trace, TracesConfig
from ..table import said_again, unite_tags
from ..words import count_words

if TYPE_CHECKING:
    from fabric.search.base import SearchView

    from ..tables import View

Ints = NDArray[np.int64]
PROTECTED_INTENSITY = 0.3
"""Above it a trace is not pruned, as in the sweep of a cognitive memory."""
DAY = 86_400.0


def visible_positions(index: "SearchView", view: "View") -> Ints:
    """Return the positions of the live traces that a session sees, in the order they were added."""
    names = index.columns["persona"].names
    numbers = [names[persona] for persona in view.personas if persona in names]
    seen = index.alive & (index.columns["deleted"].values == 0) & np.isin(index.columns["persona"].values, numbers)
    positions = np.flatnonzero(seen)
    return np.asarray(positions[np.argsort(index.places[positions], kind="stable")], np.int64)


def prunable(index: "SearchView", positions: Ints, now: datetime, threshold: float) -> Ints:
    """Return the positions of traces of whose strength, since they were used last or made, too little is left.

    What was felt strongly when it was encoded stays.
    """
    cells = {name: column.values[positions] for name, column in index.columns.items()}
    since = np.where(np.isnan(cells["last_accessed"]), cells["created_at"], cells["last_accessed"])
    left = current_strengths(cells["strength"], now.timestamp() - since, cells["stability"])
    return positions[(left < threshold) & ~(cells["intensity"] > PROTECTED_INTENSITY)]


def settled(index: "SearchView", positions: Ints, now: datetime, config: TracesConfig) -> Ints:
    """Return the positions of episodic traces that are old and were retrieved often enough to become semantic."""
    columns = index.columns
    old = now.timestamp() - columns["created_at"].values[positions] > config.compact_days * DAY
    often = columns["retrieval_count"].values[positions] >= config.compact_retrievals
    episodic = columns["type"].values[positions] == columns["type"].names.get("episodic", -2)
    return np.asarray(positions[old & often & episodic], np.int64)


def melted(survivor: Trace, other: Trace, now: datetime) -> Trace:
    """Return the trace that is left of two that say the same: tags of both, the larger strength, all retrievals.

    It is said otherwise only where both are: one that is not was said after all that is.
    """
    tags = unite_tags([*survivor.tags, *other.tags])
    accessed = [one.last_accessed for one in (survivor, other) if one.last_accessed is not None]
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
