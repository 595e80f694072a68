"""What a prompt gets of the memory, in one transaction: its parts put together, and what of them counts afterwards."""

from collections.abc import Iterator, Sequence

from capabilities.formulas.prompt_budget import CHARS_PER_TOKEN, SHARES, Shares, allotted
from capabilities.prospective.memory import ProspectiveMemory
from capabilities.prospective.record import Due
from capabilities.traces.notes import read_notes
from capabilities.traces.table import TraceTable
from fabric.flow.resource import Transaction

from ..config import CognitiveConfig
from ..mechanisms.on_prompt import come_unasked
from ..mechanisms.on_use import rivals_of
from ..observing.record import desk_of
from ..slots import IN_MIND
from .assembling import Asked, parts_of
from .prompt import HEADINGS, Assembled, PromptLine, assemble, observation_line, reminder_line

LEAST_SHOWN, MOST_SHOWN, SHORT = 20, 100, 25
"""How many memories are retrieved for a prompt at least and at most, and how many tokens a short one has."""
SHOWN_NOTES = 10
"""How many notes on the conversation a prompt shows: the latest."""
OF_USE = 0.4
"""What a prompt showed counts as used where it is more relevant than that to its cue: the rest only filled the room."""
LEAST_CHARS = 40
"""Fewer characters than this leave a reminder no meaning."""
_FRAME = 200
"""About how many characters a block takes around its sections, of which none has a share."""


def most_shown(tokens: int) -> int:
    """Return how many memories are retrieved for a prompt of so many tokens: as many short ones as have room.

    >>> most_shown(100), most_shown(1_000), most_shown(100_000)
    (20, 40, 100)
    """
    return min(MOST_SHOWN, max(LEAST_SHOWN, tokens // SHORT))


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


def _observations(tx: Transaction) -> Iterator[PromptLine]:
    """Yield the notes on the conversation that no memory was made of yet, the latest first."""
    place = desk_of(tx.ids).notes
    if tx.count(place):
        for note in reversed(tx.find(place)[-SHOWN_NOTES:]):
            yield PromptLine(note.id, observation_line(note.content))


def prompt_of(table: TraceTable, config: CognitiveConfig, prospective: ProspectiveMemory, asked: Asked) -> Assembled:
    """Return a prompt's part of the memory; what it shows waits for the end of the turn, reminders for that of the run.

    A reminder for which there is no room is not brought back by that: it is due the next time.
    """
    tx, found = table.tx, asked.found
    mind = tx.read(IN_MIND)
    slots = mind.slots(config)
    held = [live.trace for slot in slots.held if (live := table.live(slot.trace)) is not None]
    told = reminder_lines(prospective.shown_in(tx, asked.sought), asked.tokens, config.shares)
    unasked = come_unasked(table, {*found.ids, *(trace.id for trace in held)}, config)
    parts = parts_of(asked, slots, held, read_notes(tx), told, tuple(_observations(tx)), unasked)
    made = assemble(parts, asked.tokens, asked.style, shares=config.shares)
    prospective.claim(tx, made.sections.get("reminders", ()))
    of_cue = {result.trace.id for result in found.results if result.signals.similarity > OF_USE}
    after = mind.having_shown(
        [trace_id for trace_id in made.ids if trace_id in of_cue], rivals_of(found, made.ids, config)
    )
    if after != mind:
        tx.write(IN_MIND, after)
    return made
