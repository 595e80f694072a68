"""The slots of claims as an index holds them: which rows fill a place, without reading one."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from capabilities.claims import SlotParts, place
from capabilities.retrieval.candidates import Candidates
from fabric.search.base import ColumnView, SearchView

Mask = NDArray[np.bool_]


@dataclass(slots=True)
class _Places:
    """The slots that an index has seen, taken apart: by attribute and owner their numbers in its column."""

    places: list[SlotParts] = field(default_factory=list[SlotParts])
    numbers: dict[tuple[str, str], list[int]] = field(default_factory=dict[tuple[str, str], list[int]])

    def learn(self, names: Iterable[str]) -> None:
        for name in list(names)[len(self.places) :]:
            found = place(name or "")
            self.numbers.setdefault((found.attribute, found.owner), []).append(len(self.places))
            self.places.append(found)


@dataclass(frozen=True, eq=False, slots=True)
class Slots:
    """The slots of the rows of an index."""

    column: ColumnView
    places: _Places

    @classmethod
    def of(cls, index: SearchView) -> "Slots | None":
        """Return the slots of an index, of one that is not frozen inside a transaction; None without any claims."""
        column = index.columns.get("slot")
        if column is None:
            return None
        places = index.derived(_Places)
        if len(places.places) < len(column.names):
            places.learn(column.names)
        return cls(column, places)

    def owners(self) -> set[str]:
        """Return everybody but the subjects themselves whose claims there are: "mother", "older sister"."""
        return {owner for _, owner in self.places.numbers if owner}

    def filled(self, attribute: str, owner: str = "", fits: Callable[[SlotParts], bool] | None = None) -> Mask:
        """Return which rows tell an attribute of an owner, "" for their subject, at a place that fits."""
        numbers = self.places.numbers.get((attribute, owner), [])
        return self._mask(number for number in numbers if fits is None or fits(self.places.places[number]))

    def of_owners(self, fits: Callable[[str], bool], attributes: Iterable[str] | None = None) -> Mask:
        """Return which rows tell something, or one of some attributes, of owners that fit."""
        wanted = None if attributes is None else set(attributes)
        return self._mask(
            number
            for (attribute, owner), numbers in self.places.numbers.items()
            if owner and (wanted is None or attribute in wanted) and fits(owner)
            for number in numbers
        )

    def place_of(self, position: int) -> SlotParts:
        """Return the place that the row at a position of the index fills."""
        number = int(self.column.values[position])
        return self.places.places[number] if number >= 0 else place("")

    def _mask(self, numbers: Iterable[int]) -> Mask:
        chosen = list(numbers)
        if not chosen:
            return np.zeros(len(self.column.values), np.bool_)
        wanted = np.zeros(len(self.places.places) + 1, np.bool_)
        wanted[chosen] = True  # -1, no slot at all, stands for the last, which is never wanted
        found: Mask = wanted[self.column.values]
        return found


def names_in(candidates: Candidates, column: str) -> set[str]:
    """Return the texts that a column has in any of the indexes, some of which may stand in no row any more."""
    columns = [group.index.columns.get(column) for group in candidates]
    return {name for found in columns if found is not None for name in found.names if name}
