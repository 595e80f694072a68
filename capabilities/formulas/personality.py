"""What an agent's personality changes: HEXACO traits, what they draw attention to, and which mechanisms they scale.

Source of the traits: Ashton & Lee, "Empirical, theoretical, and practical advantages of the HEXACO model", Personality
and Social Psychology Review 11 (2007); of the numbers: the specification of the cognitive memory.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from .bounds import checked_number, unit

NEUTRAL = 0.5
"""What a trait counts that nobody gave."""
HIGH = 0.6
"""Above it a trait is high, wherever that changes something."""


@dataclass(frozen=True, slots=True)
class Traits:
    """Six traits in [0, 1], 0.5 where nothing is known; values outside are clamped, not-a-number raises ValueError."""

    honesty: float = NEUTRAL
    emotionality: float = NEUTRAL
    extraversion: float = NEUTRAL
    agreeableness: float = NEUTRAL
    conscientiousness: float = NEUTRAL
    openness: float = NEUTRAL

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, unit(field.name, getattr(self, field.name)))

    @classmethod
    def of(cls, traits: Any) -> "Traits":
        """Return traits as they are, or those that a mapping gives by name; ValueError for a name that there is not.

        >>> Traits.of({"openness": 0.7, "honesty": None}).openness
        0.7
        """
        if isinstance(traits, Traits):
            return traits
        if not isinstance(traits, Mapping):
            raise ValueError(f"got {traits!r:.80}: expected traits by name, such as {{'openness': 0.7}}")  # noqa: TRY004
        given: dict[Any, Any] = {**traits}
        unknown = given.keys() - {field.name for field in fields(cls)}
        if unknown:
            known = ", ".join(field.name for field in fields(cls))
            raise ValueError(f"no trait is named {', '.join(sorted(unknown))}: expected some of {known}")
        given = {name: value for name, value in given.items() if value is not None}
        return cls(**{name: checked_number(name, value) for name, value in given.items()})


@dataclass(frozen=True, slots=True)
class AttentionWeights:
    """How much each kind of content draws attention, in [0.2, 1]."""

    novelty: float
    procedure: float
    emotion: float
    social: float
    cooperation: float
    ethics: float


def attention_weights(traits: Traits) -> AttentionWeights:
    """Return ``0.3 + 0.7 t`` for novelty (openness) and procedure (conscientiousness), else ``0.2 + 0.8 t``.

    >>> attention_weights(Traits(openness=1.0)).novelty
    1.0
    """
    return AttentionWeights(
        novelty=0.3 + traits.openness * 0.7,
        procedure=0.3 + traits.conscientiousness * 0.7,
        emotion=0.2 + traits.emotionality * 0.8,
        social=0.2 + traits.extraversion * 0.8,
        cooperation=0.2 + traits.agreeableness * 0.8,
        ethics=0.2 + traits.honesty * 0.8,
    )


@dataclass(frozen=True, slots=True)
class MechanismRates:
    """The eight numbers of the optional mechanisms that a personality scales, with the specification's defaults."""

    drift_rate: float = 0.05
    """How far a recalled memory's mood moves towards the present one."""
    suppression_factor: float = 0.12
    """The share of stability that a competitor loses to what was retrieved."""
    involuntary_probability: float = 0.08
    """The chance of a memory that comes unasked, per prompt."""
    feeling_of_knowing_threshold: float = 0.3
    """From which score on something is nearly remembered."""
    novelty_boost: float = 1.3
    """How much stronger something is encoded that fits no schema."""
    agent_inference_multiplier: float = 0.8
    reflection_multiplier: float = 0.75
    """What the stability of inferences and of reflections is multiplied by, as they fade."""
    reappraisal_rate: float = 0.15
    """The share of valence and arousal that regulation takes away."""


def modulated(rates: MechanismRates, traits: Traits) -> MechanismRates:
    """Return the rates as a personality has them.

    With every trait at 0.5 all stay as they are, but for the two multipliers of sources, which honesty lowers by
    ``0.15 H``, not below 0.5 and 0.4.

    >>> modulated(MechanismRates(), Traits(emotionality=1.0)).drift_rate
    0.07500000000000001
    """
    doubt = 0.15 * traits.honesty
    return MechanismRates(
        drift_rate=rates.drift_rate * (0.5 + traits.emotionality),
        suppression_factor=rates.suppression_factor * (0.7 + 0.6 * traits.conscientiousness),
        involuntary_probability=min(1.0, rates.involuntary_probability * (0.5 + traits.openness)),
        feeling_of_knowing_threshold=rates.feeling_of_knowing_threshold * (1.3 - 0.6 * traits.extraversion),
        novelty_boost=rates.novelty_boost * (0.8 + 0.4 * traits.openness),
        agent_inference_multiplier=max(0.5, rates.agent_inference_multiplier - doubt),
        reflection_multiplier=max(0.4, rates.reflection_multiplier - doubt),
        reappraisal_rate=rates.reappraisal_rate * (0.7 + 0.6 * traits.agreeableness),
    )
