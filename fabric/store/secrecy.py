"""What becomes of secrets: an open file takes them out of all that is stored, or keeps everything as it is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..redaction import Finding, answered, found, redact, redact_value
from .base import Store
from .redacting import redacting


@dataclass(frozen=True, slots=True)
class Secrets:
    """How secrets are found in a text, and taken out of it and of what is written to a store."""

    redact: Callable[[str], str] = redact
    clean: Callable[[Any], Any] | None = redact_value
    find: Callable[[str], list[Finding]] = found
    answers: Callable[[str, str], list[Finding]] = answered
    """What in a message is a secret only because the message before it asked for one."""

    def through(self, store: Store) -> Store:
        """Return the store, behind a door at which secrets are taken out of what is written."""
        return store if self.clean is None else redacting(store, self.clean)

    def told(self, text: str) -> list[str]:
        """Return the kind and place of each secret in a text, never the secret itself.

        >>> Secrets().told("the pin is 4711"), KEPT.told("the pin is 4711")
        (['pin at 11-15'], [])
        """
        return [str(finding) for finding in self.find(text)]


def _none(_text: str, _answer: str = "") -> list[Finding]:
    return []


KEPT = Secrets(redact=str, clean=None, find=_none, answers=_none)
"""Everything is stored as it is."""
