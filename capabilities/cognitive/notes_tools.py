"""The two tools by which a model reads and rewrites its notes about a user."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from fabric.flow.context import Context
from fabric.flow.tool import Tool, tool
from fabric.text.prompt import data_block

from ..traces.notes import MAX_CHARS

if TYPE_CHECKING:
    from .memory import CognitiveMemory

CATEGORY = "memory"
TITLE = "notes"


async def notes_read(*, ctx: Context) -> str:
    """Read the notes that you keep about the user across conversations, as Markdown: before you rewrite them."""
    return await _memory(ctx).notes()


async def notes_write(
    text: Annotated[
        str,
        Field(
            description="All of the notes, in Markdown: they take the place of those that are there.",
            json_schema_extra={"maxLength": MAX_CHARS},
        ),
    ],
    *,
    ctx: Context,
) -> dict[str, Any]:
    """Rewrite the notes that you keep about the user across conversations; each begins with them in your prompt."""
    await _memory(ctx).write_notes(text)
    return {"status": "ok"}


def _memory(ctx: Context) -> "CognitiveMemory":
    memory: CognitiveMemory = ctx.cap.cognitive
    return memory


def _as_data(text: str) -> str:
    return data_block(TITLE, text) if text else "There are no notes yet."


NOTES_TOOLS: tuple[Tool, ...] = (
    replace(tool(notes_read), shown=_as_data, category=CATEGORY, has_side_effects=False),
    replace(tool(notes_write), category=CATEGORY, has_side_effects=True),
)
