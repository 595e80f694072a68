"""The options of both backends, with the defaults of the specification, and the environment that comes before them."""

import os
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, field_validator

from fabric.errors import ConfigurationError

from ..settings import Settings
from .banks import Scoping

BackendName = Literal["local", "hindsight", "off"]
Budget = Literal["low", "mid", "high"]
RetainMode = Literal["full-session", "last-turn"]
TagsMatch = Literal["any", "all", "any_strict", "all_strict", "exact"]


class AutoConfig(Settings):
    """What happens without a tool being called, and within which limits; the tools themselves have none of these."""

    auto_recall: bool = True
    """Whether the first turn of a session begins with what is remembered."""
    auto_retain: bool = True
    retain_every_n_turns: int = Field(default=3, ge=1)
    """After so many of the user's turns the conversation is kept."""
    retain_overlap_turns: int = Field(default=2, ge=0)
    """How many turns before those a transcript begins, in the mode "last-turn"."""
    retain_mode: RetainMode = "full-session"
    recall_context_turns: int = Field(default=1, ge=1)
    """From how many of the last turns the question is composed."""
    recall_max_query_chars: int = Field(default=800, ge=1)
    injection_tokens: int = Field(default=5_000, ge=1)
    """How many tokens of a prompt what is recalled may take; about four characters are one."""
    first_turn_deadline: float = Field(default=5.0, gt=0)
    """How many seconds the first turn waits for what is remembered; without it the turn goes on."""


class LocalConfig(AutoConfig):
    """Options of banks that are kept in this file."""

    scoping: Scoping = "per-project"
    bank_id: str = ""
    """The name of the bank, "" for one by the directory."""
    retain_every_n_turns: int = Field(default=4, ge=1)
    recall_context_turns: int = Field(default=3, ge=1)
    recall_max_query_chars: int = Field(default=4_000, ge=1)
    recall_limit: int = Field(default=8, ge=1)


class HindsightConfig(AutoConfig):
    """Options of banks on a Hindsight server. `from_environment` reads the 18 variables that come before them."""

    api_url: str = "http://localhost:8888"
    api_token: str = ""
    bank_id: str = ""
    bank_prefix: str = ""
    """What the name of the bank begins with, and a hyphen."""
    bank_mission: str = ""
    scoping: Scoping = "per-project-tagged"
    retain_context: str = "thought-fabric"
    """In what connection an item was said that does not say so itself."""
    recall_budget: Budget = "mid"
    reflect_budget: Budget = "low"
    recall_max_tokens: int = Field(default=1_024, ge=1)
    recall_types: tuple[str, ...] = ("world", "experience")
    tags_match: TagsMatch = "any"
    debug: bool = False
    """Whether each request is logged, without what was said."""
    request_timeout: float = Field(default=30.0, gt=0, allow_inf_nan=False)
    """Seconds, as all timeouts are."""
    recall_timeout: float = Field(default=30.0, gt=0, allow_inf_nan=False)
    retain_timeout: float = Field(default=60.0, gt=0, allow_inf_nan=False)
    reflect_timeout: float = Field(default=120.0, gt=0, allow_inf_nan=False)
    flush_batch_size: int = Field(default=16, ge=1)
    flush_interval: float = Field(default=5.0, ge=0)
    """Seconds after the first waiting item."""
    retain_attempts: int = Field(default=5, ge=1)
    """How often an item is sent before it is given up."""
    mental_models_enabled: bool = True
    mental_model_auto_seed: bool = True
    mental_model_refresh_interval: float = Field(default=300.0, ge=0)
    mental_model_max_render_chars: int = Field(default=16_000, ge=1)
    mental_model_first_turn_deadline: float = Field(default=1.5, ge=0)

    @field_validator("api_url")
    @classmethod
    def _is_address(cls, url: str) -> str:
        if not url.strip().lower().startswith(("http://", "https://")):
            raise ValueError("Input should be an address that begins with http:// or https://")
        return url.strip()

    @classmethod
    def from_environment(
        cls, given: Mapping[str, Any] | None = None, environment: Mapping[str, str] | None = None
    ) -> "HindsightConfig":
        """Return the options: what the environment says comes before ``given``, and that before the defaults.

        A variable that is empty counts as unset. ConfigurationError names the variable that cannot be read.

        >>> HindsightConfig.from_environment({"recall_max_tokens": 5}, {"HINDSIGHT_RECALL_MAX_TOKENS": "7"})\
.recall_max_tokens
        7
        """
        read = os.environ if environment is None else environment
        names = {option: name for name, option in VARIABLES.items() if read.get(name, "").strip()}
        said: dict[str, Any] = {
            option: _seconds(read[name]) if name.endswith("_MS") else read[name].strip()
            for option, name in names.items()
        }
        options = {str(option): value for option, value in (given or {}).items()} | said
        try:
            return cls(**options)
        except ConfigurationError as error:
            blamed = [name for option, name in names.items() if f"{option}=" in str(error)]
            if not blamed:
                raise
            raise ConfigurationError(f"{error}; it was set by {', '.join(blamed)} in the environment") from error


VARIABLES: Mapping[str, str] = {
    "HINDSIGHT_API_URL": "api_url",
    "HINDSIGHT_API_TOKEN": "api_token",
    "HINDSIGHT_BANK_ID": "bank_id",
    "HINDSIGHT_BANK_MISSION": "bank_mission",
    "HINDSIGHT_RETAIN_MODE": "retain_mode",
    "HINDSIGHT_RECALL_BUDGET": "recall_budget",
    "HINDSIGHT_AUTO_RECALL": "auto_recall",
    "HINDSIGHT_AUTO_RETAIN": "auto_retain",
    "HINDSIGHT_SCOPING": "scoping",
    "HINDSIGHT_DEBUG": "debug",
    "HINDSIGHT_RECALL_MAX_TOKENS": "recall_max_tokens",
    "HINDSIGHT_RECALL_CONTEXT_TURNS": "recall_context_turns",
    "HINDSIGHT_RECALL_MAX_QUERY_CHARS": "recall_max_query_chars",
    "HINDSIGHT_RETAIN_EVERY_N_TURNS": "retain_every_n_turns",
    "HINDSIGHT_REQUEST_TIMEOUT_MS": "request_timeout",
    "HINDSIGHT_RECALL_TIMEOUT_MS": "recall_timeout",
    "HINDSIGHT_RETAIN_TIMEOUT_MS": "retain_timeout",
    "HINDSIGHT_REFLECT_TIMEOUT_MS": "reflect_timeout",
}
"""The variables by name, and the option that each sets; those that end in _MS are in milliseconds."""


def _seconds(milliseconds: str) -> float | str:
    try:
        return float(milliseconds) / 1000
    except ValueError:
        return milliseconds  # refused with the option's name
