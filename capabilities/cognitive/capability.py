"""The cognitive memory as a capability, ``ctx.cap.cognitive``, and the traces of the six memory tools beside it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fabric.embedding.choose import EmbedderChoice, embedder_of
from fabric.flow.capability import Capability, define_capability
from fabric.flow.context import Context
from fabric.flow.resource import Resource

from ..equal import one_for
from ..meaning import Meaning
from ..prospective.capability import ZoneChoice, create_prospective
from ..prospective.memory import ProspectiveMemory
from ..prospective.tables import PROSPECTIVE_RESOURCES
from ..traces.archive import ARCHIVE
from ..traces.capability import Rules, TraceMemory, create_traces_capability
from ..traces.notes import NOTES
from ..traces.record import Feedback, Trace
from ..traces.table import TraceTable
from ..traces.tables import RESOURCES, Place, View
from .config import DEFAULT_COGNITIVE_CONFIG, CognitiveConfig
from .consolidation.result import LOG_RESOURCES
from .encoder import Encoder, MoodSource, checked_source
from .memory import CognitiveMemory
from .notes_tools import NOTES_TOOLS
from .observing.record import OBSERVING
from .slots import IN_MIND
from .storing import ignore_traces, store_encoded, sweep_view, use_traces
from .wakefulness import CLOCKS

_OWN: tuple[Resource, ...] = (*CLOCKS.values(), IN_MIND, *NOTES, *LOG_RESOURCES, *OBSERVING)
COGNITIVE_RESOURCES: tuple[Resource, ...] = (*RESOURCES, *ARCHIVE, *_OWN, *PROSPECTIVE_RESOURCES)
"""Everything that a cognitive memory keeps."""


@dataclass(frozen=True, eq=False)
class Cognition:
    """One mind: the capability of its memory, and that of the memory tools, whose traces are encoded by it."""

    config: CognitiveConfig
    capability: Capability[CognitiveMemory]
    traces: Capability[TraceMemory]
    prospective: Capability[ProspectiveMemory]
    notes: Capability[Any]
    """Offers the two tools of the notes to a model, beside ``ctx.cap.cognitive``."""


def create_cognition(
    config: CognitiveConfig | Mapping[str, Any] = DEFAULT_COGNITIVE_CONFIG,
    *,
    mood: MoodSource | None = None,
    embedder: EmbedderChoice = "default",
    zone: ZoneChoice = None,
) -> Cognition:
    """Return a mind; equal options give the same one.

    ``config`` may be a mapping of its fields. ``mood`` gives the present mood, three numbers from -1 to 1; None for an
    even one. ``embedder`` is that of `memory_system`, ``zone`` that of `create_prospective`: in which time zone users
    mean times. ConfigurationError for what cannot work.
    """
    settings, mood = CognitiveConfig.of(config) or DEFAULT_COGNITIVE_CONFIG, checked_source(mood)

    def make() -> Cognition:
        meaning, encoder = Meaning(embedder_of(embedder)), Encoder(settings, mood)
        prospective = create_prospective(zone=zone, embedder=embedder)
        intentions = prospective.helpers
        assert intentions is not None  # noqa: S101  it has functions

        def helpers(ctx: Context) -> CognitiveMemory:
            return CognitiveMemory(ctx, settings, encoder, meaning, intentions(ctx))

        def encode(ctx: Context, table: TraceTable, place: Place, new: Trace) -> tuple[Trace, bool]:
            now = ctx.clock.now()
            fields = encoder.fields(new.content, now, source_type="agent_inference")
            encoded = new.model_copy(update={**fields, "session": ctx.session, "said_at": now, "role": "assistant"})
            done = store_encoded(table, place, encoded, settings)
            return done.trace, done.is_new

        def judge(table: TraceTable, trace_id: str, signal: Feedback) -> None:
            change = use_traces if signal == "used" else ignore_traces
            change(table, [trace_id], settings)

        def prune(table: TraceTable, view: View) -> int:
            return len(sweep_view(table, view, settings).faded)

        capability = define_capability("cognitive", resources=COGNITIVE_RESOURCES, helpers=helpers, uses=[prospective])
        return Cognition(
            settings,
            capability,
            create_traces_capability(embedder=embedder, rules=Rules(encode, judge, prune), resources=_OWN),
            prospective,
            define_capability("cognitive_notes", uses=[capability], tools=NOTES_TOOLS),
        )

    return one_for(make, "cognition", repr(settings), mood, embedder, zone)
