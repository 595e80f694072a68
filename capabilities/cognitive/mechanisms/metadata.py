"""What the mechanisms note about a trace, in its ``data``: nothing else of a trace is theirs alone."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from capabilities.traces.record import Trace
from capabilities.vocabulary import Moment

KEY = "mechanism_metadata"
MOST_DRIFTS = 10
"""How many drifts of a trace's mood are told: the latest."""


class Drifted(BaseModel):
    """One drift of a mood: valence, arousal and dominance before and after."""

    model_config = ConfigDict(frozen=True)

    at: Moment
    before: tuple[float, float, float]
    after: tuple[float, float, float]


class MechanismMetadata(BaseModel):
    """What the mechanisms did to a trace; what none did is not stored."""

    model_config = ConfigDict(frozen=True)

    drift: float = 0.0
    """How far its mood has moved in all."""
    drifts: tuple[Drifted, ...] = ()
    is_perspective: bool = False
    """Whether a witness told it: then its mood drifts half as fast."""
    suppressed: int = 0
    """How often others that were of use suppressed it."""
    gisted_at: Moment | None = None
    original_hash: str = ""
    """Of what it said before it became a gist: SHA-256, in hex."""
    schema_id: str = ""
    """The id of the schema that it fits."""
    is_congruent: bool | None = None
    """Whether it fits one; None where there was none when it was encoded."""
    doubted_at: Moment | None = None
    """When it lost stability for where it is from."""
    regulated: int = 0
    """How often it was reappraised."""


NOTHING = MechanismMetadata()


def metadata_of(trace: Trace) -> MechanismMetadata:
    """Return what the mechanisms noted about a trace."""
    noted = trace.data.get(KEY)
    return MechanismMetadata.model_validate(noted) if isinstance(noted, Mapping) else NOTHING


def noting(trace: Trace, noted: MechanismMetadata) -> dict[str, Any]:
    """Return the ``data`` of a trace with what was noted about it."""
    return {**trace.data, KEY: noted.model_dump(mode="json", exclude_defaults=True)}
