"""What a provider's failure means to the caller: try again later, or change something first."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from ..clock import utc
from ..errors import ModelError, ModelUnavailableError
from ..narrowing import is_mapping

_AGAIN = " Original exception: "
"""Behind this a broken stream's error says the same again."""
LONGEST_QUOTE = 500
"""Characters of a provider's own message that are quoted in ours."""

# Failures that litellm reports under another name than their cause deserves, by a phrase of their message.
_PHRASES = (
    ("missing credentials", "key"),
    ("llm provider not provided", "provider"),
    ("insufficient_quota", "credit"),
    ("exceeded your current quota", "credit"),
)
_KINDS = {
    "ContextWindowExceededError": "context",
    "ContentPolicyViolationError": "policy",
    "RejectedRequestError": "policy",
    "PaymentRequiredError": "credit",
    "AuthenticationError": "key",
    "PermissionDeniedError": "permission",
    "NotFoundError": "model",
    "ImportError": "package",
}
_STATUSES = {401: "key", 402: "credit", 403: "permission", 404: "model", 413: "context"}
_ADVICE = {
    "key": "check the API key of this provider (its environment variable, or api_key=)",
    "provider": 'name the provider too, as in "openai/gpt-5-mini" or "ollama/llama3"',
    "credit": "the account has no credit left: add some, or use another model",
    "context": "the messages are too long for this model: send less history or use a model with a larger context",
    "policy": "the provider refuses this content: change the messages or use another model",
    "permission": "this key may not use this model: ask for access or use another model",
    "model": "the provider does not know this model: check the model id and api_base",
    "package": "install the package that litellm needs for this provider",
    "request": "the provider refuses the request: change the messages or the options of the call",
}
_PASSING = frozenset({408, 409, 425, 429})
_SERVER_ERROR = 500


def model_error(error: BaseException, model: str, now: datetime, missing: Sequence[str] = ()) -> ModelError:
    """Return our error for what litellm raised: ModelUnavailableError for what may pass, else ModelError with advice.

    ``now`` is needed to read a retry-after header that holds a date; ``missing`` names where a key could be.
    """
    quote = " ".join(str(error).split()).partition(_AGAIN)[0][:LONGEST_QUOTE]
    kind = _permanent_kind(error)
    if kind is not None:
        is_keyless = kind == "key" and missing
        advice = (
            f"{' or '.join(missing)} is not set in the environment: set it, or give api_key= or --api-key"
            if is_keyless
            else ""
        )
        return ModelError(f"model {model!r}: {advice or _ADVICE[kind]}. The provider said: {quote}")
    wait = retry_after(_headers(error), now)
    return ModelUnavailableError(f"model {model!r} is not available now: {quote}", retry_after=wait)


def timed_out(model: str, seconds: float) -> ModelUnavailableError:
    """Return the error for a call that did not answer within ``seconds``."""
    return ModelUnavailableError(f"model {model!r} is not available now: no answer within {seconds:g} s")


def about_schema(error: BaseException, *, asked: bool = False) -> bool:
    """Return whether ``error`` may be a refused request because of its response format.

    Where one was asked for of a model that nobody lists as able to follow it, every refusal may be; servers have no
    common words for it.
    """
    message = str(error).lower()
    return _status(error) in {400, 422} and (asked or "response_format" in message or "json_schema" in message)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that a retry-after header asks for, given as seconds or as a date; None without one.

    >>> from datetime import UTC
    >>> retry_after({"retry-after": "Fri, 02 Jan 2026 00:01:00 GMT"}, datetime(2026, 1, 2, tzinfo=UTC))
    60.0
    """
    value = headers.get("retry-after")
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = (utc(parsedate_to_datetime(value)) - now).total_seconds()
        except ValueError:
            return None
    return max(0.0, seconds) if seconds == seconds else None  # noqa: PLR0124  NaN is no wait


def _permanent_kind(error: BaseException) -> str | None:
    message = str(error).lower()
    for phrase, kind in _PHRASES:
        if phrase in message:
            return kind
    for each in type(error).__mro__:
        if each.__name__ in _KINDS:
            return _KINDS[each.__name__]
    status = _status(error)
    if status is None or status in _PASSING or status >= _SERVER_ERROR:
        return None
    return _STATUSES.get(status, "request")


def _status(error: BaseException) -> int | None:
    status = getattr(error, "status_code", None)
    return int(status) if isinstance(status, int | str) and str(status).isdigit() else None


def _headers(error: BaseException) -> Mapping[str, str]:
    headers: Any = getattr(getattr(error, "response", None), "headers", None)
    return headers if is_mapping(headers) else {}
