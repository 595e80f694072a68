"""Events: what a caller of ``session.stream`` sees while a pipeline runs."""

from dataclasses import dataclass
from typing import Any

from .items import Item


@dataclass(frozen=True, slots=True)
class BlockStarted:
    """A block begins; ``path`` is its place, outermost first, as ``"chat-with-memory > chat"``."""

    path: str


@dataclass(frozen=True, slots=True)
class BlockFinished:
    """A block ended; ``error`` is "" or what went wrong."""

    path: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of a generator's text, as the model produced it."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class ItemAdded:
    """An item joined the session."""

    item: Item


@dataclass(frozen=True, slots=True)
class WorkFinished:
    """Background work ended; ``status`` is ``done``, ``pending`` (waiting for another try) or ``failed``."""

    job_id: str
    block: str
    status: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The run ended; ``result`` is what ``session.run`` would have returned."""

    result: Any


Event = BlockStarted | BlockFinished | TextDelta | ItemAdded | WorkFinished | RunFinished
