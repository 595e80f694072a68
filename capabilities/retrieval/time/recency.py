"""What was said last stands first where two sessions speak of the same: a rule for changed facts without a model."""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
MIN_SCORE = 0.6
"""The share of the older turn's score that the newer one needs."""
MIN_COVER = 0.5
"""The share of what the question finds in the older turn that it must find in the newer one too."""
EDGE = 1e-4
"""How far above the older turn the newer one is put, as a share of its score."""


def newer_first(
    scores: Floats, sessions: NDArray[np.int32], times: NDArray[np.float64], matched: Floats, asked: Floats
) -> int:
    """Return which row must stand just above the best one of an earlier session, or -1.

    ``matched``, shape (words, rows), is how far each word of the question is found in each row; ``asked`` is how
    near each lies to the time that the question names: an older turn that lies nearer is left where it is. Only the
    best rows of the two best sessions are looked at.

    >>> scores, days = np.array([1.0, 0.8], np.float32), np.array([1.0, 2.0])
    >>> newer_first(scores, np.array([0, 1], np.int32), days, np.ones((1, 2), np.float32), scores * 0)
    1
    """
    pair = best_pair(scores, sessions)
    if pair is None:
        return -1
    first, other = pair
    old, new = pair if _time(times[first]) <= _time(times[other]) else (other, first)
    if not times[old] < times[new] or scores[old] < scores[new] or scores[new] < MIN_SCORE * scores[old]:
        return -1
    if asked[old] > asked[new]:
        return -1
    shared = np.minimum(matched[:, old], matched[:, new]).sum()
    return new if shared >= MIN_COVER * matched[:, old].sum() else -1


def best_pair(scores: Floats, sessions: NDArray[np.int32]) -> tuple[int, int] | None:
    """Return the best row, and the best row of any other session; None where there is but one session."""
    if not len(scores):
        return None
    first = int(np.argmax(scores))
    others = np.flatnonzero(sessions != sessions[first])
    if not len(others):
        return None
    return first, int(others[np.argmax(scores[others])])


def _time(seconds: np.float64) -> float:
    return 0.0 if math.isnan(seconds) else float(seconds)
