"""What one memory system consists of: its tiers, their resources, and the settings its blocks share."""

from dataclasses import dataclass, field
from typing import Literal

from fabric.embedding import Embedder
from fabric.flow.resource import Collection, Document, Resource
from fabric.scope import ScopeKind

from ..episodic import DEFAULT_EPISODIC_CONFIG, Episode, EpisodicConfig, create_episodic_memory_resource
from ..keys import MEMORY, key_of
from ..meaning import Meaning
from ..semantic import DEFAULT_SEMANTIC_CONFIG, Fact, SemanticConfig, create_semantic_memory_resource
from ..turns import Turn, create_turns_resource
from ..working import WorkingEntry, WorkingMemoryConfig, WorkingState, create_working_memory_resource
from .state import MemoryState

DEFAULT_CONTEXT_TOKENS = 2_000
"""How many tokens of a prompt what is remembered may take."""
Memory = Fact | Episode | WorkingEntry


@dataclass(frozen=True, eq=False, slots=True)
class MemoryLayout:
    """The parts of one memory system. ``episodic`` and ``semantic`` are None where the tier is not used.

    All of them are kept under keys that end with the system's ``name``, so that several systems of a file share the
    messages of its sessions and nothing else; those of the default system have none.
    """

    name: str
    working: Document[WorkingState]
    working_config: WorkingMemoryConfig
    turns: Collection[Turn]
    state: Document[MemoryState]
    episodic: Collection[Episode] | None = None
    episodic_config: EpisodicConfig = DEFAULT_EPISODIC_CONFIG
    semantic: Collection[Fact] | None = None
    semantic_config: SemanticConfig = DEFAULT_SEMANTIC_CONFIG
    max_assistant_chars: int = 500
    context_tokens: int = DEFAULT_CONTEXT_TOKENS
    meaning: Meaning = field(default_factory=lambda: Meaning(None))
    """What gives vectors to texts, and finds words of like meaning."""

    @property
    def title(self) -> str:
        """What its block in a prompt is called, so that a model can tell two memories apart."""
        return MEMORY if self.name == MEMORY else f"{MEMORY}: {self.name}"

    @property
    def resources(self) -> tuple[Resource, ...]:
        """Every resource of the system."""
        tiers: tuple[Resource | None, ...] = (self.working, self.turns, self.state, self.episodic, self.semantic)
        return tuple(tier for tier in tiers if tier is not None)


def lay_out(
    *,
    name: str,
    working: WorkingMemoryConfig,
    episodic: EpisodicConfig | None,
    semantic: SemanticConfig | None,
    max_assistant_chars: int,
    context_tokens: int,
    embedder: Embedder | None,
) -> MemoryLayout:
    """Return the layout of a system with these tiers; the kept turns live where the longest-lived tier does."""
    scope: ScopeKind = episodic.scope if episodic else "session"
    fact_scope: Literal["user", "project"] = (semantic.scope if semantic else None) or (
        episodic.scope if episodic else "user"
    )
    return MemoryLayout(
        name=name,
        working=create_working_memory_resource(name),
        working_config=working,
        turns=create_turns_resource(scope, name),
        state=Document(key_of("memory_state", name), MemoryState, scope),
        episodic=create_episodic_memory_resource(episodic.scope, name) if episodic else None,
        episodic_config=episodic or DEFAULT_EPISODIC_CONFIG,
        semantic=create_semantic_memory_resource(fact_scope, name) if semantic else None,
        semantic_config=semantic or DEFAULT_SEMANTIC_CONFIG,
        max_assistant_chars=max_assistant_chars,
        context_tokens=context_tokens,
        meaning=Meaning(embedder),
    )
