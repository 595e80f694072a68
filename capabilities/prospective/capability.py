"""Prospective memory as a capability: ``ctx.cap.prospective``, and the tools that a model has."""

from collections.abc import Callable, Mapping
from datetime import tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from fabric.embedding.choose import EmbedderChoice, embedder_of
from fabric.errors import ConfigurationError
from fabric.flow.capability import Capability, Preset, define_capability
from fabric.flow.context import Context

from ..equal import one_for
from ..meaning import Meaning
from .contexts import Contexts
from .memory import ProspectiveMemory
from .record import DEFAULT_PROSPECTIVE_CONFIG, ProspectiveConfig
from .tables import PROSPECTIVE_RESOURCES
from .time.zones import zone_of
from .tools import TOOLS

ZoneChoice = str | tzinfo | Callable[[Context], str | tzinfo | None] | None
"""Where a user's time zone comes from: its name, or a function of the context, as one that looks ``ctx.user`` up."""


def create_prospective(
    config: ProspectiveConfig | Mapping[str, Any] = DEFAULT_PROSPECTIVE_CONFIG,
    *,
    zone: ZoneChoice = None,
    embedder: EmbedderChoice = "default",
) -> Capability[ProspectiveMemory]:
    """Return the capability; equal options give the same one.

    ``zone`` is the time zone in which users mean times, UTC unless it is given. ``embedder`` is that of
    `memory_system`. ``capability.presets(tools=True)`` gives a generator the tools. ConfigurationError for what cannot
    work.
    """
    settings = ProspectiveConfig.of(config) or DEFAULT_PROSPECTIVE_CONFIG
    if isinstance(zone, str | tzinfo):
        zone_of(zone)
    elif zone is not None and not callable(zone):
        raise ConfigurationError(
            f"zone is {zone!r:.80}: expected the name of a time zone, or a function of the context"
        )

    def zone_in(ctx: Context) -> ZoneInfo:
        found: Any = zone(ctx) if callable(zone) else zone
        if found is not None and not isinstance(found, str | tzinfo):
            raise ConfigurationError(f"zone gave {found!r:.80}: expected the name of a time zone, or None for UTC")
        return zone_of(found)

    def make() -> Capability[ProspectiveMemory]:
        contexts = Contexts(Meaning(embedder_of(embedder)))
        return define_capability(
            "prospective",
            resources=PROSPECTIVE_RESOURCES,
            helpers=lambda ctx: ProspectiveMemory(ctx, settings, zone_in, contexts),
            presets={"tools": Preset(tools=TOOLS, on=False)},
        )

    return one_for(make, "prospective", repr(settings), zone, embedder)
