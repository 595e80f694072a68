"""The communities of a cognitive memory, wired: what ``mem.communities`` is."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from blocks.communities import build_block, global_answer_block, global_search_block, local_search_block
from capabilities.cognitive.capability import Cognition
from capabilities.communities import (
    Built,
    CommunityMemory,
    GlobalAnswer,
    GlobalSearch,
    LocalSearch,
    create_communities,
)
from fabric.flow.block import Block
from fabric.flow.capability import Capability
from fabric.generation.generator import ModelChoice


@dataclass(frozen=True, eq=False)
class CommunitySteps:
    """Blocks over the graph of what a memory's traces and the facts beside them name and relate."""

    mind: Cognition
    name: str = "cognitive"
    model: ModelChoice | None = None

    @cached_property
    def capability(self) -> Capability[CommunityMemory]:
        """``ctx.cap.communities``: everything that can be done with them; declared with ``uses=[...]``."""
        return create_communities(self.mind)

    @cached_property
    def build(self) -> Block[object, Built]:
        """For ``.work(...)``, or run alone: what is new is read, grouped and summarised; what is not costs nothing."""
        return build_block(self.name, self.capability, self.mind.capability, self.model)

    @cached_property
    def local_search(self) -> Block[Any, LocalSearch]:
        """A cue in, what is known around the entities that it names out, with the memories that tell of it."""
        return local_search_block(self.name, self.capability)

    @cached_property
    def global_search(self) -> Block[Any, GlobalSearch]:
        """A cue in, the summaries that fit it best out, with the memories that they are drawn from."""
        return global_search_block(self.name, self.capability)

    @cached_property
    def answer(self) -> Block[Any, GlobalAnswer]:
        """A question about all there is in, the model's answer from those summaries out; without one, the summaries."""
        return global_answer_block(self.name, self.capability, self.model)
