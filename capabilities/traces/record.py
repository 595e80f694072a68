"""The trace: one thing remembered, whom it is visible to, how strong it is, and what became of it."""

import hashlib
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from fabric.clock import Clock
from fabric.narrowing import is_mapping

from ..claims.record import Claimed
from ..settings import Settings
from ..sources import Source
from ..vocabulary import Moment, Unit

TraceType = Literal["episodic", "semantic", "procedural", "prospective"]
"""Tulving's kinds of memory: what happened, what is so, how something is done, what is to be done."""
TraceScope = Literal["thread", "user", "persona", "organization"]
"""Who sees a trace: this session; the user; the user with this agent; the organisation."""
SourceType = Literal["user_statement", "agent_inference", "tool_result", "observation", "reflection", "external"]
"""Where a trace is from (Johnson, Hashtroudi & Lindsay, "Source monitoring", 1993)."""
Feedback = Literal["used", "ignored"]
EdgeType = Literal[
    "shared_entity",
    "temporal_sequence",
    "same_topic",
    "contradicts",
    "supersedes",
    "caused_by",
    "co_activated",
    "schema_instance",
]
"""What ties two traces."""

SCOPES: tuple[TraceScope, ...] = get_args(TraceScope)
MAX_CONTENT_CHARS = 100_000
MOST_SOURCES = 100
"""Of how many of the turns that say it a trace keeps the name."""


class ToldByWords(BaseModel):
    """With what a trace was encoded whose features words have told for now: mood and tone of the text, -1 to 1."""

    model_config = ConfigDict(frozen=True)

    valence: float
    arousal: float
    dominance: float
    tone: float


class Trace(Claimed, BaseModel):
    """One trace: identity, content, provenance, emotion, decay, repetition and lifecycle; ties are edges beside it.

    Deleted ones stay in the file, for provenance, and are found by no search. ``stability`` is the number of seconds
    after which the strength that is left is 1/e. ``persona`` is the agent of a trace of persona scope, "" for the
    others. Emotions are on one scale each: ``valence`` and ``dominance`` in [-1, 1], ``arousal`` and ``intensity`` in
    [0, 1]; a neutral mood has an arousal of 0.5.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    type: TraceType = "episodic"
    scope: TraceScope = "user"
    persona: str = ""
    content: str
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    """Whom and what it names."""
    data: dict[str, Any] = {}
    """What belongs to it as data: JSON values by name."""
    strength: Unit = 1.0
    """Of its encoding, and what uses have added since; see ``retention`` for what is left of it."""
    importance: Unit = 0.5
    content_hash: str
    created_at: Moment
    updated_at: Moment
    last_accessed: Moment | None = None
    last_awake: float = 0.0
    """How many seconds its owner's memory had been awake when it was used last."""
    retrieval_count: int = 0
    stability: float = Field(gt=0)
    interval: float = Field(default=3_600.0, gt=0)
    """Seconds until it is due to be repeated; doubles with every use."""
    due_at: Moment | None = None
    valence: float = Field(default=0.0, ge=-1.0, le=1.0)
    arousal: Unit = 0.5
    dominance: float = Field(default=0.0, ge=-1.0, le=1.0)
    intensity: Unit = 0.0
    told_by_words: ToldByWords | None = None
    """Set while a model is still to be asked what it holds."""
    tries: int | None = None
    """How often that failed; None where there is nothing to ask."""
    mood: str = ""
    """What the mood was called, where somebody said."""
    source_type: SourceType = "agent_inference"
    confidence: Unit = 0.8
    contradicted_by: tuple[str, ...] = ()
    """The ids of traces that say otherwise, the newest last."""
    consolidated_at: Moment | None = None
    session: str = ""
    """The session in which it was said or thought."""
    said_at: Moment | None = None
    speaker: str = ""
    role: str = ""
    deleted: bool = False
    deleted_at: Moment | None = None
    deleted_reason: str = ""
    faded_on: float | None = None
    """On which day, counted in sweeps, it was removed because it had faded."""
    merged_into: str = ""
    """The id of the trace that took this one's place."""
    merged_from: tuple[str, ...] = ()
    """The ids of the traces that this one took the place of."""
    derived_from: tuple[str, ...] = ()
    """The ids of the traces that an insight was drawn from."""
    cluster: str = ""
    """What stands for them together, so that no insight is drawn from the same ones twice."""
    verification_count: int = 0
    """How often consolidation found the same said again."""
    length: int = 0
    """Words of content and tags, as the search counts them."""
    sources: tuple[Source, ...] = ()
    """The turns that say it, as they came, the latest `MOST_SOURCES`: it stays until the last of them is forgotten."""
    made_by: str = ""
    """The path of the block that wrote it."""

    @property
    def source(self) -> Source | None:
        """The first turn that says it; None where it came from none."""
        return self.sources[0] if self.sources else None

    @model_validator(mode="before")
    @classmethod
    def _with_sources(cls, given: Any) -> Any:
        """Read a trace of an earlier version, which named one turn."""
        if not is_mapping(given) or "source" not in given:
            return given
        source, rest = given["source"], {name: value for name, value in given.items() if name != "source"}
        return {"sources": () if source is None else (source,), **rest}


