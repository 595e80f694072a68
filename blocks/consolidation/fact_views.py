"""Facts as others see them: lines of a prompt, the entries that rules compare, the episodes they rest on."""

from collections.abc import Sequence

from capabilities.claims import Known, known_of
from capabilities.semantic import Fact
from fabric.text.prompt import one_line


def facts_by_subject(facts: Sequence[Fact]) -> str:
    """Return one line per fact under its subject's heading; "" when there are no facts."""
    subjects = sorted({fact.subject for fact in facts}, key=lambda subject: (subject != "user", subject))
    sections = [
        [f"{one_line(subject)}:", *(_line(fact) for fact in facts if fact.subject == subject)] for subject in subjects
    ]
    return "\n".join(line for section in sections for line in section)


def _line(fact: Fact) -> str:
    return (
        f"- {fact.id} [{fact.category}, confidence {fact.confidence:.2f}, "
        f"said {fact.reinforcement_count} times, since {fact.valid_from.date().isoformat()}] {one_line(fact.content)}"
    )


def known_fact(fact: Fact) -> Known:
    """Return the fact as something that is known."""
    return known_of(fact, fact.id, fact.category, fact.confidence, fact.reinforcement_count)
