"""Whose a statement is: the user's under their own name too, and in a shared memory that of whoever speaks."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from fabric.flow.resource import Collection, Transaction

from ..claims import USER, Claim, claim_of, place, read_as, subject_key, user_subject
from ..claims.identity import is_anybody
from ..claims.owners import SINGLE_KIN, own, owners
from ..relations.words import kin_of, listed, means
from .lookup import facts_in
from .namesakes import bearer_of
from .namesakes import namesakes as sharing
from .record import Fact

NAMES = ("name", "nickname")
"""The slots that tell what somebody is called."""
INTRODUCING = frozenset({"relation", "partner", "boss", "doctor"})
"""The attributes that tell what somebody is to the speaker, and what they are called."""


@dataclass(frozen=True, slots=True)
class Self:
    """Who speaks. ``subject`` is what their own statements are filed under, ``names`` what else stands for them.

    ``namesakes`` are others who bear one of these names, each with what is said of them is filed under; ``close`` are
    those of the family who are known by name: what they are, what tells them apart, and what they are filed under.

    >>> jake = Self("user", frozenset({"jake"}))
    >>> jake.filed("jake", "Jake works at Stripe"), jake.filed("anna", "Works at Philips")
    (('user', 'Works at Stripe'), ('anna', 'Works at Philips'))
    """

    subject: str = USER
    names: frozenset[str] = frozenset()
    namesakes: Mapping[str, str] = field(default_factory=dict[str, str])
    close: frozenset[tuple[str, frozenset[str], str]] = frozenset()
    introduced: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """What each who is known by name is to the speaker, and how that name is written."""
    told: tuple[tuple[str, str], ...] = ()
    """The same of all, the first told first: several may bear one name."""
    shared: frozenset[str] = frozenset()
    """The names that several of them bear."""
    taken: frozenset[str] = frozenset()
    """The subjects of more than one word that something is filed under: "boss-anna"."""

    def among(self, told: Iterable[tuple[str, str]], subjects: Iterable[str] = ()) -> "Self":
        """Return the same among others who bear one of the names.

        ``told`` is what somebody is to the speaker and what they are called, ``subjects`` are all that is known of.

        >>> jake = Self("user", frozenset({"jake"})).among([("friend", "Jake"), ("boss", "Tom")])
        >>> jake.filed("jake", "Works at Nokia"), jake.filed("tom", "Works at Nokia")
        (('friend-jake', 'Works at Nokia'), ('tom', 'Works at Nokia'))
        >>> Self().among([("dog", "Rex")]).filed("rex", "Died yesterday")
        ('user', 'Dog Rex died yesterday')
        """
        others = [subject for subject in subjects if subject not in self.names]
        found = {name: subject for subject in others for name in self.names if is_namesake(subject, name)}
        close, introduced = set(self.close), dict(self.introduced)
        everybody = (*self.told, *told)
        taken = self.taken | {subject for subject in others if "-" in subject}
        shared = sharing(everybody, taken, self.names)
        for kin, called in everybody[len(self.told) :]:
            name, (who, qualities) = subject_key(_untitled(called)), kin_of(kin)
            first = name.partition("-")[0]
            introduced[bearer_of(shared, name.partition("-")[0], kin) or name] = kin, called
            if first in self.names:
                is_plain = name in self.names or name == first
                found[first] = found[name] = subject_key(f"{who or kin} {name}") if is_plain else name
            if who in SINGLE_KIN or means("family", who):
                close.add((who, qualities, bearer_of(shared, first, who) or found.get(first, first)))
        namesakes = dict(self.namesakes) | found
        return replace(
            self,
            namesakes=namesakes,
            close=frozenset(close),
            introduced=introduced,
            told=everybody,
            shared=frozenset(shared),
            taken=taken,
        )

    def _gone(self, subject: str, content: str) -> tuple[str, str] | None:
        """Return as the speaker's own that one whom they had is there no more: "Rex died", of their dog Rex."""
        first, _, rest = content.partition(" ")
        name = subject_key(subject) if not self.is_meant(subject) else subject_key(first)
        if name not in self.introduced or (self.is_meant(subject) and name in self.shared):
            return None
        kin, called = self.introduced[name]
        told = rest if subject_key(first) == name else content[:1].lower() + content[1:]
        claim = read_as(f"{kin} {called} {told}", self.subject)
        is_over = claim.attribute in INTRODUCING and claim.polarity == "ended"
        return (self.subject, f"{kin[:1].upper()}{kin[1:]} {called} {told}") if is_over else None

    def _closest(self, content: str) -> tuple[str, str] | None:
        """Return whom a statement about the speaker's kin is about, and what it says, where only one may be meant."""
        claim = read_as(content, self.subject) if self.close else None
        kin, _, of = claim.subject.partition(" of ") if claim is not None else ("", "", "")
        if claim is None or of != self.subject:
            return None
        who, qualities = kin_of(kin)
        rest = next((owner.rest for owner in owners(own(content), self.subject) if owner.subject == claim.subject), "")
        such = {subject for other, told, subject in self.close if other == who and (not qualities or told == qualities)}
        return (such.pop(), rest[:1].upper() + rest[1:]) if rest and len(such) == 1 else None

    def is_meant(self, subject: str) -> bool:
        """Return whether a subject stands for the one who speaks."""
        return subject_key(subject) in self.names | {USER, self.subject}

    def filed(self, subject: str, content: str) -> tuple[str, str]:
        """Return what a statement is filed under, and its text without the speaker's own name in front."""
        gone = self._gone(subject, content) if self.introduced else None
        if gone is not None:
            return gone
        namesake = self.namesakes.get(subject_key(subject))
        if namesake is not None:
            return namesake, content
        if not self.is_meant(subject):
            return subject_key(subject), content
        close = self._closest(content)
        if close is not None:
            return close
        told = own(content, subject) if subject_key(subject) not in (USER, self.subject) else content
        return self.subject, content if told == content else told[:1].upper() + told[1:]


