"""What recall returns: a memory with its score, every part of the score, and the turns that it rests on."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from capabilities.sources import Source
from capabilities.vocabulary import about

Tier = Literal["turn", "working", "episodic", "semantic", "trace", "goal", "belief", "reflection", "note"]
TIERS: tuple[Tier, ...] = get_args(Tier)
OTHER_TIERS: frozenset[Tier] = frozenset({"trace", "goal", "belief", "reflection", "note"})
"""What stands beside the tiers of a memory: traces, what agents keep in mind, and their notes."""
RELEVANT = 0.5
"""From this relevance on, the best result likely answers the cue; below it, likely nothing that does is stored."""
VISIBLE = 0.005
"""From this on a part is not nought when it is written with two decimals."""
SHOWN = 100
"""How many characters of a content an explanation shows."""


class Parts(BaseModel):
    """What a result's score is made of, before it is brought to the scale of ``relevance``. All are at least 0."""

    model_config = ConfigDict(frozen=True)

    text: float = 0.0
    """The words of the cue, and words of like meaning, found in it."""
    dense: float = 0.0
    """Its meaning, by its vector."""
    speaker: float = 0.0
    """That the cue names whose it is or who said it."""
    attribute: float = 0.0
    """That its claim is what the cue asks for, of whom the cue asks about."""
    neighbours: float = 0.0
    """The turns around it."""
    session: float = 0.0
    """The best turn of its session."""
    time: float = 0.0
    """That it was said when the cue says."""
    recency: float = 0.0
    """That it is put above an older one that it replaces."""
    exact: float = 0.0
    """That it holds exact tokens of the cue: an id, a version, a file name, an error code."""
    prior: float = 0.0
    """Its relevance without a cue, by its tier's formula; with one, a tenth of it."""


class Outdated(BaseModel):
    """Something that a turn says and that is no longer so: since when, and what is so ``now``, "" where nothing is."""

    model_config = ConfigDict(frozen=True)

    was: str
    now: str = ""
    since: datetime | None = None

    def __str__(self) -> str:
        """Return it as a note behind the turn.

        >>> print(Outdated(was="Lives in Berlin", now="Lives in Munich", since=datetime(2026, 5, 3)))
        no longer so since 3 May 2026: Lives in Berlin; now: Lives in Munich
        """
        return self.behind("")

    def behind(self, content: str) -> str:
        """Return it as a note behind a content, which is not said again where it is just what is no longer so."""
        since = f" since {self.since.day} {self.since:%B %Y}" if self.since else ""
        was = "" if self.was.strip(" .!") == content.strip(" .!") else f": {self.was}"
        return f"no longer so{since}{was}{f'; now: {self.now}' if self.now else ''}"


