"""The working-memory entry, the state that holds them, and the limits both keep."""

from typing import Annotated, Any, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from ..claims.record import Claimed
from ..formulas.salience import Strategy
from ..settings import Settings
from ..sources import Source
from ..vocabulary import Category, Durability, Subject, Unit

Turn = Annotated[int, Field(ge=0)]
"""A number of turns of the session; working memory starts at turn 0."""
DEFAULT_CAPACITY = 7
DEFAULT_PINS = 2


class WorkingEntry(Claimed, BaseModel):
    """One thing the agent is tracking right now.

    ``salience`` is how present it is; it and both turns are set by `state.add`, whatever they were before.
    ``episode_id`` and ``fact_id`` name the episode and the fact it became, or are ""; ``made_by`` is the path of the
    block that wrote it.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    content: str
    importance: Unit
    salience: Unit = 0.0
    pinned: bool = False
    added_at_turn: Turn = 0
    last_accessed_at_turn: Turn = 0
    durability: Durability = "session"
    category: Category = "identity"
    subject: Subject = "user"
    metadata: dict[str, JsonValue] = {}
    sources: list[Source] = []
    made_by: str = ""
    episode_id: str = ""
    fact_id: str = ""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.content.strip():
            raise ValueError("content is blank: an entry needs the text to remember")
        return self


class WorkingState(BaseModel):
    """All of a session's working memory: entries in the order they were added, and the turn it has reached.

    ``lasting_evicted`` counts the lasting entries that left for others and that no consolidation knows of yet.
    """

    model_config = ConfigDict(frozen=True)

    entries: tuple[WorkingEntry, ...] = ()
    current_turn: Turn = 0
    lasting_evicted: Annotated[int, Field(ge=0)] = 0


class Added(NamedTuple):
    """What adding an entry did: the entry as it was kept, and those that had to leave for it.

    ``pin_refused`` says that a pin was asked for and all pinned slots were taken: the entry is kept unpinned.
    """

    entry: WorkingEntry
    evicted: list[WorkingEntry]
    pin_refused: bool


class DecayConfig(Settings):
    """How salience falls with the turns since an entry was last used."""

    strategy: Strategy = "power-law"
    rate: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] = 0.5


def _pins(given: dict[str, Any]) -> int:
    """Return how many entries may be pinned where nothing is said: two, where the capacity leaves room for them."""
    capacity: int = given.get("capacity", DEFAULT_CAPACITY)
    return max(0, min(DEFAULT_PINS, capacity - 1))


class WorkingMemoryConfig(Settings):
    """Limits of working memory. ``max_pinned_slots`` must leave room for at least one entry that is not pinned.

    Unless it is given, it is 2, or what a smaller capacity leaves room for.

    >>> WorkingMemoryConfig(capacity=2, max_pinned_slots=2)
    Traceback (most recent call last):
    fabric.errors.ConfigurationError: WorkingMemoryConfig: max_pinned_slots is 2 and capacity is 2: pins would fill \
working memory; set max_pinned_slots to at most 1, or raise capacity
    """

    capacity: Annotated[int, Field(ge=1, strict=True)] = DEFAULT_CAPACITY
    max_pinned_slots: int = Field(default_factory=_pins, ge=0, strict=True)
    decay: DecayConfig = DecayConfig()

    @model_validator(mode="after")
    def _leaves_room(self) -> Self:
        if self.max_pinned_slots >= self.capacity:
            raise ValueError(
                f"max_pinned_slots is {self.max_pinned_slots} and capacity is {self.capacity}: pins would fill working "
                f"memory; set max_pinned_slots to at most {self.capacity - 1}, or raise capacity"
            )
        return self


DEFAULT_WORKING_MEMORY_CONFIG = WorkingMemoryConfig()
