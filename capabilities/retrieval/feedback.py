"""A second look for questions about several things: what was found first tells how the others may be worded.

Source: Rocchio, "Relevance Feedback in Information Retrieval" (1971), with the best rows of two sessions as relevant
and none as irrelevant. It helps questions that count, order or list, and costs others a little: so only those get it.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def widened(asked: Floats, found: Floats, share: float) -> Floats:
    """Return the question's vector, shape (n,), plus ``share`` of the mean of rows, shape (rows, n); all of length 1.

    >>> widened(np.array([1, 0], np.float32), np.array([[0, 1], [0, 1]], np.float32), 0.8).round(2).tolist()
    [0.7799999713897705, 0.6200000047683716]
    """
    mean = found.sum(axis=0)
    length = float(np.linalg.norm(mean))
    if length == 0:
        return asked
    mixed = asked + np.float32(share / length) * mean
    return np.asarray(mixed / max(float(np.linalg.norm(mixed)), 1e-9), np.float32)
