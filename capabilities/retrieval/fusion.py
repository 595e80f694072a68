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
    """That the question names who said it."""
    next: float = 0.4
    """The better one of the turns right before and after."""
    beyond: float = 0.2
    """The better one of the turns two before and two after."""
    reply: float = 0.5
    """The share of both that counts for an assistant's turn, unless the question asks what "you" said.

    A reply says again what it answers: the turns around it would put it beside, or above, the evidence itself.
    """
    session: float = 0.2
    """The best turn of the session."""
    time: float = 0.5
    """That it was said when the question says: a share of the whole score."""
    found: float = 0.8
    """What was found first beside the question, in the meaning of one about several things (`feedback`)."""


WEIGHTS = Weights()
FOREIGN_SHARE = 1 / 3
"""The share of its weight that the meaning keeps in a language that the embedder was not made for."""


def unit_range(values: Floats, among: NDArray[np.bool_] | None = None) -> Floats:
    """Return the values on a scale from 0, the least, to 1, the greatest; all alike are 1 where positive, else 0.

    ``among`` are the rows whose least and greatest value count; values outside the scale are cut off.

    >>> unit_range(np.array([2, 4, 3], np.float32)).tolist()
    [0.0, 1.0, 0.5]
    """
    held = values if among is None else values[among]
    if not len(held):
        return np.zeros_like(values)
    low, high = float(held.min()), float(held.max())
    if high <= low:
        return np.full_like(values, float(high > 0))
    found: Floats = (values - np.float32(low)) * np.float32(1 / (high - low))
    if among is not None:
        np.clip(found, 0, 1, out=found)
    return found
