"""Captures the user's message of a run that failed or was left, by the blocks that capture messages."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from ..errors import StoreError
from ..flow.block import Block
from ..flow.run import Run
from ..record.items import Item
from ..threads.portal import kept
from .chains import context_of
from .work import commit


async def take_in(run: Run, root: Block[Any, Any]) -> None:
    """Let the pipeline's blocks that take in what the user says do that, in the background.

    The run has ended without a result; the work is stored when this returns, unless the file is being closed.
    """
    message = run.said
    if message is None or not run.log.find([message.id]) or run.recording.is_erased(message.turn):
        return
    with suppress(StoreError):  # it is closed, or full: the next turn takes the message in
        for chain in _hearing([root]):
            await kept(run.services.portal, _taken_in(run, message, chain))


async def _taken_in(run: Run, message: Item, chain: Sequence[Block[Any, Any]]) -> None:
    # A run of its own, about the same message: what the failed one did is over.
    after = Run(run.services, run.ids, run.log, None, turn=message.turn, owner=f"{run.id} left", message_id=message.id)
    block, ctx = chain[-1], context_of(after, chain)
    value, in_transaction = await block.connect({"role": "user", "content": message.text}, ctx), None
    if block.keeper is not None:
        value, in_transaction = await block.keeper(value)
    after.enqueue(chain, value, ctx.marks, block.name, in_transaction)
    await commit(after)


def _hearing(chain: list[Block[Any, Any]]) -> Iterator[list[Block[Any, Any]]]:
    """Yield the blocks from the root to each that takes in what is said, tools of generators aside."""
    block = chain[-1]
    if block.hears:
        yield chain
    elif block.kind != "generator":
        for _, child in block.children():
            yield from _hearing([*chain, child])
