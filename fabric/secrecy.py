"""What becomes of secrets: an open file takes them out of all that is stored, or keeps everything as it is."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from .items import Draft, without_secrets
from .json_text import redacted
from .portal import elsewhere
from .redaction import REDACTED, Finding, answered, found, redact, redact_value
from .store.base import Store
from .store.redacting import redacting

LONG = 4_000
"""From how many characters on what is found in a text is remembered, and looked for where nobody waits."""


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
        return [str(one) for one in self.find(text)]


class Heard:
    """The secrets of one run: those that are known by themselves, and what answered a question for one."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._values: dict[str, str] = {}

    def heed(self, question: str, answer: str) -> None:
        """Take note that one message followed another: a bare word may be a secret by that.

        >>> heard = Heard(Secrets())
        >>> heard.heed("What is the wifi password?", "it's hunter2-blue")
        >>> heard.redact("hunter2-blue"), heard.told("hunter2-blue")
        ('[redacted]', ['password at 0-12'])
        """
        if question and answer:
            self._values.update(
                (answer[one.start : one.end], one.kind) for one in self._secrets.answers(question, answer)
            )

    def redact(self, text: str) -> str:
        """Return the text as it may be stored."""
        for value in self._values:
            text = _alone(value).sub(REDACTED, text)
        return self._secrets.redact(text)

    async def look_through(self, texts: Iterable[str], *, kept: bool = False) -> None:
        """Look for the secrets of long texts on another thread: on the loop, the runs of others would wait.

        What is found is known when the texts are redacted then. With ``kept``, the words to find them by are read too:
        a transaction that keeps them would hold up everybody.
        """
        long = [text for text in texts if len(text) > LONG]

        def look() -> None:
            clean = [self.redact(text) for text in long]
            if kept:
                from .terms import prepare_terms  # noqa: PLC0415  loaded with the first text that is kept

                prepare_terms(clean)

        if long:
            await elsewhere(look)

    def told(self, text: str) -> list[str]:
        """Return the kind and place of each secret that `redact` takes out."""
        answers = [
            str(Finding(*held.span(), kind))
            for value, kind in self._values.items()
            for held in _alone(value).finditer(text)
        ]
        return [*answers, *self._secrets.told(text)] if answers else self._secrets.told(text)

    def clean(self, value: Any) -> Any:
        """Return a JSON value as it may be stored: names count there, and may be secrets themselves."""
        return self.value(value if self._secrets.clean is None else self._secrets.clean(value))

    def value(self, value: Any) -> Any:
        """Return a JSON value without what answered such questions; the store takes out the rest."""
        return redacted(value, self.redact) if self._values else value

    def cleaned(self, draft: Draft, before: str) -> Draft:
        """Return a message as it may be stored behind the message ``before``."""
        if draft.kind == "message":
            self.heed(before, draft.text)
        return without_secrets(draft, self.redact)


def _alone(value: str) -> "re.Pattern[str]":
    return re.compile(rf"(?<!\w){re.escape(value)}(?!\w)")


def _none(_text: str, _answer: str = "") -> list[Finding]:
    return []


KEPT = Secrets(redact=str, clean=None, find=_none, answers=_none)
"""Everything is stored as it is."""