class Edge(BaseModel):
    """A tie between two traces of one owner. It has no direction; ``source`` is the id that sorts first."""

    model_config = ConfigDict(frozen=True)

    id: str
    source: str
    target: str
    type: EdgeType = "co_activated"
    weight: Unit


class FeedbackNote(BaseModel):
    """What became of a trace that was found: it was used in the answer to ``query``, or ignored."""

    model_config = ConfigDict(frozen=True)

    id: str
    trace_id: str
    signal: Feedback
    query: str
    at: Moment
    counted: bool = False
    """Whether a consolidation has made edges of it."""


class ConsolidationRun(BaseModel):
    """One line of the consolidation log: what a reflection did to the traces of one owner.

    ``failed`` says which clusters gave no insight, and why.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    run: str
    """The reflection that this line is part of."""
    at: Moment
    pruned: int = 0
    merged: int = 0
    strengthened: int = 0
    derived: int = 0
    compacted: int = 0
    indexed: int = 0
    """Traces that had no vector and have one now."""
    failed: tuple[str, ...] = ()
    drawn_from: tuple[str, ...] = ()
    """The ids of the traces of those clusters: an error may tell of them."""
    duration_ms: int = 0


class TracesConfig(Settings):
    """When traces fade, melt into one and settle."""

    model_config = ConfigDict(strict=True)

    stability_days: float = Field(default=90.0, gt=0)
    """Of a new trace: unused, one of full strength falls below ``prune_threshold`` .05 after three times as long."""
    prune_threshold: Unit = 0.05
    """A strength, below which a trace is pruned. Of facts the option of this name is a number of them."""
    merge_threshold: Unit = 0.95
    """Above this similarity two traces of one type, scope and persona are one."""
    compact_days: float = Field(default=7.0, ge=0)
    compact_retrievals: int = Field(default=3, ge=0)
    min_cluster: int = Field(default=5, ge=2)
    max_clusters: int = Field(default=5, ge=0)


DEFAULT_TRACES_CONFIG = TracesConfig()
STRENGTH_PER_RECALL = 0.1
INSIGHT_STRENGTH = 0.7
INSIGHT_TAGS = ("derived", "insight")


def content_hash(content: str) -> str:
    """Return the SHA-256 of a text, in hex, by which the same text is known again.

    >>> content_hash("tea")[:8]
    'a9f74d1e'
    """
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def new_trace_id(clock: Clock) -> str:
    """Return ``mt_`` and a UUID, of the version that applications fill as they like (RFC 9562, version 8)."""
    digits = hashlib.sha256(f"{clock.new_id('mt')} {clock.chance()!r}".encode()).hexdigest()
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"mt_{digits[:8]}-{digits[8:12]}-8{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"
