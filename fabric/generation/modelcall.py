"""One step of a conversation with a model: within the budget, paid for, streamed when somebody listens."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from ..errors import ModelError, ModelUnavailableError
from ..flow.context import Context
from ..lazy import lazy
from ..models.base import Reply, Request
from ..models.fallback import complete_with_fallback, stream_with_fallback
from ..record.events import TextDelta

if TYPE_CHECKING:
    from ..models.answers import asking
    from ..models.answers.asking import StructuredReply
else:
    asking = lazy("..models.answers.asking", __package__)


async def ask(ctx: Context, models: Sequence[str], request: Request) -> Reply:
    """Return the answer of the first model that gives one, its text emitted piece by piece when the run is streamed.

    ModelError with the block's path; what a failed call cost is counted too. A stream that breaks off raises, even
    though its pieces were emitted.
    """
    await ctx.run.check_budget(ctx.path)
    request = replace(request, messages=ctx.run.meanwhile.messages(request.messages))
    try:
        if ctx.run.listening:
            reply = await _streamed(ctx, models, request)
        else:
            reply = await complete_with_fallback(ctx.run.models, models, request)
    except ModelError as error:
        raise _charged(error, ctx) from error.__cause__
    ctx.run.spend(reply.usage, model=reply.model, block=ctx.path)
    if reply.finish == "content_filter" and not reply.text and not reply.tool_calls:
        raise ModelError(f"{ctx.path}: the provider withheld the answer (content filter): change what is asked")
    return reply


async def ask_structured(
    ctx: Context, models: Sequence[str], request: Request, schema: type[BaseModel]
) -> "StructuredReply[Any]":
    """Return an answer in the form of ``schema``; errors and costs as in `ask`. Nothing is streamed."""
    await ctx.run.check_budget(ctx.path)
    request = replace(request, messages=ctx.run.meanwhile.messages(request.messages))
    try:
        reply = await asking.complete_structured(ctx.run.models, models, replace(request, schema=schema), longest=None)
    except ModelError as error:
        raise _charged(error, ctx) from error.__cause__
    for answer in reply.replies:
        ctx.run.spend(answer.usage, model=answer.model, block=ctx.path)
    return reply


async def _streamed(ctx: Context, models: Sequence[str], request: Request) -> Reply:
    path, reply = ctx.path, None
    async for delta in stream_with_fallback(ctx.run.models, models, request):
        if delta.text:
            ctx.run.emit(TextDelta(path, delta.text))
        reply = delta.reply or reply
    if reply is None:
        raise ModelUnavailableError("the stream ended before the answer was complete")
    return reply


def _charged(error: ModelError, ctx: Context) -> ModelError:
    ctx.run.spend(error.usage, block=ctx.path)
    message = str(error)
    if not message.startswith(ctx.path):
        error.args = (f"{ctx.path}: {message}", *error.args[1:])
    return error
