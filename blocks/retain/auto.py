"""What is done without a tool being called: a conversation is kept every few turns, and a bank consolidated."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic.dataclasses import dataclass

from capabilities.retain.local import LocalBackend, Slept
from capabilities.retain.record import Flushed
from fabric.flow.block import Block
from fabric.flow.capability import Use
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.generation.generator import inside_generator
from fabric.narrowing import is_mapping
from fabric.record.items import Item

from ..capture.exchange import exchange_from_items
from .first_turn import recall_again
from .keeping import Current, Settings, keep_earlier, keep_rest, keep_session
from .state import STATE_RESOURCES, unkept_turns

EXIT_SECONDS = 1.5
"""How long a file that is closed waits for what is being sent; it is sent when the file is opened next."""


@dataclass(frozen=True)
class AutoRetained:
    """What a turn's end did: how many turns were kept, and of how many earlier sessions the rest; what was sent."""

    turns: int = 0
    earlier_sessions: int = 0
    flushed: Flushed = Flushed()


def auto_retain_block(name: str, current: Current, settings: Settings, uses: Sequence[Use]) -> Block[Any, AutoRetained]:
    """Return the block for ``.work(...)`` behind an agent: it keeps the conversation, and sends what is queued.

    Every few of the user's turns the turns since are kept, and those that are left when the file is closed; what a
    killed process left, the user's next session keeps. Where retaining is not automatic, it only sends. What is said
    inside a tool of another generator is part of that one's turn: there it does nothing.
    """

    @handler(name=f"{name}/auto-retain", uses=_all(uses), connect_input=_heard)
    async def auto_retain(is_last: Any, ctx: Context) -> AutoRetained:
        backend, options = current(), settings()
        if backend is None or inside_generator(ctx):
            return AutoRetained()
        turns, sessions = 0, 0
        if options.auto_retain:
            sessions = await keep_earlier(ctx, backend, options)
            if is_last is True:
                turns = await keep_rest(ctx, backend, options, ctx.session)
            else:
                every = options.retain_every_n_turns
                turns = await keep_session(ctx, backend, options, _ended(ctx), least=every, known=ctx.turn)
                is_left = await ctx.transact(lambda tx: unkept_turns(tx, backend) > 0)
                ctx.when_closed(True if is_left else None)
        return AutoRetained(turns, sessions, _told(await backend.flush(ctx), ctx))

    return replace(auto_retain.leaves_after(EXIT_SECONDS), hears=True)


def before_compaction_block(name: str, current: Current, settings: Settings, uses: Sequence[Use]) -> Block[Any, str]:
    """Return the block to run before a session's history is cut: it keeps what is not kept yet.

    What it gives is a new ``<memories>`` block, recalled for the last turns, "" for none; it takes the place of what
    the session's first turn recalled.
    """

    @handler(name=f"{name}/before-compaction", uses=_all(uses))
    async def before_compaction(_: Any, ctx: Context) -> str:
        backend, options = current(), settings()
        if backend is None or inside_generator(ctx):
            return ""
        if options.auto_retain:
            await keep_session(ctx, backend, options, _ended(ctx))
        return await recall_again(ctx, backend, options)

    return before_compaction


def flush_block(name: str, current: Current, uses: Sequence[Use]) -> Block[Any, Flushed]:
    """Return the block that sends what is queued, or draws the facts that were put off.

    Its input may be ``{"again": True}``: then what was given up is sent once more, too.
    """

    @handler(name=f"{name}/flush", uses=_all(uses))
    async def flush(asked: Any, ctx: Context) -> Flushed:
        backend = current()
        if backend is None:
            return Flushed()
        again = is_mapping(asked) and asked.get("again") is True
        return _told(await (backend.retry(ctx) if again else backend.flush(ctx)), ctx)

    return flush


def _all(uses: Sequence[Use]) -> list[Use]:
    return list(dict.fromkeys([*uses, *STATE_RESOURCES]))


def _heard(value: Any, ctx: Context) -> None:
    """Take note of what was said in the turn, where no block of the agent did; what it gave is not looked at."""
    if not inside_generator(ctx):
        exchange_from_items(value, ctx)


def _ended(ctx: Context) -> int:
    """Return the last of the user's turns that is over: the present one where it has an answer, else the one before.

    One whose run failed may still be answered when it is tried again.
    """
    return ctx.turn if any(_is_answer(item, ctx.turn) for item in reversed(ctx.items)) else ctx.turn - 1


def _is_answer(item: Item, turn: int) -> bool:
    return item.turn == turn and item.role == "assistant" and item.kind == "message"


def _told(flushed: Flushed, ctx: Context) -> Flushed:
    """Tell the user, and no model, how many memories could not be sent: one that came meanwhile has no problem yet."""
    if flushed.problem or flushed.given_up:
        ctx.log.warning(
            "memories could not be sent",
            waiting=flushed.waiting,
            given_up=flushed.given_up,
            problem=ctx.redact(flushed.problem),
        )
    return flushed


def sleep_block(name: str, current: Current, uses: Sequence[Use]) -> Block[Any, Slept]:
    """Return the block that consolidates the bank in a file; elsewhere it has nothing to do, since a server does it.

    It may run at any time, in any number of sessions at once, stop at any point and run again: each memory becomes part
    of one episodic memory, once, and stays itself.
    """

    @handler(name=f"{name}/sleep", uses=uses)
    async def sleep(_: object, ctx: Context) -> Slept:
        chosen = current()
        if not isinstance(chosen, LocalBackend):
            return Slept()
        await chosen.flush(ctx)
        return await chosen.sleep(ctx)

    return sleep
