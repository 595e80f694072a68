"""What a later statement puts in doubt: an earlier one of the same thing, where the later one says that it changed."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Protocol

from capabilities.claims import asked_attributes, name_of, says_change
from capabilities.claims.attributes import form
from capabilities.claims.values.same_value import day_names, is_when
from capabilities.retrieval.time.recency import EDGE
from fabric.text.language import STOP_WORDS, guess_language, language_of, stem
from fabric.text.words import FUNCTION_WORDS, words

from .ranked import RankedMemory

CACHED = 2_048
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


def raise_later(found: Sequence[Scored], cue: str) -> None:
    """Put what says that something has changed above what was said of the same before it."""
    best = sorted(found, key=lambda scored: -scored.score)[:LOOKED_AT]
    for earlier, later in overtaken([scored.memory for scored in best], cue):
        scored, raised = best[later], best[earlier].score * (1 + EDGE)
        if scored.score < raised:
            scored.parts["recency"] = scored.parts.get("recency", 0.0) + raised - scored.score
            scored.score = raised


def overtaken(found: Sequence[RankedMemory], cue: str = "") -> Iterator[tuple[int, int]]:
    """Yield the places of an earlier memory and of a later one by the same person that tells a change of the same.

    The later one repeats all that the earlier one says but when; or both speak of a thing that the cue asks about, no
    person, where it asks what is so now or when, and the earlier one is the user's message or a plan. Nothing is read
    of either.

    >>> def said(text: str, day: int) -> RankedMemory:
    ...     at = datetime(2026, 5, day)
    ...     return RankedMemory(id=text, content=text, relevance=0.5, source="turn", role="user", said_at=at)
    >>> told = [said("The yoga is on Monday.", 1), said("They moved the yoga from Monday to Friday.", 2)]
    >>> list(overtaken(told)), list(overtaken([told[0], said("The yoga is fun.", 3)]))
    ([(0, 1)], [])
    """
    asked = frozenset[str]()
    if _asks_what_holds(cue):
        asked = _stems(cue).difference(*(words(name_of(memory.subject)) for memory in found))
    said = [(_said_at(memory), _voice(memory)) for memory in found]
    for later, changed in enumerate(found):
        when, voice = said[later]
        is_change = when is not None and says_change(changed.content)
        if when is None or not (is_change or (asked and tells_turn(changed.content))):
            continue
        told = _stems(changed.content)
        for earlier, memory in enumerate(found):
            before, own = said[earlier]
            if before is None or before >= when or own != voice:
                continue
            core = _stems(memory.content)
            repeats = is_change and bool(core) and core < told
            if repeats or (_is_passing(memory) and core & told & asked):
                yield earlier, later


def tells_turn(text: str) -> bool:
    """Return whether a text says that something turned out otherwise: what is called off, sold or mistaken.

    >>> tells_turn("scratch that, dinner is bumped to Monday"), tells_turn("Dinner is on Sunday")
    (True, False)
    """
    return form("turn").search(text) is not None


def _asks_what_holds(cue: str) -> bool:
    """Return whether a cue asks when something is, or what is so now, and not when something was."""
    told = asked_attributes(cue, language_of(cue))
    is_open = not {"due", "plans"}.isdisjoint(told) or form("by_now").search(cue) is not None
    return is_open and form("past").search(cue) is None


def _is_passing(memory: RankedMemory) -> bool:
    return memory.source == "episodic" or (memory.role == "user" and not memory.speaker)


def _said_at(memory: RankedMemory) -> datetime | None:
    return max((source.ordered for source in memory.sources), default=memory.said_at)


def _voice(memory: RankedMemory) -> str:
    """Return who said it, as far as it is known: what rests on the user's turns is the user's."""
    return (memory.speaker or memory.role) if memory.source == "turn" else "user"


@lru_cache(maxsize=CACHED)
def _stems(text: str) -> frozenset[str]:
    """Return the stems of what a text is about: without small words, numbers, days and times."""
    spoken_words = words(form("time").sub(" ", text))
    small = _small_words(guess_language(spoken_words))
    told = (word for word in spoken_words if not (word in small or word[0].isdigit() or is_when(word)))
    return frozenset(stem(word, "english") for word in told)


@lru_cache(maxsize=len(STOP_WORDS))
def _small_words(language: str) -> frozenset[str]:
    return STOP_WORDS.get(language, frozenset()) | day_names() | FUNCTION_WORDS
