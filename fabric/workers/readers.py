"""Who may do a job: what a model was to do is done by nobody else, unless that is asked for."""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..flow.block import Block
from ..jobs.job import MISSING_HINT, MODEL, READER_HINT, UNKNOWN_HINT, Job
from ..lazy import lazy
from .chains import chain_of

if TYPE_CHECKING:
    from ..generation import generator
else:
    generator = lazy("..generation.generator", __package__)


@lru_cache(maxsize=512)
def asks_model(block: Block[Any, Any]) -> bool:
    """Return whether a block asks a model, itself or in a block inside that does not run in the background."""
    later = block.background()
    return isinstance(block, generator.Generator) or any(
        asks_model(child) for _, child in block.children() if child not in later
    )


def chain_for(job: Job, root: Block[Any, Any] | None, *, by_anybody: bool) -> Sequence[Block[Any, Any]]:
    """Return the blocks from a pipeline to the one that does a job; () when it has none that may."""
    chain = chain_of(root, job.block) if root is not None else None
    if not chain or (job.reader == MODEL and not by_anybody and not asks_model(chain[-1])):
        return ()
    return chain


def hint_of(job: Job, root: Block[Any, Any] | None) -> str:
    """Return what a job waits for that cannot be done by the pipeline of its name, None where that is not known."""
    if root is None:
        return UNKNOWN_HINT
    return MISSING_HINT if chain_of(root, job.block) is None else READER_HINT
