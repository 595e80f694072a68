"""What a later statement puts in doubt: an earlier one of the same thing, where the later one says that it changed."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol

from fabric.language import STOP_WORDS, guess_language
from fabric.text import content_words, words

from ..claims import says_change
from ..claims.attributes import form
from ..claims.values import day_names, is_when
from ..retrieval.recency import EDGE
from .ranked import RankedMemory

LOOKED_AT = 12
"""How many of the best are compared with each other."""


class Scored(Protocol):
    """A memory with its score, and what that is made of."""

    score: float
    parts: dict[str, float]

    @property
    def memory(self) -> RankedMemory:
        """The memory."""
        ...


def raise_later(found: Sequence[Scored]) -> None:
    """Put what says that something has changed above what was said of the same before it."""
    best = sorted(found, key=lambda one: -one.score)[:LOOKED_AT]
    for earlier, later in overtaken([one.memory for one in best]):
        one, raised = best[later], best[earlier].score * (1 + EDGE)
        if one.score < raised:
            one.parts["recency"] = one.parts.get("recency", 0.0) + raised - one.score
            one.score = raised


def overtaken(found: Sequence[RankedMemory]) -> Iterator[tuple[int, int]]:
    """Yield the places of an earlier memory and of a later one that repeats all it says, but when, and tells a change.

    Nothing is read of either: it is for statements whose claims are not understood, said by one and the same.

    >>> def said(text: str, day: int) -> RankedMemory:
    ...     at = datetime(2026, 5, day)
    ...     return RankedMemory(id=text, content=text, relevance=0.5, source="turn", role="user", said_at=at)
    >>> told = [said("The yoga is on Monday.", 1), said("They moved the yoga from Monday to Friday.", 2)]
    >>> list(overtaken(told)), list(overtaken([told[0], said("The yoga is fun.", 3)]))
    ([(0, 1)], [])
    """
    for later, changed in enumerate(found):
        when = _said_at(changed)
        if when is None or not says_change(changed.content):
            continue
        told = _about(changed)
        for earlier, memory in enumerate(found):
            before, core = _said_at(memory), _about(memory)
            is_before = before is not None and before < when and _voice(memory) == _voice(changed)
            if is_before and core and core < told:
                yield earlier, later


def _said_at(memory: RankedMemory) -> datetime | None:
    return max((source.ordered for source in memory.sources), default=memory.said_at)


def _voice(memory: RankedMemory) -> str:
    """Return who said it, as far as it is known: what rests on the user's turns is the user's."""
    return (memory.speaker or memory.role) if memory.source == "turn" else "user"


def _about(memory: RankedMemory) -> frozenset[str]:
    """Return the stems of what it is about: without small words, numbers, days and times."""
    said = words(form("time").sub(" ", memory.content))
    small = STOP_WORDS.get(guess_language(said), frozenset[str]()) | day_names()
    return content_words(" ".join(word for word in said if not (word in small or is_when(word) or word[0].isdigit())))
