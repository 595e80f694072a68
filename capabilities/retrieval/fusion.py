"""How the parts of a score are put on one scale and added.

Source: min-max normalised sums, Fox and Shaw, "Combination of Multiple Searches" (1994), CombSUM. The weights were
chosen by cross-validation over conversations; reciprocal rank fusion was worse on all of them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part of a score weighs beside the words, which weigh 1."""

    dense: float = 1.8
    """The meaning of the text: the cosine of its vector with the question's."""
    speaker: float = 0.45
    """That the question names whose it is or who said it."""
    subject: float = 1.5
    """That a memory is about whom the question asks about: a share of what its words and its meaning count."""
    about_others: float = 0.4
    """The share that counts of the text and meaning of a row that does not speak of whom the question asks about."""
    attribute: float = 2.0
    """That a memory's claim is of the attribute that the question asks for, of whom it asks about."""
    confidence_about_others: float = 0.25
    """The share that counts of the confidence, where no row speaks of whom the question asks about."""
    adjacent: float = 0.4
    """The better one of the turns right before and after."""
    two_away: float = 0.2
    """The better one of the turns two before and two after."""
    reply: float = 0.5
    """The share of both that counts for an assistant's turn, unless the question asks what "you" said.

    A reply says again what it answers: the turns around it would put it beside, or above, the evidence itself.
    """
    session: float = 0.2
    """The best turn of the session."""
    time: float = 0.5
    """That it was said when the question says: a share of the whole score."""
    feedback: float = 0.8
    """What the first search found, added to the vector of a question about several things (`feedback`)."""


WEIGHTS = Weights()
SAMPLE = 4_096
"""How many values at least tell where the greatest begin."""
FOREIGN_SHARE = 1 / 3
"""The share of its weight that the meaning keeps in a language that the embedder was not made for."""


def unit_range(values: Floats, among: NDArray[np.bool_] | None = None) -> Floats:
    """Return the values on a scale from 0, the least, to 1, the greatest; all alike are 1 where positive, else 0.

    ``among`` are the rows whose least and greatest value count; values outside the scale are cut off.

    >>> unit_range(np.array([2, 4, 3], np.float32)).tolist()
    [0.0, 1.0, 0.5]
    """
    low, high = least_and_greatest(values, among)
    return np.zeros_like(values) if high < low else scaled(values, low, high, cut=among is not None)


def scaled(values: Floats, low: float, high: float, *, cut: bool) -> Floats:
    """Return the values on a scale from 0 at ``low`` to 1 at ``high``, ``cut`` off outside of it where there are any.

    >>> scaled(np.array([2, 4, 3], np.float32), 3.0, 4.0, cut=True).tolist()
    [0.0, 1.0, 0.0]
    """
    if high == low:
        return np.full_like(values, float(high > 0))
    shares: Floats = values - np.float32(low)
    shares *= np.float32(1 / (high - low))
    if cut:
        np.clip(shares, 0, 1, out=shares)
    return shares


def least_and_greatest(values: Floats, among: NDArray[np.bool_] | None = None) -> tuple[float, float]:
    """Return both of the values, of those ``among`` only if it is given; 1 and 0 when there are none.

    >>> least_and_greatest(np.array([2, 4, 3], np.float32), np.array([True, False, True]))
    (2.0, 3.0)
    """
    counted = values if among is None else values[among]
    return (float(counted.min()), float(counted.max())) if len(counted) else (1.0, 0.0)


def greatest(values: Floats, count: int) -> NDArray[np.int64]:
    """Return the places of the ``count`` greatest values, ascending; of equal ones at the edge, the first.

    A sample tells from where on to look, so that few of many are put in order.

    >>> greatest(np.array([2, 4, 3], np.float32), 2).tolist()
    [1, 2]
    """
    step = len(values) // SAMPLE
    places: NDArray[np.int64] | None = None
    if step > 1:
        sample = values[::step]
        wanted = count * 1.25 / step
        rank = int(wanted + 4 * wanted**0.5) + 4
        if rank < len(sample):
            places = np.flatnonzero(values >= np.partition(sample, len(sample) - rank)[len(sample) - rank])
    if places is None or len(places) < count:
        places = np.arange(len(values))
    among = values[places]
    if len(among) <= count:
        return places
    edge = np.partition(among, len(among) - count)[len(among) - count]  # several times as fast as argpartition
    best = np.flatnonzero(among >= edge)
    if len(best) > count:
        equal = np.flatnonzero(among[best] == edge)
        best = np.delete(best, equal[len(equal) - (len(best) - count) :])
    return places[best]
