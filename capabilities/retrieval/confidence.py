"""How sure it is that anything relevant is stored: a score from 0 to 1 that does not depend on the other rows."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
RAREST = 2


def confidence(matched: Floats, weights: Floats, sessions: NDArray[np.int32], cosine: float | None) -> float:
    """Return the mean of up to three shares, each in [0, 1].

    ``matched``, shape (words, rows), is how far each word is found in each row, in [0, 1]; ``weights`` are the words'
    idf. The shares: of the question's weight that one session covers; of its two rarest words that one row holds; and
    the best cosine, where there are vectors. Equal weights: nothing was fitted.

    >>> confidence(np.ones((2, 1), np.float32), np.ones(2, np.float32), np.zeros(1, np.int32), None)
    1.0
    """
    parts: list[float] = []
    if len(weights) and matched.shape[1] and float(weights.sum()) > 0:
        order = np.argsort(sessions, kind="stable")
        ordered = sessions[order]
        begins = np.flatnonzero(np.r_[True, (ordered[1:] != ordered[:-1]) | (ordered[1:] < 0)])
        covered = np.maximum.reduceat(matched[:, order], begins, axis=1)
        parts.append(float((weights @ covered).max()) / float(weights.sum()))
        rarest = np.argsort(-weights, kind="stable")[:RAREST]
        parts.append(float(matched[rarest].sum(axis=0).max()) / len(rarest))
    else:
        parts += [0.0, 0.0]
    if cosine is not None:
        parts.append(max(cosine, 0.0))
    return min(1.0, max(0.0, sum(parts) / len(parts)))
