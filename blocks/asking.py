"""How a step asks a model: by a prompt of its own, and nothing of that is part of the conversation."""

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel

from fabric.flow.block import Block
from fabric.generation.generator import ModelChoice, generator
from fabric.models.server import ModelServer

T = TypeVar("T", bound=BaseModel)


def asking_block(
    name: str,
    model: ModelChoice,
    system: str,
    user: Callable[..., str],
    schema: type[T],
    *,
    server: ModelServer | None = None,
    temperature: float = 0.0,
) -> Block[Any, T]:
    """Return the block that asks a model and gives its answer in a schema; ``user`` makes the question of the input."""
    return generator(
        name=name,
        model=model,
        system=system,
        user=user,
        output_schema=schema,
        temperature=temperature,
        record=False,
        server=server,
    )
