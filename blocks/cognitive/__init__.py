"""The steps of a cognitive memory: a message is encoded, a cue brings something to mind, a turn ends.

Not here: what they do (`capabilities.cognitive`), and how they are put together (`pipelines.cognitive`).
"""

from .consolidation import consolidate_block
from .observing import Observed, observe_block
from .reclassify import Reclassified, reclassify_block
from .steps import (
    Periodic,
    consolidated_at,
    encode_block,
    end_turn_block,
    retrieve_block,
    retrieve_by,
    sweep_block,
    use_block,
)
from .witnessing import witness_block

__all__ = [
    "Observed",
    "Periodic",
    "Reclassified",
    "consolidate_block",
    "consolidated_at",
    "encode_block",
    "end_turn_block",
    "observe_block",
    "reclassify_block",
    "retrieve_block",
    "retrieve_by",
    "sweep_block",
    "use_block",
    "witness_block",
]
