"""How well a row's words answer a question: BM25, in which words of like meaning count in part.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), equations 3.15 and
3.3; the inverse document frequency with + 1 inside the logarithm, which keeps it positive. Parameters were measured on
conversations: turns are short, so their length says little.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
K1 = 0.6
"""How soon repetition of a word stops to count."""
B = 0.4
"""How much a longer row's words count less."""


def idf(rows: int, document_frequency: int) -> float:
    """Return ``ln(1 + (rows - document_frequency + 0.5) / (document_frequency + 0.5))``, never negative.

    >>> round(idf(1000, 1), 2), round(idf(1000, 1000), 4)
    (6.5, 0.0005)
    """
    return float(np.log1p((max(0, rows - document_frequency) + 0.5) / (document_frequency + 0.5)))


def idfs(rows: int, document_frequency: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return `idf` of many terms at once.

    >>> idfs(1000, np.array([1, 1000], np.int32)).round(2).tolist()
    [6.5, 0.0]
    """
    return np.asarray(
        np.log1p((np.maximum(0, rows - document_frequency) + 0.5) / (document_frequency + 0.5)), np.float64
    )


def idf_unseen(rows: int) -> float:
    """Return the weight of a word that no row holds, ``ln(1 + rows / 1.5)``: the most that a word can weigh."""
    return float(np.log1p(rows / 1.5))


def saturation(counts: NDArray[np.uint16], lengths: NDArray[np.int32], mean_length: float) -> Floats:
    """Return ``tf (k1 + 1) / (tf + k1 (1 - b + b length / mean))`` of each row, between 0 and ``k1 + 1``.

    >>> saturation(np.array([1, 9], np.uint16), np.array([10, 10], np.int32), 10.0).round(2).tolist()
    [1.0, 1.5]
    """
    tf = counts.astype(np.float32)
    below = lengths.astype(np.float32)
    below *= np.float32(K1 * B / max(mean_length, 1e-9))
    below += np.float32(K1 * (1 - B))
    below += tf
    tf *= np.float32(K1 + 1)
    tf /= below
    return tf
