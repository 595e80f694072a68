"""What callers give the memory, checked where it is given: moods, data and weights."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, PlainValidator

from fabric.errors import ConfigurationError
from fabric.narrowing import is_mapping

from ..formulas.encoding import Mood
from .config import signals_of
from .encoder import mood_of


def _mood(given: Any) -> Mood | None:
    try:
        return None if given is None else mood_of(given)
    except ConfigurationError:
        raise ValueError("expected valence, arousal and dominance, three numbers from -1 to 1") from None


def _data(given: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    try:
        json.dumps(dict(given or {}), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"expected JSON values by name: {error}") from None
    return given


def _weights(given: Any) -> Any:
    if is_mapping(given):
        signals_of(given)
    return given


GivenMood = Annotated[Mood | Sequence[float] | Mapping[str, float] | None, PlainValidator(_mood)]
"""A mood, or its three numbers in a row or by name."""
GivenData = Annotated[Mapping[str, Any] | None, AfterValidator(_data)]
"""JSON values by name, which are kept as they are."""
GivenWeights = Annotated[Mapping[str, float] | None, BeforeValidator(_weights)]
"""What signals count, by name."""
