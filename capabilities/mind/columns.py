"""What the index in memory says about entries without reading them: which are wanted, how alike, how old, how sure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..formulas.mind_score import CONFIDENCE
from .provider import Wanted
from .similarity import at_least

if TYPE_CHECKING:
    from fabric.search.base import SearchView, VectorsView

Positions = NDArray[np.int64]
Floats = NDArray[np.float64]
_UNKNOWN = -2
"""The number of a text that no row has."""


def meeting(index: "SearchView", namespace: str, wanted: Wanted) -> Positions:
    """Return the positions of this mind's entries that meet the conditions, tags and limit apart."""
    columns = index.columns
    met = index.alive & (columns["namespace"].values == columns["namespace"].names.get(namespace, _UNKNOWN))
    if wanted.pinned is not None and "pinned" in columns:
        met &= columns["pinned"].values == wanted.pinned
    if wanted.at_least is not None and "confidence" in columns:
        names = columns["confidence"].names
        met &= np.isin(columns["confidence"].values, [names.get(level, _UNKNOWN) for level in at_least(wanted)])
    if wanted.alive_at is not None:
        met &= ~(columns["expires_at"].values <= wanted.alive_at.timestamp())
    if wanted.made_since is not None:
        met &= columns["created_at"].values >= wanted.made_since.timestamp()
    if wanted.without_errors:
        met &= columns["error"].values == 0
    return np.flatnonzero(met)


def scored_by(index: "SearchView", positions: Positions) -> tuple[Floats, Floats]:
    """Return when the entries were made, in seconds, and what their confidence counts."""
    columns = index.columns
    sure = np.full(len(positions), CONFIDENCE["medium"])
    if "confidence" in columns:
        levels = columns["confidence"].values[positions]
        for name, counts in CONFIDENCE.items():
            sure[levels == columns["confidence"].names.get(name, _UNKNOWN)] = counts
        sure[columns["error"].values[positions] == 1] = CONFIDENCE["low"]
    return columns["created_at"].values[positions], sure


def cosines(vectors: "VectorsView", asked: NDArray[np.float32], positions: Positions) -> Floats:
    """Return the exact cosines of the entries with a unit vector."""
    found = vectors.quick(asked)[positions] if vectors.is_exact else vectors.exact(asked, positions)
    return found.astype(np.float64)


def shared_words(index: "SearchView", positions: Positions, words: Sequence[str]) -> Floats:
    """Return the cosine of the entries' words with these, as `capabilities.formulas.similarity.word_cosine` does."""
    held = [index.postings.of(index.postings.terms[word])[0] for word in words if word in index.postings.terms]
    if not held:
        return np.zeros(len(positions))
    shared = np.bincount(np.concatenate(held), minlength=len(index.ids))[positions]
    found: Floats = shared / np.sqrt(np.maximum(index.different[positions], 1) * len(words))
    return found
