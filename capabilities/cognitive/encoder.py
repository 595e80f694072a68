"""Encoding: what a text becomes as a trace, by personality, mood and what it holds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from inspect import iscoroutinefunction
from typing import Any

from fabric.errors import ConfigurationError
from fabric.flow.context import Context
from fabric.flow.resource import Transaction
from fabric.telemetry.logger import logger

from ..claims import OTHER, read_as
from ..formulas.bounds import checked_number
from ..formulas.encoding import Encoded, Features, Mood, emotional_context, encode
from ..formulas.personality import attention_weights
from ..meaning import Meaning
from ..traces.record import SourceType, TraceType
from ..traces.table import TraceTable
from .config import HOUR, CognitiveConfig
from .content.entities import entities
from .content.features import detect
from .content.sentiment import sentiment

MoodSource = Callable[[], "Mood | Sequence[float]"]
"""Gives the present mood: pleasure, arousal and dominance, each -1 to 1."""
_MOOD = ("valence", "arousal", "dominance")


@dataclass(frozen=True, slots=True)
class Encoder:
    """Encodes for one personality; ``mood`` is asked at every encoding, None for an even mood."""

    config: CognitiveConfig
    mood: MoodSource | None = None

    def fields(
        self,
        content: str,
        now: datetime,
        *,
        source_type: SourceType = "user_statement",
        mood: "Mood | Sequence[float] | None" = None,
        features: Features | None = None,
        valence: float | None = None,
    ) -> dict[str, Any]:
        """Return the fields of a trace that encoding decides.

        ``features`` and ``valence`` (the content's own, -1 to 1) are read from the content unless they are given.
        """
        felt = self.present_mood() if mood is None else mood_of(mood)
        tone = sentiment(content) if valence is None else valence
        found = detect(content) if features is None else features
        weights = attention_weights(self.config.traits)
        made: Encoded = encode(felt, weights, found, tone, self.config.encoding)
        emotion = emotional_context(felt, tone)
        interval = self.config.profile.interval_hours * HOUR
        return {
            "strength": made.strength,
            "stability": made.stability / 1000,
            "importance": made.importance,
            "interval": interval,
            "due_at": now + timedelta(seconds=interval),
            "valence": emotion.valence,
            "arousal": emotion.arousal,
            "dominance": emotion.dominance,
            "intensity": emotion.intensity,
            "source_type": source_type,
            "entities": entities(content),
        }

    def present_mood(self) -> Mood:
        """Return the present mood: an even one where the function for it fails, which is logged.

        ConfigurationError where it gives something else than a mood.
        """
        if self.mood is None:
            return Mood()
        try:
            given = self.mood()
        except Exception as error:  # user code: a memory without a mood is better than no answer
            logger().warning("even mood: the function for it failed", error=repr(error))
            return Mood()
        return mood_of(given)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the memory of one context that encodes. ``table`` opens the traces, with the vectors of a space."""

    ctx: Context
    config: CognitiveConfig
    encoder: Encoder
    meaning: Meaning
    table: Callable[[Transaction, str], TraceTable]


def checked_source(mood: MoodSource | None) -> MoodSource | None:
    """Return a function that gives the mood; ConfigurationError for what is none, and for one that must be awaited."""
    if mood is not None and not callable(mood):
        raise ConfigurationError(f"mood is {mood!r}; expected a function that gives the present one: lambda: {mood!r}")
    if iscoroutinefunction(mood):
        raise ConfigurationError("mood is async; expected a plain function that returns the mood as it is known")
    return mood


def mood_of(given: "Mood | Sequence[float] | Mapping[str, float]") -> Mood:
    """Return a mood from three numbers, or from a mapping of them by name.

    >>> mood_of((0.2, 0.4, 0.0)).arousal
    0.4
    """
    if isinstance(given, Mood):
        return given
    try:
        named = given if isinstance(given, Mapping) else dict(zip(_MOOD, given, strict=True))
        return Mood(**{name: checked_number(name, value) for name, value in named.items()})
    except (TypeError, ValueError) as error:
        raise ConfigurationError(
            f"the mood is {given!r}; expected valence, arousal and dominance, three numbers from -1 to 1"
        ) from error


def type_of(content: str, features: Features | None = None) -> TraceType:
    """Return what kind of memory a text is: how something is done, a fact of somebody, or else what happened.

    >>> type_of("I live in Oslo"), type_of("Nice talk yesterday")
    ('semantic', 'episodic')
    """
    found = detect(content) if features is None else features
    if found.procedure:
        return "procedural"
    return "episodic" if read_as(content).attribute == OTHER else "semantic"
