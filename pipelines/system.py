"""The memory system: all three tiers, the capture that fills them, and recall, built from blocks."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from blocks.capture.observed import CaptureResult, Observed
from blocks.consolidation.consolidate import ConsolidationResult
from blocks.consolidation.prune import PruneResult
from blocks.explain import Explanation, why_block
from blocks.export import export_block, exported
from blocks.forgetting.forget import Forget, Receipt, forget_block
from blocks.hyde import NO_HYDE, Hyde, checked_hyde, hyde_block
from blocks.import_turns import ImportResult, import_block
from blocks.recall import evidence_by, recall_by
from blocks.reembed import EmbeddingStatus, Reembedded, embedding_status_block, reembed_block
from blocks.remember import Correct, Remember, correct_block, remember_block
from capabilities.episodic import (
    EpisodicConfig,
    EpisodicMemory,
    create_episodic_memory_capability,
)
from capabilities.hypothesis import HydeChoice, HydeConfig
from capabilities.keys import capability_name
from capabilities.memory.evidence import TOKENS
from capabilities.memory.layout import DEFAULT_CONTEXT_TOKENS, MemoryLayout, lay_out
from capabilities.memory.recall.recall import RankedMemory, RecallRequest
from capabilities.memory.sections import memory_context
from capabilities.semantic import Fact, SemanticConfig, SemanticMemory, create_semantic_memory_capability
from capabilities.sources import Outcome
from capabilities.working import WorkingMemory, WorkingMemoryConfig, create_working_memory_capability
from fabric.embedding.choose import EmbedderChoice, embedder_of
from fabric.errors import CapabilityError, ConfigurationError
from fabric.flow.block import Block
from fabric.flow.capability import Capability, ContextLines, define_capability
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Resource
from fabric.generation.generator import ModelChoice
from fabric.models.server import ModelServer, server_of
from fabric.narrowing import is_mapping
from fabric.options import check_model, check_whole_number, names_options
from fabric.sessions.session import Session

from .capture import CaptureSteps, capture_steps

B = TypeVar("B")
H = TypeVar("H")


@dataclass(frozen=True, eq=False, slots=True)
class Tier(Generic[H]):
    """One tier of a memory system: its resource, its capability, and ``tier.on(ctx)`` for its functions."""

    resource: Resource
    capability: Capability[H]

    def on(self, ctx: Context) -> H:
        """Return the tier's functions for a running context.

        CapabilityError where neither the block nor one around it declared what the tier is kept in.
        """
        if not ctx.declares(self.resource):
            raise CapabilityError(
                f"{ctx.path}: {self.resource.key} is not declared here; add the memory system's capability, or the "
                f"tier's, to the block's uses=[...]"
            )
        helpers = self.capability.base.helpers
        assert helpers is not None  # noqa: S101  every tier has functions
        return helpers(ctx)


class MemoryView:
    """``ctx.cap.memory``: recall across the tiers."""

    def __init__(self, ctx: Context, layout: MemoryLayout, hyde: Hyde = NO_HYDE) -> None:
        self._ctx = ctx
        self._layout = layout
        self._hyde = hyde

    async def recall(self, cue: str | None = None, **options: Any) -> list[RankedMemory]:
        """Return what is remembered, most relevant first; see `capabilities.memory.recall.recall` for the options.

        ``hyde``, too: "unsure" or "always" for when a hypothetical answer is looked for, False for never.
        """
        return await recall_by(self._ctx, self._layout, self._hyde, {"cue": cue, **options})

    async def context(self, cue: str | None = None, tokens: int = TOKENS, **options: Any) -> str:
        """Return what is remembered as the block that a prompt gets; with a cue, the best evidence for it as text.

        With a cue also ``hyde``, as for `recall`.
        """
        if cue is None:
            return await memory_context(self._ctx, self._layout)
        return await evidence_by(self._ctx, self._layout, self._hyde, {"cue": cue, "tokens": tokens, **options})


@dataclass(frozen=True, eq=False)
class MemorySystem:
    """What `memory_system` returns: blocks to wire into a pipeline, recall, and the capabilities of the tiers."""

    layout: MemoryLayout
    model: ModelChoice | None
    server: ModelServer | None = None
    hyde: HydeConfig | None = None

    @cached_property
    def capture(self) -> Block[Any, Any]:
        """The pipeline observe, reflect, tick, then consolidate and prune behind it; takes the user's message."""
        return self._steps.from_text()

    @cached_property
    def capture_from_items(self) -> Block[Any, Any]:
        """The same pipeline, reading the last user message and the answer from the session; needs no input."""
        return self._steps.from_items()

    @cached_property
    def observe(self) -> Block[Any, Observed | CaptureResult]:
        """The first step of `capture` for a pipeline of one's own: a message, or None for the session's, in."""
        return self._steps.observe_alone()

    @cached_property
    def reflect(self) -> Block[Observed | CaptureResult, CaptureResult]:
        """The second: what was observed goes into the tiers. Consolidation and pruning are left to the caller."""
        return self._steps.reflect_alone()

    @cached_property
    def tick(self) -> Block[Any, int]:
        """The third: the turn is over, and working memory one turn older; the turn reached, out."""
        return self._steps.tick_alone()

    @cached_property
    def consolidate(self) -> Block[object, ConsolidationResult]:
        """Consolidation alone; its input may be ``{"force": True}``."""
        return _semantic_only(self._steps.consolidate, "consolidate")

    @cached_property
    def prune(self) -> Block[object, PruneResult]:
        """Pruning alone; its input may be ``{"force": True}``."""
        return _semantic_only(self._steps.prune, "prune")

    @cached_property
    def recall_block(self) -> Block[Any, list[RankedMemory]]:
        """Recall as a block: a cue, None or a mapping of `RecallRequest` and ``hyde`` in, ranked memories out."""

        @handler(name=f"{self.layout.name}/recall", uses=self.layout.resources)
        async def recall_cue(asked: Any, ctx: Context) -> list[RankedMemory]:
            if is_mapping(asked) or isinstance(asked, RecallRequest):
                return await recall_by(ctx, self.layout, self._hyde, asked)
            return await self.recall(ctx, None if asked is None else str(asked))

        return recall_cue

    @cached_property
    def context_block(self) -> Block[Any, str]:
        """The best evidence for a cue as text, to put into a prompt: a cue or ``{"cue": ..., "tokens": 2000}`` in.

        Oldest first, each session under its date, within so many tokens (estimated at 4 characters each). A mapping
        may have ``hyde``, as for `recall_block`.
        """

        @handler(name=f"{self.layout.name}/context", uses=self.layout.resources)
        async def context_for(asked: Any, ctx: Context) -> str:
            options: Mapping[str, Any] = asked if is_mapping(asked) else {"cue": asked}
            return await evidence_by(ctx, self.layout, self._hyde, options)

        return context_for

    async def context(self, ctx: Context, cue: str, tokens: int = TOKENS, **options: Any) -> str:
        """Return the best evidence for a cue in so many tokens; see `capabilities.memory.evidence.evidence`.

        ``hyde``, too, as for `recall`.
        """
        return await evidence_by(ctx, self.layout, self._hyde, {"cue": cue, "tokens": tokens, **options})

    @cached_property
    def remember_block(self) -> Block[Remember, Outcome]:
        """A fact as somebody states it, or a mapping of `Remember`: stored at once, its words kept as the source."""
        return remember_block(self.layout)

    @cached_property
    def correct_block(self) -> Block[Correct, Fact]:
        """What a current fact should say, as ``{"id": ..., "content": ...}``: it supersedes what it said."""
        return correct_block(self.layout)

    @cached_property
    def import_block(self) -> Block[Any, ImportResult]:
        """Turns that were said elsewhere: a list of `ImportedTurn` or of mappings in, what became of them out."""
        return import_block(self.layout)

    @cached_property
    def reembed_block(self) -> Block[object, Reembedded]:
        """Vectors of the embedder in use for all that has none: after a switch, or when it failed; how many, out."""
        return reembed_block(self.layout)

    @cached_property
    def embedding_status_block(self) -> Block[object, EmbeddingStatus]:
        """How the memory stands with its embedder: what is missing, what is degraded, how to mend it."""
        return embedding_status_block(self.layout)

    @cached_property
    def why_block(self) -> Block[str, Explanation | None]:
        """Why something is remembered: the id of a memory in, its turns, writer and versions out."""
        return why_block(self.layout)

    @cached_property
    def forget_block(self) -> Block[Forget, Receipt]:
        """Forgetting: ``{"id": ...}``, ``{"subject": ...}`` or ``{"scope": ...}`` in, a receipt out."""
        return forget_block(self.layout)

    @cached_property
    def export_block(self) -> Block[Any, list[dict[str, Any]]]:
        """Everything kept, of whatever kind, as a list of JSON records; ``{"subject": ...}`` in for one person."""
        return export_block(self.layout)

    def export(self, session: Session, asked: Any = None) -> Generator[dict[str, Any]]:
        """Yield the same records one by one, all of one moment, that of the first; see `blocks.export.exported`."""
        return exported(session, self.layout, asked)

    async def recall(self, ctx: Context, cue: str | None = None, **options: Any) -> list[RankedMemory]:
        """Return what is remembered, most relevant first; see `capabilities.memory.recall.recall` for the options."""
        return await recall_by(ctx, self.layout, self._hyde, {"cue": cue, **options})

    @cached_property
    def context_formatter(self) -> ContextLines:
        """The lines for a generator's ``context=[...]``: the sections of what is remembered."""

        async def memory_sections(ctx: Context) -> str:
            return await memory_context(ctx, self.layout)

        return ContextLines(memory_sections, self.layout.resources)

    @cached_property
    def working(self) -> Tier[WorkingMemory]:
        """Working memory: its resource and its functions."""
        return Tier(self.layout.working, self.working_memory_capability)

    @cached_property
    def episodic(self) -> Tier[EpisodicMemory] | None:
        """Episodic memory, None where it is not configured."""
        capability = self.episodic_memory_capability
        if capability is None or self.layout.episodic is None:
            return None
        return Tier(self.layout.episodic, capability)

    @cached_property
    def semantic(self) -> Tier[SemanticMemory] | None:
        """Semantic memory, None where it is not configured."""
        capability = self.semantic_memory_capability
        if capability is None or self.layout.semantic is None:
            return None
        return Tier(self.layout.semantic, capability)

    @cached_property
    def working_memory_capability(self) -> Capability[WorkingMemory]:
        """The working tier as a capability."""
        return create_working_memory_capability(self.layout.working_config, self.layout.name)

    @cached_property
    def episodic_memory_capability(self) -> Capability[EpisodicMemory] | None:
        """The episodic tier as a capability, None where it is not configured."""
        if self.layout.episodic is None:
            return None
        return create_episodic_memory_capability(self.layout.episodic_config, self.layout.name)

    @cached_property
    def semantic_memory_capability(self) -> Capability[SemanticMemory] | None:
        """The semantic tier as a capability, None where it is not configured."""
        if self.layout.semantic is None:
            return None
        scope = self.layout.semantic.scope
        config = self.layout.semantic_config.model_copy(update={"scope": scope})
        return create_semantic_memory_capability(config, self.layout.episodic, self.layout.name)

    @cached_property
    def capability(self) -> Capability[MemoryView]:
        """The whole system as a capability: resources, recall, and the tiers' functions; context on by default."""
        tiers = (self.working_memory_capability, self.episodic_memory_capability, self.semantic_memory_capability)
        return define_capability(
            capability_name("memory", self.layout.name),
            resources=self.layout.resources,
            helpers=lambda ctx: MemoryView(ctx, self.layout, self._hyde),
            context=[self.context_formatter],
            uses=[_without_context(tier) for tier in tiers if tier is not None],
        )

    @cached_property
    def _hyde(self) -> Hyde:
        return Hyde(hyde_block(self.layout.name, self.model, self.server), self.hyde)

    @cached_property
    def _steps(self) -> CaptureSteps:
        return capture_steps(self.layout, self.model, self.server)


