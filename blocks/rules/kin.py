"""Words for who somebody is to the speaker, and which capitalised words are no names."""

import re

from capabilities.vocabulary import Observation
from fabric.text import word_set

from .rule import observed

PETS = (
    "dog|cat|puppy|kitten|hamster|parrot|rabbit|bunny|goldfish|horse|pony|turtle|tortoise|snake|"
    "lizard|iguana|gecko|ferret|bird|guinea pig|fish|rat|hedgehog|chicken|goat|pet"
)
HUMANS = (
    "wife|husband|spouse|partner|fiancée|fiancee|fiancé|fiance|boyfriend|girlfriend|mother|mom|mum|"
    "mommy|dad|daddy|father|parents?|stepmom|stepdad|stepmother|stepfather|sister|brother|siblings?|"
    "twin|son|daughter|kids?|child|children|baby|toddler|stepson|stepdaughter"
    "|grandma|grandpa|grandmother|grandfather|granny|nana|grandparents?|grandson|granddaughter|"
    "grandkids?|grandchild|grandchildren|uncle|aunt|auntie|cousins?|nephews?|nieces?|boss|manager|"
    "supervisor|co-?workers?|colleagues?|roommates?|flatmates?|housemates?"
    "|neighbou?rs?|best friend|bestie|friends?|doctor|dentist|therapist|teacher|professor|coach|"
    "trainer|landlord|landlady|lawyer|accountant|mentor|assistant|sister-in-law|brother-in-law|"
    "mother-in-law|father-in-law|in-laws|mother in law|father in law|sister in law|brother in law|"
    "family|husband's family|team ?lead|sons|daughters|sisters|brothers|boys|girls|twins"
)
RELATION = (
    r"(?P<rel>(?:(?:younger|older|little|big|twin|best|oldest|youngest|eldest|middle|new|first|second|"
    rf"third|half|step|great|old|adopted|late|\d{{1,2}}[- ]year[- ]old|ex) )?(?:ex-?)?(?:{HUMANS}|"
    rf"(?:\w+ )?(?:{PETS})s?))"
)
NAME = r"(?P<name>(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?)"
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
