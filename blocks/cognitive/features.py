"""What a message holds, told by a model; where it cannot be asked, or says nothing usable, words tell."""

import asyncio
from typing import Annotated, Any

from pydantic import BaseModel, Field

from capabilities.formulas.encoding import Features
from fabric.errors import ModelError
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.generation.generator import ModelChoice
from fabric.text.prompt import data_block

from ..asking import asking_block
from ..prompts import prompt

SHOWN_CHARS = 8_000
"""How much of a message a model is shown."""


class FeaturesTold(BaseModel):
    """What a model answers; what it leaves out the message does not hold."""

    novelty: bool = False
    procedure: bool = False
    emotion: bool = False
    social: bool = False
    cooperation: bool = False
    ethics: bool = False
    contradiction: bool = False
    topic_relevance: Annotated[float, Field(ge=0, le=1)] = 0.5


def features_block(name: str, model: ModelChoice) -> Block[str, FeaturesTold]:
    """Return the block that asks a model what a message holds."""

    def user(text: str) -> str:
        return prompt("cognitive_features_message", message=data_block("message", text[:SHOWN_CHARS]))

    return asking_block(f"{name}/features", model, prompt("cognitive_features"), user, FeaturesTold)


async def told_by(block: Block[str, Any], text: str, ctx: Context) -> Features:
    """Return what a model tells that a message holds; ModelError where it cannot be asked, or says nothing usable."""
    return Features(**(await block(text, Context(ctx.run))).model_dump())


async def features_until(end: float, text: str, block: Block[str, FeaturesTold], ctx: Context) -> Features | None:
    """Return what a model tells that a message holds; None, and a warning, where it fails or the loop's time is up."""
    try:
        async with asyncio.timeout_at(end):
            return await told_by(block, text, ctx)
    except ModelError as error:
        reason = str(error)
    except TimeoutError:
        reason = "the model took longer than a reply waits for it"
    ctx.log.warning("features by words only", error=reason)
    return None
