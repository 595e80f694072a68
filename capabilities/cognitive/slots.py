"""What is in mind: working memory in slots, for each session, and what prompts showed."""

from collections.abc import Iterable, Sequence

from pydantic import BaseModel, ConfigDict

from fabric.flow.resource import Document

from ..formulas import slots as formulas
from ..traces.record import Trace
from .config import CognitiveConfig

FOCUSED = 5
"""How many of the traces that were used come to mind: the first."""
MOST_PROMPTED = 100
"""How many traces that prompts showed wait for the end of their turn, at most."""


class HeldSlot(BaseModel):
    """One trace in mind: how active it is, how often it was rehearsed, and when it entered (turns of the session)."""

    model_config = ConfigDict(frozen=True)

    id: str
    trace: str
    activation: float
    rehearsals: int = 0


class InMind(BaseModel):
    """The slots of a session, and the traces that prompts showed in this turn; ids, and no text of anybody's."""

    model_config = ConfigDict(frozen=True)

    held: tuple[HeldSlot, ...] = ()
    entered: int = 0
    prompted: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    """What the cues of these prompts brought up beside them; only where that counts (`RetrievalInducedForgetting`)."""

    def having_shown(self, of_use: Iterable[str], rivals: Iterable[str]) -> "InMind":
        """Return it after a prompt: what was relevant in it, and what competed with that, wait for the turn's end."""
        prompted = tuple(dict.fromkeys([*self.prompted, *of_use]))[-MOST_PROMPTED:]
        competed = tuple(dict.fromkeys([*self.rivals, *rivals]))[-MOST_PROMPTED:]
        return self.model_copy(update={"prompted": prompted, "rivals": competed})

    def slots(self, config: CognitiveConfig) -> formulas.Slots:
        """Return the state that `capabilities.formulas.slots` computes with; its capacity, 5 to 9, is by the traits."""
        held = tuple(formulas.Slot(slot.id, slot.trace, slot.activation, slot.rehearsals) for slot in self.held)
        return formulas.Slots(formulas.capacity(config.traits, config.capacity), held, self.entered)

    def with_slots(self, slots: formulas.Slots) -> "InMind":
        """Return a copy that holds the state a formula computed; what prompts showed stays as it is."""
        held = tuple(
            HeldSlot(id=slot.id, trace=slot.trace, activation=slot.activation, rehearsals=slot.rehearsals)
            for slot in slots.held
        )
        return self.model_copy(update={"held": held, "entered": slots.entered})


IN_MIND = Document("cognitive_slots", InMind, "session", required=False)


def brought_to(slots: formulas.Slots, used: Sequence[Trace]) -> tuple[formulas.Slots, list[formulas.Slot]]:
    """Return the slots with the first of some traces in mind, the first on top, and the slots that had to go."""
    gone: list[formulas.Slot] = []
    for trace in reversed(used[:FOCUSED]):
        slots, _, pushed = formulas.focus(slots, trace.id)
        gone += [pushed] if pushed else []
    return slots, gone
