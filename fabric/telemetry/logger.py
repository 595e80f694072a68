"""The library's logger, loaded when something is logged: structlog takes longer to import than the rest of it."""

import sys
from collections.abc import Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

from ..lazy import lazy
from .tracing import log_ids

if TYPE_CHECKING:
    import structlog

    from .. import redaction
else:
    redaction = lazy("..redaction", __package__)
    structlog = lazy("structlog")


def logger(**bound: Any) -> Any:
    """Return a structlog logger named ``fabric`` with these values bound, and the ids of the span it is made in.

    Nothing is configured globally. Where the program has not configured structlog, lines go to stderr. Secrets are
    taken out of every line, whatever the file keeps: a log has other readers.
    """
    lines = None if structlog.is_configured() else structlog.PrintLogger(sys.stderr)
    processors = [without_secrets, *structlog.get_config()["processors"]]
    named = structlog.wrap_logger(lines, processors, logger_factory_args=("fabric",))
    return named.bind(**bound, **log_ids())


def without_secrets(_logger: Any, _method: str, line: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """Take secrets out of all texts of a log line: a processor for structlog, for loggers of one's own too.

    A line that cannot be looked through is withheld, and another says so: what logs is in the middle of something else.

    >>> without_secrets(None, "info", {"event": "failed", "error": "the password is hunter2"})
    {'event': 'failed', 'error': 'the password is [redacted]'}
    """
    try:
        clean: Mapping[str, Any] = redaction.redact_value(line)
    except Exception as error:
        return {
            "event": "a log line is withheld that was not looked through for secrets",
            "error": type(error).__name__,
        }
    return clean
