"""What becomes of traces that nobody uses: what is left of each now and in a week, until when, and what keeps it."""

from datetime import datetime, timedelta
from typing import Literal

from pydantic import BaseModel, ConfigDict

from fabric.flow.resource import Transaction

from ..formulas.encoding import is_flashbulb
from ..formulas.retention import current_strength, lasts
from ..traces.record import Trace
from ..traces.tables import views
from .config import CognitiveConfig
from .storing import LONGEST
from .wakefulness import Elapsed, elapsed

WEEK = 7 * 86_400.0
"""Seconds."""
Keeper = Literal["flashbulb", "emotion", "uses", "new"]
"""Why a trace is still there: how vivid it is, how it felt, that it was used, or only that it is not old."""


class Outlook(BaseModel):
    """How one trace stands, and how it will if nobody uses it; strengths lie in [0, 1]."""

    model_config = ConfigDict(frozen=True)

    trace: Trace
    strength: float
    in_a_week: float
    kept_by: tuple[Keeper, ...]
    fades_at: datetime | None
    """When a sweep may remove it; None for one that an emotion protects."""


def outlooks(tx: Transaction, config: CognitiveConfig, now: datetime) -> list[Outlook]:
    """Return how every trace stands that a context sees, the strongest first, of equals the newest; read only."""
    found: list[Outlook] = []
    for view in views(tx.ids):
        present = elapsed(tx, view.tables.owner, config, now)
        found += [outlook(trace, present, config) for trace in tx.find(view.tables.traces) if view.sees(trace)]
    return sorted(found, key=lambda row: (-row.strength, -row.trace.created_at.timestamp(), row.trace.id))


def outlook(trace: Trace, present: Elapsed, config: CognitiveConfig) -> Outlook:
    """Return how one trace stands; where waking time counts, as if its memory were awake from now on."""
    stability, since = trace.stability * 1000, present.since_use(trace)
    is_protected = trace.intensity > config.protected_intensity
    left = min(LONGEST, (lasts(trace.strength, stability, config.prune_threshold) - since) / 1000)
    return Outlook(
        trace=trace,
        strength=present.strength(trace),
        in_a_week=current_strength(trace.strength, since + WEEK * 1000, stability),
        kept_by=_kept_by(trace, config),
        fades_at=None if is_protected else present.now + timedelta(seconds=max(-LONGEST, left)),
    )


def _kept_by(trace: Trace, config: CognitiveConfig) -> tuple[Keeper, ...]:
    keepers: list[Keeper] = []
    if is_flashbulb(trace.intensity, config.flashbulb_threshold):
        keepers.append("flashbulb")
    elif trace.intensity > config.protected_intensity:
        keepers.append("emotion")
    if trace.retrieval_count:
        keepers.append("uses")
    return tuple(keepers) or ("new",)
