"""Facts as others see them: lines of a prompt, the entries that rules compare, the episodes they rest on."""

from collections.abc import Sequence

from capabilities.contradiction import Existing
from capabilities.semantic import Fact, FactTable, Settling
from capabilities.sources import Outcome


def facts_by_subject(facts: Sequence[Fact]) -> str:
    """Return one line per fact under its subject's heading; "" when there are no facts."""
    subjects = sorted({fact.subject for fact in facts}, key=lambda subject: (subject != "user", subject))
    return "\n".join(
        "\n".join([f"{subject}:", *(_line(fact) for fact in facts if fact.subject == subject)]) for subject in subjects
    )


def _line(fact: Fact) -> str:
    return (
        f"- {fact.id} [{fact.category}, confidence {fact.confidence:.2f}, "
        f"said {fact.reinforcement_count} times, since {fact.valid_from.date().isoformat()}] {fact.content}"
    )


def episodes_of(table: FactTable | Settling, outcomes: Sequence[Outcome]) -> list[str]:
    """Return the episodes that the facts replaced by these outcomes rested on: what they say has changed."""
    replaced = [table.get(one.replaced) for one in outcomes if one.tier == "semantic" and one.status == "superseded"]
    return [episode for fact in replaced if fact is not None for episode in fact.source_episode_ids]


def existing_fact(fact: Fact) -> Existing:
    """Return the fact as the rules see it."""
    return Existing(fact.id, fact.subject, fact.content, fact.category, fact.confidence, fact.reinforcement_count)
