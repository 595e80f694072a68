"""Events: what a caller of ``session.stream`` sees while a pipeline runs."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ..scope import ScopeIds
from .items import Item

Result = TypeVar("Result", covariant=True)


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
class Recalled:
    """Lines of what is remembered were written for the block at ``path``.

    ``records`` are what the lines were made of, and nothing else: what a capability keeps, the most relevant first.
    """

    path: str
    records: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class ItemAdded:
    """An item joined the session."""

    item: Item


@dataclass(frozen=True, slots=True)
class WorkFinished:
    """Background work ended; ``status`` is ``done``, ``pending`` (waiting for another try) or ``failed``.

    ``ids`` say whose it was; ``job_id`` is "" for work that is no job. Of what is done, the session's item with
    ``data["job"] == job_id`` tells the outcome.
    """

    job_id: str
    ids: ScopeIds
    block: str
    status: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class RunFinished(Generic[Result]):
    """The run ended; ``result`` is what ``session.run`` would have returned."""

    result: Result


Progress = BlockStarted | BlockFinished | TextDelta | Recalled | ItemAdded | WorkFinished
"""What may be told while a run goes on."""
Event = Progress | RunFinished[Any]
