"""Deciding without a model which stored entry a new observation replaces, so that nothing unrelated is ever retired."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from snowballstemmer import stemmer

from fabric.text import FUNCTION_WORDS, word_set, words

from ..vocabulary import Observation
from .changes import COMPARED, changes_value, dates, designated, negated, numbers
from .claims import same_claim
from .relations import renamed
from .slots import Filled, bare, slot_of


@dataclass(frozen=True, slots=True)
class Existing:
    """What is known already: a working-memory entry, an episode or a fact, as the rules see it."""

    id: str
    subject: str
    content: str
    category: str
    confidence: float = 0.5
    reinforcement_count: int = 1


_STEM = stemmer("english")


def _stems(listed: str) -> frozenset[str]:
    return frozenset(_STEM.stemWords(listed.split()))


_LIGHT = word_set(
    "a an the is are was were be been am has have had do does did not no never longer any more "
    "anymore to of in on at for with and or their his her its my our user really very much so as "
    "that this they he she i we it will going"
    " about s still just now by from used can could would"
)
_POLAR = _stems(
    "like love enjoy prefer hate dislike detest adore stand fan favor favour into stop quit start "
    "give gave up given stopped began want avoid"
)
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
_CALLING = _stems(
    "cancelled canceled cancel called off scrapped no longer not going fell through dropped out "
    "backed postponed rescheduled moved pushed delayed changed until instead planned plan plans go"
)
_TRAVEL = _stems("trip visit visits visiting fly flying flight travel travelling vacation holiday journey tour weekend")
_ENDED = re.compile(
    r"^(?:(?:no longer|does not|did not|is not|is no longer|stopped|quit|left|gave up|used to|lost|"
    r"sold|has no|does not have|does not like)\b|resigned|retired|got (?:fired|laid off|divorced)|"
    r"broke up)",
    re.IGNORECASE,
)
_JOB_ENDED = re.compile(
    r"^(?:quit|left|lost) (?:their |my |his |her )?job\b|^(?:got |was |been )?(?:fired|laid off|made "
    r"redundant)\b|^(?:is )?(?:retired|unemployed|between jobs|out of work)\b",
    re.IGNORECASE,
)
_ONLY_ENDS = re.compile(
    r"^(?:(?:is )?no longer|stopped|quit|left|gave up|lost|sold|got (?:fired|laid off|divorced)|was "
    r"(?:fired|laid off)|broke up|resigned|cancell?ed)\b",
    re.IGNORECASE,
)
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
    filled = _slot(new.content, new.category)
    own = [entry for entry in existing if entry.subject.lower() == new.subject]
    misnamed = renamed(new.content, [entry.content for entry in own])
    if misnamed is not None:
        return own[misnamed].id
    for entry in reversed(own):
        if _replaces(new, filled, entry):
            return entry.id
    return ""


_LOOSE = re.compile(r"^(?:joined|moved|relocated|switched)\b")
_LOOSE_CATEGORIES = {"employer": {"profession"}, "job title": {"profession"}, "home": {"identity", "event"}}


def _slot(content: str, category: str) -> Filled | None:
    """Return the slot ``content`` fills; one joins a gym and moves to Linux too, so that needs the right category."""
    filled = slot_of(content)
    if filled is None or category in _LOOSE_CATEGORIES.get(filled.slot, {category}):
        return filled
    return None if filled.slot == "job title" or _LOOSE.match(bare(content)) else filled


def only_ends(content: str) -> bool:
    """Return whether ``content`` says that something is over and names nothing in its place.

    >>> only_ends("No longer works at Google"), only_ends("Does not like tea")
    (True, False)
    """
    return _ONLY_ENDS.match(bare(content)) is not None


def restates(new: Observation, entry: Existing) -> bool:
    """Return whether ``new`` says what is known in other words: the same value of a slot, or a liking of the same.

    >>> known = Existing("sf_1", "user", "Works at Stripe", "profession")
    >>> joined = Observation(content="Joined Stripe", importance=0.8, category="profession")
    >>> restates(joined, known)
    True
    """
    if entry.subject.lower() != new.subject:
        return False
    filled, held = _slot(new.content, new.category), _slot(entry.content, entry.category)
    if filled is not None and held is not None and filled.slot == held.slot:
        same = filled.value == held.value
    else:
        liked = _liked(new.content)
        same = bool(liked) and liked == _liked(entry.content)
    return same and not changes_value(entry.content, new.content)  # last, since it takes longest


_LIKING = _stems("like likes love loves enjoy enjoys adore adores fond fan favorite favourite prefer prefers")


@lru_cache(maxsize=COMPARED)
def _liked(text: str) -> tuple[str, ...]:
    """Return what is liked, in the order of its words, () where nothing is said to be liked."""
    stems = [stem for word in words(text) if word not in FUNCTION_WORDS for stem in [_STEM.stemWord(word)]]
    return tuple(stem for stem in stems if stem not in _LIKING) if _LIKING.intersection(stems) else ()


def _replaces(new: Observation, filled: Filled | None, entry: Existing) -> bool:
    if new.content.casefold() == entry.content.casefold():
        return False
    if same_claim(new.content, entry.content):
        return False
    if filled is not None:
        held = _slot(entry.content, entry.category)
        if held is not None and held.slot == filled.slot:
            return not _same_value(filled, held, new.content, entry.content)
    if new.category in _PLANS or entry.category in _PLANS:
        return _calls_off(new, entry)
    return _ends(new, entry) or (new.category == entry.category and (_denies(new, entry) or _recounts(new, entry)))


def _same_value(a: Filled, b: Filled, new: str, old: str) -> bool:
    smaller, larger = sorted((a.value, b.value), key=len)
    return smaller <= larger and negated(new) == negated(old)


@lru_cache(maxsize=COMPARED)
def _object(text: str) -> frozenset[str]:
    """Return what a sentence is about: the stems of its words without helpers, denials and words of liking."""
    stems = _STEM.stemWords([word for word in words(text) if word not in _LIGHT])
    return frozenset(stems) - _POLAR


def _denies(new: Observation, entry: Existing) -> bool:
    """Return whether one of the two is negated and both are about the same thing."""
    if negated(new.content) == negated(entry.content):
        return False
    return _about_same(_object(new.content), _object(entry.content))


def _ends(new: Observation, entry: Existing) -> bool:
    """Return whether ``new`` ends what is known, as "Left Google" or "Sold the boat" do, in any category."""
    if _JOB_ENDED.search(bare(new.content)):
        held = slot_of(entry.content)
        return held is not None and held.slot in {"employer", "job title"}
    if not _ENDED.search(bare(new.content)) or negated(entry.content):
        return False
    said = _object(new.content) - _OVER_VERBS
    known = _object(entry.content) - _OVER_VERBS
    return _about_same(said, known)


_OVER_VERBS = _stems(
    "left lost sold resigned retired work works working joined join has own owns have drives drive "
    "lives live drink drinks eat eats job company smoke"
)


def _about_same(a: frozenset[str], b: frozenset[str]) -> bool:
    if not a or not b:
        return False
    smaller, larger = sorted((a, b), key=len)
    return smaller <= larger and 2 * len(smaller) >= len(larger)


def _recounts(new: Observation, entry: Existing) -> bool:
    """Return whether it is the same sentence with another number: "5 years at Google", "6 years at Google".

    A number that says which thing is meant, as in "Invoice number 17 was paid", makes it another thing.
    """
    old, fresh = numbers(entry.content), numbers(new.content)
    if not old or not fresh or old == fresh or designated(new.content) != designated(entry.content):
        return False
    return _uncounted(new.content) == _uncounted(entry.content)


def _uncounted(text: str) -> list[str]:
    return [_STEM.stemWord(word) for word in words(text) if word not in _LIGHT and not numbers(word)]


def _calls_off(new: Observation, entry: Existing) -> bool:
    """Return whether a plan is called off or moved in its own words."""
    if entry.category not in _PLANS or not _CALLED_OFF.search(new.content) or _CALLED_OFF.search(entry.content):
        return False
    said = _undated(_object(new.content) - _CALLING, new.content)
    known = _undated(_object(entry.content) - _CALLING, entry.content)
    if not said or not known:
        return False
    if len(said) > 1 and said & _TRAVEL and known & _TRAVEL:
        said, known = said - _TRAVEL | {"trip"}, known - _TRAVEL | {"trip"}
    shared = said & known
    if _OVER.search(new.content):
        return len(shared) == len(said) or (len(shared) >= 2 and 3 * len(shared) >= 2 * len(said))
    return bool(dates(new.content) or numbers(new.content)) and shared in (said, known)


def _undated(stems: frozenset[str], text: str) -> frozenset[str]:
    when = {
        _STEM.stemWord(word)
        for word in words(text)
        if dates(word.capitalize()) or numbers(word) or word in {"next", "last", "week", "month", "year"}
    }
    return stems - when
