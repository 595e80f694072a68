"""Whose a statement is: the user's under their own name too, and in a shared memory that of whoever speaks."""

from dataclasses import dataclass

from fabric.resource import Collection, Transaction

from ..claims import USER, subject_key
from ..claims.owners import own
from .lookup import current_in
from .record import Fact

NAMES = ("name", "nickname")
"""The slots that tell what somebody is called."""


@dataclass(frozen=True, slots=True)
class Self:
    """Who speaks. ``subject`` is what their own statements are filed under, ``names`` what else stands for them.

    >>> jake = Self("user", frozenset({"jake"}))
    >>> jake.filed("jake", "Jake works at Stripe"), jake.filed("anna", "Works at Philips")
    (('user', 'Works at Stripe'), ('anna', 'Works at Philips'))
    """

    subject: str = USER
    names: frozenset[str] = frozenset()

    def is_meant(self, subject: str) -> bool:
        """Return whether a subject stands for the one who speaks."""
        return subject_key(subject) in self.names | {USER, self.subject}

    def filed(self, subject: str, content: str) -> tuple[str, str]:
        """Return what a statement is filed under, and its text without the speaker's own name in front."""
        if not self.is_meant(subject):
            return subject_key(subject), content
        told = own(content, subject) if subject_key(subject) not in (USER, self.subject) else content
        return self.subject, content if told == content else told[:1].upper() + told[1:]


def self_of(tx: Transaction, facts: Collection[Fact] | None) -> Self:
    """Return who speaks in a transaction: in a memory of one user "user", in a shared one that user's id."""
    user = subject_key(tx.ids.user or USER)
    subject = USER if facts is None or facts.scope == "user" else user
    if facts is None:
        return Self(subject, frozenset({user}))
    told = current_in(tx, facts, NAMES, (subject,))
    called = {subject_key(fact.value) for fact in told if fact.value and fact.polarity == "holds"}
    return Self(subject, frozenset({user, *called, *(name.partition("-")[0] for name in called)}))
