"""An event, who witnesses it, and what came of it."""

import re
from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from capabilities.settings import Settings
from capabilities.traces.record import MAX_CONTENT_CHARS
from capabilities.vocabulary import Moment, Unit
from fabric.text.words import is_blank

from ..content.entities import entities

LEAST_IMPORTANCE = 0.3
"""Below it an event is remembered by everybody as it was."""
AT_ONCE = 10
"""How many events a model is asked about at once."""


class Event(Settings):
    """Something that happened, as it was. ``entities`` are read from the content unless they are given."""

    id: str = Field(min_length=1, max_length=200)
    content: str = Field(min_length=1, max_length=MAX_CONTENT_CHARS)
    importance: Unit = 0.5
    entities: tuple[str, ...] | None = None
    tags: tuple[str, ...] = ()
    at: Moment | None = None

    @property
    def named(self) -> tuple[str, ...]:
        """Whom and what it names."""
        return entities(self.content) if self.entities is None else self.entities


def _named(name: str) -> str:
    if is_blank(name):
        raise ValueError("expected a name")
    return name


class Witness(Settings):
    """Who was there. ``relationships`` say what each of the others is to it, by name.

    Only an ``important`` witness tells it in its own words; the others remember what happened.
    """

    name: Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_named)]
    tier: Literal["important", "background"] = "important"
    relationships: Mapping[str, Annotated[str, Field(max_length=500)]] = {}

    @property
    def circle(self) -> frozenset[str]:
        """Its own name and those it has to do with, in lower case."""
        return frozenset(name.casefold() for name in (self.name, *self.relationships))


class Witnessed(BaseModel):
    """What came of one event: the trace, whether it is told from the witness's side, and why not otherwise.

    Without ``trace_id`` nothing was kept.
    """

    model_config = ConfigDict(frozen=True)

    event: str
    trace_id: str
    is_perspective: bool
    reason: str = ""


def why_objective(event: Event, witness: Witness) -> str:
    """Return why a witness remembers an event as it was; "" where it tells it from its own side.

    >>> mira = Witness(name="Mira", relationships={"Tom": "her brother"})
    >>> why_objective(Event(id="1", content="Tom left", importance=0.2), mira)
    'the event has an importance of 0.2, less than 0.3'
    >>> why_objective(Event(id="1", content="Tom left the inn", importance=0.8), mira)
    ''
    >>> why_objective(Event(id="1", content="It rained", importance=0.8), mira)
    'the event names nobody that the witness has to do with'
    """
    if witness.tier != "important":
        return "the witness is in the background"
    if event.importance < LEAST_IMPORTANCE:
        return f"the event has an importance of {event.importance:g}, less than {LEAST_IMPORTANCE:g}"
    if not (_concerns(event.named, witness.circle) or (event.entities is None and _says(event.content, witness))):
        return "the event names nobody that the witness has to do with"
    return ""


def _concerns(named: Collection[str], circle: Collection[str]) -> bool:
    words = {word for name in named for word in (name.casefold(), *name.casefold().split())}
    return not words.isdisjoint(circle)


def _says(content: str, witness: Witness) -> bool:
    """Return whether a text holds one of the names as it is written: what begins a sentence may be read as a noun."""
    names = [name.strip() for name in (witness.name, *witness.relationships) if name.strip()]
    return any(
        # A script without capitals may have no spaces between words, either.
        re.search(rf"(?<!\w){re.escape(name)}(?!\w)", content) if name.upper() != name.lower() else name in content
        for name in names
    )


def snapshot(
    event: Event, digest: str, mood: tuple[float, float, float], traits: Mapping[str, float]
) -> dict[str, Any]:
    """Return what a perspective notes beside its text: which event, its hash, and who felt how when it was told."""
    return {"event": event.id, "objective_hash": digest, "mood": list(mood), "traits": dict(traits)}
