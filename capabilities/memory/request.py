"""What recall can be asked for."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from fabric.clock import utc

from ..vocabulary import Subject
from .ranked import TIERS, Tier

LIMIT = 10
"""How many results a cue gives unless it is said."""
Moment = Annotated[datetime, AfterValidator(utc)]


class RecallRequest(BaseModel):
    """What to recall: a cue, or None for everything, and what to leave out.

    ``since`` and ``until`` are when it was said. ``as_of`` recalls the facts that were true then, ``known_at`` those
    that were known then; both look at facts only, since the other tiers keep no past. A turn has no subject and no
    category: with one of them asked for, only the other tiers are looked at.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    cue: str | None = None
    limit: Annotated[int, Field(ge=1)] | None = None
    tiers: tuple[Tier, ...] = TIERS
    subject: Subject | None = None
    category: str | None = None
    session: str | None = None
    since: Moment | None = None
    until: Moment | None = None
    as_of: Moment | None = None
    known_at: Moment | None = None

    @property
    def is_past(self) -> bool:
        """Whether it asks for the facts of another time."""
        return self.as_of is not None or self.known_at is not None

    def said_in_time(self, said_at: datetime) -> bool:
        """Return whether a time lies between ``since`` and ``until``, both included."""
        return (self.since is None or said_at >= self.since) and (self.until is None or said_at <= self.until)
