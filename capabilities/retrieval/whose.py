"""Whose the rows are: turns by who said them, memories by whom they are about."""

from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import NDArray

from fabric.search.base import ColumnView

from .candidates import Candidates
from .question import Question

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


def whose(question: Question, candidates: Candidates) -> tuple[Floats, Mask]:
    """Return 1 for the rows of whom the question names: a turn that they said, a memory that is about them.

    The second says which memories those are. A question that names nobody may be about the user: then the user's
    memories have the 1, and are none of them.
    """
    belongs, asked = np.zeros(candidates.size, np.float32), np.zeros(candidates.size, np.bool_)
    people = question.people
    for group in candidates:
        speaker, role = group.index.columns.get("speaker"), group.index.columns.get("role")
        subject = group.index.columns.get("subject")
        if speaker is not None and role is not None:
            unnamed = _any_of(speaker, {""}) | (speaker.values < 0)
            by_role = _any_of(role, question.roles | people.roles) & unnamed
            belongs[group.start : group.end] = _any_of(speaker, question.speakers) | by_role
        elif subject is not None:
            named = _any_of(subject, people.asked.keys() if people.is_told else people.mine)
            belongs[group.start : group.end] = named
            asked[group.start : group.end] = named & people.is_told
    return belongs, asked


def _any_of(column: ColumnView, names: AbstractSet[str]) -> Mask:
    mask = np.zeros(len(column.values), np.bool_)
    for name in names & column.names.keys():
        mask |= column.values == column.names[name]
    return mask
