"""Whose a statement is: the user's under their own name too, and in a shared memory that of whoever speaks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from fabric.resource import Collection, Transaction

from ..claims import USER, subject_key
from ..claims.owners import own
from ..relations.words import kin_of
from .lookup import current_in
from .record import Fact

NAMES = ("name", "nickname")
"""The slots that tell what somebody is called."""


@dataclass(frozen=True, slots=True)
class Self:
    """Who speaks. ``subject`` is what their own statements are filed under, ``names`` what else stands for them.

    ``namesakes`` are others who bear one of these names, each with what is said of them is filed under.

    >>> jake = Self("user", frozenset({"jake"}))
    >>> jake.filed("jake", "Jake works at Stripe"), jake.filed("anna", "Works at Philips")
    (('user', 'Works at Stripe'), ('anna', 'Works at Philips'))
    """

    subject: str = USER
    names: frozenset[str] = frozenset()
    namesakes: Mapping[str, str] = field(default_factory=dict[str, str])

    def beside(self, told: Iterable[tuple[str, str]], subjects: Iterable[str] = ()) -> "Self":
        """Return the same among others who bear one of the names.

        ``told`` is what somebody is to the speaker and what they are called, ``subjects`` are all that is known of.

        >>> jake = Self("user", frozenset({"jake"})).beside([("friend", "Jake"), ("boss", "Tom")])
        >>> jake.filed("jake", "Works at Nokia"), jake.filed("tom", "Works at Nokia")
        (('friend-jake', 'Works at Nokia'), ('tom', 'Works at Nokia'))
        """
        others = [subject for subject in subjects if subject not in self.names]
        found = {name: subject for subject in others for name in self.names if is_namesake(subject, name)}
        for kin, called in told:
            name = subject_key(called)
            first = name.partition("-")[0]
            if first in self.names:
                is_plain = name in self.names or name == first
                found[first] = found[name] = subject_key(f"{kin_of(kin)[0] or kin} {name}") if is_plain else name
        return replace(self, namesakes=found) if found else self

    def is_meant(self, subject: str) -> bool:
        """Return whether a subject stands for the one who speaks."""
        return subject_key(subject) in self.names | {USER, self.subject}

    def filed(self, subject: str, content: str) -> tuple[str, str]:
        """Return what a statement is filed under, and its text without the speaker's own name in front."""
        namesake = self.namesakes.get(subject_key(subject))
        if namesake is not None:
            return namesake, content
        if not self.is_meant(subject):
            return subject_key(subject), content
        told = own(content, subject) if subject_key(subject) not in (USER, self.subject) else content
        return self.subject, content if told == content else told[:1].upper() + told[1:]


def is_namesake(subject: str, name: str) -> bool:
    """Return whether a subject is somebody of a first name whom more tells apart: "friend-jake", "jake-brown"."""
    kin = subject.removesuffix(f"-{name}")
    return subject.startswith(f"{name}-") or (kin != subject and bool(kin_of(kin)[0]))


def self_of(tx: Transaction, facts: Collection[Fact] | None) -> Self:
    """Return who speaks in a transaction: in a memory of one user "user", in a shared one that user's id."""
    user = subject_key(tx.ids.user or USER)
    subject = USER if facts is None or facts.scope == "user" else user
    if facts is None:
        return Self(subject, frozenset({user}))
    told = current_in(tx, facts, NAMES, (subject,))
    called = {subject_key(fact.value) for fact in told if fact.value and fact.polarity == "holds"}
    return Self(subject, frozenset({user, *called, *(name.partition("-")[0] for name in called)}))
