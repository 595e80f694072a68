"""Facts as the sections of a prompt: a flat list about the user alone, else one section per subject."""

from collections.abc import Iterable
from typing import Protocol

from fabric.text.prompt import one_line

from ..claims import user_id


class Stated(Protocol):
    """Whatever says something about somebody: a fact, or a memory that was recalled."""

    @property
    def subject(self) -> str:
        """Who it is about."""
        ...

    @property
    def category(self) -> str:
        """What kind of thing it says."""
        ...

    @property
    def content(self) -> str:
        """What it says."""
        ...


def format_facts(facts: Iterable[Stated]) -> str:
    """Return the sections, the user's first, then by subject; "" when there are no facts."""
    stated = list(facts)
    subjects = sorted({fact.subject for fact in stated}, key=lambda subject: (subject != "user", subject))
    if subjects == ["user"]:
        return _section("Known facts:", stated)
    return "\n\n".join(
        _section(f"About {user_id(subject)}:", (fact for fact in stated if fact.subject == subject))
        for subject in subjects
    )


def _section(title: str, facts: Iterable[Stated]) -> str:
    return "\n".join([title, *(f"- [{fact.category}] {one_line(fact.content)}" for fact in facts)])
