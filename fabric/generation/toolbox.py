"""The toolbox: the tools one model call offers, and what becomes of the calls a model makes."""

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from ..errors import DuplicateNameError, RefusedError
from ..flow.block import Block
from ..flow.context import Context
from ..flow.tool import Tool, alias, tool
from ..lazy import lazy
from ..models.base import ToolCall
from ..narrowing import is_dict
from ..record.meanwhile import drawing
from ..telemetry.tracing import Attributes, span
from ..telling import message_of
from ..validation import wrong
from .messages import as_text

if TYPE_CHECKING:
    import json_repair
else:
    json_repair = lazy("json_repair")

MAX_CALLS_PER_STEP = 20
"""Calls of one step that are carried out; the rest are answered with an error."""
MAX_RESULT_CHARS = 20_000
"""Characters of a tool's result that a model is shown."""
_MAX_REASON_CHARS = 500
_MAX_MENDS = 4


@lru_cache(maxsize=1024)
def as_tool(source: Any) -> Tool:
    """Return a function, a block or a tool as a tool; the same source gives the same tool."""
    if isinstance(source, Tool):
        return source
    return source.as_tool() if isinstance(source, Block) else tool(source)


class Toolbox:
    """Tools under the names that a model calls them by.

    ``sources`` are pairs of the place that declares and the function, block or tool. DuplicateNameError when two
    different ones share a name, with both places.
    """

    def __init__(self, sources: Iterable[tuple[str, Any]]) -> None:
        self.tools: dict[str, Tool] = {}
        places: dict[str, str] = {}
        for place, source in sources:
            tool = as_tool(source)
            name = alias(tool.name)
            earlier = self.tools.setdefault(name, tool)
            if earlier is not tool:
                raise DuplicateNameError(
                    f"two different tools are named {name!r}: one of {places[name]}, another of {place}; rename one"
                )
            places.setdefault(name, place)

    def schemas(self) -> list[Mapping[str, Any]]:
        """Return the function schemas for a request."""
        return [tool.schema() for tool in self.tools.values()]

    async def answer(self, calls: Sequence[ToolCall], ctx: Context, *, cut_off: bool = False) -> list[str]:
        """Carry out the calls of one step, all at once, and return a result for each, in order.

        What goes wrong is a result too: a short JSON text that tells the model what to do. ``cut_off`` says that the
        reply ended at its length limit, so that malformed arguments are not guessed at.
        """
        done = await asyncio.gather(*(self._one(call, ctx, cut_off) for call in calls[:MAX_CALLS_PER_STEP]))
        over = failure(f"more than {MAX_CALLS_PER_STEP} calls in one step", "Make this call again in the next step.")
        return [*done, *[over for _ in calls[MAX_CALLS_PER_STEP:]]]

    async def _one(self, call: ToolCall, ctx: Context, cut_off: bool) -> str:
        return (await self.outcome(call, ctx, guess=not cut_off)).shown

    async def outcome(self, call: ToolCall, ctx: Context, *, guess: bool = True) -> "ToolOutcome":
        """Carry out one call; whatever goes wrong is an outcome, too. ``guess`` is that of `read_arguments`."""
        tool = self.tools.get(alias(call.name))
        if tool is None:
            names = ", ".join(self.tools) or "none"
            return ToolOutcome(error=f"there is no tool {call.name!r}", do=f"Use one of: {names}.")
        with span(f"execute_tool {tool.name}", _span_attributes(tool, call)) as done:
            try:
                arguments = read_arguments(tool, call.arguments, guess=guess)
            except ValueError as error:
                done.fail(error)
                return ToolOutcome(error=str(error), do="Call the tool again with arguments that fit its schema.")
            if tool.has_side_effects and ctx.run.recording.is_erased(ctx.turn):
                return ToolOutcome(error="the message of this turn was forgotten meanwhile", do="Keep nothing of it.")
            try:
                with drawing() as rows:
                    value = await tool.run(arguments, ctx)
                ctx.run.meanwhile.came_from(call.id, rows)
                return ToolOutcome(value, (tool.shown or as_text)(value))
            except RefusedError as error:
                done.fail(error)
                return ToolOutcome(error=error.reason, do=error.do)
            except Exception as error:  # a tool is user code: the model is told, the run goes on
                done.fail(error)
                # What pydantic says of a value quotes it, and that belongs neither into an answer nor into a log.
                message = wrong(error) if isinstance(error, ValidationError) else message_of(error)
                reason = f"{type(error).__name__}: {message}"
                ctx.log.warning("tool failed", tool=tool.name, error=reason)
                return ToolOutcome(error=reason, do="Try other arguments, or go on without this tool.")


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What became of one call: a value and its text, or what went wrong and what to do."""

    value: Any = None
    text: str = ""
    error: str = ""
    do: str = ""

    @property
    def shown(self) -> str:
        """What a model is shown of it."""
        return failure(self.error, self.do) if self.error else cut(self.text)


def _span_attributes(known: Tool, call: ToolCall) -> Attributes:
    names = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": known.name, "gen_ai.tool.type": "function"}
    return {**names, "gen_ai.tool.call.id": call.id} if call.id else names


def failure(reason: str, advice: str) -> str:
    """Return the result that tells a model its call failed, why, and what to do.

    >>> failure("no such city", "Ask for the city.")
    '{"error": "no such city", "do": "Ask for the city."}'
    """
    return json.dumps(refusal(reason, advice), ensure_ascii=False)


def refusal(reason: str, advice: str) -> dict[str, str]:
    """Return the same as a mapping: what went wrong in one line of bounded length, and what to do."""
    line = " ".join(reason.split())
    short = line if len(line) <= _MAX_REASON_CHARS else f"{line[:_MAX_REASON_CHARS]}..."
    return {"error": short, "do": advice}


def cut(text: str) -> str:
    """Return a result as long as a model is shown, a cut marked with the numbers of characters."""
    if len(text) <= MAX_RESULT_CHARS:
        return text
    return f"{text[:MAX_RESULT_CHARS]}\n[cut: {MAX_RESULT_CHARS} of {len(text)} characters shown]"


def read_arguments(known: Tool, raw: str, *, guess: bool = True) -> BaseModel:
    """Return a call's raw arguments as the tool types them; ValueError saying what does not fit.

    With ``guess``, JSON that is nearly right is repaired. Null stands for a default, and JSON in a string for the
    object or list it spells where one is expected.
    """
    values = _parsed(raw, guess=guess)
    if not isinstance(values, dict):
        names = list(known.arguments.model_fields)
        if len(names) != 1:
            raise ValueError(f"the arguments are not a JSON object: {raw[:100]!r}")
        values = {names[0]: values}
    found: list[Any] = []
    for _ in range(_MAX_MENDS):
        try:
            return known.arguments.model_validate(values)
        except ValidationError as error:
            found = list(error.errors(include_url=False, include_context=False))
        if sum(_mended(values, problem) for problem in found) == 0:
            break
    wrong = "; ".join(f"{'.'.join(map(str, record['loc'])) or 'arguments'}: {record['msg']}" for record in found[:5])
    raise ValueError(f"the arguments do not fit: {wrong}")


def _parsed(raw: str, *, guess: bool) -> Any:
    if not raw.strip():
        return {}
    try:
        value = json.loads(raw, strict=False)
    except ValueError as error:
        if not guess:
            raise ValueError("the call was cut off before its arguments were complete") from error

        value = json_repair.loads(raw)
    except RecursionError as error:
        raise ValueError("the arguments are nested too deeply") from error
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        return _parsed(value, guess=guess) if len(value) < len(raw) else value
    return value


def _mended(values: Any, error: Mapping[str, Any]) -> bool:
    """Mend one value that was refused, in place; return whether anything changed."""
    *path, last = error["loc"] or (None,)
    for key in path:
        try:
            values = values[key]
        except (KeyError, IndexError, TypeError):
            return False
    if not is_dict(values) or last not in values:
        return False
    given = values[last]
    if given is None:
        del values[last]
        return True
    if isinstance(given, str) and given.lstrip()[:1] in ("{", "["):
        try:
            values[last] = json.loads(given, strict=False)
        except (ValueError, RecursionError):
            return False
        return True
    return False
