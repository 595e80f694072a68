"""What consolidations have in common that ask a model: its answer or why there is none, and how long they took."""

from collections.abc import Awaitable
from datetime import datetime

from fabric.errors import ModelError
from fabric.flow.context import Context
from fabric.telling import error_text
from fabric.text.words import is_blank


async def answered(ctx: Context, answer: Awaitable[str], wanted: str, traces: int) -> tuple[str, str]:
    """Return what a model says, without secrets, and ""; or "" and why: it failed or said nothing, which is logged.

    ``wanted`` is what it was asked for, of how many ``traces``.
    """
    try:
        text = ctx.redact(await answer).strip()
    except ModelError as error:
        text, reason = "", error_text(error)
    else:
        text, reason = ("", "the model said nothing") if is_blank(text) else (text, "")
    if reason:
        ctx.log.warning(f"no {wanted}", traces=traces, error=reason)  # noqa: G004  two words at most
    return text, reason


def milliseconds(begun: datetime, ended: datetime) -> int:
    """Return the time between two moments."""
    return round((ended - begun).total_seconds() * 1000)
