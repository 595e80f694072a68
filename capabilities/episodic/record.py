"""The episode, a significant experience as it was recorded, and the limits of the log that keeps them."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..claims.record import Claimed
from ..settings import Settings
from ..sources import Source
from ..vocabulary import Category, Durability, Moment, Subject, Unit

EpisodicScope = Literal["user", "project"]
"""Whose episodes: a user's own, or those of everybody in a project."""


class Episode(Claimed, BaseModel):
    """One significant experience. It is never rewritten; only ``consolidated`` and ``superseded`` turn true.

    ``sequence`` is its place in the order of encoding, from 1, and is set when it is encoded.
    ``occurred_at_turn`` counts turns of its own session, so it orders episodes of one session only. ``occurred_at`` is
    when it happened, where that is known to differ from when it was said.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    content: str
    subject: Subject = "user"
    category: Category = "event"
    durability: Durability = "persistent"
    significance: Unit
    encoded_at: Moment
    sequence: Annotated[int, Field(ge=0)] = 0
    occurred_at: Moment | None = None
    occurred_at_turn: Annotated[int, Field(ge=0)] = 0
    session_id: str = ""
    consolidated: bool = False
    made_by: str = ""
    """The path of the block that wrote it."""
    superseded: bool = False
    """Whether what it says has changed since: it stays what was said then, and is no longer recalled as true now."""
    sources: list[Source] = []
    slot: str = ""
    """The key of its claim (`capabilities.claims.slot`), set when it is encoded."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.content.strip():
            raise ValueError("content is blank: an episode needs the text to remember")
        return self


class EpisodicConfig(Settings):
    """Options of episodic memory.

    >>> EpisodicConfig(significance_threshold=1.5)
    Traceback (most recent call last):
    fabric.errors.ConfigurationError: EpisodicConfig: significance_threshold=1.5: Input should be less than or equal \
to 1
    """

    scope: EpisodicScope = "user"
    significance_threshold: Unit = 0.6
    """From this importance on, a lasting observation becomes an episode."""
    max_episodes: Annotated[int, Field(ge=1, strict=True)] = 200


DEFAULT_EPISODIC_CONFIG = EpisodicConfig()
