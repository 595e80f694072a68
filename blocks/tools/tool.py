"""The form of a memory tool: a handler that is also a tool, and whose result may be stored text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from fabric.flow.block import Block
from fabric.flow.handler import Handler
from fabric.flow.tool import Tool
from fabric.generation.messages import as_text
from fabric.text.prompt import data_block


@dataclass(frozen=True, eq=False, kw_only=True)
class MemoryTool(Handler):
    """A handler that a model may call, of the category "memory". ``inner`` are the blocks that it runs.

    With ``title``, a model is shown the result as a block of background data of that title: it holds stored text.
    """

    inner: tuple[Block[Any, Any], ...] = ()
    title: str = ""
    has_side_effects: bool = True
    """Whether it changes the memory."""
    category: str = "memory"

    def children(self) -> Sequence[tuple[str, Block[Any, Any]]]:
        """Return the blocks of rescues, then those that it runs."""
        return [*super().children(), *((block.name, block) for block in self.inner)]

    def as_tool(self, *, name: str = "", description: str = "") -> Tool:
        """Return it as a tool: the fields of its input schema are the arguments."""
        plain = super().as_tool(name=name, description=description)
        shown = self._shown if self.title else None
        return replace(plain, shown=shown, category=self.category, has_side_effects=self.has_side_effects)

    def _shown(self, result: Any) -> str:
        return data_block(self.title, as_text(result))
