"""What a write is checked for before it is written ahead: its text and its times."""

from datetime import datetime

from fabric.errors import RefusedError
from fabric.flow.context import Context
from fabric.text.words import printable

from ..durations import FORM, due_date, moment_after

MAX_CHARS = 4_000
"""The most characters of an entry, a note or an outcome."""
MAX_TAGS = 20
"""The most tags of an entry."""
_SHOWN = 40


def checked(ctx: Context, what: str, text: str) -> str:
    """Return the text as it may be stored, without secrets; RefusedError when it is blank or too long."""
    kept = printable(ctx.redact(text)).strip()
    if not kept:
        raise RefusedError(f"the {what} is blank", do="Say it in words, or leave it.")
    if len(kept) > MAX_CHARS:
        reason = f"the {what} has {len(kept):,} characters, {MAX_CHARS:,} are the most"
        raise RefusedError(reason, do="Say it shorter, or in several entries.")
    return kept


def expiry(ctx: Context, given: str | None, default: str | None) -> datetime | None:
    """Return when an entry expires, None for never; RefusedError when the duration is none."""
    asked = given or default
    try:
        return None if asked is None else moment_after(ctx.clock.now(), asked)
    except ValueError as error:
        raise RefusedError(f"expires_in: {error}", do=f"Give {FORM}, or leave it out.") from error


def due(ctx: Context, given: str) -> str:
    """Return the day a goal is due; RefusedError when it is no date and no duration."""
    try:
        return due_date(given, ctx.clock.now())
    except ValueError as error:
        reason = f"due_by: {given[:_SHOWN]!r} is no date and no duration"
        raise RefusedError(reason, do="Give a date such as 2026-06-01, or a time from now such as 30d.") from error
