"""A model that is asked beside a chat: it sees nothing of that, and nothing of it stands in the session."""

from collections.abc import Callable
from typing import TypeVar

from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.generation.generator import ModelChoice, generator
from fabric.models.server import ModelServer
from fabric.text.prompt import load_prompt

from .prompts import PROMPTS

A = TypeVar("A")
T = TypeVar("T")


def asking_block(
    name: str,
    model: ModelChoice,
    prompt: str,
    shown: Callable[[A], str],
    schema: type[T],
    server: ModelServer | None = None,
    **filled: object,
) -> Block[A, T]:
    """Return the block that asks a model for an answer as the schema says.

    ``prompt`` names a file of `PROMPTS`, which is the system text, ``filled`` are its fields; ``shown`` makes the
    user's message.
    """
    return generator(
        name=name,
        model=model,
        system=load_prompt(PROMPTS / f"{prompt}.md").fill(**filled),
        user=shown,
        output_schema=schema,
        temperature=0.0,
        record=False,
        server=server,
    )


async def ask(block: Block[A, T], value: A, ctx: Context) -> T:
    """Return a block's answer, in a context without the tools and the texts of the chat that it is asked in."""
    return await block(value, Context(ctx.run))
