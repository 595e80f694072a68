"""How well an entry of an agent's mind answers a query: how alike, how old and how sure it is, in one score.

Source of all formulas: the specification of the agent mind's recall. Not-a-number raises ValueError.
"""

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .bounds import clamp, unit
from .priority import recency as faded

Confidence = Literal["low", "medium", "high"]
CONFIDENCE: dict[Confidence, float] = {"low": 0.3, "medium": 0.6, "high": 1.0}
"""What a level of confidence counts."""
SIMILARITY_WEIGHT = 0.6
RECENCY_WEIGHT = 0.2
CONFIDENCE_WEIGHT = 0.2
RECENCY_DAYS = 30.0
"""After this many days recency is 1/e: an e-folding time, not a half-life."""


def recency(age: float) -> float:
    """Return ``exp(-age / 30)`` for an ``age`` in days: 1 for what is new; an age below 0 counts as 0.

    >>> recency(0), round(recency(30), 4)
    (1.0, 0.3679)
    """
    return faded(age, RECENCY_DAYS)


def composite(similarity: float, recency: float, confidence: float) -> float:
    """Return ``0.6 * similarity + 0.2 * recency + 0.2 * confidence``, clamped to [0, 1].

    ``similarity`` is a cosine and may be negative; ``recency`` and ``confidence`` lie in [0, 1].

    >>> composite(0.5, 1.0, 0.6)
    0.62
    """
    if math.isnan(similarity):
        raise ValueError("similarity is nan: expected a cosine between -1 and 1")
    parts = (
        SIMILARITY_WEIGHT * clamp(similarity, -1.0, 1.0),
        RECENCY_WEIGHT * unit("recency", recency),
        CONFIDENCE_WEIGHT * unit("confidence", confidence),
    )
    return clamp(math.fsum(parts))


def composites(
    similarity: NDArray[np.float64], age: NDArray[np.float64], confidence: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what `composite` gives for each of many entries by their ages in days, all arrays of one shape (n,)."""
    if np.isnan(similarity).any() or np.isnan(age).any() or np.isnan(confidence).any():
        raise ValueError("similarities, ages and confidences must be numbers")
    whole = (
        SIMILARITY_WEIGHT * np.clip(similarity, -1.0, 1.0)
        + RECENCY_WEIGHT * np.exp(-np.maximum(age, 0.0) / RECENCY_DAYS)
        + CONFIDENCE_WEIGHT * np.clip(confidence, 0.0, 1.0)
    )
    return np.asarray(np.clip(whole, 0.0, 1.0), np.float64)
