"""Whom a question asks about, as ranking sees it: which rows are theirs, and which tell what is asked of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
USER = "user"


@dataclass(frozen=True, slots=True)
class People:
    """Whom a question asks about: each subject, with the words of the question that stand for it.

    ``is_told`` says whether the question tells whom it asks about at all; one that does not may be about the user,
    whose subjects are ``mine``.
    """

    asked: Mapping[str, frozenset[str]]
    is_told: bool = True
    mine: frozenset[str] = frozenset({USER})
    is_about_me: bool = False
    """Whether it is the user who is asked about, and nobody else."""
    rows: Mask | None = None
    """By number, which rows may speak of whom the question asks about; None where all may."""
    spoken: Sequence[tuple[frozenset[str], Mask]] = ()
    """Words of the question for somebody, and the rows that speak of them by whatever other word or name."""
    roles: frozenset[str] = frozenset()
    """Whose turns count as said by whom the question asks about."""
    answers: Floats | None = None
    """By number, how far a row's claim is what is asked of them, from 0 to 1; None where no attribute is asked for."""
    is_other: Callable[[Any], bool] | None = field(default=None, compare=False)
    """What tells of a memory that was read that it speaks of somebody else after all."""
    unsure: Mask | None = None
    """Which rows ``is_other`` is asked about, once they are read; None for all."""


NOBODY = People({}, is_told=False)
