"""Looking facts up by the slots of their claims, in the index that is kept in memory."""

from collections.abc import Collection as Several

import numpy as np

from fabric.resource import Collection, Transaction

from .record import Fact


def current_in(tx: Transaction, facts: Collection[Fact], slots: Several[str], subjects: Several[str]) -> list[Fact]:
    """Return the current facts of these subjects that stand in one of these slots."""
    index = tx.index(facts) if slots else None
    if index is None:
        return []
    found = index.alive.view.copy()
    for name, wanted in (("slot", slots), ("subject", subjects), ("status", ("current",))):
        column = index.columns[name]
        numbers = [column.names[value] for value in wanted if value in column.names]
        if not numbers:
            return []
        found &= np.isin(column.view, numbers)
    return tx.get_many(facts, [index.ids[place] for place in np.flatnonzero(found).tolist()])
