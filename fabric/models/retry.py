"""When a failed call is tried again: exponential backoff with jitter, and what the provider asks for."""

from collections.abc import Awaitable, Callable

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from ..clock import Clock
from ..errors import ModelUnavailableError
from ..telemetry.tracing import ERROR, error_type, event

FIRST_WAIT = 0.5
"""Seconds before the second attempt, before jitter; each further wait is twice as long."""
LONGEST_WAIT = 30.0
"""Seconds; a provider that asks for more is left to the caller's own schedule."""

Sleep = Callable[[float], Awaitable[None]]


def retrying(attempts: int, clock: Clock, sleep: Sleep) -> AsyncRetrying:
    """Return the policy for one call: ``attempts`` in all, only for ModelUnavailableError, the last error raised."""

    def wait(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, ModelUnavailableError) else None
        return seconds_to_wait(state.attempt_number, clock.chance()) if asked is None else asked

    return AsyncRetrying(
        stop=stop_after_attempt(attempts),
        wait=wait,
        retry=retry_if_exception(may_retry),
        sleep=sleep,
        before_sleep=_trace,
        reraise=True,
    )


def _trace(state: RetryCallState) -> None:
    error = state.outcome.exception() if state.outcome else None
    if error is not None:
        event(
            "retry",
            {
                "fabric.attempt": state.attempt_number,
                ERROR: error_type(error.__cause__ or error),
                "fabric.wait_seconds": state.next_action.sleep if state.next_action else 0.0,
            },
        )


def may_retry(error: BaseException) -> bool:
    """Return whether the same call may be tried again soon: not in the middle of a stream, not after a long wait."""
    if not isinstance(error, ModelUnavailableError) or error.partial:
        return False
    return error.retry_after is None or error.retry_after <= LONGEST_WAIT


def seconds_to_wait(attempt: int, chance: float) -> float:
    """Return the seconds to wait after failed ``attempt`` (from 1): 0.5 * 2^(attempt-1), times 0.5 to 1 by chance.

    >>> seconds_to_wait(3, chance=0.5)
    1.5
    """
    return float(min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1)) * (0.5 + chance / 2))
