"""What recall found, as the sections of a prompt: facts first, then what is in focus, then episodes."""

from bisect import bisect_right
from collections.abc import Sequence

from fabric.flow.context import Context
from fabric.record.events import Recalled
from fabric.text.prompt import data_block, one_line

from ..formulas.prompt_budget import pack, tokens
from ..keys import MEMORY
from ..semantic.format import format_facts
from ..vocabulary import about
from .layout import MemoryLayout
from .recall.recall import RankedMemory, recall


async def memory_context(ctx: Context, layout: MemoryLayout) -> str:
    """Return what is remembered as an escaped block of background data, "" when nothing is.

    The block has at most ``layout.context_tokens`` tokens (estimated at 4 characters each): what is least relevant is
    left out. Whoever streams the run is told which memories are in it, by a `Recalled` event.
    """
    told = fitting(list(map(_noted, await recall(ctx, layout))), layout.context_tokens, layout.title)
    if told:
        ctx.run.emit(Recalled(ctx.path, tuple(told)))
    return _block(told, layout.title)


def _noted(memory: RankedMemory) -> RankedMemory:
    """Return a memory that says what contests it."""
    return memory.model_copy(update={"content": f"{memory.content} {memory.note}"}) if memory.note else memory


def fitting(memories: Sequence[RankedMemory], limit: int, title: str = MEMORY) -> Sequence[RankedMemory]:
    """Return as many of the memories, most relevant first, as an escaped block of at most ``limit`` tokens holds."""
    most = len(pack((f"- {one_line(about(memory.subject, memory.content))}" for memory in memories), limit))
    size = bisect_right(range(1, most + 1), limit, key=lambda number: tokens(len(_block(memories[:number], title))))
    return memories[:size]


def _block(memories: Sequence[RankedMemory], title: str) -> str:
    return data_block(title, format_memories(memories))


def format_memories(memories: Sequence[RankedMemory]) -> str:
    """Return the sections: known facts (by subject when there are several), focus, episodes; "" for no memories."""
    facts = [memory for memory in memories if memory.source == "semantic"]
    working = [memory for memory in memories if memory.source == "working"]
    preferences = [memory for memory in working if memory.category == "preference"]
    lasting = [memory for memory in working if memory not in preferences and memory.category not in ("task", "event")]
    focus = [memory for memory in working if memory.category in ("task", "event")]
    episodes = [memory for memory in memories if memory.source == "episodic"]
    sections = [
        format_facts(facts),
        _section("Session context:", lasting),
        _section("Current focus:", focus),
        _section("User preferences:", preferences),
        _section("Recent experiences:", episodes),
    ]
    return "\n\n".join(section for section in sections if section)


def _section(title: str, memories: Sequence[RankedMemory]) -> str:
    return (
        "\n".join([title, *(f"- {one_line(about(memory.subject, memory.content))}" for memory in memories)])
        if memories
        else ""
    )
