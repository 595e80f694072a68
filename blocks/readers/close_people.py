"""The people and animals of the speaker's life: who they are to the speaker, what they are called, what they do."""

import re
from collections.abc import Iterator
from typing import cast

from capabilities.claims.attributes import ATTRIBUTES
from capabilities.claims.read import fields, read
from capabilities.claims.record import USER
from capabilities.relations.words import NOT_NAMES
from capabilities.vocabulary import Category, Observation

from .patterns import Patterns, listed, table
from .rule import observed
from .voice import about, trimmed

_FORM = Patterns("people")
_NOBODY = ("my family", "my friends")
"""What is said of these is said of nobody in particular."""
_TITLES = frozenset({"Mr", "Mrs", "Ms", "Dr", "Prof"})


def people_in(clause: str, known: str) -> Iterator[Observation | None]:
    """Yield what ``clause`` says of other people; ``known`` is whom "he" or "she" means, ``""`` when nobody.

    >>> [(seen.subject, seen.content) for seen in people_in("My sister Anna lives in Oslo", "") if seen]
    [('user', 'Sister is Anna'), ('anna', 'Lives in Oslo')]
    """
    named, unnamed = _introduction(clause), _FORM["unnamed"].match(clause)
    organisation, parted = _FORM["organisation"].match(clause), _FORM["not_mine"].match(clause)
    if parted:
        yield _parted(parted, known)
    elif named:
        gone = _gone(named)
        yield gone or introduced(named["rel"], named["name"])
        yield None if gone else _said_of(named["name"], named["rest"])
    elif unnamed and not clause.lower().startswith(_NOBODY):
        yield _said_of_kin(unnamed["rel"], unnamed["rest"])
    elif organisation:
        subject = "-".join(organisation["name"].lower().replace(".", "").split())
        yield observed(organisation["rest"], "attribute", "persistent", 0.5, subject)
    else:
        yield from _others(clause, known)


def _gone(named: re.Match[str]) -> Observation | None:
    """Return that one who is introduced is there no more: "my dog Rex died"."""
    told = trimmed(f"{named['rel']} {named['name']} {named['rest'].strip()}")
    claim = read(told)
    is_gone = claim is not None and claim.attribute == "relation" and claim.polarity == "ended"
    return observed(told[:1].upper() + told[1:], "relationship", "persistent", 0.75) if is_gone else None


def _parted(found: re.Match[str], known: str) -> Observation | None:
    """Return who is no longer, or not, what the speaker calls them; without a name only that a couple is none."""
    name = found["name"] or known
    if name and name.split()[0] not in NOT_NAMES:
        how = "no longer" if found["end"] or "no longer" in found[0] else "not"
        return observed(f"{name} is {how} their {found['rel'].lower()}", "relationship", "persistent", 0.75)
    apart = found["couple"] and (found["end"] or "no longer" in found[0])
    return observed(f"Separated from their {found['couple']}", "relationship", "persistent", 0.75) if apart else None


def _others(clause: str, known: str) -> Iterator[Observation | None]:
    """Yield what is said of somebody by name, or of whom "he" and "she" mean, and of what is theirs."""
    for form in ("of_one", "by_name", "of_them", "pronoun"):
        found = _FORM[form].match(clause)
        name = (found.groupdict().get("name") or known) if found else ""
        if found is None or not name or (name != known and set(name.split()) & NOT_NAMES):
            continue
        if form.startswith("of_"):
            yield _belonging(name, found["rest"])
        else:
            yield _said_of(name, found["rest"], strict=form == "by_name")
        return


def _introduction(clause: str) -> re.Match[str] | None:
    """Return how ``clause`` tells the name of somebody close to the speaker."""
    for pattern, _ in table("people", "named"):
        found = pattern.match(clause)
        if found and found["name"].split()[0] not in NOT_NAMES:
            return found
    return None


def introduced(relation: str, name: str) -> Observation | None:
    """Return who ``name`` is to the speaker.

    >>> [seen.content for seen in (introduced("sister", "Anna"), introduced("dog", "Rex")) if seen]
    ['Sister is Anna', 'Has a dog named Rex']
    """
    name, low = re.sub(r"['’]s$", "", name), relation.lower()
    pet = _FORM["pet"].fullmatch(low.split()[-1])
    content = f"Has {'an' if low[0] in 'aeiou' else 'a'} {low} named {name}" if pet else f"{relation} is {name}"
    return observed(content, "relationship", "persistent", 0.75)


def subject_of(name: str) -> str:
    """Return the subject under which facts about ``name`` are kept: the first name, after a title the last one.

    >>> subject_of("Jennifer Lee"), subject_of("Dr. Ray")
    ('jennifer', 'ray')
    """
    parts = name.split()
    titled = parts[0].rstrip(".") in _TITLES
    return re.sub(r"['’]s$", "", parts[-1 if titled else 0].lower())


