"""The intention: what is to be done, what brings it back, and what became of it."""

from datetime import time
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ..settings import Settings
from ..sources import Source
from ..traces.record import TraceScope
from ..vocabulary import Moment, Unit

Trigger = Literal["time_based", "event_based", "context_based"]
"""What brings an intention back: a time, the name of an event, or what is talked about."""
Status = Literal["pending", "fired", "done", "cancelled"]
"""``fired``: brought back, and not said to be done. One that recurs stays ``pending``."""
MAX_CONTENT_CHARS = 2_000
MAX_EVENTS = 20
"""How many events may bring one intention back."""
MAX_EVENT_CHARS = 200


class Before(BaseModel):
    """What an intention was before it was brought back by a run that has not been stored yet."""

    model_config = ConfigDict(frozen=True)

    status: Status
    due_at: Moment | None = None
    wall: str = ""
    told_at: Moment | None = None
    fired_at: Moment | None = None
    fired_count: int = 0
    snoozed_until: Moment | None = None


class Intention(BaseModel):
    """Something to be done later. ``due_at`` is when a time-based one is due next, None for the others.

    ``rule`` is the recurrence of a time-based one as an RRULE of RFC 5545, ``wall`` the time of its last occurrence as
    a clock in ``zone`` shows it (in UTC where it recurs by hours or minutes), ``began`` that of its first once it was
    brought back, and ``told_at`` the time for which it was last. ``cooldown`` is how many seconds one that
    recurs by an event or a context stays quiet after it was brought back. ``claimed`` is the run that brought it back
    and has not been stored yet, ``before`` what it is again if that run fails.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    content: str
    trigger: Trigger
    status: Status = "pending"
    importance: Unit = 0.5
    scope: TraceScope = "user"
    persona: str = ""
    due_at: Moment | None = None
    wall: str = ""
    began: str = ""
    told_at: Moment | None = None
    zone: str = "UTC"
    rule: str = ""
    events: tuple[str, ...] = ()
    cue: str = ""
    threshold: Unit = 0.7
    recurring: bool = False
    cooldown: float = 0.0
    snoozed_until: Moment | None = None
    wakes_at: Moment | None = None
    """`next_at` as it is stored, to be found by."""
    created_at: Moment
    updated_at: Moment
    fired_at: Moment | None = None
    fired_count: int = 0
    claimed: str = ""
    before: Before | None = None
    source: Source | None = None
    derived_from: tuple[str, ...] = ()
    """The ids of the notes or traces that it was made of."""
    made_by: str = ""

    @property
    def next_at(self) -> Moment | None:
        """When it is due by the clock: None where an event or a context decides, and where it is not pending."""
        return (self.snoozed_until or self.due_at) if self.status == "pending" else None


class Due(BaseModel):
    """An intention that was brought back. ``at`` is the time for which it was due, ``next_at`` when it is due again."""

    model_config = ConfigDict(frozen=True)

    id: str
    content: str
    trigger: Trigger
    importance: Unit
    at: Moment | None = None
    next_at: Moment | None = None


def _time_of_day(given: object) -> object:
    if str(given).strip().replace(".", "").isdecimal():  # which would be seconds
        raise ValueError("expected a time of the day, such as '09:00'")
    return given


class ProspectiveConfig(Settings):
    """Constants of a prospective memory.

    ``threshold``: a context brings an intention back that is more similar than this. ``cooldown``: seconds for which
    one that recurs by an event or a context then stays quiet. ``day_begins``: the time of a day for which no time is
    named. ``most_pending``: how many intentions one scope may hold that are not done.
    """

    threshold: Annotated[float, Field(ge=0, le=1)] = 0.7
    cooldown: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 3_600.0
    day_begins: Annotated[time, BeforeValidator(_time_of_day)] = time(9)
    most_pending: Annotated[int, Field(ge=1)] = 1_000


DEFAULT_PROSPECTIVE_CONFIG = ProspectiveConfig()
