"""The words of ``words.json``: who is who to somebody, in many languages, and the small words that say to whom."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fabric.text import word_set

_LISTED: Mapping[str, Mapping[str, Mapping[str, Any]]] = json.loads(
    Path(__file__).with_name("words.json").read_text(encoding="utf-8")
)
"""By language: ``people``, whom words mean, several in a row joined by ``_``, and ``grammar``, as `Grammar` has it."""

IMPLIED = frozenset({"married", "reporting"})
"""What tells of somebody without naming a person: of a spouse, of a boss."""

SPECIFIC: Mapping[str, frozenset[str]] = {
    "parent": word_set("mother father stepmother stepfather"),
    "sibling": word_set("brother sister twin"),
    "child": word_set("son daughter stepson stepdaughter twin"),
    "spouse": word_set("wife husband partner fiance"),
    "partner": word_set("wife husband spouse fiance boyfriend girlfriend"),
    "married": word_set("wife husband spouse partner fiance"),
    "reporting": word_set("boss"),
    "grandparent": word_set("grandmother grandfather"),
    "grandchild": word_set("grandson granddaughter"),
    "in_laws": word_set("mother_in_law father_in_law sister_in_law brother_in_law"),
    "friend": word_set("boyfriend girlfriend roommate"),
}
"""Whom a word means that is more general than others."""

_LOOSE = frozenset({"family", "friend"})
"""What is said of these is said of nobody in particular."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """The small words of a language that say whose somebody is, and which names they bear."""

    mine: frozenset[str]
    """My, our."""
    others: frozenset[str]
    """His, her, their, your."""
    of: frozenset[str] = frozenset()
    """What stands between somebody and whose they are: "the wife of my brother"."""
    beside: frozenset[str] = frozenset()
    """Prepositions: behind them somebody is spoken of, and not asked about."""
    i: frozenset[str] = frozenset()
    """I, we: whoever asks with them asks about themselves too."""
    called: frozenset[str] = frozenset()
    """Verbs between somebody and their name."""
    third: frozenset[str] = frozenset()
    """He, she, they: what stands for somebody who was named just before."""
    is_suffixed: bool = False
    """Whether the word itself says whose it is: "siskoni"."""
    is_behind: bool = False
    """Whether "my" may stand behind: "sora mea"."""
    genitive: frozenset[str] = frozenset()
    """My, behind somebody who is my brother's: "die Frau meines Bruders"."""


def _grammar(listed: Mapping[str, Any]) -> Grammar:
    given: dict[str, Any] = {
        name: value if isinstance(value, bool) else frozenset(value.split()) for name, value in listed.items()
    }
    return Grammar(**given)


GRAMMAR: Mapping[str, Grammar] = {language: _grammar(listed["grammar"]) for language, listed in _LISTED.items()}

ARTICLES = word_set("the a an der die das den dem des el la los las le les l il lo i gli o os as de het en ett")
UNSPACED = frozenset({"chinese", "japanese"})
OWN_TITLES = frozenset({"mother", "father", "grandmother", "grandfather"})
"""Who is one's own without saying so: "where does mum live?"."""
OLDER = word_set("older elder oldest eldest big ältere älteste große große mayor aînée aîné grande maggiore")
YOUNGER = word_set("younger youngest little small kid jüngere jüngste kleine menor cadette cadet petite minore")
QUALITIES: Mapping[str, str] = (
    dict.fromkeys(OLDER, "older")
    | dict.fromkeys(YOUNGER, "younger")
    | {
        word: word
        for word in ("twin", "half", "step", "late", "ex", "former", "new", "first", "second", "best", "middle")
    }
)
"""What tells two of the same kin apart."""
THINGS = word_set(
    "food house appointment appointments meeting visit interview party shower birthday wedding class game bill office"
)
"""What makes a thing of whom it stands behind: "my dentist appointment"."""
NOT_NAMES = word_set(
    "I It This That These Those There Here He She We They You What Who When Where Why How The A An "
    "My Our Your His Her Their And But So If Then Yes No Not Also Just Well Maybe Today Tomorrow "
    "Yesterday Everyone Everybody"
    " Someone Nobody Something Nothing Everything Thanks Please Hi Hello Hey God Python Java Docker "
    "Linux Windows Google Amazon Apple Microsoft English Spanish French German Monday Tuesday "
    "Wednesday Thursday Friday Saturday Sunday"
    " January February March April May June July August September October November December "
    "Christmas Work Life Food Music Coffee Tea Love Most Some Many All Both Each Every One Two Three "
    "Only Even Still Sometimes Never Always Actually"
    " People Kids Dogs Cats Mom Dad Mum Grandma Grandpa In On At For With From As By To Of Or Anyone "
    "Anybody Must Should Could Would May Might Can Will Sounds Looks Seems Feels Which Whoever "
    "Because Since While When After Before Being Having Going Been Everyone's Thing Things Stuff "
    "Nature Summer Winter"
)
"""Capitalised words that are no names."""
WORD_NAMES = word_set(
    "May Will April June August Summer Mark Grace Hope Joy Rose Faith Art Bill Rob Frank Jack Dawn Iris"
)
"""Words that are names too."""


FORMS: Mapping[str, Mapping[tuple[str, ...], str]] = {
    language: {
        tuple(word.split("_")): kin for kin, listed in list(both["people"].items())[::-1] for word in listed.split()
    }
    for language, both in _LISTED.items()
}
"""By language: whom each word, or several in a row, means, by its name in English."""


def means(asked: str, said: str) -> bool:
    """Return whether what is said of ``said`` may be said of the one asked about, both by their names in English.

    >>> means("brother", "sibling"), means("parent", "mother"), means("brother", "sister"), means("brother", "family")
    (True, True, False, False)
    """
    if asked == said:
        return True
    if asked == "family":
        return said in _KIN
    if said in _LOOSE:
        return False
    return said in SPECIFIC.get(asked, ()) or asked in SPECIFIC.get(said, ())


_ACQUAINTANCES = word_set(
    "friend boss colleague roommate neighbour doctor dentist therapist teacher coach trainer landlord lawyer "
    "accountant mentor assistant reporting"
)
_KIN = frozenset(FORMS["english"].values()) - IMPLIED - _ACQUAINTANCES
