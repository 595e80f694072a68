"""Each thing once: a fact, its episode and its turn take one place, and nothing is shown that says the same again."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from capabilities.claims import USER, claim_of, compare, name_of, read_as
from capabilities.formulas.similarity import ALIKE, overlap
from fabric.text.words import content_words, words

from .ranked import OTHER_TIERS, RankedMemory

LONG = 2_000
"""Characters from which on a turn is not compared word by word with the memories that rest on it."""
AS_MUCH = 0.7
"""From this share of a text's words on, others that hold them say as much as it does."""


def says_same(memory: RankedMemory, other: RankedMemory) -> bool:
    """Return whether a memory says nothing that another one, about the same subject, does not say.

    Facts were compared with each other when they were written: two that stand side by side are two.
    """
    if memory.source == other.source == "semantic":
        return False
    if memory.subject != other.subject or not memory.subject:
        if not {memory.source, other.source} & OTHER_TIERS:
            return False
        memory, other = _told_alike(memory, other), _told_alike(other, memory)
    verdict = compare(claim_of(other), claim_of(memory))
    return verdict == "same" or (verdict == "refines" and set(words(memory.content)) <= set(words(other.content)))


def _told_alike(memory: RankedMemory, other: RankedMemory) -> RankedMemory:
    """Return a memory under the subject by which it can be compared with another one.

    A trace or an entry of a mind is about nobody by itself: about somebody whom it names, else about the user.
    """
    if memory.subject:
        return memory
    spoken = words(memory.content)
    is_named = bool(other.subject) and any(word in spoken for word in words(name_of(other.subject)))
    return memory.model_copy(update={"subject": other.subject if is_named else USER})


def by_turn(facts: Iterable[RankedMemory]) -> dict[str, list[tuple[int, RankedMemory]]]:
    """Return facts with their places, by the turns that they were drawn from."""
    found: dict[str, list[tuple[int, RankedMemory]]] = {}
    for place, fact in enumerate(facts):
        for source in fact.sources:
            found.setdefault(source.turn_id, []).append((place, fact))
    return found


def leader(
    memory: RankedMemory, facts: Mapping[str, Sequence[tuple[int, RankedMemory]]], known: Sequence[RankedMemory]
) -> RankedMemory:
    """Return the fact that stands for a turn, an episode or an entry: drawn from the same turn, and saying the same.

    For a trace or an entry of a mind, that is any of the ``known`` facts that says the same.
    """
    if memory.source == "semantic":
        return memory
    if memory.source in OTHER_TIERS:
        return next((fact for fact in known if says_same(memory, fact)), memory)
    drawn = dict(fact for source in memory.sources for fact in facts.get(source.turn_id, ()))
    for _, fact in sorted(drawn.items()) if drawn else ():
        if memory.source == "turn":
            own, theirs = content_words(memory.content), content_words(fact.content)
            alike = overlap(own, theirs) > ALIKE and overlap(theirs, own) > ALIKE
            if alike or compare(claim_of(fact), read_as(memory.content, fact.subject)) == "same":
                return fact
        elif says_same(memory, fact):
            return fact
    return memory


@dataclass(slots=True)
class Once:
    """What was chosen so far, best first."""

    memories: list[RankedMemory] = field(default_factory=list[RankedMemory])
    turns: dict[str, RankedMemory] = field(default_factory=dict[str, RankedMemory])
    said: dict[str, set[str]] = field(default_factory=dict[str, "set[str]"])
    """By the id of a turn, the stems of the memories that rest on it."""

    def takes(self, memory: RankedMemory) -> bool:
        """Return whether a memory says something new, and take it in then."""
        if memory.source == "turn":
            said = self.said.get(memory.id)
            if said and (held := _stems(memory)) and overlap(held, said) >= AS_MUCH:
                return False
            if any(says_same(memory, other) for other in self.memories if other.source in OTHER_TIERS):
                return False
            self.turns[memory.id] = memory
            return True
        own = set(content_words(memory.content))
        told = [_stems(self.turns[source.turn_id]) for source in memory.sources if source.turn_id in self.turns]
        if any(own and overlap(own, turn) >= AS_MUCH for turn in told):
            return False
        turns = self.turns.values() if memory.source in OTHER_TIERS else ()
        if any(says_same(memory, other) for other in (*self.memories, *turns)):
            return False
        self.memories.append(memory)
        for source in memory.sources:
            self.said.setdefault(source.turn_id, set()).update(own, words(name_of(memory.subject)))
        return True


def _stems(turn: RankedMemory) -> set[str]:
    """Return what a turn is about, nothing where it is long."""
    return set(content_words(turn.content)) if len(turn.content) < LONG else set()