def _belonging(name: str, rest: str) -> Observation | None:
    """Return what is said of something that ``name`` has: a birthday, a spouse, a favourite dish."""
    found = _FORM["belongs"].match(trimmed(rest))
    if found is None or name.isupper():
        return None
    worth = listed("english/speech")["people"]["belongings"]
    kind = next(kind for kind in worth if found[kind])
    if kind == "kin" and (not found["x"][:1].isupper() or found["x"].split()[0] in NOT_NAMES):
        return None
    category, durability, importance = worth[kind]
    return observed(f"{found[kind]} is {found['x']}", category, durability, importance, subject_of(name))


def _said_of(name: str, rest: str, *, strict: bool = False) -> Observation | None:
    rest = trimmed(rest if strict else _FORM["link"].sub("", rest.strip()))
    rest = _FORM["no_more"].sub(r"no longer \1s", rest) if _FORM["any_more"].search(rest) else rest
    rest = _FORM["any_more"].sub("", rest)
    category = _category(rest)
    # Of a bare name only what is said of people counts: "Docker runs", "Summer is a joy" are about things.
    if not category or (strict and not _FORM["one_person"].match(rest) and not _tells_who(rest)):
        return None
    return observed(rest, category, "persistent", 0.6, subject_of(name))


def _tells_who(rest: str) -> bool:
    """Return whether what is said of a name is an attribute that people alone have: an employer, a home, an age."""
    claim = read(rest)
    return claim is not None and ATTRIBUTES[claim.attribute].of_people


def _said_of_kin(relation: str, rest: str) -> Observation | None:
    """Return what is said of somebody without a name, who stands in the claim's ``of``: the home of "mother"."""
    category = _category(rest)
    if not category:
        return None
    content = about(f"{relation} {rest}")
    claim = read(content)
    known = fields(claim, USER) if claim is not None and claim.subject.endswith(f" of {USER}") else None
    kind: Category = "event" if category == "event" else "relationship"
    return observed(content, kind, "persistent", 0.6, claim=known)


def _category(rest: str) -> Category | None:
    """Return the category of what one may say of another person and still know next week, None for anything else."""
    lasting = (category for pattern, category in table("people", "lasting") if pattern.match(rest))
    return cast("Category | None", next(lasting, None))


def implied(clause: str) -> Iterator[Observation | None]:
    """Yield the people and animals that ``clause`` shows the speaker to have, said in passing.

    >>> [seen.content for seen in implied("I am cooking for my kids tonight") if seen]
    ['Has kids']
    """
    for found in _FORM["kept"].finditer(clause) if not _FORM["not_mine"].match(clause) else ():
        who = found["who"].lower()
        counted = "" if who.endswith(("s", "children")) else ("an " if who[0] in "aeiou" else "a ")
        yield observed(f"Has {counted}{who}", "relationship", "persistent", 0.5)


def named_person(clause: str) -> str:
    """Return the person whom ``clause`` introduces by name, or ``""``.

    >>> named_person("my sister Anna is visiting")
    'Anna'
    """
    found = _introduction(clause)
    if found:
        return str(found["name"])
    for form in ("of_one", "by_name", "companion", "loved"):
        aside = form in ("companion", "loved")
        found = _FORM[form].search(clause) if aside else _FORM[form].match(clause)
        if found is None or set(found["name"].split()) & NOT_NAMES:
            continue
        if aside or _FORM["belongs"].match(found["rest"]) or _category(found["rest"]):
            return str(found["name"])
    return ""


def companions(clause: str) -> Iterator[Observation | None]:
    """Yield whom ``clause`` names in passing as close to the speaker.

    >>> [seen.content for seen in companions("I live in Lisbon with my wife Jennifer") if seen]
    ['Wife is Jennifer']
    """
    for found in _FORM["companion"].finditer(clause):
        if found["name"].split()[0] not in NOT_NAMES:
            yield introduced(found["rel"], found["name"])


def without_companion(clause: str) -> str:
    """Return a clause about the speaker's home without the named person it is shared with.

    >>> without_companion("I live in Lisbon with my wife Jennifer")
    'I live in Lisbon'
    """
    found = _FORM["at_home_with"].match(clause)
    return found["home"] if found and found["name"].split()[0] not in NOT_NAMES else clause


def corrected(seen: Observation) -> Observation:
    """Return ``seen`` as the correction of a name: one may have two dogs, but this one is called otherwise.

    >>> corrected(Observation(content="Has a dog named Rex", importance=0.7, category="relationship")).content
    "Dog's name is Rex"
    """
    named = _FORM["told_name"].match(seen.content) if seen.category == "relationship" else None
    if named is None:
        return seen
    kind = named["pet"] or named["kin"]
    return seen.model_copy(update={"content": f"{kind[:1].upper()}{kind[1:].lower()}'s name is {named['name']}"})
