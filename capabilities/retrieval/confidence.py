"""How sure it is that anything relevant is stored: a score from 0 to 1 that does not depend on the other rows."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
RAREST = 2
FULL = 10_000
"""From this many words on, what is stored is like a question by chance as often as the mark of one half supposes."""
GROWTH = 0.25
"""By which power of the number of words such likeness grows, below that."""


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
        begins = np.concatenate([[0], 1 + np.flatnonzero((ordered[1:] != ordered[:-1]) | (ordered[1:] < 0))])
        covered = np.maximum.reduceat(matched[:, order], begins, axis=1)
        parts.append(float((weights @ covered).max()) / float(weights.sum()))
        rarest = np.argsort(-weights, kind="stable")[:RAREST]
        parts.append(float(matched[rarest].sum(axis=0).max()) / len(rarest))
    else:
        parts += [0.0, 0.0]
    if cosine is not None:
        parts.append(max(cosine, 0.0))
    return min(1.0, max(0.0, sum(parts) / len(parts)))


def calibrated(sureness: float, words: int) -> float:
    """Return a confidence on the scale of a large collection, where one half is the mark, for one of so many words.

    The fewer words there are, the less of a question they meet by chance, and the less is needed to be sure: the mark
    m = (words / 10,000) ^ 0.25 / 2 becomes one half, 0 and 1 stay, and between them it is linear. Measured over
    conversations cut down to 3 to 200 turns, and memories of 1 to 20 short statements (`tests.bench.recall.small`).

    >>> [round(calibrated(0.2, words), 2) for words in (16, 256, 10_000, 1_000_000)]
    [0.56, 0.5, 0.2, 0.2]
    """
    mark = 0.5 * float((min(max(words, 1), FULL) / FULL) ** GROWTH)
    return 0.5 * sureness / mark if sureness < mark else 0.5 + 0.5 * (sureness - mark) / (1 - mark)
