"""What tests of pipelines need: a model that follows a script, a clock that stands still, one call to run a block."""

import itertools
import re
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from .clock import Clock, utc
from .errors import ModelError
from .flow.block import Block, Out
from .lazy import lazy
from .models.base import Delta, ModelClient, Reply, Request, ToolCall, Usage
from .narrowing import is_sequence
from .record.history import message_tokens
from .text.words import estimate_tokens

if TYPE_CHECKING:
    from .generation import messages
    from .sessions import fabric as engine
    from .sessions.session import RunResult
else:
    engine = lazy(".sessions.fabric", __package__)
    messages = lazy(".generation.messages", __package__)

START = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Cut:
    """A scripted stream that says ``text`` and then breaks off with ``error``; without streaming only the error."""

    text: str
    error: Exception


Scripted = str | BaseModel | ToolCall | Sequence[ToolCall] | Reply | Exception | Cut


class ScriptedModel:
    """A model client that answers from a script and keeps the requests it got, in ``requests``.

    ``script`` is a list with a reply for each call, or a function of the request that answers every call (best where
    background work and chat ask at the same time). A reply is text, a pydantic model (its JSON), tool calls, a whole
    `Reply`, an exception to raise, a `Cut`, or a function of the request that returns one of these. A call beyond the
    script raises AssertionError. Usage is estimated from the lengths of the texts.

    >>> model = ScriptedModel(["hello", lambda request: request.messages[-1]["content"].upper()])
    >>> model.left
    2
    """

    def __init__(self, script: "Iterable[Scripted | Callable[[Request], Any]] | Callable[[Request], Any]") -> None:
        self.requests: list[Request] = []
        self._always = script if callable(script) else None
        self._script = [] if callable(script) else list(script)

    @property
    def left(self) -> int:
        """How many replies of the script were not asked for yet."""
        return len(self._script)

    async def complete(self, request: Request) -> Reply:
        """Return the next reply of the script, or raise it."""
        reply = self._next(request)
        if isinstance(reply, Cut):
            raise reply.error
        return reply

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Yield the next reply of the script word by word."""
        reply = self._next(request)
        for piece in re.findall(r"\s*\S+\s*$|\s*\S+|\s+", reply.text):
            yield Delta(text=piece)
        if isinstance(reply, Cut):
            raise reply.error
        yield Delta(reply=reply)

    def _next(self, request: Request) -> Reply | Cut:
        self.requests.append(request)
        if self._always is not None:
            scripted: Any = self._always
        elif self._script:
            scripted = self._script.pop(0)
        else:
            last = str(request.messages[-1].get("content"))[:200]
            raise AssertionError(f"call {len(self.requests)} of {request.model!r} is beyond the script: {last}")
        if callable(scripted) and not isinstance(scripted, BaseModel):
            scripted = scripted(request)
        if isinstance(scripted, Exception):
            raise scripted
        return scripted if isinstance(scripted, Cut) else _reply(scripted, request)


def call(name: str, call_id: str = "", /, **arguments: Any) -> ToolCall:
    """Return a tool call for a script; any name may be that of an argument.

    >>> call("weather", city="Oslo")
    ToolCall(id='call_weather', name='weather', arguments='{"city": "Oslo"}')
    >>> call("mind_complete_goal", "call_2", id="mg_1")
    ToolCall(id='call_2', name='mind_complete_goal', arguments='{"id": "mg_1"}')
    """
    return ToolCall(call_id or f"call_{name}", name, messages.as_text(arguments))


def _reply(scripted: Any, request: Request) -> Reply:
    if isinstance(scripted, ToolCall):
        scripted = [scripted]
    if isinstance(scripted, Reply):
        reply = scripted
    elif isinstance(scripted, str):
        reply = Reply(scripted)
    elif isinstance(scripted, BaseModel):
        reply = Reply(scripted.model_dump_json())
    elif is_sequence(scripted) and all(isinstance(call, ToolCall) for call in scripted):
        reply = Reply("", tuple(scripted), finish="tool_calls")
    else:
        raise AssertionError(f"a script holds texts, models, tool calls, replies and exceptions; got {scripted!r}")
    if reply.usage == Usage():
        asked = sum(message_tokens(message) for message in request.messages)
        output_tokens = estimate_tokens(reply.text) + sum(estimate_tokens(call.arguments) for call in reply.tool_calls)
        reply = replace(reply, usage=Usage(input_tokens=asked, output_tokens=output_tokens, calls=1))
    return reply if reply.model else replace(reply, model=request.model)


class FrozenClock:
    """A clock that moves only when told, counts its ids, and takes its chances from a list (0.5 without one).

    One clock may serve several openings of a file; a second clock for the same file must begin at another
    ``first_id``, because it would give the same ids again.

    >>> clock = FrozenClock(datetime(2026, 1, 1, tzinfo=UTC))
    >>> clock.advance(days=1).isoformat(), clock.new_id("fact")
    ('2026-01-02T00:00:00+00:00', 'fact_00000001')
    """

    def __init__(self, start: datetime = START, *, chances: Sequence[float] = (0.5,), first_id: int = 1) -> None:
        self._now = utc(start)
        self._ids = itertools.count(first_id)
        self._chances = itertools.cycle(chances)

    def now(self) -> datetime:
        """Return the time it was set to."""
        return self._now

    def set(self, moment: datetime) -> None:
        """Set the time; a naive one is taken as UTC."""
        self._now = utc(moment)

    def advance(self, seconds: float = 0.0, *, minutes: float = 0.0, hours: float = 0.0, days: float = 0.0) -> datetime:
        """Move the time on and return it."""
        self._now += timedelta(seconds=seconds, minutes=minutes, hours=hours, days=days)
        return self._now

    def new_id(self, prefix: str) -> str:
        """Return ``<prefix>_<number>``, counted over all prefixes."""
        return f"{prefix}_{next(self._ids):08d}"

    def chance(self) -> float:
        """Return the next of the given numbers, again from the first after the last."""
        return next(self._chances)


async def run_block(
    block: Block[Any, Out],
    value: Any = None,
    *,
    model: ModelClient | None = None,
    clock: Clock | None = None,
    session: str = "test",
    user: str | None = "tester",
    agent: str | None = None,
    project: str | None = None,
    org: str | None = None,
) -> "RunResult[Out]":
    """Run one block in a session of its own, in memory, wait for its background work, and return the result.

    Without a ``model`` a model call fails: nothing here ever reaches a provider.
    """
    fakes = model or ScriptedModel(_no_model)
    async with engine.Fabric(":memory:", models=fakes, clock=clock or FrozenClock()) as fabric:
        opened = fabric.session(session, user=user, agent=agent, project=project, org=org)
        return await opened.arun(block, value)


def _no_model(request: Request) -> Exception:
    return ModelError(f"no model was given to run_block, and {request.model!r} was asked")
