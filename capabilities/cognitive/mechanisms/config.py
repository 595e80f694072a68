"""The eight mechanisms: the constants of each, whether it is on, and what a personality makes of them."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from capabilities.formulas.in_sleep import SOURCES, Regulation, SchemaRates
from capabilities.formulas.personality import MechanismRates, Traits, modulated
from capabilities.settings import Settings
from capabilities.vocabulary import Unit


class Mechanism(Settings):
    """The options that every mechanism has; one that is off does nothing and costs nothing."""

    enabled: bool = True


class Reconsolidation(Mechanism):
    """Reconsolidation: the emotion of a trace drifts towards the mood in which it is used."""

    drift_rate: Unit = 0.05
    max_drift: float = Field(default=0.4, ge=0)
    """How far a trace's mood moves in all its uses."""


class RetrievalInducedForgetting(Mechanism):
    """Retrieval-induced forgetting: competitors that a cue retrieved beside the used traces lose stability."""

    suppression_factor: Unit = 0.12
    max_suppressed: int = Field(default=5, ge=0)
    similarity_threshold: Unit = 0.7
    """How similar to the cue a competitor is at least."""


class InvoluntaryRecall(Mechanism):
    """Involuntary recall: now and then an old trace is added to a prompt without a cue for it."""

    probability: Unit = 0.08
    min_age_days: float = Field(default=14.0, ge=0)
    min_strength: Unit = 0.15


class FeelingOfKnowing(Mechanism):
    """Feeling of knowing: a trace that scores above the threshold and was not retrieved is reported as partly known."""

    threshold: Unit = 0.3


class TemporalGist(Mechanism):
    """Temporal gist: an old, seldom used trace is shortened to its gist; its words are archived before."""

    age_days: float = Field(default=60.0, ge=0)
    min_retrievals: int = Field(default=2, ge=0)
    max_per_cycle: int = Field(default=20, ge=0)


class SchemaEncoding(Mechanism):
    """What fits a schema is encoded less strongly, what fits none more; without any schema nothing changes."""

    similarity: Unit = 0.75
    congruency_discount: float = Field(default=0.85, ge=0)
    novelty_boost: float = Field(default=1.3, ge=0)

    @property
    def rates(self) -> SchemaRates:
        """The constants as the formula takes them."""
        return SchemaRates(self.similarity, self.congruency_discount, self.novelty_boost)


def _of_sources(given: Mapping[str, float]) -> Mapping[str, float]:
    unknown = [name for name in given if name not in SOURCES]
    if unknown:
        raise ValueError(f"no source is named {unknown[0]!r:.40}: expected some of {', '.join(SOURCES)}")
    return {**SOURCES, **given}


class SourceConfidenceDecay(Mechanism):
    """What was inferred or reflected fades faster than what was said; once an interval of the profile at most."""

    multipliers: Annotated[Mapping[str, Annotated[float, Field(gt=0)]], AfterValidator(_of_sources)] = SOURCES
    """By source; those that are not named stay."""


class EmotionRegulation(Mechanism):
    """What is felt overwhelmingly is reappraised."""

    reappraisal_rate: Unit = 0.15
    valence: Unit = 0.8
    arousal: Unit = 0.6
    max_per_cycle: int = Field(default=10, ge=0)

    @property
    def how(self) -> Regulation:
        """The constants as the formula takes them."""
        return Regulation(self.reappraisal_rate, self.valence, self.arousal, self.max_per_cycle)


def _switch(given: Any) -> Any:
    return {"enabled": given} if isinstance(given, bool) else given


class Mechanisms(Settings):
    """All eight; each is given as its settings, a mapping of what differs from the defaults, or False for off.

    >>> Mechanisms(temporal_gist=False, involuntary_recall={"probability": 0.5}).temporal_gist.enabled
    False
    """

    reconsolidation: Annotated[Reconsolidation, BeforeValidator(_switch)] = Reconsolidation()
    retrieval_induced_forgetting: Annotated[RetrievalInducedForgetting, BeforeValidator(_switch)] = (
        RetrievalInducedForgetting()
    )
    involuntary_recall: Annotated[InvoluntaryRecall, BeforeValidator(_switch)] = InvoluntaryRecall()
    feeling_of_knowing: Annotated[FeelingOfKnowing, BeforeValidator(_switch)] = FeelingOfKnowing()
    temporal_gist: Annotated[TemporalGist, BeforeValidator(_switch)] = TemporalGist()
    schema_encoding: Annotated[SchemaEncoding, BeforeValidator(_switch)] = SchemaEncoding()
    source_confidence_decay: Annotated[SourceConfidenceDecay, BeforeValidator(_switch)] = SourceConfidenceDecay()
    emotion_regulation: Annotated[EmotionRegulation, BeforeValidator(_switch)] = EmotionRegulation()

    def modulated(self, traits: Traits) -> "Mechanisms":
        """Return them as a personality has them; the gist is nobody's."""
        sources = self.source_confidence_decay.multipliers
        rates = modulated(
            MechanismRates(
                drift_rate=self.reconsolidation.drift_rate,
                suppression_factor=self.retrieval_induced_forgetting.suppression_factor,
                involuntary_probability=self.involuntary_recall.probability,
                feeling_of_knowing_threshold=self.feeling_of_knowing.threshold,
                novelty_boost=self.schema_encoding.novelty_boost,
                agent_inference_multiplier=sources.get("agent_inference", 1.0),
                reflection_multiplier=sources.get("reflection", 1.0),
                reappraisal_rate=self.emotion_regulation.reappraisal_rate,
            ),
            traits,
        )
        multipliers = {
            **sources,
            "agent_inference": rates.agent_inference_multiplier,
            "reflection": rates.reflection_multiplier,
        }
        return self.model_copy(
            update={
                "reconsolidation": _with(self.reconsolidation, drift_rate=min(1.0, rates.drift_rate)),
                "retrieval_induced_forgetting": _with(
                    self.retrieval_induced_forgetting, suppression_factor=min(1.0, rates.suppression_factor)
                ),
                "involuntary_recall": _with(self.involuntary_recall, probability=rates.involuntary_probability),
                "feeling_of_knowing": _with(
                    self.feeling_of_knowing, threshold=min(1.0, rates.feeling_of_knowing_threshold)
                ),
                "schema_encoding": _with(self.schema_encoding, novelty_boost=rates.novelty_boost),
                "source_confidence_decay": _with(self.source_confidence_decay, multipliers=multipliers),
                "emotion_regulation": _with(self.emotion_regulation, reappraisal_rate=min(1.0, rates.reappraisal_rate)),
            }
        )


OFF = Mechanisms.model_validate(dict.fromkeys(Mechanisms.model_fields, False))


def _with(mechanism: Mechanism, **changed: Any) -> Mechanism:
    return mechanism.model_copy(update=changed)
