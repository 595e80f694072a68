"""Consolidation as a block: by rules alone, or with a model that draws schemas and makes gists."""

from pydantic import BaseModel, Field

from capabilities.cognitive.consolidation.cycle import Gist
from capabilities.cognitive.consolidation.result import Consolidated
from capabilities.cognitive.memory import CognitiveMemory
from capabilities.traces.consolidation.run import Derive
from capabilities.traces.record import Trace
from fabric.flow.block import Block
from fabric.flow.capability import Capability
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.generation.generator import ModelChoice
from fabric.text.prompt import data_block

from ..asking import asking_block
from ..insight import derive_with, insight_block
from ..prompts import prompt
from .features import SHOWN_CHARS
from .reclassify import Reclassified


class GistTold(BaseModel):
    """What a model answers."""

    gist: str = Field(max_length=1_000, description="The gist, in fewer than 50 words.")


def consolidate_block(
    name: str,
    memory: Capability[CognitiveMemory],
    model: ModelChoice | None = None,
    reclassify: Block[object, Reclassified] | None = None,
) -> Block[object, Consolidated]:
    """Return one cycle of consolidation as a block; without ``model`` no schema is drawn, and gists are first words.

    ``reclassify`` comes before it, since what a model tells of traces decides which of them fade.
    """
    schema = None if model is None else insight_block(f"{name}/schema", model)
    gist = None if model is None else gist_block(f"{name}/gist", model)

    @handler(name=f"{name}/consolidate", uses=[memory])
    async def consolidate(_: object, ctx: Context) -> Consolidated:
        if reclassify is not None:
            await reclassify(None, Context(ctx.run))
        derive: Derive | None = None if schema is None else derive_with(schema, ctx)
        shorten: Gist | None = None if gist is None else gist_with(gist, ctx)
        return await ctx[memory].consolidate(derive=derive, gist=shorten)

    return consolidate


def gist_block(name: str, model: ModelChoice) -> Block[Trace, GistTold]:
    """Return the block that asks a model for the gist of a trace."""

    def user(trace: Trace) -> str:
        return prompt("cognitive_gist_trace", trace=data_block("memory trace", trace.content[:SHOWN_CHARS]))

    return asking_block(name, model, prompt("cognitive_gist"), user, GistTold)


def gist_with(block: Block[Trace, GistTold], ctx: Context) -> Gist:
    """Return the block as what a consolidation makes gists with, in a context of its own."""

    async def gist(trace: Trace) -> str:
        return (await block(trace, Context(ctx.run))).gist

    return gist
