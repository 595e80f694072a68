"""What tells of a failure holds no secret, and never fails itself."""

from typing import Any

from fabric.telemetry.logger import without_secrets
from fabric.workers.work import describe


def _cannot(_: str) -> str:
    raise ModuleNotFoundError("a library that is loaded late is no longer there")


def test_what_cannot_be_looked_through_for_secrets_is_withheld_and_fails_nothing() -> None:
    deep: list[Any] = []
    for _ in range(10_000):
        deep = [deep]
    withheld = dict(without_secrets(None, "info", {"error": "the password is hunter2", "given": deep}))
    assert withheld["error"] == "RecursionError"
    assert "hunter2" not in str(withheld)
    told = describe(ValueError("the password is hunter2"), _cannot)
    assert told.startswith("ValueError (")
    assert "ModuleNotFoundError" in told
    assert "hunter2" not in told
