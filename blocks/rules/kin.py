"""Words for who somebody is to the speaker, and which capitalised words are no names."""

import re

from capabilities.kin.words import FORMS, IMPLIED, NOT_NAMES
from capabilities.vocabulary import Observation

from .rule import observed

__all__ = ["HUMANS", "NAME", "NOT_NAMES", "PETS", "RELATION", "introduced", "subject_of"]

PETS = (
    "dog|cat|puppy|kitten|hamster|parrot|rabbit|bunny|goldfish|horse|pony|turtle|tortoise|snake|"
    "lizard|iguana|gecko|ferret|bird|guinea pig|fish|rat|hedgehog|chicken|goat|pet"
)
HUMANS = "|".join(
    "[- ]".join(said)
    for said in sorted(FORMS["english"], key=lambda said: -len(" ".join(said)))
    if FORMS["english"][said] not in IMPLIED and said[0] not in ("dr", "gp", "ex", "ma", "pa", "folks")
)
RELATION = (
    r"(?P<rel>(?:(?:younger|older|little|big|twin|best|oldest|youngest|eldest|middle|new|first|second|"
    rf"third|half|step|great|old|adopted|late|\d{{1,2}}[- ]year[- ]old|ex) )?(?:ex-?)?(?:{HUMANS}|"
    rf"(?:\w+ )?(?:{PETS})s?))"
)
NAME = r"(?P<name>(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?)"


def introduced(relation: str, name: str) -> Observation | None:
    """Return who ``name`` is to the speaker.

    >>> [seen.content for seen in (introduced("sister", "Anna"), introduced("dog", "Rex")) if seen]
    ['Sister is Anna', 'Has a dog named Rex']
    """
    name = re.sub(r"['’]s$", "", name)
    low = relation.lower()
    kind = low.split()[-1]
    if kind.rstrip("s") in PETS.split("|") or kind in PETS.split("|"):
        content = f"Has {'an' if low[0] in 'aeiou' else 'a'} {low} named {name}"
    else:
        content = f"{relation} is {name}"
    return observed(content, "relationship", "persistent", 0.75)


def subject_of(name: str) -> str:
    """Return the subject under which facts about ``name`` are kept: the first name, after a title the last one.

    >>> subject_of("Jennifer Lee"), subject_of("Dr. Ray")
    ('jennifer', 'ray')
    """
    first = name.split(maxsplit=1)[0]
    titled = first.rstrip(".") in {"Mr", "Mrs", "Ms", "Dr", "Prof"}
    return re.sub(r"['’]s$", "", (name.rsplit(maxsplit=1)[-1] if titled else first).lower())
