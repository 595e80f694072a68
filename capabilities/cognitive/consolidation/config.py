"""How often a memory is consolidated, and how much of it in one cycle."""

from typing import Self

from pydantic import Field, model_validator

from capabilities.settings import Settings

LONGEST_DAYS = 36_500
"""A calendar reaches no further back from every time."""


class ConsolidationConfig(Settings):
    """The limits of one cycle; the defaults are the specification's."""

    every_hours: float | None = Field(default=1.0, gt=0)
    """After how long the end of a turn consolidates again; None for only when it is asked for."""
    max_traces: int = Field(default=500, ge=1)
    """How many traces are read for ties, and how many repeated and doubted together; the next cycle goes on."""
    recent_hours: float = Field(default=24.0, gt=0, le=LONGEST_DAYS * 24)
    """How far back the ties of traces are replayed."""
    min_cluster: int = Field(default=5, ge=2)
    """From how many traces on a cluster becomes a schema."""
    max_cluster: int = Field(default=24, ge=2)
    """Larger clusters are divided into communities."""
    max_schemas: int = Field(default=5, ge=0)
    """How many schemas one cycle draws: each is a call of a model."""
    archive_days: float = Field(default=365.0, gt=0, le=LONGEST_DAYS)
    """How long the archive keeps what nobody asks for, once its trace is gone."""

    @model_validator(mode="after")
    def _clusters_fit(self) -> Self:
        if self.min_cluster > self.max_cluster:
            told = f"min_cluster={self.min_cluster}: expected at most max_cluster, {self.max_cluster}: none would fit"
            raise ValueError(told)
        return self
