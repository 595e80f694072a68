"""The cue by which a step is asked to look something up: a text, or what the user's message says."""

from typing import Any

from fabric.errors import ConfigurationError
from fabric.record.run_input import said_in


def cue_of(what: str, asked: Any, options: str) -> str:
    """Return the cue; ConfigurationError for what is none, which also names the ``options`` of a mapping."""
    said = said_in(asked)
    if said is None and not isinstance(asked, str):
        told = f"a text, the user's message, or a mapping with {options}"
        raise ConfigurationError(f"{what}: got {asked!r:.80}; expected a cue: {told}")
    return asked if said is None else said.text
