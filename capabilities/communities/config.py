"""How often communities are built by themselves."""

from pydantic import Field

from ..settings import Settings


class CommunitiesConfig(Settings):
    """When the end of a turn builds communities."""

    every_hours: float = Field(default=24.0, gt=0)
    """After how long it builds them again."""
