"""Naming: which records are about somebody, which name them, and which may."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from capabilities.claims import name_of, subject_key
from capabilities.memory.people.oneself import is_oneself, meant
from capabilities.relations.mentions import Mention, mention
from fabric.jobs.reach import Reach

from ..owned_records import NOT_TEXT, records
from .links import strings_of


@dataclass(frozen=True, slots=True)
class Whom:
    """Whom a request is about: the subjects that it means, and the name that texts have for them, "" for none.

    >>> Whom.meant("Anna", ["anna", "%41nna"], frozenset({"user"})) == Whom(frozenset({"%41nna"}), "anna")
    True
    """

    subjects: frozenset[str]
    name: str

    @classmethod
    def meant(cls, asked: str, known: Iterable[object], mine: frozenset[str]) -> "Whom":
        """Return whom a name means among the subjects that are known; "user" is whoever asks, whose ``mine`` are."""
        subjects = [subject for subject in known if isinstance(subject, str)]
        name = "" if is_oneself(asked, subjects) else name_of(subject_key(asked))
        return cls(meant(asked, subjects, mine), name)

    def has(self, record: Mapping[str, Any], texts: Iterable[str]) -> bool:
        """Return whether a record is about them, or names them; what is about another of this name is that one's."""
        subject = str(record.get("subject") or "")
        if subject in self.subjects:
            return True
        is_anothers = name_of(subject) == self.name or not self.name
        return not is_anothers and any(mention(text, self.name) == "yes" for text in texts)


def look_for(reach: Reach, subject: str) -> tuple[dict[str, int], dict[str, list[str]]]:
    """Look through all that is held for a name: how many records of each kind, and the ids of those that may have it.

    "" is no name.
    """
    if not subject:
        return {}, {}
    searched: Counter[str] = Counter()
    left: dict[str, list[str]] = {}
    for record in records(reach):
        searched[record["kind"]] += 1
        if named(record, subject) != "no":
            left.setdefault(record["kind"], []).append(str(record["id"]))
    return dict(searched), left


def texts_of(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a record says, in all its fields that hold words."""
    yield from (text for key, value in record.items() if key not in NOT_TEXT for text in strings_of(value))


def named(record: Mapping[str, Any], subject: str) -> Mention:
    """Return whether a text of a record names the subject; the user has no name of that kind.

    >>> named({"kind": "belief", "content": "Anna is in Oslo"}, "anna"), named({"kind": "goal", "session": "a"}, "a")
    ('yes', 'no')
    """
    found = {mention(text, subject) for text in texts_of(record)}
    return "yes" if "yes" in found else "perhaps" if "perhaps" in found else "no"
