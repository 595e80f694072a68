"""The one error of a Hindsight server, whatever went wrong, in words that say what to do."""

import json
import re
from typing import Any

from fabric.errors import RunError
from fabric.narrowing import is_dict, is_list

REFUSED = frozenset({400, 413, 422})
"""Status codes of what will never be taken as it is."""
UNREACHABLE = frozenset({None, 401, 403, 404, 429, 502, 503, 504})
"""Status codes, None for no answer, after which what else waits has no better prospects."""
SHOWN_CHARS = 500


class HindsightError(RunError):
    """A Hindsight server did not do what it was asked for.

    ``status_code`` is that of its answer, None where there was none that could be read; ``details`` is what it said,
    as JSON values; ``retry_after`` is the number of seconds it asks to wait.
    """

    def __init__(
        self,
        message: str,
        *,
        status_code: int | None = None,
        details: Any = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status_code = status_code
        self.details = details
        self.retry_after = retry_after

    @property
    def is_refused(self) -> bool:
        """Whether the server read what was sent, and will not take it however often it is sent."""
        return self.status_code in REFUSED

    @property
    def is_unreachable(self) -> bool:
        """Whether the server is down, busy, or closed to us, so that anything else sent now fails as well."""
        return self.status_code in UNREACHABLE

    @property
    def is_no_bank(self) -> bool:
        """Whether the server has no bank of this name yet: it makes one when something is retained first."""
        return self.status_code == 404 and isinstance(self.details, str) and self.details.startswith("Bank ")


def address(url: str) -> str:
    """Return the address of a server as it is stored and told: without a password that stands in it.

    >>> address("https://jake:hunter2@memory.example.com/base/")
    'https://memory.example.com/base'
    """
    return re.sub(r"//[^/@]*@", "//", url.strip()).rstrip("/")


def refused_by(url: str, status: int, body: str, *, retry_after: float | None = None) -> HindsightError:
    """Return the error for an answer that is none: ``body`` is read as JSON where it can be.

    >>> print(refused_by("http://localhost:8888", 401, '{"detail": "no key"}'))
    the Hindsight server at http://localhost:8888 does not accept the token (401: no key): set HINDSIGHT_API_TOKEN, \
or the option api_token, to one that may use this bank
    """
    details = _details(body)
    said = f"{status}: {_words(details)}" if _words(details) else str(status)
    return HindsightError(_told(url, status, said), status_code=status, details=details, retry_after=retry_after)


def _told(url: str, status: int, said: str) -> str:
    server = f"the Hindsight server at {url}"
    if status in {401, 403}:
        return (
            f"{server} does not accept the token ({said}): set HINDSIGHT_API_TOKEN, or the option api_token, to one "
            "that may use this bank"
        )
    if status == 404:
        return (
            f"{server} knows no such thing ({said}): check that HINDSIGHT_API_URL is the root of the server, without "
            "/v1, and HINDSIGHT_BANK_ID the bank"
        )
    if status in REFUSED:
        return f"{server} refuses what was sent ({said})"
    if status == 429:
        return f"{server} takes no more requests now ({said}): try again later"
    if status >= 500:
        return f"{server} failed ({said}): try again later; its own log says why"
    return f"{server} answered {said}"


def _details(body: str) -> Any:
    try:
        read = json.loads(body)
    except ValueError:
        return body[:SHOWN_CHARS]
    return read["detail"] if is_dict(read) and "detail" in read else read


def _words(details: Any) -> str:
    """Return in one line what a server of this kind says: a text, or a list of what is wrong with which field."""
    if is_list(details):
        found = [_words(detail) for detail in details]
        return "; ".join(dict.fromkeys(filter(None, found)))[:SHOWN_CHARS]
    if is_dict(details) and "msg" in details:
        place = ".".join(map(str, details.get("loc", ())))
        return f"{place}: {details['msg']}" if place else str(details["msg"])
    text = details if isinstance(details, str) else "" if details is None else json.dumps(details)
    return " ".join(text.split())[:SHOWN_CHARS]
