"""Insight: what a model draws from traces that were of use together."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from capabilities.traces import Derive, Trace
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.generation.generator import ModelChoice
from fabric.models.server import ModelServer
from fabric.text.prompt import data_block

from .asking import asking_block
from .prompts import prompt

SHOWN_TRACES = 40
"""How many traces of a cluster a model is shown: the strongest."""
SHOWN_CHARS = 1_000
"""How much of each."""


class Insight(BaseModel):
    """What a model answers."""

    insight: str = Field(max_length=2_000, description="The insight, in one sentence.")


def insight_block(name: str, model: ModelChoice, server: ModelServer | None = None) -> Block[Sequence[Trace], Insight]:
    """Return the block that asks a model for one insight from traces."""
    return asking_block(name, model, prompt("insight"), insight_prompt, Insight, server=server)


def insight_prompt(traces: Sequence[Trace]) -> str:
    """Return what the model is shown: the strongest traces, as data."""
    shown = sorted(traces, key=lambda trace: -trace.strength)[:SHOWN_TRACES]
    lines = [f"- [{trace.type}] {' '.join(trace.content.split())[:SHOWN_CHARS]}" for trace in shown]
    return prompt("insight_traces", traces=data_block("memory traces", "\n".join(lines)))


def derive_with(block: Block[Sequence[Trace], Insight], ctx: Context) -> Derive:
    """Return the block as what a consolidation derives with.

    It runs in a context of its own: what the chat around it declares, tools among it, is not offered to it.
    """

    async def derive(traces: Sequence[Trace]) -> str:
        return (await block(traces, Context(ctx.run))).insight

    return derive
