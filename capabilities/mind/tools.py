"""The seven tools by which a model reads and writes the mind it runs with."""

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, Field

from fabric.flow.context import Context
from fabric.flow.tool import Tool, tool
from fabric.text.prompt import data_block

from .header import TITLE
from .recall import DEFAULT_LIMIT, SearchedType
from .record import ConfidenceLevel, GoalPriority, GoalStatus
from .writing.validation import MAX_CHARS

if TYPE_CHECKING:
    from .live_mind import Mind

CATEGORY = "memory"
_LENGTH: dict[str, Any] = {"maxLength": MAX_CHARS}
Tags = Annotated[tuple[str, ...], Field(description="Words to filter by with mind_recall.")]


async def mind_recall(
    query: Annotated[
        str, Field(description="What you want to know. An empty text: list the goals, or the pinned rules.")
    ],
    type: Annotated[SearchedType, Field(description="Which entries to search.")] = "all",
    status: Annotated[GoalStatus, Field(description="Which goals to search; nothing else has one.")] = "active",
    tags: Annotated[tuple[str, ...], Field(description="Only entries that have all of these tags.")] = (),
    pinned: Annotated[bool, Field(description="Only pinned reflections, which are standing rules.")] = False,
    include_expired: Annotated[bool, Field(description="Also what is expired and archived.")] = False,
    threshold: Annotated[
        float | None,
        Field(ge=0, le=1, description="Least score of a belief or reflection; null for the usual. Not about goals."),
    ] = None,
    limit: Annotated[int, Field(description="The most entries to return, of all types together.")] = DEFAULT_LIMIT,
    *,
    ctx: Context,
) -> list[dict[str, Any]]:
    """Search your memory of earlier runs: goals, beliefs and reflections, each with its id and its score.

    What you write is found once the run that it was written in is over.
    """
    found = await _mind(ctx).recall(
        query,
        type=type,
        status=status,
        tags=tags,
        pinned=pinned,
        include_expired=include_expired,
        threshold=threshold,
        limit=limit,
    )
    return [_said(result) for result in found]


async def mind_believe(
    content: Annotated[str, Field(description="The belief, as one statement.", json_schema_extra=_LENGTH)],
    confidence: Annotated[ConfidenceLevel, Field(description="How sure you are of it.")] = "medium",
    tags: Tags = (),
    expires_in: Annotated[
        str | None, Field(description="How long it holds, such as 7d, 12h or 30m; null for the usual.")
    ] = None,
    allow_downgrade: Annotated[
        bool, Field(description="Whether a belief that is held already may become less sure by being said again.")
    ] = False,
    *,
    ctx: Context,
) -> Any:
    """Record something you hold true for later runs, or update the similar belief that you hold already."""
    return _said(
        await _mind(ctx).believe(
            content, confidence=confidence, tags=tags, expires_in=expires_in, allow_downgrade=allow_downgrade
        )
    )


async def mind_reflect(
    content: Annotated[str, Field(description="What you noticed about your own work.", json_schema_extra=_LENGTH)],
    pin: Annotated[
        bool, Field(description="Whether it is a standing rule, shown at the beginning of every run.")
    ] = False,
    tags: Tags = (),
    related_to: Annotated[
        str | None, Field(description="What it is about, such as a task id. For information; use tags to filter.")
    ] = None,
    expires_in: Annotated[
        str | None,
        Field(description="How long it is kept once it is not pinned, such as 90d or 12h; null for the usual."),
    ] = None,
    *,
    ctx: Context,
) -> Any:
    """Log an observation about how a task went, for later runs. Reflections are never merged."""
    return _said(await _mind(ctx).reflect(content, pin=pin, tags=tags, related_to=related_to, expires_in=expires_in))


async def mind_unpin_reflection(
    id: Annotated[
        str, Field(description="The pinned reflection, found by mind_recall with type reflection and pinned true.")
    ],
    *,
    ctx: Context,
) -> Any:
    """Make a standing rule an ordinary reflection again; it stays in memory."""
    return _said(await _mind(ctx).unpin_reflection(id))


async def mind_set_goal(
    description: Annotated[str, Field(description="What is to be achieved.", json_schema_extra=_LENGTH)],
    priority: Annotated[GoalPriority, Field(description="How much it matters.")] = "normal",
    tags: Tags = (),
    due_by: Annotated[
        str | None, Field(description="When it is due: a date such as 2026-06-01, or a time from now such as 30d.")
    ] = None,
    *,
    ctx: Context,
) -> Any:
    """Set a goal to pursue across runs. Call mind_recall with type goal first, so as not to set one twice."""
    return _said(await _mind(ctx).set_goal(description, priority=priority, tags=tags, due_by=due_by))


async def mind_update_goal(
    id: Annotated[str, Field(description="The goal, found by mind_recall with type goal.")],
    description: Annotated[str | None, Field(description="The goal in new words.", json_schema_extra=_LENGTH)] = None,
    priority: Annotated[GoalPriority | None, Field(description="How much it matters now.")] = None,
    progress: Annotated[
        str | None, Field(description="A note on progress, added to those that are there.", json_schema_extra=_LENGTH)
    ] = None,
    *,
    ctx: Context,
) -> Any:
    """Change an active goal or note progress on it. This does not complete it; mind_complete_goal does."""
    return _said(await _mind(ctx).update_goal(id, description=description, priority=priority, progress=progress))


async def mind_complete_goal(
    id: Annotated[str, Field(description="The goal, found by mind_recall with type goal.")],
    outcome: Annotated[str | None, Field(description="What came of it.", json_schema_extra=_LENGTH)] = None,
    *,
    ctx: Context,
) -> Any:
    """Mark a goal as completed and archive it, at once, even if this run fails later."""
    return _said(await _mind(ctx).complete_goal(id, outcome=outcome))


def _mind(ctx: Context) -> "Mind":
    mind: Mind = ctx.cap.mind
    return mind


def _said(result: BaseModel) -> dict[str, Any]:
    """Return a result as a model reads it: without the fields that say nothing."""
    return result.model_dump(mode="json", exclude_none=True)


def _as_data(found: list[dict[str, Any]]) -> str:
    """Return what was recalled as a model is shown it: stored text, inside a block of background data."""
    return data_block(TITLE, json.dumps(found, ensure_ascii=False))


TOOLS: tuple[Tool, ...] = (
    replace(tool(mind_recall), shown=_as_data, category=CATEGORY, has_side_effects=False),
    *(
        replace(tool(function), category=CATEGORY, has_side_effects=True)
        for function in (
            mind_believe,
            mind_reflect,
            mind_unpin_reflection,
            mind_set_goal,
            mind_update_goal,
            mind_complete_goal,
        )
    ),
)
"""All seven, in the order of the specification."""
