"""How strongly something is encoded: by what it holds, who encodes it, and in which mood.

Moods are PAD values in [-1, 1]; the arousal of a trace is scaled to [0, 1]. Times are milliseconds. Not-a-number raises
ValueError. Source of the numbers where no other is named: the specification of the cognitive memory.
"""

import math
from dataclasses import dataclass

from .bounds import not_negative, signed, unit
from .personality import AttentionWeights

LEAST_AROUSAL_FACTOR = 0.3
HOUR = 3_600_000.0
"""Milliseconds."""


@dataclass(frozen=True, slots=True)
class Mood:
    """Pleasure (valence), arousal and dominance, each in [-1, 1]; values outside are clamped."""

    valence: float = 0.0
    arousal: float = 0.0
    dominance: float = 0.0

    def __post_init__(self) -> None:
        for name in ("valence", "arousal", "dominance"):
            object.__setattr__(self, name, signed(name, getattr(self, name)))

    @property
    def scaled_arousal(self) -> float:
        """The arousal in [0, 1]: ``(a + 1) / 2``."""
        return (self.arousal + 1.0) / 2.0


@dataclass(frozen=True, slots=True)
class Features:
    """What a text holds, as a detector found it; ``topic_relevance`` in [0, 1]."""

    novelty: bool = False
    procedure: bool = False
    emotion: bool = False
    social: bool = False
    cooperation: bool = False
    ethics: bool = False
    contradiction: bool = False
    topic_relevance: float = 0.5


@dataclass(frozen=True, slots=True)
class EncodingRates:
    """The constants of encoding, with the specification's defaults."""

    base: float = 0.5
    flashbulb_threshold: float = 0.8
    flashbulb_strength: float = 2.0
    flashbulb_stability: float = 5.0
    base_stability: float = HOUR
    """Milliseconds."""


@dataclass(frozen=True, slots=True)
class EmotionalContext:
    """The mood as it is kept with a trace: valence and dominance in [-1, 1], arousal and intensity in [0, 1]."""

    valence: float
    arousal: float
    dominance: float
    intensity: float


@dataclass(frozen=True, slots=True)
class Encoded:
    """What encoding gives a trace: strength and importance in [0, 1], stability in milliseconds."""

    strength: float
    stability: float
    importance: float
    is_flashbulb: bool


def arousal_factor(arousal: float) -> float:
    """Return ``max(0.3, 1 - 4 (a - 0.5)^2)`` for an arousal in [0, 1]: best in the middle, an inverted U.

    A value outside gives the floor. Source: Yerkes & Dodson, "The relation of strength of stimulus to rapidity of
    habit-formation", Journal of Comparative Neurology and Psychology 18 (1908).

    >>> arousal_factor(0.5), arousal_factor(0.0)
    (1.0, 0.3)
    """
    if math.isnan(arousal):
        raise ValueError("arousal is nan: expected a number between 0 and 1")
    return max(LEAST_AROUSAL_FACTOR, 1.0 - 4.0 * (arousal - 0.5) ** 2)


def attention(weights: AttentionWeights, features: Features) -> float:
    """Return the attention that a text draws, in [0.5, 1].

    ``0.5``, with 0.15 times the weight for novelty and procedure, 0.1 times the weight for emotion, social content,
    cooperation and ethics, 0.15 for a contradiction and 0.15 times the relevance to the topic, at most 1.

    >>> from .personality import Traits, attention_weights
    >>> attention(attention_weights(Traits()), Features(contradiction=True, topic_relevance=0.0))
    0.65
    """
    total = 0.5
    total += features.novelty * weights.novelty * 0.15
    total += features.procedure * weights.procedure * 0.15
    total += features.emotion * weights.emotion * 0.10
    total += features.social * weights.social * 0.10
    total += features.cooperation * weights.cooperation * 0.10
    total += features.ethics * weights.ethics * 0.10
    total += features.contradiction * 0.15
    total += unit("topic_relevance", features.topic_relevance) * 0.15
    return min(1.0, total)


def mood_congruence(mood_valence: float, content_valence: float, sensitivity: float) -> float:
    """Return ``1 + 0.3 s max(0, m c)``: what matches the mood is encoded more strongly. Never below 1.

    Valences in [-1, 1], ``sensitivity`` (the weight of emotion) in [0, 1]; values outside are clamped. Source: Bower,
    "Mood and memory", American Psychologist 36 (1981).

    >>> mood_congruence(1.0, 0.5, 1.0)
    1.15
    """
    product = signed("mood_valence", mood_valence) * signed("content_valence", content_valence)
    return 1.0 + max(0.0, product) * unit("sensitivity", sensitivity) * 0.3


def is_flashbulb(intensity: float, threshold: float = 0.8) -> bool:
    """Return whether an emotion is so intense, above ``threshold``, that its memory stays vivid.

    Source: Brown & Kulik, "Flashbulb memories", Cognition 5 (1977).

    >>> is_flashbulb(0.8), is_flashbulb(0.81)
    (False, True)
    """
    return unit("intensity", intensity) > threshold


def emotional_context(mood: Mood, sentiment: float = 0.0) -> EmotionalContext:
    """Return the snapshot of a mood for content of a ``sentiment`` in [-1, 1].

    Valence is ``0.7 sentiment + 0.3 mood``; intensity is its absolute value times the arousal scaled to [0, 1].

    >>> emotional_context(Mood(valence=1.0, arousal=1.0)).intensity
    0.3
    """
    valence = signed("sentiment", sentiment) * 0.7 + mood.valence * 0.3
    arousal = mood.scaled_arousal
    return EmotionalContext(valence, arousal, mood.dominance, abs(valence) * arousal)


def encode(
    mood: Mood,
    weights: AttentionWeights,
    features: Features,
    sentiment: float = 0.0,
    rates: EncodingRates | None = None,
) -> Encoded:
    """Return strength, stability and importance of a new trace.

    ``strength = min(1, base * arousal * (1 + 0.5 intensity w_emotion) * attention * congruence * flashbulb)``;
    ``stability = base_stability (1 + 6 strength)``, times 5 for a flashbulb; ``importance = min(1, 0.6 strength + 0.4
    attention)``. Congruence is that of the mood with the sentiment alone.

    >>> from .personality import Traits, attention_weights
    >>> encode(Mood(), attention_weights(Traits()), Features()).strength
    0.2875
    """
    rates = rates or EncodingRates()
    context = emotional_context(mood, sentiment)
    drawn = attention(weights, features)
    flashbulb = is_flashbulb(context.intensity, rates.flashbulb_threshold)
    strength = (
        not_negative("base", rates.base)
        * arousal_factor(context.arousal)
        * (1.0 + context.intensity * weights.emotion * 0.5)
        * drawn
        * mood_congruence(mood.valence, sentiment, weights.emotion)
        * (rates.flashbulb_strength if flashbulb else 1.0)
    )
    strength = min(1.0, strength)
    stability = not_negative("base_stability", rates.base_stability) * (1.0 + strength * 6.0)
    return Encoded(
        strength=strength,
        stability=stability * (rates.flashbulb_stability if flashbulb else 1.0),
        importance=min(1.0, strength * 0.6 + drawn * 0.4),
        is_flashbulb=flashbulb,
    )
