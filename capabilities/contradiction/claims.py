"""Telling the same claim in other words: two texts that fill one slot with one value need not share their verbs."""

import re
from functools import lru_cache

from fabric.text import word_set, words

from .changes import COMPARED, changes_value
from .owners import USER
from .relations import called
from .slots import bare, slot_of

_ONE_PLACE = {"nickname": "name"}
"""Slots that are one place as long as the value is the same: who goes by Jake is called Jake."""
_OF_DATES = frozenset({"due", "birth date"})
"""Slots whose value is a date: here no date only says since when."""
_PERIOD = (
    r"(?:day|week|weekend|month|year|spring|summer|autumn|fall|winter|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|"
    r"november|december)"
)
_WHEN = (
    rf"(?:(?:last|this|next|past|the other) {_PERIOD}|yesterday|today|tomorrow|tonight|recently|lately|"
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?)?(?<!\w){_PERIOD}(?: \d{{1,2}}(?:st|nd|rd|th)?)?(?:,? \d{{4}})?|"
    r"(?:\d{1,2}/)?(?:19|20)\d\d(?:-\d\d){0,2}|(?:an?|one|two|three|four|five|six|a few|a couple of|\d+) "
    r"(?:days?|weeks?|months?|years?) ago)"
)
_BEGAN = re.compile(rf"(?:\b(?:since|in|on|from|as of|back in|early|late|mid|\()\s*)*\b{_WHEN}(?!\w)\)?", re.IGNORECASE)
_HELPING = word_set(
    "a an the is are was were am be been has have had at in on to of for with as by from and their his her my our user "
    "works work working worked employed joined joining hired got started starts starting switched employer company job "
    "lives live living resides based moved relocated settled home city back located name called named goes nickname "
    "first full prefers turned turns age aged years old birthday birth date born place birthplace "
    "reports boss supervisor wife husband spouse partner girlfriend boyfriend married dating favorite favourite "
    "color colour number phone email address"
)


def same_claim(a: str, b: str, subject: str = USER) -> bool:
    """Return whether ``a`` and ``b`` give one single-valued slot of ``subject`` the same value, in whatever words.

    When it began may be told differently or not at all, and one of the two may say more; the fuller one is worth
    keeping. Two texts that add different things, as two roles at one employer, are two claims.

    >>> same_claim("Joined Stripe last week", "Works at Stripe"), same_claim("Works at Google", "Works at Stripe")
    (True, False)
    """
    one, other = called(a, subject), called(b, subject)
    if one is not None and other is not None and (one.kind, one.name) == (other.kind, other.name):
        return True
    dated, undated = slot_of(a, subject), (_undated(a), _undated(b))
    if dated is not None and dated.slot.partition(":")[0] in _OF_DATES:
        undated = (a, b)
    first, second = slot_of(undated[0], subject), slot_of(undated[1], subject)
    if first is None or second is None or first.value != second.value or changes_value(*undated, subject):
        return False
    if _ONE_PLACE.get(first.slot, first.slot) != _ONE_PLACE.get(second.slot, second.slot):
        return False
    added = [set(words(bare(text, subject))) - first.value - _HELPING for text in undated]
    return added[0] <= added[1] or added[1] <= added[0]


@lru_cache(maxsize=COMPARED)
def _undated(text: str) -> str:
    """Return the text without what tells since when."""
    return _BEGAN.sub(" ", text)
