"""What is said of a recurrence and its time in one: "every Monday at 9"."""

import re
from datetime import timedelta

from fabric.errors import RefusedError

from .when import At

_AT = re.compile(r"\s+(?=(?:at|um|à|a las|a la|alle|às|om)(?:\s*\d|\s+\w))", re.IGNORECASE)


def every_and_at(every: str | timedelta, at: At | None) -> tuple[str | timedelta, At | None]:
    """Return how often, and the time of the day that was said with it; RefusedError for two times.

    >>> every_and_at("Monday at 9", None), every_and_at("2 hours", "tomorrow at 9")
    (('Monday', 'at 9'), ('2 hours', 'tomorrow at 9'))
    """
    often, *said = _AT.split(every, maxsplit=1) if isinstance(every, str) else [every]
    if said and at is not None:
        raise RefusedError(f"{every!r:.80} names a time, and at= another", do="Name it once.")
    return (often, said[0]) if said else (every, at)
