"""When a conversation is observed and its notes reflected on, and what a personality looks for."""

from pydantic import Field

from capabilities.formulas.personality import HIGH, Traits
from capabilities.settings import Settings

EMPHASES = {
    "emotionality": "emotional shifts, changes of tone, transitions of sentiment",
    "conscientiousness": "commitments, deadlines, action items, structured plans",
    "openness": "creative tangents, novel ideas, exploratory topics",
    "agreeableness": "the user's preferences, signs of rapport, communication style",
    "honesty": "corrections, retractions, contradictions",
}
"""What an observer with a high trait attends to, as the specification has it; extraversion attends to nothing more."""
STYLES = {
    "conscientiousness": "structured and well organised: one fact each, in a fixed order",
    "openness": "rich and associative: say what each is connected with",
}
PLAIN_STYLE = "concise and factual"


class ObserverConfig(Settings):
    """When what was said is observed, and when notes are compressed; the defaults are the specification's."""

    tokens: int = Field(default=30_000, ge=1)
    """From how many buffered tokens on; about four characters are one."""
    messages: int | None = Field(default=None, ge=1)
    """From how many buffered messages on, too; None for by tokens only."""
    compress_at: int = Field(default=50, ge=2)
    """From how many notes on they are compressed."""


class ReflectorConfig(Settings):
    """When notes become traces."""

    tokens: int = Field(default=40_000, ge=1)
    notes: int | None = Field(default=None, ge=1)
    """From how many notes on, too; None for by tokens only."""


def emphases(traits: Traits) -> list[str]:
    """Return what a personality attends to while it observes, one line for each trait above 0.6.

    >>> emphases(Traits(honesty=0.9))
    ['corrections, retractions, contradictions']
    """
    return [told for name, told in EMPHASES.items() if getattr(traits, name) > HIGH]


def style_of_traces(traits: Traits) -> str:
    """Return how a personality writes what it has learned.

    >>> style_of_traces(Traits())
    'concise and factual'
    """
    return next((told for name, told in STYLES.items() if getattr(traits, name) > HIGH), PLAIN_STYLE)
