"""What the chat tells of the memory: what went into a prompt, what was learned, each with a number to ask by."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import typer

from .output import plain
from .tiers import about, day, shortened

if TYPE_CHECKING:
    from capabilities.memory.recall.recall import RankedMemory
    from capabilities.sources import Outcome
    from fabric import Job
    from fabric.usage import Usage

TOLD = 5
"""How many of the memories in a prompt are told; the rest is counted."""
KINDS = {"semantic": "fact", "episodic": "episode", "working": "this session", "turn": "turn"}
LEARNED = ("stored", "merged", "superseded")
_WHERE = re.compile(r"(\w+Error: )?([^:]* > [^:]*: )?")
LOST = ("deferred", "failed")


class Seen:
    """What a chat has told so far: a number for every memory, and what is in the last prompt."""

    def __init__(self) -> None:
        self.recalled: Sequence[RankedMemory] = ()
        self._contents: dict[str, str] = {}
        self._ids: list[str] = []

    def number(self, memory_id: str, content: str = "") -> int:
        """Return the number of a memory, a new one when it was not told before."""
        if memory_id not in self._contents:
            self._ids.append(memory_id)
        self._contents[memory_id] = content or self._contents.get(memory_id, "")
        return self._ids.index(memory_id) + 1

    def content(self, memory_id: str) -> str:
        """Return what a memory said when it was told, "" when it was not."""
        return self._contents.get(memory_id, "")

    def id(self, given: str) -> str:
        """Return the id that a number stands for, and anything else as it is; BadParameter for no such number."""
        if not given.isdecimal():
            return given
        if not 1 <= int(given) <= len(self._ids):
            raise typer.BadParameter(f"nothing was told with the number {given}")
        return self._ids[int(given) - 1]


def recalled_lines(seen: Seen, most: int | None = TOLD) -> list[str]:
    """Return a line for each memory in the last prompt, the most relevant first, at most ``most`` of them."""
    lines = [
        f"  recalled {seen.number(memory.id, said := about(memory.subject, memory.content))}: {_shown(said)}"
        f" ({KINDS[memory.source]}, {memory.relevance:.2f}{_said(memory)})"
        for memory in seen.recalled[:most]
    ]
    more = len(seen.recalled) - len(lines)
    return [*lines, f"  and {more} more: /show recalled"] if more else lines


def learned_lines(outcomes: "Sequence[Outcome]", seen: Seen, statements: Mapping[str, str]) -> list[str]:
    """Return a line for each thing that was learned or lost; ``statements`` give what the ids in the outcomes say."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.status in (*LEARNED, *LOST):
            groups.setdefault(outcome.content, []).append(outcome)
    return [f"  {_learned(group, seen, statements)}" for group in groups.values()]


def reason(error: str) -> str:
    """Return what went wrong without the name of the error's class and the path of the block.

    >>> reason("ModelError: chat > memory/observe > memory/observer: model 'x': check the key")
    "model 'x': check the key"
    """
    return plain(_WHERE.sub("", error, count=1))


def left_line(left: "Sequence[Job]") -> str:
    """Return what becomes of background work that is not done, "" when there is none."""
    failed = sum(job.status == "failed" for job in left)
    waiting = len(left) - failed
    parts = [f"{waiting} left for the next chat" if waiting else "", f"{failed} failed" if failed else ""]
    return f"Background work: {', '.join(filter(None, parts))}; see thought-fabric jobs." if left else ""


def usage_line(who: str, usage: "Usage") -> str:
    """Return what model calls took: tokens, and money where its price is known.

    >>> from fabric.usage import Usage
    >>> usage_line("answer", Usage(input_tokens=1200, output_tokens=30, cost=0.00042, calls=1))
    '  answer: 1200 tokens in, 30 out, $0.0004'
    """
    cost = f", ${usage.cost:.4f}" if usage.cost else ""
    return f"  {who}: {usage.input_tokens} tokens in, {usage.output_tokens} out{cost}"


def _learned(group: "Sequence[Outcome]", seen: Seen, statements: Mapping[str, str]) -> str:
    order = list(KINDS)
    group = sorted(group, key=lambda outcome: order.index(outcome.tier or "turn"))
    first = group[0]
    if first.status in LOST:
        return f"not learned: {_shown(first.content)} ({plain(first.reason or first.status)})"
    changed = next((outcome for outcome in group if outcome.status == "superseded"), None)
    before = "" if changed is None else statements.get(changed.replaced) or seen.content(changed.replaced)
    if not first.id:
        return f"no longer so {seen.number(first.replaced, before)}: {_shown(before)} ({plain(first.reason)})"
    lasting = [outcome for outcome in group if outcome.tier != "working"] or group
    now = statements.get(first.id, first.content)
    what = f"{_shown(before)} → {_shown(now)}" if before else _shown(now)
    kinds = ", ".join(_kind(outcome) for outcome in lasting)
    return f"learned {seen.number(first.id, now)}: {what} ({kinds})"


def _kind(outcome: "Outcome") -> str:
    kind = KINDS[outcome.tier or "turn"]
    if outcome.status == "stored":
        return f"new {kind}" if outcome.tier != "working" else kind
    if outcome.status == "merged":
        return f"{kind} reinforced"
    return f"{kind} changed"


def _said(memory: "RankedMemory") -> str:
    moment = memory.sources[-1].said_at if memory.sources else memory.said_at
    return f", said {day(moment)}" if moment is not None else ""


def _shown(text: str) -> str:
    return plain(shortened(text))
