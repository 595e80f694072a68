"""The library's logger, loaded when something is logged: structlog takes longer to import than the rest of it."""

from typing import Any

from .tracing import log_ids


def logger(**bound: Any) -> Any:
    """Return a structlog logger named ``fabric`` with these values bound, and the ids of the span it is made in.

    Nothing is configured globally.
    """
    import structlog  # noqa: PLC0415  see above

    return structlog.get_logger("fabric").bind(**bound, **log_ids())
