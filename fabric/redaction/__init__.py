"""Redaction: secrets are recognised, and taken out of what is stored. See README.md beside this file."""

from .finding import REDACTED, Finding
from .text import found, redact
from .values import redact_value

__all__ = ["REDACTED", "Finding", "found", "redact", "redact_value"]
