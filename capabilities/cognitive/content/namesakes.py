"""Who of one name a text means: my sister Anna is not my boss Anna."""

from collections.abc import Mapping, Sequence

from capabilities.relations.kin_reading import kin_in
from capabilities.semantic.namesakes import are_apart, first_name


def introduced(text: str) -> Mapping[str, Sequence[str]]:
    """Return by first name what the people are whom a text names by it.

    >>> introduced("My sister Anna works at Philips.")
    {'anna': ['sister']}
    """
    found: dict[str, list[str]] = {}
    for kin in kin_in(text):
        name = first_name(kin.name)
        if name:
            found.setdefault(name, []).append(kin.kin[-1])
    return found


def are_two(one: str, other: str) -> bool:
    """Return whether two texts name somebody by one name who cannot be one person.

    >>> are_two("My sister Anna works at Philips.", "My boss Anna works at Shell.")
    True
    >>> are_two("My sister Anna works at Philips.", "Anna works at Shell.")
    False
    """
    mine, theirs = introduced(one), introduced(other)
    return any(
        are_apart(kin, their) for name in mine.keys() & theirs.keys() for kin in mine[name] for their in theirs[name]
    )
