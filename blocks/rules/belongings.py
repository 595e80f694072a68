"""What belongs to somebody close to the speaker, and who is named in passing."""

import re
from collections.abc import Iterator

from capabilities.contradiction import called
from capabilities.vocabulary import Category, Observation

from .kin import HUMANS, NAME, NOT_NAMES, RELATION, introduced, subject_of
from .rule import observed
from .voice import trimmed

BELONGS = re.compile(
    r"(?:(?P<born>birthday|birth ?date|date of birth)|(?P<own>(?:middle|last|maiden) name|surname|nickname|pronouns|"
    r"(?:phone|mobile|cell)(?: number)?|e-?mail(?: address)?|address|job(?: title)?|employer|"
    r"favou?rite [\w -]{2,30}?|allergy|diet)|"
    rf"(?P<rel>{HUMANS})(?:'s name)?) (?:is|are) (?:now |actually )?(?:called |named )?(?P<x>.{{2,60}})$",
    re.IGNORECASE,
)
OF_ONE = re.compile(rf"{NAME}['’]s (?P<rest>.+)$")
OF_KIN = re.compile(
    rf"(?:my|our) (?P<kin>{HUMANS})['’]s (?P<rest>(?:birthday|birth ?date) (?:is|are) .+)$", re.IGNORECASE
)
OF_THEM = re.compile(r"(?:his|her) (?P<rest>.+)$", re.IGNORECASE)
COMPANION = re.compile(
    rf"\b(?:with|and|for|from|to|by|of|at) (?:my|our) {RELATION},? {NAME}(?=$|[ ,.!]|['’]s\b)(?! and my\b)"
)
_AT_HOME_WITH = re.compile(
    rf"(?P<home>(?:I|we) (?:live|am living|are living|reside) .+?),? (?:together )?with (?:my|our) {RELATION},? {NAME}$"
)


def companions(clause: str) -> Iterator[Observation | None]:
    """Yield whom ``clause`` names in passing as close to the speaker.

    >>> [seen.content for seen in companions("I live in Lisbon with my wife Jennifer") if seen]
    ['Wife is Jennifer']
    """
    for found in COMPANION.finditer(clause):
        if found["name"].split()[0] not in NOT_NAMES:
            yield introduced(found["rel"], found["name"])


def without_companion(clause: str) -> str:
    """Return a clause about the speaker's home without the named person it is shared with.

    >>> without_companion("I live in Lisbon with my wife Jennifer")
    'I live in Lisbon'
    """
    found = _AT_HOME_WITH.match(clause)
    return found["home"] if found and found["name"].split()[0] not in NOT_NAMES else clause


def corrected(seen: Observation) -> Observation:
    """Return ``seen`` as the correction of a name: one may have two dogs, but this one is called otherwise.

    >>> corrected(Observation(content="Has a dog named Rex", importance=0.7, category="relationship")).content
    "Dog's name is Rex"
    """
    one = called(seen.content) if seen.category == "relationship" else None
    if one is None:
        return seen
    return seen.model_copy(update={"content": f"{one.kind[:1].upper()}{one.kind[1:]}'s name is {one.name}"})


def belonging(name: str, rest: str) -> Observation | None:
    """Return what is said of something that ``name`` has: a birthday, a spouse, a favourite dish."""
    found = BELONGS.match(trimmed(rest))
    if found is None or name.isupper():
        return None
    if found["born"]:
        return observed(f"{found['born']} is {found['x']}", "identity", "permanent", 0.8, subject_of(name))
    if found["rel"]:
        if not found["x"][:1].isupper() or found["x"].split()[0] in NOT_NAMES:
            return None
        return observed(f"{found['rel']} is {found['x']}", "relationship", "persistent", 0.65, subject_of(name))
    own = found["own"].lower()
    category: Category = "identity"
    if own.startswith("favo"):
        category = "preference"
    elif own.startswith(("job", "employer")):
        category = "profession"
    return observed(f"{found['own']} is {found['x']}", category, "persistent", 0.65, subject_of(name))
