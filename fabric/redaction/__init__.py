"""Redaction: secrets are recognised, and taken out of what is stored. See README.md beside this file."""

from .answered_secrets import answered
from .finding import REDACTED, Finding, without
from .text import found, redact
from .values import redact_value

__all__ = ["REDACTED", "Finding", "answered", "found", "redact", "redact_value", "without"]