def _without_context(tier: Capability[Any]) -> Capability[Any]:
    """Return the tier without its own prompt lines: the system puts all tiers into one block."""
    return tier.presets(context=False) if "context" in tier.bundles else tier


def _semantic_only(block: Block[Any, B] | None, what: str) -> Block[Any, B]:
    if block is None:
        raise ConfigurationError(f"{what} needs semantic memory: memory_system(..., episodic=True, semantic=True)")
    return block


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name.strip():
        raise ConfigurationError(f"name is {name!r}; expected a text that is not blank: the prefix of the block names")


@names_options()
def memory_system(
    *,
    model: ModelChoice | None = None,
    api_base: str = "",
    api_key: str = "",
    response_format: bool | None = None,
    working: bool | Mapping[str, Any] | WorkingMemoryConfig = True,
    episodic: bool | Mapping[str, Any] | EpisodicConfig | None = None,
    semantic: bool | Mapping[str, Any] | SemanticConfig | None = None,
    max_assistant_chars: int = 500,
    context_tokens: int = DEFAULT_CONTEXT_TOKENS,
    embedder: EmbedderChoice = "default",
    hyde: HydeChoice = None,
    name: str = "memory",
) -> MemorySystem:
    """Build a memory system from the tiers that are asked for; nothing runs yet.

    ``model`` is what a generator takes (an id, a list of ids, a function), or None for rules that need no model;
    ``api_base``, ``api_key`` and ``response_format`` reach it on a server of its own, as `ModelServer` says. A tier
    is ``True`` for its defaults, a mapping or a config for its options. Semantic memory needs episodic memory, from
    which it is distilled. ``max_assistant_chars`` limits how much of an answer the observer reads, ``context_tokens``
    how much of a prompt what is remembered takes (estimated at 4 characters a token). ``embedder`` gives vectors to
    what is said: ``"default"`` for the static model where it is installed, None for words only, ``"minilm"``, a litellm
    id, an embedder or a function of texts. ``hyde`` says when recall looks for the meaning of a hypothetical answer
    that the model writes: "unsure" or "always", a mapping of `HydeConfig`, None for never. ``name`` is the prefix of
    the block names, and its data is kept under it: two systems of two names, in one file or pipeline, share nothing
    but the messages of sessions.

    Raises ConfigurationError for options that cannot work together.

    >>> memory_system(semantic=True)
    Traceback (most recent call last):
    fabric.errors.ConfigurationError: semantic memory needs episodic memory: its facts are distilled from episodes; \
pass episodic=True
    """
    tiers_working = WorkingMemoryConfig.of(working)
    tiers_episodic = EpisodicConfig.of(episodic)
    tiers_semantic = SemanticConfig.of(semantic)
    if tiers_working is None:
        raise ConfigurationError("working memory cannot be switched off: every observation passes through it")
    if tiers_semantic is not None and tiers_episodic is None:
        raise ConfigurationError(
            "semantic memory needs episodic memory: its facts are distilled from episodes; pass episodic=True"
        )
    check_whole_number("max_assistant_chars", max_assistant_chars, least=0)
    check_whole_number("context_tokens", context_tokens, least=1)
    if model is not None:
        check_model("model", model, without="None for rules")
    _check_name(name)
    layout = lay_out(
        name=name,
        working=tiers_working,
        episodic=tiers_episodic,
        semantic=tiers_semantic,
        max_assistant_chars=max_assistant_chars,
        context_tokens=context_tokens,
        embedder=embedder_of(embedder),
    )
    server = server_of(api_base, api_key, response_format)
    return MemorySystem(layout, model, server, checked_hyde(hyde, model))
