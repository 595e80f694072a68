"""The slots of a cognitive memory: a few traces in mind at once, which rehearsal makes more active and time less.

Not the working memory of ``capabilities/working``, whose entries fade by ``salience.py``.

State in, state out; activations lie in [0, 1]. Sources: Miller, "The magical number seven, plus or minus two",
Psychological Review 63 (1956); Baddeley & Hitch, "Working memory" (1974); the numbers: the specification.
"""

from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal

from .bounds import unit
from .personality import HIGH, Traits

CAPACITY, LEAST, MOST = 7, 5, 9
INITIAL, REFOCUSED, REHEARSED = 0.8, 0.2, 0.15
ACTIVE, FADING = 0.7, 0.4


@dataclass(frozen=True, slots=True)
class Slot:
    """One trace in mind: how active it is, and how often it was rehearsed."""

    id: str
    trace: str
    activation: float
    rehearsals: int = 0


@dataclass(frozen=True, slots=True)
class Slots:
    """What is in mind, in the order in which it entered; ``entered`` counts all that ever did."""

    capacity: int = CAPACITY
    held: tuple[Slot, ...] = ()
    entered: int = 0

    @property
    def attention(self) -> tuple[float, ...]:
        """The share of attention of each slot, adding up to 1; all 0 where nothing is active."""
        total = sum(slot.activation for slot in self.held)
        return tuple(slot.activation / total if total else 0.0 for slot in self.held)


def capacity(traits: Traits, base: int = CAPACITY) -> int:
    """Return how many slots a personality has: one more when open, one fewer when conscientious, 5 to 9.

    >>> capacity(Traits(openness=0.7)), capacity(Traits(conscientiousness=0.7))
    (8, 6)
    """
    return min(MOST, max(LEAST, base + (traits.openness > HIGH) - (traits.conscientiousness > HIGH)))


def focus(slots: Slots, trace: str, activation: float = INITIAL) -> tuple[Slots, Slot, Slot | None]:
    """Return the slots with a trace in mind, its slot, and the one that had to go, None where there was room.

    A trace that is there gains 0.2 and a rehearsal. Where all slots are taken the least active goes, of several the
    one that entered first.

    >>> focus(Slots(), "t1")[1]
    Slot(id='wm-slot-0', trace='t1', activation=0.8, rehearsals=0)
    """
    known = next((slot for slot in slots.held if slot.trace == trace), None)
    if known is not None:
        raised = _raised(known, REFOCUSED)
        return replace(slots, held=_with(slots.held, raised)), raised, None
    gone = min(slots.held, key=lambda slot: slot.activation) if len(slots.held) >= slots.capacity else None
    stay = tuple(slot for slot in slots.held if slot is not gone)
    new = Slot(f"wm-slot-{slots.entered}", trace, unit("activation", activation))
    return replace(slots, held=(*stay, new), entered=slots.entered + 1), new, gone


def rehearse(slots: Slots, slot_id: str) -> Slots:
    """Return the slots with one of them 0.15 more active; an id that none has changes nothing.

    >>> slots, slot, _ = focus(Slots(), "t1", 0.5)
    >>> rehearse(slots, slot.id).held[0].activation
    0.65
    """
    known = next((slot for slot in slots.held if slot.id == slot_id), None)
    return slots if known is None else replace(slots, held=_with(slots.held, _raised(known, REHEARSED)))


def fade(slots: Slots, rate: float = 0.1, least: float = 0.15) -> tuple[Slots, tuple[Slot, ...]]:
    """Return the slots a turn later, each ``rate`` less active, and those that are below ``least`` and gone.

    >>> fade(focus(Slots(), "t1", 0.2)[0])[0].held
    ()
    """
    later = [replace(slot, activation=max(0.0, slot.activation - rate)) for slot in slots.held]
    gone = tuple(slot for slot in later if slot.activation < least)
    return replace(slots, held=tuple(slot for slot in later if slot.activation >= least)), gone


def lines(slots: Slots) -> str:
    """Return the slots as lines of a prompt, most active first; "" where there are none.

    >>> lines(focus(Slots(), "mt_1")[0])
    '- [ACTIVE] mt_1 (activation: 0.80)'
    """
    ordered = sorted(slots.held, key=lambda slot: -slot.activation)
    return "\n".join(
        f"- [{label(slot.activation)}] {slot.trace} (activation: {two_decimals(slot.activation)})" for slot in ordered
    )


def label(activation: float) -> str:
    """Return what an activation is called: ACTIVE above 0.7, fading above 0.4, else weak.

    >>> label(0.7)
    'fading'
    """
    if activation > ACTIVE:
        return "ACTIVE"
    return "fading" if activation > FADING else "weak"


def two_decimals(value: float) -> str:
    """Return a number as it stands in a prompt: a tie of the exact binary value goes away from zero.

    >>> two_decimals(0.125), f"{0.125:.2f}"
    ('0.13', '0.12')
    """
    return str(Decimal(value).quantize(Decimal("0.01"), ROUND_HALF_UP))


def _raised(slot: Slot, by: float) -> Slot:
    return replace(slot, activation=min(1.0, slot.activation + by), rehearsals=slot.rehearsals + 1)


def _with(held: tuple[Slot, ...], changed: Slot) -> tuple[Slot, ...]:
    return tuple(changed if slot.id == changed.id else slot for slot in held)
