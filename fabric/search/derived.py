"""What readers work out of an index, kept as long as the index is."""

from collections.abc import Sequence
from typing import Any, TypeVar, cast

T = TypeVar("T")


class Derived:
    """One object of each class that is asked for, built the first time, by any thread.

    >>> made = Derived()
    >>> made.get(list, ["ab"]) is made.get(list, ["cd"])
    True
    """

    __slots__ = ("_made",)

    def __init__(self) -> None:
        self._made: dict[type[Any], object] = {}

    def get(self, wanted: type[T], arguments: Sequence[Any]) -> T:
        """Return the object of the wanted class, built with these arguments where there is none yet.

        Two threads that ask at once get the same one.
        """
        found = self._made.get(wanted)
        if found is None:
            found = self._made.setdefault(wanted, wanted(*arguments))
        return cast("T", found)