class RankedMemory(BaseModel):
    """One memory that was recalled: what it says, how relevant it is (0 to 1), and where it comes from.

    With a cue the best result's ``relevance`` says how sure it is that anything fits (see `RELEVANT`); the others' are
    shares of it. ``degraded`` says why the ranking is by words only, or by the plain question where a
    hypothetical answer was to be used, or is "".
    """

    model_config = ConfigDict(frozen=True)

    id: str
    content: str
    relevance: float
    source: Tier
    subject: str = ""
    category: str = ""
    durability: str = "persistent"
    prior: float = 0.0
    """Its relevance without the cue, by its tier's formula; 0 for a turn."""
    overlap: float = 0.0
    """The share of the cue's words found in it."""
    sources: list[Source] = Field(default_factory=list[Source])
    """The turns it rests on."""
    session: str = ""
    turn: int = 0
    said_at: datetime | None = None
    role: str = ""
    speaker: str = ""
    tags: list[str] = Field(default_factory=list[str])
    """What the turn is filed under; a memory is filed where its turns are, without naming it here."""
    outdated: list[Outdated] = Field(default_factory=list[Outdated])
    """What it says and is no longer so. A memory that is not so is recalled only where a cue asks about its time."""
    contested: list[str] = Field(default_factory=list[str])
    """What other facts say of the same place, where it is not known which came later: each may be so."""
    parts: Parts = Parts()
    degraded: str = ""
    nearest: int = Field(default=-1, exclude=True)
    """Which passage of a long content comes nearest to the cue by its vector, -1 for none."""

    slot: str = Field(default="", exclude=True)
    """The key of its claim, "" for a turn and for one of no attribute."""

    @property
    def said_by(self) -> str:
        """What stands before it in a prompt: who said the turn, or that it is a trace, a goal, a belief or so."""
        return self.source if self.source in OTHER_TIERS else self.speaker or self.role

    @property
    def note(self) -> str:
        """What is no longer so of it, in brackets, and what contests it; "" for nothing."""
        if self.contested:
            return f"(contested: also {', '.join(map(repr, self.contested))})"
        return f"[{'. '.join(note.behind(self.content) for note in self.outdated)}]" if self.outdated else ""

    def __str__(self) -> str:
        """Return what it says, with whose it is where it is not the user's: whom it is about, or who said the turn.

        A trace and an entry of a mind say that they are one. What is no longer so is noted behind it.

        >>> print(RankedMemory(id="f1", content="Lives in Hamburg", relevance=0.8, source="semantic", subject="anna"))
        about anna: Lives in Hamburg
        >>> print(RankedMemory(id="g1", content="See Japan", relevance=0.8, source="goal"))
        goal: See Japan
        """
        if self.source == "turn" or self.source in OTHER_TIERS:
            said_by = self.said_by if self.source in OTHER_TIERS or self.speaker or self.role != "user" else ""
            text = f"{said_by}: {self.content}" if said_by else self.content
            return f"{text} {self.note}" if self.note else text
        return about(self.subject, f"{self.content} {self.note}".rstrip())


def explain(found: Sequence[RankedMemory]) -> str:
    """Return why each result stands where it does, and above the next one.

    >>> print(explain([
    ...     RankedMemory(id="f1", content="Works at Stripe", relevance=0.8, source="semantic", parts=Parts(text=1.0)),
    ...     RankedMemory(id="t7", content="Hm", relevance=0.6, source="turn", parts=Parts(dense=0.7, session=0.05)),
    ... ]))
    1. 0.80 semantic f1: Works at Stripe
       1.00 = text 1.00
       above the next by 0.25: text +1.00, dense -0.70, session -0.05
    2. 0.60 turn t7: Hm
       0.75 = dense 0.70 + session 0.05
    """
    if not found:
        return "Nothing was found."
    lines: list[str] = []
    for place, memory in enumerate(found, 1):
        parts = memory.parts.model_dump()
        lines.append(f"{place}. {memory.relevance:.2f} {memory.source} {memory.id}: {_shown(memory.content)}")
        made_of = " + ".join(f"{name} {value:.2f}" for name, value in parts.items() if value >= VISIBLE)
        lines.append(f"   {sum(parts.values()):.2f} = {made_of or 'nothing'}")
        if place < len(found):
            lines.append(f"   {_above(parts, found[place].parts.model_dump())}")
    if found[0].relevance < RELEVANT and not _has_only_prior(found[0]):
        lines.append(f"The best is below {RELEVANT:.2f}: probably nothing that is stored answers the cue.")
    return "\n".join([*lines, *{memory.degraded for memory in found if memory.degraded}])


def _above(parts: Mapping[str, float], next_parts: Mapping[str, float]) -> str:
    more = {name: value - next_parts[name] for name, value in parts.items()}
    told = [
        f"{name} {by:+.2f}" for name, by in sorted(more.items(), key=lambda pair: -abs(pair[1])) if abs(by) >= VISIBLE
    ]
    by = sum(more.values())
    if by < VISIBLE:
        return f"level with the next{': ' if told else ''}{', '.join(told)}"
    return f"above the next by {by:.2f}: {', '.join(told)}"


def _has_only_prior(memory: RankedMemory) -> bool:
    """Return whether it was recalled without a cue."""
    return memory.relevance == memory.prior == memory.parts.prior


def _shown(content: str) -> str:
    """Return the begin of a text on one line, without what could steer a terminal."""
    flat = " ".join(content.split())
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in flat[:SHOWN])
