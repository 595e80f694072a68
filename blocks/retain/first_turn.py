"""What a session begins with: memories that its first message brings to mind, the same text in all its turns."""

import asyncio
from collections.abc import Awaitable, Sequence
from typing import TypeVar

from capabilities.retain.backend import Backend
from capabilities.retain.config import AutoConfig
from capabilities.retain.prompt import memories_block
from capabilities.retain.session import RETAIN_STATE
from capabilities.retain.transcript import Said, said_in_session
from fabric.errors import FabricError
from fabric.flow.capability import ContextLines
from fabric.flow.context import Context
from fabric.flow.resource import Resource, Transaction
from fabric.generation.generator import inside_generator
from fabric.record.run_input import said_in
from fabric.telling import error_text
from fabric.text.prompt import strip_memory_blocks

from .keeping import Current, Settings, keep_earlier
from .state import STATE_RESOURCES, bank_key

T = TypeVar("T")
PRIOR_CONTEXT = "Prior context:"


def first_turn_lines(current: Current, settings: Settings, resources: Sequence[Resource]) -> ContextLines:
    """Return the lines for a generator's ``context=[...]``: ``<memories>``, then ``<mental_models>``.

    They are recalled in the first turn that a session has with a bank, and are the same text from then on. What the
    bank does not give within `AutoConfig.first_turn_deadline` is left out, with a line in the log. A generator inside
    a tool of another, and one in background work, see what their session recalled, and never recall themselves.
    """

    async def lines(ctx: Context) -> str:
        backend = current()
        if backend is None:
            return ""
        state = await ctx.read(RETAIN_STATE)
        if state.recalled_from == bank_key(backend):
            return state.text
        question = _message(ctx)
        if not question or inside_generator(ctx) or ctx.run.in_job:
            return ""
        return await _begun(ctx, backend, settings(), question)

    return ContextLines(lines, tuple(dict.fromkeys([*resources, *STATE_RESOURCES])))


async def recall_again(ctx: Context, backend: Backend, options: AutoConfig) -> str:
    """Recall for the session's last turns, in place of what its first turn recalled; return the ``<memories>`` block.

    Where nothing is found, or the bank cannot be asked, "" is returned and the session keeps what it has.
    """
    patience = _Patience(ctx, options.first_turn_deadline)
    said = said_in_session(ctx.items)
    question = _message(ctx) or next((message.text for message in reversed(said) if message.role == "user"), "")
    block = await patience.wait_for(_memories(ctx, backend, options, question), "")
    if block:
        models = await patience.wait_for(backend.models(ctx), "")
        await ctx.transact(lambda tx: _freeze(tx, backend, _joined(block, models), ctx.turn, is_new=False))
    return block


async def _begun(ctx: Context, backend: Backend, options: AutoConfig, question: str) -> str:
    """Begin a session: keep what an earlier one left, then recall."""
    patience = _Patience(ctx, options.first_turn_deadline)
    if options.auto_retain:
        await patience.wait_for(keep_earlier(ctx, backend, options), 0)
    block = await patience.wait_for(_memories(ctx, backend, options, question), "") if options.auto_recall else ""
    text = _joined(block, await patience.wait_for(backend.models(ctx), ""))
    return await ctx.transact(lambda tx: _freeze(tx, backend, text, ctx.turn, is_new=True))


async def _memories(ctx: Context, backend: Backend, options: AutoConfig, question: str) -> str:
    """Return the ``<memories>`` block for the user's message and the turns before it, "" for none."""
    said = said_in_session(ctx.items)
    last = max((message.turn for message in said if message.role == "user"), default=0)
    earlier = [message for message in said if message.turn < last]
    query = compose_query(earlier, question, options.recall_context_turns, options.recall_max_query_chars)
    if not any(character.isalnum() for character in query):
        return ""
    return memories_block(await backend.recall(ctx, query), backend.name, options.injection_tokens)


def _message(ctx: Context) -> str:
    """Return what the user said in the turn under way, "" for nothing."""
    said = ctx.run.said or said_in(ctx.input)
    return strip_memory_blocks(said.text).strip() if said is not None else ""


def _freeze(tx: Transaction, backend: Backend, text: str, turn: int, *, is_new: bool) -> str:
    """Write what stands in the session's prompt from now on; one that is new leaves what another has written."""
    state = tx.read(RETAIN_STATE)
    if is_new and state.recalled_from == bank_key(backend):
        return state.text
    frozen = {"recalled_from": bank_key(backend), "recalled_at_turn": turn, "text": text}
    tx.write(RETAIN_STATE, state.model_copy(update=frozen))
    return text


def _joined(*blocks: str) -> str:
    return "\n\n".join(block for block in blocks if block.strip())


class _Patience:
    """How long a turn waits for a bank, all in all."""

    def __init__(self, ctx: Context, seconds: float) -> None:
        self._ctx = ctx
        self._until = asyncio.get_running_loop().time() + seconds

    async def wait_for(self, work: Awaitable[T], instead: T) -> T:
        """Return what ``work`` gives, or ``instead`` where it fails or takes too long, which is logged."""
        try:
            async with asyncio.timeout_at(self._until):
                return await work
        except (FabricError, OSError) as error:  # of too long, too: TimeoutError is an OSError
            reason = self._ctx.redact(error_text(error))
            self._ctx.log.warning("the turn goes on without what the bank remembers", error=reason)
            return instead


def compose_query(earlier: Sequence[Said], message: str, turns: int, most: int) -> str:
    r"""Return the question: a line for each message of the turns before, the user's message last.

    ``turns`` counts the user's turns that are looked at, the present one included. Of ``most`` characters the message
    has the first, and alone is it cut; lines fill what is left from the newest on, so that the oldest fall away.

    >>> from datetime import UTC, datetime
    >>> said = Said("user", "We use pytest.", 1, datetime(2026, 1, 2, tzinfo=UTC))
    >>> compose_query([said], "How do I run one test?", 2, 800)
    'Prior context:\nuser: We use pytest.\n\nHow do I run one test?'
    """
    current = message.strip()[:most]
    room = most - len(current) - len(PRIOR_CONTEXT) - 2
    numbers = sorted({said.turn for said in earlier})
    wanted = set(numbers[-(turns - 1) :] if turns > 1 else ())
    lines: list[str] = []
    for said in reversed(earlier):
        line = f"{said.role}: {' '.join(said.text.split())}"
        room -= len(line) + 1
        if said.turn not in wanted or room < 0:
            break
        lines.insert(0, line)
    return "\n".join([PRIOR_CONTEXT, *lines, "", current]) if lines else current
