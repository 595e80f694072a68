"""The 18 variables of the environment: each sets its option, before what the program says and the defaults."""

from typing import Any

import pytest

from capabilities.retain import HindsightConfig
from fabric.errors import ConfigurationError

READ: dict[str, tuple[str, str, Any]] = {
    "HINDSIGHT_API_URL": ("https://memory.example.com/", "api_url", "https://memory.example.com/"),
    "HINDSIGHT_API_TOKEN": ("hsk_1", "api_token", "hsk_1"),
    "HINDSIGHT_BANK_ID": ("team", "bank_id", "team"),
    "HINDSIGHT_BANK_MISSION": ("Remember decisions.", "bank_mission", "Remember decisions."),
    "HINDSIGHT_RETAIN_MODE": ("last-turn", "retain_mode", "last-turn"),
    "HINDSIGHT_RECALL_BUDGET": ("high", "recall_budget", "high"),
    "HINDSIGHT_AUTO_RECALL": ("false", "auto_recall", False),
    "HINDSIGHT_AUTO_RETAIN": ("0", "auto_retain", False),
    "HINDSIGHT_SCOPING": ("per-project", "scoping", "per-project"),
    "HINDSIGHT_DEBUG": ("TRUE", "debug", True),
    "HINDSIGHT_RECALL_MAX_TOKENS": ("2048", "recall_max_tokens", 2048),
    "HINDSIGHT_RECALL_CONTEXT_TURNS": ("2", "recall_context_turns", 2),
    "HINDSIGHT_RECALL_MAX_QUERY_CHARS": ("500", "recall_max_query_chars", 500),
    "HINDSIGHT_RETAIN_EVERY_N_TURNS": ("5", "retain_every_n_turns", 5),
    "HINDSIGHT_REQUEST_TIMEOUT_MS": ("1500", "request_timeout", 1.5),
    "HINDSIGHT_RECALL_TIMEOUT_MS": ("2500", "recall_timeout", 2.5),
    "HINDSIGHT_RETAIN_TIMEOUT_MS": ("3500", "retain_timeout", 3.5),
    "HINDSIGHT_REFLECT_TIMEOUT_MS": ("4500.5", "reflect_timeout", 4.5005),
}
WRONG = {
    "HINDSIGHT_API_URL": "localhost:8888",
    "HINDSIGHT_RETAIN_MODE": "first-turn",
    "HINDSIGHT_RECALL_BUDGET": "highest",
    "HINDSIGHT_AUTO_RECALL": "maybe",
    "HINDSIGHT_AUTO_RETAIN": "2",
    "HINDSIGHT_SCOPING": "project",
    "HINDSIGHT_DEBUG": "debug",
    "HINDSIGHT_RECALL_MAX_TOKENS": "0",
    "HINDSIGHT_RECALL_CONTEXT_TURNS": "one",
    "HINDSIGHT_RECALL_MAX_QUERY_CHARS": "1.5",
    "HINDSIGHT_RETAIN_EVERY_N_TURNS": "-3",
    "HINDSIGHT_REQUEST_TIMEOUT_MS": "30 s",
    "HINDSIGHT_RECALL_TIMEOUT_MS": "0",
    "HINDSIGHT_RETAIN_TIMEOUT_MS": "inf",
    "HINDSIGHT_REFLECT_TIMEOUT_MS": "nan",
}


def test_there_are_18() -> None:
    assert len(READ) == 18


@pytest.mark.parametrize("name", READ)
def test_a_variable_comes_before_what_is_said_and_the_defaults(name: str) -> None:
    text, option, value = READ[name]
    default = getattr(HindsightConfig(), option)
    assert value != default
    assert getattr(HindsightConfig.from_environment({option: default}, {name: f" {text}\n"}), option) == value
    others = HindsightConfig.from_environment({}, {name: text}).model_dump()
    assert others == HindsightConfig().model_dump() | {option: value}


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("empty", ["", "  "])
def test_an_empty_variable_is_unset(name: str, empty: str) -> None:
    _, option, value = READ[name]
    assert HindsightConfig.from_environment({}, {name: empty}) == HindsightConfig()
    assert getattr(HindsightConfig.from_environment({option: value}, {name: empty}), option) == value


@pytest.mark.parametrize("name", WRONG)
def test_a_value_that_cannot_work_is_refused_with_the_variable(name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"it was set by {name} in the environment"):
        HindsightConfig.from_environment({}, {name: WRONG[name]})


def test_what_is_wrong_elsewhere_is_not_put_on_the_environment() -> None:
    with pytest.raises(ConfigurationError) as refused:
        HindsightConfig.from_environment({"recall_budget": "all"}, {"HINDSIGHT_BANK_ID": "team"})
    assert "environment" not in str(refused.value)


def test_the_process_s_own_environment_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HINDSIGHT_BANK_ID", "team")
    assert HindsightConfig.from_environment().bank_id == "team"
