"""What the turns around a turn add to it: an answer often stands beside the words that a question shares with it."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Positions = NDArray[np.int64]


def around(
    scores: Floats, before: NDArray[np.int32], after: NDArray[np.int32], positions: Positions
) -> tuple[Floats, Floats]:
    """Return for some positions the better score right beside each, and the better one two away; 0 where there is none.

    ``before`` and ``after`` are the neighbours of every position, -1 for none.

    >>> chain = np.array([-1, 0, 1], np.int32), np.array([1, 2, -1], np.int32)
    >>> near, far = around(np.array([1, 5, 2], np.float32), *chain, np.array([0, 1]))
    >>> near.tolist(), far.tolist()
    ([5.0, 2.0], [2.0, 0.0])
    """
    one_before, one_after = before[positions], after[positions]
    near = np.maximum(_at(scores, one_before), _at(scores, one_after))
    far = np.maximum(_at(scores, _step(before, one_before)), _at(scores, _step(after, one_after)))
    return near, far


def best_of_group(scores: Floats, groups: NDArray[np.int32]) -> Floats:
    """Return for each row the best score of its group; its own where the group is negative.

    >>> best_of_group(np.array([1, 3, 2], np.float32), np.array([0, 0, -1], np.int32)).tolist()
    [3.0, 3.0, 2.0]
    """
    if not len(groups):
        return scores
    best = np.zeros(max(int(groups.max()), 0) + 1, np.float32)
    member = groups >= 0
    np.maximum.at(best, groups[member], scores[member])
    return np.where(member, best[groups], scores)


def _at(scores: Floats, positions: NDArray[np.int32]) -> Floats:
    return (
        np.where(positions >= 0, scores[positions], np.float32(0))
        if len(scores)
        else np.zeros(len(positions), np.float32)
    )


def _step(links: NDArray[np.int32], positions: NDArray[np.int32]) -> NDArray[np.int32]:
    return np.where(positions >= 0, links[positions], np.int32(-1))
