"""The tool loop: a conversation with a model, from the first request over the tools it calls to its answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from ..flow.context import Context
from ..models.base import Message, Reply, Request, ToolCall
from ..record.items import Draft
from .messages import as_text
from .modelcall import ask, ask_structured
from .toolbox import Toolbox

_FINAL = "Now give the final answer, in the form that was asked for."


@dataclass(frozen=True, slots=True)
class ToolLoop:
    """One conversation. ``limit`` is the number of steps, a step being a model call and the tools it calls.

    With ``record``, tool calls, their results and the answer become items of the session.
    """

    ctx: Context
    models: Sequence[str]
    toolbox: Toolbox
    limit: int
    record: bool

    async def text(self, request: Request) -> str:
        """Return the text of the step that called no tool, or of the last one that the limit allows."""
        _, reply = await self._steps(request)
        await self.ctx.run.secrets.look_through([reply.text])
        data: dict[str, Any] = {"truncated": True} if reply.finish == "length" else {}
        # At the limit, the last text was recorded with its calls.
        if not reply.tool_calls and (reply.text.strip() or data):
            self._note(Draft("assistant", "message", reply.text, data=data))
        return reply.text

    async def structured(self, request: Request, schema: type[BaseModel]) -> BaseModel:
        """Return the answer as ``schema``; where there are tools, it is asked for when they are done."""
        if request.tools:
            request, reply = await self._steps(request)
            draft = [{"role": "assistant", "content": reply.text}] if reply.text and not reply.tool_calls else []
            final = [*request.messages, *draft, {"role": "user", "content": _FINAL}]
            request = replace(request, messages=final, tools=())
        answer = await ask_structured(self.ctx, self.models, request, schema)
        data = {"refused": len(answer.refused)} if answer.refused else {}
        self._note(Draft("assistant", "message", as_text(answer.value), data=data))
        value: BaseModel = answer.value
        return value

    async def _steps(self, request: Request) -> tuple[Request, Reply]:
        """Return the request with all that was said, and the last reply; its text is not said yet if it calls none."""
        reply = await ask(self.ctx, self.models, request)
        for left in reversed(range(self.limit)):
            if not reply.tool_calls:
                break
            request = replace(request, messages=[*request.messages, *await self._step(reply)])
            if left:
                reply = await ask(self.ctx, self.models, request)
        return request, reply

    async def _step(self, reply: Reply) -> list[Message]:
        calls = self._named(reply.tool_calls)
        drafts = [Draft("assistant", "tool_call", call.arguments, name=call.name, call_id=call.id) for call in calls]
        self._note(*([Draft("assistant", "message", reply.text)] if reply.text.strip() else []), *drafts)
        results = await self.toolbox.answer(calls, self.ctx, cut_off=reply.finish == "length")
        await self.ctx.run.secrets.look_through(results)
        pairs = list(zip(calls, results, strict=True))
        self._note(*(self._result(call, text) for call, text in pairs))
        asked: Message = {
            "role": "assistant",
            "content": reply.text or None,
            "tool_calls": [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments or "{}"},
                }
                for call in calls
            ],
        }
        return [asked, *({"role": "tool", "tool_call_id": call.id, "content": text} for call, text in pairs)]

    def _result(self, call: ToolCall, text: str) -> Draft:
        """Return the result of a call, with the rows that it came from and does not name itself."""
        rows = sorted(row for row in self.ctx.run.meanwhile.rows_of(call.id) if row not in text)
        data = {"rows": rows} if rows else {}
        return Draft("tool", "tool_result", text, name=call.name, call_id=call.id, data=data)

    def _named(self, calls: Sequence[ToolCall]) -> list[ToolCall]:
        """Return the calls, each with an id that no other call of the step has."""
        taken: set[str] = set()
        named: list[ToolCall] = []
        for call in calls:
            own = call if call.id and call.id not in taken else replace(call, id=self.ctx.clock.new_id("call"))
            taken.add(own.id)
            named.append(own)
        return named

    def _note(self, *drafts: Draft) -> None:
        if self.record and drafts:
            self.ctx.record(*drafts)
