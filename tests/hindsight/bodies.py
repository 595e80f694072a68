"""The bodies that the server takes, checked as it checks them: what is wrong is told in the same words."""

import json
import re
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, ValidationError, model_validator

TagsMatch = Literal["any", "all", "any_strict", "all_strict", "exact"]
MODEL_TOKENS = (256, 8192)


class Budget(StrEnum):
    """How much the server spends on a search."""

    LOW = "low"
    MID = "mid"
    HIGH = "high"


def _content(value: str) -> str:
    if not value.strip():
        raise ValueError("content cannot be empty")
    return value


def _time(value: Any) -> datetime | Literal["unset"] | None:
    if value is None or value == "":
        return None
    if isinstance(value, str) and value.lower() == "unset":
        return "unset"
    try:
        return datetime.fromisoformat(str(value))
    except ValueError as error:
        raise ValueError(
            f"Invalid timestamp/event_date format: '{value}'. Expected ISO format like '2024-01-15T10:30:00' or "
            "'2024-01-15T10:30:00Z', or the special value 'unset' to store without a timestamp."
        ) from error


def _operation_id(value: str) -> str:
    try:
        return str(UUID(value))
    except ValueError as error:
        raise ValueError("operation_id must be a valid UUID") from error


def _query(value: str) -> str:
    if not re.search(r"\w", value):
        raise ValueError("query must contain at least one word character after normalization")
    return value


class Item(BaseModel):
    """One text to retain."""

    content: Annotated[str, AfterValidator(_content)]
    timestamp: Annotated[datetime | Literal["unset"] | None, BeforeValidator(_time)] = None
    context: str | None = None
    metadata: dict[str, str] | None = None
    document_id: str | None = None
    tags: list[str] | None = None
    update_mode: Literal["replace", "append"] | None = None


class Retain(BaseModel):
    """``POST /memories``."""

    items: list[Item]
    in_background: bool = Field(default=False, alias="async")
    operation_id: Annotated[str, AfterValidator(_operation_id)] | None = None


class Scoped(BaseModel):
    """What recall and reflect have in common: by which tags they look."""

    max_tokens: int = 4096
    tags: list[str] | None = None
    tags_match: TagsMatch = "any"
    tag_groups: list[dict[str, Any]] | None = None

    @model_validator(mode="after")
    def _one_filter(self) -> Self:
        if self.tags is not None and self.tag_groups is not None:
            raise ValueError("'tags' and 'tag_groups' are mutually exclusive. Use 'tag_groups' for compound filtering.")
        return self


class Recall(Scoped):
    """``POST /memories/recall``."""

    query: Annotated[str, AfterValidator(_query)]
    types: list[str] | None = None
    budget: Budget = Budget.MID


class Reflect(Scoped):
    """``POST /reflect``."""

    query: str
    context: str | None = None
    budget: Budget = Budget.LOW
    fact_types: list[Literal["world", "experience", "observation"]] | None = None
    include: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _asks(self) -> Self:
        if not self.query.strip() and not (self.context or "").strip():
            raise ValueError("'query' must not be empty or whitespace-only.")
        return self


class Mission(BaseModel):
    """``PUT`` of a bank."""

    reflect_mission: str | None = None
    retain_mission: str | None = None


class Trigger(BaseModel):
    """When and how a mental model is refreshed."""

    mode: Literal["full", "delta"] = "full"
    refresh_after_consolidation: bool = False


class NewModel(BaseModel):
    """``POST /mental-models``."""

    name: str
    source_query: str
    id: str | None = None
    tags: list[str] = Field(default_factory=list)
    max_tokens: int = Field(default=2048, ge=MODEL_TOKENS[0], le=MODEL_TOKENS[1])
    trigger: Trigger = Field(default_factory=Trigger)


class ModelUpdate(BaseModel):
    """``PATCH`` of a mental model."""

    name: str | None = None
    source_query: str | None = None
    tags: list[str] | None = None
    max_tokens: int | None = Field(default=None, ge=MODEL_TOKENS[0], le=MODEL_TOKENS[1])


class Refresh(BaseModel):
    """``POST`` to refresh a mental model."""

    mode: Literal["full"] | None = None


class MemoryUpdate(BaseModel):
    """``PATCH`` of one memory."""

    text: str | None = None
    state: Literal["valid", "invalidated"] | None = None
    reason: str | None = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.text is None and self.state is None:
            raise ValueError("Provide at least one field to update.")
        return self


class DocumentUpdate(BaseModel):
    """``PATCH`` of a document."""

    tags: list[str] | None = None


class Page(BaseModel):
    """Which part of a list is asked for, and by which filter: a query string's words."""

    limit: int = Field(default=100, ge=0)
    offset: int = Field(default=0, ge=0)
    tags: list[str] | None = None
    tags_match: TagsMatch = "any"
    type: str | None = None
    q: str | None = None
    document_id: str | None = None
    state: Literal["valid", "invalidated"] = "valid"
    status: str | None = None


class ModelPage(Page):
    """The same of mental models."""

    tags_match: Literal["any", "all", "exact"] = "any"
    detail: Literal["metadata", "content", "full"] = "metadata"


def problems(error: ValidationError, place: str) -> list[dict[str, Any]]:
    """Return what is wrong as the server lists it, each with its place in the ``body`` or the ``query``."""
    told: list[dict[str, Any]] = json.loads(error.json(include_url=False))
    for each in told:
        each["loc"] = [place, *each["loc"]]
        if "error" in each.get("ctx", {}):
            each["ctx"] = {"error": {}}
    return told
