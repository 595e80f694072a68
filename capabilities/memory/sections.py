"""What recall found, as the sections of a prompt: facts first, then what is in focus, then episodes."""

from collections.abc import Iterable, Sequence

from fabric.context import Context
from fabric.prompt import data_block

from .layout import MemoryLayout
from .recall import RankedMemory, recall

LINE_CHARS = 500


async def memory_context(ctx: Context, layout: MemoryLayout) -> str:
    """Return what is remembered as an escaped block of background data, "" when nothing is."""
    text = format_memories(await recall(ctx, layout))
    return data_block("memory", text) if text else ""


def format_memories(memories: Sequence[RankedMemory]) -> str:
    """Return the sections: known facts (by subject when there are several), focus, episodes; "" for no memories."""
    facts = [one for one in memories if one.source == "semantic"]
    working = [one for one in memories if one.source == "working"]
    preferences = [one for one in working if one.category == "preference"]
    lasting = [one for one in working if one not in preferences and one.category not in ("task", "event")]
    focus = [one for one in working if one.category in ("task", "event")]
    episodes = [one for one in memories if one.source == "episodic"]
    sections = [
        *_fact_sections(facts),
        _section("Session context:", lasting),
        _section("Current focus:", focus),
        _section("User preferences:", preferences),
        _section("Recent experiences:", episodes),
    ]
    return "\n\n".join(section for section in sections if section)


def _fact_sections(facts: Sequence[RankedMemory]) -> Iterable[str]:
    subjects = sorted({one.subject for one in facts}, key=lambda subject: (subject != "user", subject))
    if len(subjects) < 2:
        yield _section("Known facts:", facts, labelled=True)
        return
    for subject in subjects:
        yield _section(f"About {subject}:", [one for one in facts if one.subject == subject], labelled=True)


def _section(title: str, memories: Sequence[RankedMemory], *, labelled: bool = False) -> str:
    if not memories:
        return ""
    lines = [f"- [{one.category}] {_line(one.content)}" if labelled else f"- {_line(one.content)}" for one in memories]
    return "\n".join([title, *lines])


def _line(content: str) -> str:
    flat = " ".join(content.split())
    return flat if len(flat) <= LINE_CHARS else f"{flat[:LINE_CHARS]}… (cut, {len(flat)} characters)"
