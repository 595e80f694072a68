"""Deciding without a model which stored entry a new observation replaces, so that nothing unrelated is ever retired."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import regex

from fabric.language import stem
from fabric.text import FUNCTION_WORDS, word_set, words

from ..vocabulary import Observation
from .changes import COMPARED, changes_value, dates, designated, negated, numbers
from .claims import same_claim
from .endings import LIGHT, about, ends, leaves, parted_from_another, stems, undated
from .extent import EXTENT
from .owners import spoken_of
from .relations import renamed
from .slots import Filled, slot_of
from .small import turned


@dataclass(frozen=True, slots=True)
class Existing:
    """What is known already: a working-memory entry, an episode or a fact, as the rules see it."""

    id: str
    subject: str
    content: str
    category: str
    confidence: float = 0.5
    reinforcement_count: int = 1


_CALLED_OFF = re.compile(
    r"\b(?:cancell?ed|cancels?|called off|calls off|scrapped|no longer going|not going|fell through|"
    r"dropped out of|backed out of|postponed|rescheduled|moved|pushed|delayed|brought forward|gave up "
    r"on|skipped|changed)\b",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"\b(?:cancell?ed|cancels?|called off|scrapped|no longer|not going|fell through|dropped out|"
    r"backed out|gave up)\b",
    re.IGNORECASE,
)
_CALLING = stems(
    "cancelled canceled cancel called off scrapped no longer not going fell through dropped out "
    "backed postponed rescheduled moved pushed delayed changed until instead planned plan plans go"
)
_TRAVEL = stems("trip visit visits visiting fly flying flight travel travelling vacation holiday journey tour weekend")
_PLANS = frozenset({"event", "task"})


def find_replaced(new: Observation, existing: Sequence[Existing]) -> str:
    """Return the id of the entry in ``existing`` that ``new`` replaces, or ``""``; the latest one wins.

    Only an entry of the same subject can be replaced, and only when both fill the same single-valued slot with another
    value, when one denies or ends what the other says, or when a plan is called off or moved.

    >>> known = [Existing("wm_1", "user", "Works at Google", "profession")]
    >>> joined = Observation(content="Joined Stripe", importance=0.8, category="profession")
    >>> find_replaced(joined, known)
    'wm_1'
    """
    filled = _slot(new.content, new.category, new.subject)
    own = [entry for entry in existing if entry.subject.lower() == new.subject]
    misnamed = renamed(new.content, [entry.content for entry in own], new.subject)
    if misnamed is not None:
        return own[misnamed].id
    others = [entry for entry in reversed(own) if not _says_the_same(new, entry)]
    for does in (_fills_anew, _is_said_over):
        for entry in others:
            if does(new, filled, entry):
                return entry.id
    return ""


_LOOSE = re.compile(r"^(?:joined|moved|relocated|switched)\b")
_LOOSE_CATEGORIES = {"employer": {"profession"}, "job title": {"profession"}, "home": {"identity", "event"}}
_OF_SOMEBODY = {"identity", "event", "relationship", "attribute"}
_CHANGING = re.compile(
    r"\b(?:moved|relocated|now|joined|switched|changed|hired|started|became|promoted|transferred|(?:re)?assigned|"
    r"divorced|married|turned)\b",
    re.IGNORECASE,
)
"""What says that something is otherwise than before: "Sister moved to Rome" is of the sister who lived in Oslo."""
_SEVERAL = frozenset({"team"})
"""Slots that may hold several values, unless a sentence says that it is another one now."""


def _slot(content: str, category: str, subject: str) -> Filled | None:
    """Return the slot ``content`` fills; one joins a gym and moves to Linux too, so that needs the right category."""
    filled = slot_of(content, subject)
    if filled is None:
        return None
    place = filled.slot.partition(" of ")[0] if filled.owner else filled.slot
    if filled.owner and place == "home" and category in _OF_SOMEBODY:
        return filled
    if category in _LOOSE_CATEGORIES.get(place, {category}):
        return filled
    return None if place == "job title" or _LOOSE.match(filled.said) else filled


def restates(new: Observation, entry: Existing) -> bool:
    """Return whether ``new`` says what is known in other words: the same value of a slot, or a liking of the same.

    >>> known = Existing("sf_1", "user", "Works at Stripe", "profession")
    >>> joined = Observation(content="Joined Stripe", importance=0.8, category="profession")
    >>> restates(joined, known)
    True
    """
    if entry.subject.lower() != new.subject:
        return False
    filled = _slot(new.content, new.category, new.subject)
    held = _slot(entry.content, entry.category, new.subject)
    if filled is not None and held is not None and filled.slot == held.slot:
        same = filled.value == held.value
    else:
        liked = _liked(new.content)
        same = bool(liked) and liked == _liked(entry.content)
    return same and not changes_value(entry.content, new.content, new.subject)  # last, since it takes longest


_LIKING = stems("like likes love loves enjoy enjoys adore adores fond fan favorite favourite prefer prefers")


@lru_cache(maxsize=COMPARED)
def _liked(text: str) -> tuple[str, ...]:
    """Return what is liked, in the order of its words, () where nothing is said to be liked."""
    found = [stem(word, "english") for word in words(text) if word not in FUNCTION_WORDS]
    return tuple(one for one in found if one not in _LIKING) if _LIKING.intersection(found) else ()


def _says_the_same(new: Observation, entry: Existing) -> bool:
    same = new.content.casefold() == entry.content.casefold()
    return same or same_claim(new.content, entry.content, new.subject)


def _fills_anew(new: Observation, filled: Filled | None, entry: Existing) -> bool:
    """Return whether both fill one slot and the value is another."""
    held = _held(filled, new, entry)
    if filled is None or held is None or _same_value(filled, held, new.content, entry.content):
        return False
    if filled.slot.startswith("relationship status") and parted_from_another(filled, held):
        return False
    changes = _CHANGING.search(new.content) is not None
    if filled.is_one and filled.slot not in _SEVERAL:
        return changes or not _is_part(filled, held)
    return changes and (not filled.slot.startswith("age of ") or _is_birthday(filled, held))


def _is_part(filled: Filled, held: Filled) -> bool:
    """Return whether one value is a place in which the other may be: who lives in Germany may live in Berlin."""
    if filled.slot.partition(" of ")[0] not in {"home", "birthplace"}:
        return False
    return _extent(filled) != _extent(held)


def _extent(place: Filled) -> int:
    return max((EXTENT.get(word, 0) for word in place.value), default=0)


def _held(filled: Filled | None, new: Observation, entry: Existing) -> Filled | None:
    held = _slot(entry.content, entry.category, new.subject) if filled is not None else None
    return held if filled is not None and held is not None and held.slot == filled.slot else None


def _is_birthday(filled: Filled, held: Filled) -> bool:
    """Return whether it is the child of before, a year older, and not its brother."""
    now, then = numbers(" ".join(filled.value)), numbers(" ".join(held.value))
    return len(now) == len(then) == 1 and now[0] == str(int(then[0]) + 1)


def _is_said_over(new: Observation, filled: Filled | None, entry: Existing) -> bool:
    """Return whether one says that the other is over, or denies it, or counts anew what it counts."""
    if _held(filled, new, entry) is not None:
        return False
    if new.category in _PLANS or entry.category in _PLANS:
        moves_home = filled is not None and filled.slot == "home"
        return not moves_home and _calls_off(new, entry)
    if ends(new.content, entry.content, new.subject):
        return True
    one, other = spoken_of(new.content, new.subject), spoken_of(entry.content, new.subject)
    if new.category != entry.category or one.owner != other.owner:
        return False
    return _denies(new.content, entry.content) or (one.is_one and _recounts(new, entry))


def _same_value(a: Filled, b: Filled, new: str, old: str) -> bool:
    smaller, larger = sorted((a.value, b.value), key=len)
    return smaller <= larger and negated(new) == negated(old)


_TASTE = stems("like love enjoy prefer hate dislike detest adore stand fan favor favour into want favorite favourite")


def _denies(new: str, old: str) -> bool:
    """Return whether one of the two is negated and both are about the same thing.

    Who likes no coffee likes no black coffee either, but who likes no black coffee may like coffee.
    """
    if negated(new) == negated(old) or _is_of_taste(new) != _is_of_taste(old) or leaves(new) or leaves(old):
        return False
    if turned(new, old):
        return False
    said, known = about(new), about(old)
    if not said or not known:
        return False
    return said == known or (negated(new) and said < known and 2 * len(said) >= len(known))


def _is_of_taste(text: str) -> bool:
    return any(stem(word, "english") in _TASTE for word in words(text))


_STATES = word_set("is are am has have")
_PAST_VERBS = word_set(
    "went bought saw met ran won paid ate read took made got lost sold spent wrote gave sent drove flew swam had was "
    "did came found built broke caught drank fell heard held kept left rode sang spoke taught threw wore"
)
_OF_A_DAY = regex.compile(r"\d+(?:st|nd|rd|th)\b|\d+[- ](?:year|month|week|day)s?[- ]old \w|\b[Hh]as an? .*\bat \d")


def _recounts(new: Observation, entry: Existing) -> bool:
    """Return whether it is the same sentence with another number: "5 years at Google", "6 years at Google".

    A number that says which thing is meant, as in "Invoice number 17 was paid", or when something was, makes it another
    thing, and what somebody did they may have done twice.
    """
    fresh = numbers(new.content)
    if not fresh:  # the known text need not be read for its numbers
        return False
    old = numbers(entry.content)
    if len(old) != len(fresh) or designated(new.content) != designated(entry.content):
        return False
    changed = [pair for pair in zip(old, fresh, strict=True) if pair[0] != pair[1]]
    if len(changed) != 1 or _uncounted(new.content) != _uncounted(entry.content):
        return False
    return not any(
        _says_when(text, number) or not _is_state(text, number)
        for text, number in ((entry.content, changed[0][0]), (new.content, changed[0][1]))
    )


def _says_when(text: str, number: str) -> bool:
    if _OF_A_DAY.search(text) or (len(number) == 4 and number[:2] in ("19", "20")):
        return True
    listed = [word for word in words(text) if word not in {"am", "pm"}]
    near = pairwise([(bool(numbers(word)), bool(dates(f"in {word}"))) for word in listed])
    return any((one[0] and other[1]) or (one[1] and other[0]) for one, other in near)


def _is_state(text: str, number: str) -> bool:
    """Return whether a sentence says how it is, and not what was done."""
    listed = words(text)
    before = next((listed[:at] for at, word in enumerate(listed) if number in numbers(word)), listed)
    first = words(spoken_of(text).rest)[:1]
    if not before:
        return True
    if not first or first[0] in _PAST_VERBS or first[0].endswith("ed"):
        return False
    return not _STATES.isdisjoint(before) or any(word.endswith("s") for word in before)


def _uncounted(text: str) -> list[str]:
    return [stem(word, "english") for word in words(text) if word not in LIGHT and not numbers(word)]


def _calls_off(new: Observation, entry: Existing) -> bool:
    """Return whether a plan is called off or moved in its own words."""
    if entry.category not in _PLANS or not _CALLED_OFF.search(new.content) or _CALLED_OFF.search(entry.content):
        return False
    said = undated(about(new.content) - _CALLING, new.content)
    known = undated(about(entry.content) - _CALLING, entry.content)
    if not said or not known:
        return False
    if len(said) > 1 and said & _TRAVEL and known & _TRAVEL:
        said, known = said - _TRAVEL | {"trip"}, known - _TRAVEL | {"trip"}
    shared = said & known
    if _OVER.search(new.content):
        return len(shared) == len(said) or (len(shared) >= 2 and 3 * len(shared) >= 2 * len(said))
    return bool(dates(new.content) or numbers(new.content)) and shared in (said, known)
