"""The secrets of one run: those that are known by themselves, and those that answer a question for one."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..lazy import lazy
from ..record.items import Draft, without_secrets
from ..text.json_text import redacted
from ..threads.portal import elsewhere

if TYPE_CHECKING:
    from .. import redaction
    from ..store.secrecy import Secrets
    from ..text import terms
else:
    redaction = lazy("..redaction", __package__)
    terms = lazy("..text.terms", __package__)

LONG = 4_000
"""From how many characters on what is found in a text is remembered, and looked for where nobody waits."""


class RunSecrets:
    """The secrets of one run: those that are known by themselves, and what answered a question for one."""

    def __init__(self, secrets: "Secrets") -> None:
        self._secrets = secrets
        self._values: dict[str, str] = {}

    def heed(self, question: str, answer: str) -> None:
        """Take note that one message followed another: a bare word may be a secret by that.

        >>> from fabric.store.secrecy import Secrets
        >>> secrets = RunSecrets(Secrets())
        >>> secrets.heed("What is the wifi password?", "it's hunter2-blue")
        >>> secrets.redact("hunter2-blue"), secrets.secrets_in("hunter2-blue")
        ('[redacted]', ['password at 0-12'])
        """
        if question and answer:
            self._values.update(
                (answer[finding.start : finding.end], finding.kind)
                for finding in self._secrets.answers(question, answer)
            )

    def redact(self, text: str) -> str:
        """Return the text as it may be stored."""
        for value in self._values:
            text = _without(value, text)
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
                terms.prepare_terms(clean)

        if long:
            await elsewhere(look)

    def secrets_in(self, text: str) -> list[str]:
        """Return the kind and place of each secret that `redact` takes out."""
        if self.redact(text) == text:  # which is remembered of most texts, while what is found in them is not
            return []
        answers = [
            str(redaction.Finding(*match.span(), kind))
            for value, kind in self._values.items()
            for match in _alone(value).finditer(text)
        ]
        return [*answers, *self._secrets.told(text)]

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


def _without(value: str, text: str) -> str:

    return _alone(value).sub(redaction.REDACTED, text)
