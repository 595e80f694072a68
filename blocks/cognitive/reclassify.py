"""Asking a model, behind the turns, what messages hold that were encoded by their words."""

from pydantic import BaseModel, ConfigDict

from capabilities.cognitive.consolidation.reclassifying import Reclassification
from capabilities.cognitive.memory import CognitiveMemory
from capabilities.traces.consolidation.one_at_a_time import reserved
from capabilities.traces.record import Trace
from capabilities.traces.tables import views
from fabric.errors import ModelError
from fabric.flow.block import Block
from fabric.flow.capability import Capability
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.generation.generator import ModelChoice

from .features import FeaturesTold, features_block, told_by

PER_CYCLE = 20
"""How many traces one cycle asks a model about at most."""


class Reclassified(BaseModel):
    """What a cycle did: the ids of traces whose features a model told, and of the one at which it failed.

    ``error`` says why; the rest waits for the next cycle, and that one too, three times at most.
    """

    model_config = ConfigDict(frozen=True)

    told: tuple[str, ...] = ()
    failed: str = ""
    error: str = ""


def reclassify_block(name: str, memory: Capability[CognitiveMemory], model: ModelChoice) -> Block[object, Reclassified]:
    """Return the step that asks a model about traces whose features only words have told, at most 20 at a time.

    A call that fails ends the cycle: what the words told stays, and the next cycle begins with others.
    """
    asked = features_block(name, model)

    @handler(name=f"{name}/reclassify", uses=[memory])
    async def reclassify(_: object, ctx: Context) -> Reclassified:
        told: list[str] = []
        with reserved(ctx, "reclassify") as free:
            # where others ask about some of the same traces, they are left to them
            waiting = await ctx[memory].reclassification.waiting(PER_CYCLE) if len(free) == len(views(ctx.ids)) else []
            for trace in waiting:
                failure = await _asked(trace, asked, ctx, ctx[memory].reclassification)
                if failure:
                    return Reclassified(told=tuple(told), failed=trace.id, error=failure)
                told.append(trace.id)
        return Reclassified(told=tuple(told))

    return reclassify


async def _asked(trace: Trace, asked: Block[str, FeaturesTold], ctx: Context, waiting: Reclassification) -> str:
    """Ask about one trace; return why that failed, "" where it did not."""
    try:
        features = await told_by(asked, trace.content, ctx)
    except ModelError as error:
        ctx.log.warning("features stay those that words tell", error=str(error))
        await waiting.failed(trace)
        return str(error)
    await waiting.told(trace, features)
    return ""
