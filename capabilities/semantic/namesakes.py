"""Two of one name in somebody's life, known by what they are: my sister Anna and my boss Anna are not one subject."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..claims import subject_key
from ..relations.kin_reading import kin_in
from ..relations.words import kin_of, listed, means


@dataclass(frozen=True, slots=True)
class Bearer:
    """One of several who bear a name: what they are, in all words for it, and what is said of them is filed under."""

    kin: frozenset[str]
    subject: str

    def is_called(self, kin: str) -> bool:
        """Return whether a word for what somebody is may mean them."""
        return any(not are_apart(kin, word) for word in self.kin)


Namesakes = Mapping[str, Sequence[Bearer]]
"""By first name, those who share it, the first known first: that one keeps the name alone as the subject."""


def namesakes(told: Iterable[tuple[str, str]], taken: Collection[str] = (), own: Collection[str] = ()) -> Namesakes:
    """Return who shares a name, of what people are to somebody and what they are called, the first told first.

    Of the subjects that are ``taken`` already, each stays that of its bearer, also where the other is known no more.
    Whoever bears one of the speaker's ``own`` names is told from the speaker elsewhere.

    >>> shared = namesakes([("sister", "Anna"), ("boss", "Anna"), ("older sister", "Anna"), ("friend", "Tom")])
    >>> [(sorted(one.kin), one.subject) for one in shared["anna"]], list(shared)
    ([(['sister'], 'anna'), (['boss'], 'boss-anna')], ['anna'])
    """
    found: dict[str, list[Bearer]] = {}
    for kin, called in told:
        who, name = kin_of(kin)[0], first_name(called)
        if not who or not name or name in own:
            continue
        known = found.setdefault(name, [])
        at = next((at for at, bearer in enumerate(known) if bearer.is_called(who)), None)
        if at is None:
            subject = subject_key(f"{who}-{name}")
            known.append(Bearer(frozenset({who}), subject if known or subject in taken else name))
        else:
            known[at] = Bearer(known[at].kin | {who}, known[at].subject)
    return {name: known for name, known in found.items() if len(known) > 1 or known[0].subject != name}


def bearer_of(shared: Namesakes, name: str, kin: str) -> str:
    """Return what is said of somebody of that kin and name is filed under, "" where it may be several or none."""
    who = kin_of(kin)[0]
    meant = {bearer.subject for bearer in shared.get(name, ()) if who and bearer.is_called(who)}
    return meant.pop() if len(meant) == 1 else ""


def first_name(called: str) -> str:
    """Return the first name as a subject, without a title.

    >>> first_name("Dr. Anna Berg")
    'anna'
    """
    parts = [word for word in called.split() if word.strip(".").lower() not in listed("titles")]
    return subject_key(parts[0]) if parts else ""


def are_apart(one: str, other: str) -> bool:
    """Return whether two of these cannot be one person: a sister is no boss, but a friend may be a colleague.

    >>> are_apart("sister", "boss"), are_apart("friend", "boss"), are_apart("sibling", "sister")
    (True, False, False)
    >>> are_apart("wife", "girlfriend"), are_apart("mother", "wife"), are_apart("dentist", "boss")
    (False, True, True)
    """
    if one == other or means(one, other) or means(other, one):
        return False
    couple = [means("partner", kin) for kin in (one, other)]
    family = [means("family", kin) and not is_couple for kin, is_couple in zip((one, other), couple, strict=True)]
    if any(family) or all(couple):
        return any(family)
    return listed("loose_ties").isdisjoint({one, other})


def _introduced(text: str) -> Mapping[str, Sequence[str]]:
    """Return by first name what the people are whom a text names by it.

    >>> _introduced("My sister Anna works at Philips.")
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
    mine, theirs = _introduced(one), _introduced(other)
    return any(
        are_apart(kin, their) for name in mine.keys() & theirs.keys() for kin in mine[name] for their in theirs[name]
    )
