"""The key under which a claim is stored and looked up: where it stands, and of a many-valued attribute with what."""

from collections.abc import Iterator
from typing import NamedTuple

from .attributes import ATTRIBUTES, OTHER, related, words_of
from .record import USER, Claim
from .values.same_value import stems, tokens


class SlotParts(NamedTuple):
    """A slot taken apart: the attribute, its detail, the kin whose it is ("" for the subject), and a value."""

    attribute: str
    detail: str
    owner: str
    value: str


def slot(claim: Claim, subject: str = USER) -> str:
    """Return the slot of a claim that is stored under ``subject``; "" for one of no attribute.

    >>> slot(Claim(attribute="home", value="Rome", subject="mother of user"))
    'home of mother'
    >>> slot(Claim(attribute="relation", value="Anna", of="sister"))
    'relation:sister=anna'
    """
    attribute = ATTRIBUTES[claim.attribute]
    if attribute.name == OTHER:
        return ""
    detail = (
        f":{' '.join(stems(claim.of)) if attribute.name == 'amount' else claim.of.casefold()}"
        if attribute.detail
        else ""
    )
    owner = claim.subject.removesuffix(f" of {subject}")
    whose = "" if claim.subject == subject else f" of {owner}"
    value = "" if attribute.single else f"={' '.join(tokens(claim.value))}"
    return f"{attribute.name}{detail}{whose}{value}"


def place(stored: str) -> SlotParts:
    """Take a slot apart.

    >>> place("relation:sister=anna")
    SlotParts(attribute='relation', detail='sister', owner='', value='anna')
    """
    where, _, value = stored.partition("=")
    named, _, owner = where.partition(" of ")
    attribute, _, detail = named.partition(":")
    return SlotParts(attribute, detail, owner, value)


def rival_slots(claim: Claim, subject: str = USER) -> Iterator[str]:
    """Yield the slots of stored claims that this one may repeat, replace or end: its own, and those that it ends."""
    if claim.attribute == OTHER:
        return
    yield slot(claim, subject)
    ended = ATTRIBUTES[claim.attribute].ends.keys() - {claim.attribute}
    left = {claim.attribute, *words_of("switched")} if claim.former else set[str]()
    for name in sorted({*ended, *related(claim.attribute), *left}):
        for value in dict.fromkeys((claim.value, claim.former)):
            yield slot(Claim(claim.subject, name, value, "holds", "", claim.of), subject)
