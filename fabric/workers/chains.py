"""Which block of a pipeline does a job, in which context, on what value: from the rows back to blocks."""

from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError

from ..flow.block import Block
from ..flow.context import Context
from ..flow.run import Run


def chain_of(root: Block[Any, Any], path: str) -> list[Block[Any, Any]] | None:
    """Return the blocks from ``root`` to the one at ``path`` (``"root > ... > block"``), or None."""
    if path == root.name:
        return [root]
    prefix = f"{root.name} > "
    if path.startswith(prefix):
        for _, child in root.children():
            below = chain_of(child, path[len(prefix) :])
            if below is not None:
                return [root, *below]
    return None


def context_of(run: Run, chain: Sequence[Block[Any, Any]]) -> Context:
    """Return the context of the last block of ``chain`` in another run."""
    ctx = Context(run)
    for block in chain:
        ctx = ctx.child(block)
    return ctx


def from_json(block: Block[Any, Any], value: Any) -> Any:
    """Return a job's input as ``block`` types it; a value that only an annotation does not take stays as it is."""
    if block.input_schema is not None:
        return TypeAdapter(block.input_schema).validate_python(value)
    if block.accepts is Any:
        return value
    return _typed(block.accepts, value)


def output_of(block: Block[Any, Any], value: Any) -> Any:
    """Return a recorded output as ``block`` types it, where it says so."""
    return value if block.returns is Any else _typed(block.returns, value)


def _typed(schema: Any, value: Any) -> Any:
    try:
        return TypeAdapter(schema).validate_python(value)
    except (ValidationError, PydanticUserError, TypeError, AttributeError):  # an annotation is no promise
        return value
