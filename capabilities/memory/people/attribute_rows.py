"""What a cue asks of somebody: the attributes, and which rows tell them."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from capabilities.claims import ATTRIBUTES, SlotParts, asked_attributes
from capabilities.claims.attributes import related
from capabilities.claims.values.same_value import stems
from capabilities.relations.words import UNSPACED, kin_of, listed
from capabilities.retrieval.candidates import Candidates
from fabric.search.views import holds
from fabric.text.terms import Cue
from fabric.text.words import normalise, words

from .claim_columns import Slots

if TYPE_CHECKING:
    from .somebody import Somebody

Floats = NDArray[np.float32]
CACHED = 256
MANY = 0.3
"""What one of many values counts beside the only one: what the user likes is told by every liking."""
RELATED = 0.9
"""What a role counts where the employer is asked for, which its sentence may name, and the other way round."""
LONG = 5
"""From so many letters on, a word of a place may be part of a longer one of the cue: "Zahnarzt" of "Zahnarzttermin"."""
_OWN = frozenset({"name", "nickname", "last_name", "age"})
"""What is also asked of things that somebody has."""
_PEOPLE = frozenset({"partner", "boss", "doctor", "children", "siblings", "relationship_status"})
"""What words for people ask for, which also stand for whom a cue asks about: "where does my boss live?"."""


def wanted(cue: Cue, *, is_about_others: bool, asks_who: bool) -> dict[str, float]:
    """Return what each attribute that a cue asks for counts, from 0 to 1."""
    asked = set(asked_attributes(cue.text, cue.language))
    if is_about_others and not asks_who:
        asked -= _PEOPLE
    if not is_about_others and not _OWN.isdisjoint(asked) and _names_a_thing(cue):
        asked -= _OWN
    found = {name: 1.0 if ATTRIBUTES[name].single else MANY for name in asked}
    for name in asked:
        found |= {other: RELATED * found[name] for other in related(name) if other not in found}
    return found


def _names_a_thing(cue: Cue) -> bool:
    """Return whether a cue asks for the name or the age of something of the user's: "what is my cat called?"."""
    if cue.language in UNSPACED:
        return not any(own in cue.text for own in ("我叫", "我的名", "我多", "我几", "私の名", "私は何"))
    return any(word.spelling not in listed("own_name") for word in cue.words)


def answers(
    cue: Cue, candidates: Candidates, somebody: Sequence["Somebody"], *, asks_who: bool, others: bool = False
) -> Floats | None:
    """Return by number how far a row tells what is asked of somebody, or of all ``others``; None where none does."""
    mine = {name for person in somebody for name in person.names}
    asked = wanted(cue, is_about_others=any(person.unsure is not None for person in somebody), asks_who=asks_who)
    if not asked and not asks_who:
        return None
    found = np.zeros(candidates.size, np.float32)
    told = _said(cue.text)
    for group in candidates:
        slots, part = Slots.of(group.index), found[group.start : group.end]
        if slots is None:
            continue
        own = holds(group.index, "subject", mine)
        for name, counts in asked.items():
            fits = _fits(name, told)
            rows = slots.filled(name, fits=fits) & (~own if others else own)
            owned = slots.of_owners(lambda owner: others or any(person.owns(owner) for person in somebody), [name])
            part[rows | owned] = np.maximum(part[rows | owned], np.float32(counts))
    if asks_who or "name" in asked:
        for person in somebody:
            found[person.told] = 1.0
    return found if found.any() else None


@lru_cache(maxsize=CACHED)
def _said(cue: str) -> tuple[str, frozenset[str]]:
    """Return a cue in one spelling, and the stems of its words."""
    plain = normalise(cue).replace("colour", "color").replace("favour", "favor")
    return plain, frozenset(stem for word in words(plain) for stem in (word, *stems(word)))


def _fits(attribute: str, told: tuple[str, frozenset[str]]) -> Callable[[SlotParts], bool] | None:
    """Return what tells whether a place's detail is asked for; None where no detail tells places apart."""
    if not ATTRIBUTES[attribute].detail:
        return None
    text, said = told

    def fits(place: SlotParts) -> bool:
        detail = place.detail
        if not detail:
            return attribute not in ("favorite", "amount", "budget", "device", "due", "medication")
        if not detail.isascii() and detail in text:
            return True
        kin = kin_of(detail)[0]
        if kin and any(kin_of(word)[0] == kin for word in said):
            return True
        return _all_said((word for word in words(detail) if len(word) < LONG or word not in text), said)

    return fits


def _all_said(detail: Iterable[str], said: frozenset[str]) -> bool:
    return all(word in said or not said.isdisjoint(stems(word)) for word in detail)
