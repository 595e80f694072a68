"""The options of a mind, with their defaults."""

from datetime import timedelta
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field

from ..settings import Settings
from ..vocabulary import Unit
from .durations import parse_duration
from .record import ConfidenceLevel

MAX_PLACES = 10
"""The most active goals, and the most pinned reflections, whatever is configured."""
Places = Annotated[int, Field(ge=1), AfterValidator(lambda given: min(given, MAX_PLACES))]


def _duration(text: str | None) -> str | None:
    if text is not None:
        parse_duration(text)
    return text


Duration = Annotated[str | None, AfterValidator(_duration)]


class MindTtlDefaults(Settings):
    """How long entries last when a call does not say; None for ever."""

    belief: Duration = "30d"
    reflection: Duration = None


class MindConfig(Settings):
    """The options of `capabilities.mind.mind`, which says what each of them does."""

    model_config = ConfigDict(strict=True)

    token_budget: int = Field(default=300, ge=0)
    recency_window_days: float = Field(default=7, gt=0, le=timedelta.max.days / 2)
    max_goals: Places = MAX_PLACES
    max_pinned_reflections: Places = MAX_PLACES
    deduplication_threshold: Unit = 0.85
    retrieval_threshold: Unit = 0.35
    ttl_defaults: MindTtlDefaults = MindTtlDefaults()
    header_confidence: ConfidenceLevel = "high"


DEFAULT_MIND_CONFIG = MindConfig()
