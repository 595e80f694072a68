"""Reminders as lines of a prompt, short enough that the first of them always has room."""

from collections.abc import Sequence

from capabilities.formulas.prompt_budget import CHARS_PER_TOKEN, SHARES, Shares, allotted
from capabilities.prospective.record import Due

from .prompt import HEADINGS, PromptLine, reminder_line

LEAST_CHARS = 40
"""Shorter than this a reminder says nothing."""
_FRAME = 200
"""About how many characters a block takes around its sections, of which none has a share."""


def reminder_lines(due: Sequence[Due], tokens: int, shares: Shares = SHARES) -> tuple[PromptLine, ...]:
    """Return what is due as lines for a prompt of so many tokens, the most important first.

    What would not fit into the section's share of them even alone is cut: it would stand before all the others for
    good, and none would be told.

    >>> told = reminder_lines([Due(id="pm_1", content="PR review is due", trigger="time_based", importance=0.8)], 1000)
    >>> told[0].text
    '- [time_based] PR review is due'
    """
    room = CHARS_PER_TOKEN * tokens - _FRAME
    share = max(LEAST_CHARS, allotted(room, shares.reminders) - len(HEADINGS["reminders"]) - 4)
    return tuple(
        PromptLine(intention.id, _cut(reminder_line(intention.trigger, intention.content), share)) for intention in due
    )


def _cut(line: str, most: int) -> str:
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
