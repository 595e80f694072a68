"""The four tools: ``retain``, ``recall``, ``reflect``, and ``memory_edit`` where a bank is kept in the file."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

from pydantic import BaseModel

from capabilities.retain.prompt import bullets, minute
from capabilities.retain.record import Edit, Edited, Retained, memories
from fabric.flow.block import Block
from fabric.flow.capability import Use
from fabric.flow.context import Context
from fabric.flow.tool import Tool
from fabric.text.prompt import data_block

from ..tools.tool import MemoryTool
from .keeping import Current, in_use
from .shapes import Answer, Recall, Reflect, Retain
from .state import STATE_RESOURCES

A = TypeVar("A", bound=BaseModel)
NO_MATCH = "Nothing that is kept matches."
NO_INFORMATION = "Nothing that is kept tells about this."
WHOLE = "memory://"
"""What a query begins with that asks for all of one memory, by its id."""
_EDITED = {
    "updated": "Memory {id} was updated.",
    "deleted": "Memory {id} was deleted.",
    "invalidated": "Memory {id} no longer counts.",
    "not_found": "There is no memory {id} that can be changed.",
    "not_editable": "Memory {id} is {place}, which cannot be changed.",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class _Tool(MemoryTool):
    """A memory tool whose text a model is shown as it is, in a block of background data where it holds stored text."""

    def as_tool(self, *, name: str = "", description: str = "") -> Tool:
        """Return it as a tool that shows a model the answer's text."""
        return replace(super().as_tool(name=name, description=description), shown=self._text)

    def _text(self, answer: Any) -> str:
        text = Answer.model_validate(answer).text  # as it is, or as JSON from a host
        return data_block(self.title, text) if self.title else text


@dataclass(frozen=True, eq=False)
class RetainTools:
    """The tools over a backend. ``uses`` are the resources of every backend that ``current`` may give."""

    current: Current
    uses: tuple[Use, ...]

    def of(self, backend: str) -> Sequence[Block[Any, Any]]:
        """Return the tools that there are with a backend of this name: none with "off"."""
        if backend == "off":
            return ()
        always = (self.retain, self.recall, self.reflect)
        return (*always, self.memory_edit) if backend == "local" else always

    @cached_property
    def retain(self) -> Block[Retain, Answer]:
        """``retain``: keep facts for later sessions."""

        async def retain(asked: Retain, ctx: Context) -> Answer:
            backend = in_use(self.current, ctx)
            return _kept(await backend.retain(ctx, asked.items), backend.verb)

        about = (
            "Keep facts that later sessions need: decisions and why, conventions, preferences, who does what. Not what "
            "is only being done now. Several at once go into one call."
        )
        return self._tool(retain, Retain, about)

    @cached_property
    def recall(self) -> Block[Recall, Answer]:
        """``recall``: what is kept about a question."""

        async def recall(asked: Recall, ctx: Context) -> Answer:
            backend = in_use(self.current, ctx)
            if asked.query.startswith(WHOLE):
                return _whole(asked.query, await backend.read(ctx, asked.query.removeprefix(WHOLE)))
            done = await backend.recall(ctx, asked.query)
            if not done.found:
                return Answer(text=NO_MATCH, details={"count": 0, "useless": True})
            head = f"{memories(len(done.found))} ({minute(done.at)}):"
            results = [
                {
                    "id": memory.id,
                    "score": memory.score,
                    "truncated": memory.truncated,
                    "full_length": memory.full_length,
                }
                for memory in done.found
            ]
            text = "\n".join([head, *bullets(done.found, backend.name)])
            return Answer(text=text, details={"count": len(done.found), "results": results})

        about = (
            "Look for what was kept in earlier sessions. Ask before you decide what was perhaps decided already. "
            f"Of one that ends in an ellipsis {WHOLE}ID gives all."
        )
        return self._tool(recall, Recall, about, title="memories", writes=False)

    @cached_property
    def reflect(self) -> Block[Reflect, Answer]:
        """``reflect``: an answer from what is kept."""

        async def reflect(asked: Reflect, ctx: Context) -> Answer:
            done = await in_use(self.current, ctx).reflect(ctx, asked.query, asked.context or "")
            if not done.text.strip():
                return Answer(text=NO_INFORMATION, details={"useless": True})
            return Answer(text=done.text, details={"sources": list(done.sources)})

        about = "Have a question answered from everything that was kept, where one memory alone does not tell."
        return self._tool(reflect, Reflect, about, title="reflection", writes=False)

    @cached_property
    def memory_edit(self) -> Block[Edit, Answer]:
        """``memory_edit``: change one memory by its id."""

        async def memory_edit(asked: Edit, ctx: Context) -> Answer:
            done = await in_use(self.current, ctx).edit(ctx, asked)
            return Answer(text=_told(done), details={"status": done.status, "id": done.id})

        about = "Correct a memory, delete it for good, or mark it as no longer so, by the id that recall printed."
        return self._tool(memory_edit, Edit, about)

    def _tool(
        self,
        fn: Callable[[A, Context], Awaitable[Answer]],
        takes: type[A],
        about: str,
        *,
        title: str = "",
        writes: bool = True,
    ) -> Block[A, Answer]:
        return _Tool(
            fn=fn,
            name=fn.__name__,
            description=about,
            input_schema=takes,
            output_schema=Answer,
            uses=tuple(dict.fromkeys([*self.uses, *STATE_RESOURCES])),
            title=title,
            has_side_effects=writes,
        )


def _whole(query: str, content: str | None) -> Answer:
    if content is None:
        return Answer(text=NO_MATCH, details={"count": 0, "useless": True})
    return Answer(text=content, details={"count": 1, "results": [{"id": query.removeprefix(WHOLE)}]})


def _kept(done: Retained, verb: str) -> Answer:
    """Return the count that was asked for, as the specification has it; what failed is in the details."""
    details: dict[str, Any] = {"count": done.count}
    if done.ids:
        details["ids"] = list(done.ids)
    if done.failed:
        details["failed"] = [{"index": failure.index, "reason": failure.reason} for failure in done.failed]
    if done.redacted:
        details["redacted"] = list(done.redacted)
    return Answer(text=f"{memories(done.count)} {verb}.", details=details)


def _told(done: Edited) -> str:
    text = _EDITED[done.status].format(id=done.id, place=done.place or "of a kind")
    return f"{text} It is {done.place}." if done.status == "not_found" and done.place else text
