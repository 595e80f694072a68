"""What a use does beside repetition: the mood of what was used drifts, and what competed with it is suppressed."""

from collections.abc import Collection, Iterable
from datetime import datetime

from capabilities.formulas.after_recall import Drift, reconsolidated, suppressed
from capabilities.formulas.encoding import EmotionalContext, Mood
from capabilities.traces.record import Trace
from capabilities.traces.table import Held, TraceTable

from ..config import CognitiveConfig
from ..results import Retrieval, Retrieved
from .config import Reconsolidation, RetrievalInducedForgetting
from .metadata import MOST_DRIFTS, Drifted, metadata_of, noting


def reconsolidate(trace: Trace, mood: Mood, how: Reconsolidation, now: datetime) -> Trace:
    """Return a trace that was used in a mood; its own has moved towards that one. A flashbulb stays as it is."""
    noted = metadata_of(trace)
    felt = felt_in(trace)
    drift = Drift(how.drift_rate * (0.5 if noted.is_perspective else 1.0), how.max_drift)
    towards = (mood.valence, mood.scaled_arousal, mood.dominance)
    moved, spent = reconsolidated(felt, trace.strength, towards, noted.drift, drift)
    if spent == noted.drift:
        return trace
    told = Drifted(
        at=now,
        before=(felt.valence, felt.arousal, felt.dominance),
        after=(moved.valence, moved.arousal, moved.dominance),
    )
    drifts = (*noted.drifts, told)[-MOST_DRIFTS:]
    update = {
        "valence": moved.valence,
        "arousal": moved.arousal,
        "dominance": moved.dominance,
        "intensity": moved.intensity,
        "data": noting(trace, noted.model_copy(update={"drift": spent, "drifts": drifts})),
    }
    return trace.model_copy(update=update)


def felt_in(trace: Trace) -> EmotionalContext:
    """Return the emotion that a trace was encoded with: valence, arousal, dominance and intensity."""
    return EmotionalContext(trace.valence, trace.arousal, trace.dominance, trace.intensity)


def rivals_of(found: Retrieval, used: Collection[str], config: CognitiveConfig) -> list[str]:
    """Return what a cue brought up as similar as what was used of it; nothing where the mechanism is off."""
    shown = competing(found.results, config)
    return [trace_id for trace_id in (*shown, *found.rivals) if trace_id not in used]


def competing(found: Iterable[Retrieved], config: CognitiveConfig) -> tuple[str, ...]:
    """Return the ids of what is so similar to a cue that it competes; nothing where the mechanism is off."""
    how = config.at_work.retrieval_induced_forgetting
    return tuple(
        result.trace.id for result in found if how.enabled and result.signals.similarity >= how.similarity_threshold
    )


def suppress(table: TraceTable, rivals: Iterable[str], how: RetrievalInducedForgetting) -> list[str]:
    """Lower the stability of the competitors of used traces (retrieval-induced forgetting); return their ids."""
    found = [held for trace_id in dict.fromkeys(rivals) if (held := table.live(trace_id)) is not None]
    losing = [found[place] for place in suppressed([held.trace.strength for held in found], how.max_suppressed)]
    for held in losing:
        table.tx.put(held.view.tables.traces, [_suppressed(held, how.suppression_factor)])
    return [held.trace.id for held in losing]


def _suppressed(held: Held, factor: float) -> Trace:
    noted = metadata_of(held.trace)
    count = noted.model_copy(update={"suppressed": noted.suppressed + 1})
    stability = max(held.trace.stability * (1.0 - factor), LEAST_STABILITY)
    return held.trace.model_copy(update={"stability": stability, "data": noting(held.trace, count)})


LEAST_STABILITY = 1e-3
"""Seconds; a stability of 0 would be none."""
