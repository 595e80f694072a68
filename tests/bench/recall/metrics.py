"""What a ranking is worth: recall, reciprocal rank, discounted gain, and how sure the mean of them is."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from fabric.text.words import words

RESAMPLES = 2000
SHINGLE = 8
Floats = NDArray[np.float64]


def measure(ranked: Sequence[str], gold: Iterable[str], cutoffs: Sequence[int]) -> dict[str, float]:
    """Return the measures of one ranking of distinct ids, best first; ids that are not in it were not found.

    ``R@k`` is the share of the gold ids among the first k, ``any@k`` and ``all@k`` whether one or each is, ``MRR``
    one over the place of the first gold id, ``NDCG@k`` the gain discounted by log2 of the place + 1 over the best one.

    >>> {name: round(value, 3) for name, value in measure("axbc", "bz", [2, 3]).items()}
    ... # doctest: +NORMALIZE_WHITESPACE
    {'MRR': 0.333, 'R@2': 0.0, 'any@2': 0.0, 'all@2': 0.0, 'NDCG@2': 0.0,
     'R@3': 0.5, 'any@3': 1.0, 'all@3': 0.0, 'NDCG@3': 0.307}
    """
    wanted = set(gold)
    places = [place for place, one in enumerate(ranked) if one in wanted]
    result = {"MRR": 1 / (places[0] + 1) if places else 0.0}
    for k in cutoffs:
        within = [place for place in places if place < k]
        best = sum(1 / np.log2(place + 2) for place in range(min(k, len(wanted))))
        result[f"R@{k}"] = len(within) / len(wanted)
        result[f"any@{k}"] = float(bool(within))
        result[f"all@{k}"] = float(len(within) == len(wanted))
        result[f"NDCG@{k}"] = float(sum(1 / np.log2(place + 2) for place in within) / best)
    return result


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean and its 95 % bootstrap interval, by resampling the questions; zeros for no values."""
    if not values:
        return 0.0, 0.0, 0.0
    means = _resampled(np.asarray(values, float))
    return float(np.mean(values)), float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


def _resampled(values: Floats) -> Floats:
    picked = np.random.default_rng(0).integers(0, len(values), (RESAMPLES, len(values)))
    means: Floats = values[picked].mean(axis=1)
    return means


def separation(answerable: Sequence[float], unanswerable: Sequence[float]) -> float:
    """Return the AUC of a score: how often an answerable question's is above an unanswerable one's, ties counting half.

    >>> separation([0.9, 0.5], [0.5, 0.1])
    0.875
    """
    if not answerable or not unanswerable:
        return float("nan")
    a, b = np.asarray(answerable)[:, None], np.asarray(unanswerable)[None, :]
    return float(((a > b) + 0.5 * (a == b)).mean())


def separation_interval(answerable: Sequence[float], unanswerable: Sequence[float]) -> tuple[float, float, float]:
    """Return the AUC and its 95 % bootstrap interval."""
    chance = np.random.default_rng(0)
    a, b = np.asarray(answerable), np.asarray(unanswerable)
    many = [separation(chance.choice(a, len(a)).tolist(), chance.choice(b, len(b)).tolist()) for _ in range(500)]
    low, high = np.quantile(many, [0.025, 0.975])
    return separation(answerable, unanswerable), float(low), float(high)


def share_inside(text: str, context: str) -> float:
    """Return which share of a text's words stands in the context, in runs of eight words (or the whole, if shorter).

    >>> share_inside("We moved to Lisbon in May.", "[1 May] Dana: We moved to Lisbon in May. It rained.")
    1.0
    >>> share_inside("We moved to Lisbon in May.", "We moved to Lisbon in June.")
    0.0
    """
    return share_of_runs(words(text), runs_of(words(context), min(SHINGLE, len(words(text)))))


def runs_of(context: Sequence[str], size: int) -> frozenset[tuple[str, ...]]:
    """Return every run of ``size`` words."""
    return frozenset(tuple(context[at : at + size]) for at in range(len(context) - size + 1))


def share_of_runs(wanted: Sequence[str], held: frozenset[tuple[str, ...]]) -> float:
    """Return which share of the wanted words stands in one of the runs."""
    if not wanted:
        return 1.0
    size = min(SHINGLE, len(wanted))
    covered = np.zeros(len(wanted), bool)
    for at in range(len(wanted) - size + 1):
        if tuple(wanted[at : at + size]) in held:
            covered[at : at + size] = True
    return float(covered.mean())
