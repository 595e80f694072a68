"""What the six tools take and give: one definition each, which makes the schema and checks what comes and goes."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from capabilities.traces import Merged, TraceScope, TraceType
from capabilities.traces.capability import DEFAULT_RESULTS, MAX_RESULTS
from capabilities.traces.record import MAX_CONTENT_CHARS

__all__ = [
    "Add",
    "Added",
    "Delete",
    "Deleted",
    "Merge",
    "Merged",
    "Reflect",
    "Reflected",
    "Search",
    "SearchResult",
    "SearchResults",
    "Update",
    "Updated",
]

_LENGTH: dict[str, Any] = {"maxLength": MAX_CONTENT_CHARS}
TraceId = Annotated[str, Field(description="The trace's id, as memory_add or memory_search gave it: mt_...")]


class _Arguments(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Result(BaseModel):
    model_config = ConfigDict(frozen=True)


class Add(_Arguments):
    """What memory_add takes."""

    content: str = Field(
        description="What to remember, as a text that is understood on its own.", json_schema_extra=_LENGTH
    )
    type: TraceType = Field(
        default="episodic",
        description="What kind of memory: something that happened, a fact, how to do something, something to be done.",
    )
    scope: TraceScope = Field(
        default="user",
        description="Who sees it: this conversation; the user; the user with this agent; all in the organization.",
    )
    tags: list[str] = Field(default=[], description="Words to find it by, beside its content.")


class Added(_Result):
    """What memory_add gives: the new trace's id, or that of the trace that says the same, and its tags new to it."""

    trace_id: str
    is_new: bool = True
    new_tags: list[str] = []


class Update(_Arguments):
    """What memory_update takes."""

    trace_id: TraceId
    content: str | None = Field(
        default=None, description="The new content, in place of the old; null to keep it.", json_schema_extra=_LENGTH
    )
    tags: list[str] | None = Field(default=None, description="The new tags, in place of the old; null to keep them.")


class Updated(_Result):
    """What memory_update gives: False when there is no such trace, or nothing to change."""

    updated: bool


class Delete(_Arguments):
    """What memory_delete takes."""

    trace_id: TraceId


class Deleted(_Result):
    """What memory_delete gives: False when there is no such trace, or it was deleted before."""

    deleted: bool


class Rehydrate(_Arguments):
    """What rehydrate_memory takes."""

    trace_id: TraceId


class Rehydrated(_Result):
    """What rehydrate_memory gives: the text, or null where nothing is archived of the trace."""

    content: str | None


class Merge(_Arguments):
    """What memory_merge takes."""

    trace_ids: list[str] = Field(description="The ids of the traces to merge: at least 2, all known, all of one scope.")
    content: str | None = Field(
        default=None,
        description="What the merged trace says; null for the contents of all, line by line.",
        json_schema_extra=_LENGTH,
    )


class Search(_Arguments):
    """What memory_search takes."""

    query: str = Field(
        description='A question in plain words, or words in any form, "a phrase", a AND b, a OR b, a NOT b, pre*.'
    )
    type: TraceType | None = Field(default=None, description="Only memories of this kind; null for all.")
    scope: TraceScope | None = Field(default=None, description="Only memories of this scope; null for all you can see.")
    limit: int = Field(default=DEFAULT_RESULTS, ge=1, le=MAX_RESULTS, description="The most results to return.")


class SearchResult(_Result):
    """One trace that was found."""

    id: str
    content: str
    type: TraceType
    scope: TraceScope
    strength: float
    tags: list[str]


class SearchResults(_Result):
    """What memory_search gives, best first."""

    results: list[SearchResult]


class Reflect(_Arguments):
    """What memory_reflect takes."""

    topic: str | None = Field(default=None, description="Reserved: it has no effect yet.")


class Reflected(_Result):
    """What memory_reflect gives; all zeros when a consolidation was under way."""

    pruned: int
    merged: int
    derived: int
    compacted: int
    duration_ms: int
