"""What a prompt gets of the memory, in one transaction: its parts put together, and what of them counts afterwards."""

from dataclasses import dataclass
from datetime import datetime

from capabilities.prospective.memory import ProspectiveMemory, Sought
from capabilities.traces.notes import read_notes
from capabilities.traces.table import TraceTable

from ..config import CognitiveConfig
from ..mechanisms.on_prompt import come_unasked
from ..mechanisms.on_use import rivals_of
from ..results import Retrieval
from ..slots import IN_MIND
from .assembling import parts_of
from .prompt import Assembled, Style, assemble
from .reminders import reminder_lines

OF_USE = 0.5
"""What a prompt showed counts as used where it is more relevant than that to its cue: the rest only filled the room."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a prompt is for: what its cue brought to mind, what is going on, and how much room there is."""

    found: Retrieval
    sought: Sought
    tokens: int
    style: Style
    now: datetime
    turn_id: str


def prompt_of(table: TraceTable, config: CognitiveConfig, prospective: ProspectiveMemory, asked: Asked) -> Assembled:
    """Return a prompt's part of the memory; what it shows waits for the end of the turn, reminders for that of the run.

    A reminder for which there is no room is not brought back by that: it is due the next time.
    """
    tx, found = table.tx, asked.found
    mind = tx.read(IN_MIND)
    slots = mind.slots(config)
    held = [one.trace for slot in slots.held if (one := table.live(slot.trace)) is not None]
    told = reminder_lines(prospective.shown_in(tx, asked.sought), asked.tokens)
    unasked = come_unasked(table, {*found.ids, *(one.id for one in held)}, config)
    parts = parts_of(found, slots, held, read_notes(tx), asked.style, asked.now, asked.turn_id, told, unasked)
    made = assemble(parts, asked.tokens, asked.style)
    prospective.claim(tx, made.sections.get("reminders", ()))
    of_cue = {one.trace.id for one in found.results if one.signals.similarity > OF_USE}
    after = mind.having_shown([one for one in made.ids if one in of_cue], rivals_of(found, made.ids, config))
    if after != mind:
        tx.write(IN_MIND, after)
    return made
