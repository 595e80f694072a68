"""The communities of a cognitive memory as a capability, ``ctx.cap.communities``, and how often they are built."""

from pydantic import Field

from fabric.flow.capability import Capability, define_capability

from ..cognitive.capability import Cognition
from ..equal import one_for
from ..settings import Settings
from .memory import CommunityMemory
from .tables import COMMUNITY_RESOURCES


class CommunitiesConfig(Settings):
    """When the end of a turn builds communities."""

    every_hours: float = Field(default=24.0, gt=0)
    """After how long it builds them again."""


def create_communities(mind: Cognition) -> Capability[CommunityMemory]:
    """Return the capability for a mind, which `create_cognition` gives; the same mind gives the same one."""

    def make() -> Capability[CommunityMemory]:
        memory = mind.capability.helpers
        assert memory is not None  # noqa: S101  it has functions
        return define_capability(
            "communities",
            resources=COMMUNITY_RESOURCES,
            helpers=lambda ctx: CommunityMemory(ctx, memory(ctx).meaning),
            uses=[mind.capability],
        )

    return one_for(make, "communities", mind)