def _untitled(called: str) -> str:
    return " ".join(word for word in called.split() if word.strip(".").lower() not in listed("titles")) or called


def is_namesake(subject: str, name: str) -> bool:
    """Return whether a subject is somebody of a first name whom more tells apart: "friend-jake", "jake-brown"."""
    kin = subject.removesuffix(f"-{name}")
    return subject.startswith(f"{name}-") or (kin != subject and bool(kin_of(kin)[0]))


def introduced(tx: Transaction, facts: Collection[Fact] | None, subject: str) -> list[tuple[str, str]]:
    """Return who is known by name to somebody, the first known first: what they are, and what they are called."""
    index = tx.index(facts) if facts is not None else None
    if facts is None or index is None:
        return []
    slots = [name for name in index.columns["slot"].names if name and place(name).attribute in INTRODUCING]
    found = sorted(facts_in(tx, facts, slots, (subject,)), key=lambda fact: (fact.valid_from, fact.recorded_at))
    return list(introductions(map(claim_of, found)))


def introductions(claims: Iterable[Claim]) -> Iterator[tuple[str, str]]:
    """Yield what somebody is to the speaker, and what they are called, of the claims that tell it."""
    for claim in claims:
        is_own = " of " not in claim.subject and claim.polarity == "holds"
        if is_own and claim.attribute in INTRODUCING and claim.value:
            yield claim.of or claim.attribute, claim.value


def self_of(tx: Transaction, facts: Collection[Fact] | None, *, is_shared: bool = False) -> Self:
    """Return who speaks in a transaction: in a memory of one user "user", in a shared one that user by their exact id.

    ``is_shared`` says that others share something of the memory where they do not share its facts.
    """
    user = tx.ids.user or ""
    own = user_subject(user) if user else USER
    is_own = facts is None or facts.scope == "user"
    subject = USER if is_own and not is_shared else own
    names = {own, subject_key(user)} if user and not is_anybody(subject_key(user)) else {own}
    if facts is None:
        return Self(subject, frozenset(names))
    told = facts_in(tx, facts, NAMES, (USER if is_own else subject,))
    called = {subject_key(fact.value) for fact in told if fact.value and fact.polarity == "holds"}
    return Self(subject, frozenset({*names, *called, *(name.partition("-")[0] for name in called)}))
