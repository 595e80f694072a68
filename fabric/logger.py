"""The library's logger, loaded when something is logged: structlog takes longer to import than the rest of it."""

import sys
from typing import Any

from .tracing import log_ids


def logger(**bound: Any) -> Any:
    """Return a structlog logger named ``fabric`` with these values bound, and the ids of the span it is made in.

    Nothing is configured globally. Where the program has not configured structlog, lines go to stderr.
    """
    import structlog  # noqa: PLC0415  see above

    lines = None if structlog.is_configured() else structlog.PrintLogger(sys.stderr)
    return structlog.wrap_logger(lines, logger_factory_args=("fabric",)).bind(**bound, **log_ids())
