"""When a conversation is observed and its notes reflected on."""

from pydantic import Field

from capabilities.settings import Settings


class ObserverConfig(Settings):
    """When what was said is observed, and when notes are compressed; the defaults are the specification's."""

    tokens: int = Field(default=30_000, ge=1)
    """From how many buffered tokens on; about four characters are one."""
    messages: int | None = Field(default=None, ge=1)
    """From how many buffered messages on, too; None for by tokens only."""
    compress_at: int = Field(default=50, ge=2)
    """From how many notes on they are compressed."""


class ReflectorConfig(Settings):
    """When notes become traces."""

    tokens: int = Field(default=40_000, ge=1)
    notes: int | None = Field(default=None, ge=1)
    """From how many notes on, too; None for by tokens only."""
