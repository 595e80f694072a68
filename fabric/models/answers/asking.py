"""Asking a model for structured output: call, parse, one corrective retry, then a typed failure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from fabric.errors import ConfigurationError, ModelError, OutputError

from ..base import Message, ModelClient, Reply, Request, Usage
from ..fallback import complete_with_fallback
from .schema import Refused
from .shaping import LONGEST_TEXT, list_fields
from .structured import Parsed, parse

T = TypeVar("T", bound=BaseModel)
LONGEST_QUOTE = 2_000
"""Characters of a bad answer that are shown to the model again."""
LIST_AFTER_CUT = 10
"""Items that are asked for at most when not one fitted into the answer."""


@dataclass(frozen=True, slots=True)
class StructuredReply(Generic[T]):
    """A parsed answer with the calls that it took and what they cost together.

    ``refused`` are the items that were left out; ``truncated`` says that the answer was cut off after those in
    ``value``.
    """

    value: T
    refused: tuple[Refused, ...]
    usage: Usage
    replies: tuple[Reply, ...]
    truncated: bool = False


async def complete_structured(
    client: ModelClient, models: Sequence[str], request: Request, *, longest: int | None = LONGEST_TEXT
) -> StructuredReply[Any]:
    """Return the answer of the first of ``models`` that gives one, read as ``request.schema``.

    An answer that cannot be used is asked for once more, with what was wrong; one that was cut off with more room, or
    for fewer items. OutputError when that fails too: it holds the last raw text and the usage of both calls.
    """
    if request.schema is None:
        raise ConfigurationError("structured output: the request has no schema; expected schema=<a pydantic model>")
    first = await complete_with_fallback(client, models, request)
    before = _outcome(first, request.schema, longest)
    if isinstance(before, Parsed) and not _gains_by_room(before, request):
        return _structured(before, (first,), first.usage)
    try:
        second = await complete_with_fallback(client, models, _corrected(request, request.schema, first, before))
    except ModelError as error:
        error.usage = first.usage + error.usage
        if isinstance(before, Parsed):
            return _structured(before, (first,), error.usage)
        raise
    after = _outcome(second, request.schema, longest)
    usage, replies = first.usage + second.usage, (first, second)
    if isinstance(after, OutputError) and isinstance(before, OutputError):
        after.usage = usage
        raise after
    good = [each for each in (after, before) if isinstance(each, Parsed)]
    return _structured(max(good, key=lambda each: (not each.truncated, _kept(each))), replies, usage)


def _structured(parsed: Parsed[Any], replies: tuple[Reply, ...], usage: Usage) -> StructuredReply[Any]:
    return StructuredReply(parsed.value, parsed.refused, usage, replies, parsed.truncated)


def _outcome(reply: Reply, schema: type[BaseModel], longest: int | None) -> Parsed[BaseModel] | OutputError:
    text = reply.text
    if not text.strip() and reply.tool_calls:  # some providers answer a schema with a tool call
        text = reply.tool_calls[0].arguments
    try:
        return parse(text, schema, finish=reply.finish, longest=longest)
    except OutputError as error:
        error.usage = reply.usage
        return error


def _gains_by_room(parsed: Parsed[Any], request: Request) -> bool:
    """Return whether a cut-off answer would hold more if it might be longer: not when its lists are full anyway."""
    if not parsed.truncated or request.max_tokens is None:
        return False
    limits = [(len(getattr(parsed.value, name)), each.limit) for name, each in _lists(parsed.value)]
    return not limits or any(limit is None or count < limit for count, limit in limits)


def _kept(parsed: Parsed[Any]) -> int:
    return sum(len(getattr(parsed.value, name)) for name, _ in _lists(parsed.value))


def _lists(value: BaseModel) -> list[tuple[str, Any]]:
    fields = list_fields(type(value))
    keys = {name: info.alias or name for name, info in type(value).model_fields.items()}
    return [(name, fields[key]) for name, key in keys.items() if key in fields and getattr(value, name) is not None]


def _corrected(
    request: Request, schema: type[BaseModel], reply: Reply, outcome: Parsed[BaseModel] | OutputError
) -> Request:
    """Return the request again with what was wrong with ``reply``; never the same request twice."""
    truncated = outcome.truncated
    room = request.max_tokens * 2 if truncated and request.max_tokens else request.max_tokens
    if truncated:
        limits = [each.limit or 2 * LIST_AFTER_CUT for each in list_fields(schema).values()]
        fewer = f" with at most {min(LIST_AFTER_CUT, max(1, min(limits) // 2))} list items" if limits else ""
        correction = f"Your last answer was cut off because it was too long. Answer again{fewer}, as short as you can."
    else:
        correction = (
            f"This cannot be used: {outcome}. Answer again with nothing but one JSON object that fits the schema."
        )
    added: list[Message] = [{"role": "user", "content": correction}]
    if not truncated and reply.text.strip():
        added.insert(0, {"role": "assistant", "content": reply.text[:LONGEST_QUOTE]})
    return replace(request, messages=[*request.messages, *added], max_tokens=room)
