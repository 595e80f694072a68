"""What somebody or some animal close to the subject is called: one may have two dogs, but a corrected name is one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from .changes import COMPARED
from .owners import USER
from .slots import bare

MISHEARD = 0.6
"""From this likeness on, of two names the one is taken for a slip of the other: Biscuit and Biscotti, Ana and Anna."""
_ADDED = r"(?:new |own |younger |older |little |big |best |\d+[- ]year[- ]old )*"
_NAME = r"(?P<name>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)?)"
_FORMS = tuple(
    re.compile(pattern)
    for pattern in (
        (
            rf"(?:[Hh]as|[Aa]dopted|[Gg]ot|[Oo]wns) (?:an? |one )?{_ADDED}"
            rf"(?P<kind>[a-z][\w -]*?),? (?:named|called) {_NAME}$"
        ),
        rf"{_ADDED}(?P<kind>[A-Za-z][a-z-]+(?: [a-z]+)?) (?:is|is named|is called) {_NAME}$",
    )
)
_CORRECTED = re.compile(rf"{_ADDED}(?P<kind>[A-Za-z][a-z-]+(?: [a-z]+)?)['’]s name is {_NAME}$")


@dataclass(frozen=True, slots=True)
class Called:
    """Who is called what; ``corrected`` where the sentence only gives the name, as a correction does."""

    kind: str
    name: str
    corrected: bool


@lru_cache(maxsize=COMPARED)
def called(content: str, subject: str = USER) -> Called | None:
    """Return who ``content``, said of ``subject``, names, or None.

    >>> called("Has a dog named Biscuit"), called("Likes tea")
    (Called(kind='dog', name='Biscuit', corrected=False), None)
    """
    text = bare(content, subject)
    found = _CORRECTED.match(text)
    if found is not None:
        return Called(found["kind"].lower(), found["name"], corrected=True)
    for form in _FORMS:
        found = form.match(text)
        if found is not None:
            return Called(found["kind"].lower(), found["name"], corrected=False)
    return None


def renamed(content: str, known: Sequence[str], subject: str = USER) -> int | None:
    """Return which of ``known`` holds the name that ``content`` corrects, or None.

    With several of the kind only one whose name sounds like the right one is meant.

    >>> renamed("Dog's name is Biscotti", ["Has a dog named Rex", "Has a dog named Biscuit"])
    1
    """
    right = called(content, subject)
    if right is None or not right.corrected:
        return None
    held = [
        (index, one) for index, text in enumerate(known) if (one := called(text, subject)) and one.kind == right.kind
    ]
    if any(one.name == right.name for _, one in held):
        return None
    if len(held) == 1:
        return held[0][0]
    likeness = {index: SequenceMatcher(None, one.name.lower(), right.name.lower()).ratio() for index, one in held}
    best = max(likeness, key=likeness.__getitem__, default=None)
    return best if best is not None and likeness[best] >= MISHEARD else None
