"""How near rows come to a question by their meaning: quickly for all of them, exactly for the best."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .candidates import Candidates
from .fusion import least_and_greatest, scaled
from .question import Question

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class Meaning:
    """How near the rows come to the question by their vectors: ``dense`` are the cosines from 0, ``low``, to 1."""

    cosines: Floats
    present: NDArray[np.bool_]
    dense: Floats
    low: float


def compare(question: Question, candidates: Candidates, text: Floats, allowed: NDArray[np.bool_] | None) -> Meaning:
    """Return how near all rows come; ``allowed`` are those that may be found, None for all.

    A row without a vector, among rows that have some, counts by its words, ``text``, twice.
    """
    cosines, present = _cosines(question, candidates)
    counted = present if allowed is None else present & allowed
    among = None if counted.all() else counted
    if among is not None and not among.any():
        return Meaning(cosines, present, np.zeros(len(cosines), np.float32), 0.0)
    low, high = least_and_greatest(cosines, among)
    dense = scaled(cosines, low, high, cut=among is not None)
    return Meaning(cosines, present, dense if among is None else np.where(present, dense, text), low)


def refine(
    question: Question, candidates: Candidates, rows: Numbers, meaning: Meaning, base: Floats, weight: float
) -> None:
    """Replace the quick cosines of some rows by exact ones, the best of which is the new end of the scale.

    What that changes counts in ``base``, the scores by number, with ``weight``.
    """
    for group in candidates:
        vectors = group.index.vectors
        mine = rows[(rows >= group.start) & (rows < group.end)]
        mine = mine[meaning.present[mine]]
        if question.vector is None or vectors is None or vectors.is_exact or not len(mine):
            continue
        exact = vectors.exact(question.vector, mine - group.start)
        width = max(float(exact.max()) - meaning.low, 1e-6)
        better = np.clip((exact - np.float32(meaning.low)) / np.float32(width), 0, 1)
        base[mine] += np.float32(weight) * (better - meaning.dense[mine])
        meaning.cosines[mine] = exact
        meaning.dense[mine] = better


def _cosines(question: Question, candidates: Candidates) -> tuple[Floats, NDArray[np.bool_]]:
    cosines, present = list[Floats](), list[NDArray[np.bool_]]()
    for group in candidates:
        vectors, positions = group.index.vectors, group.end - group.start
        if question.vector is not None and vectors is not None and vectors.dimension == len(question.vector):
            cosines.append(vectors.quick(question.vector))
            present.append(vectors.present)
            positions -= len(vectors)
        if positions:
            cosines.append(np.zeros(positions, np.float32))
            present.append(np.zeros(positions, np.bool_))
    return (cosines[0], present[0]) if len(cosines) == 1 else (np.concatenate(cosines), np.concatenate(present))
