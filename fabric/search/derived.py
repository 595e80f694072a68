"""What readers work out of an index, kept as long as the index is."""

from collections.abc import Sequence
from typing import Any, TypeVar, cast

T = TypeVar("T")


class Derived:
    """One value of each kind, made when it is first asked for, by any thread.

    >>> made = Derived()
    >>> made.get(list, ["ab"]) is made.get(list, ["cd"])
    True
    """

    __slots__ = ("_made",)

    def __init__(self) -> None:
        self._made: dict[type[Any], object] = {}

    def get(self, kind: type[T], arguments: Sequence[Any]) -> T:
        """Return the value of a kind; two threads that ask at once get the same one."""
        found = self._made.get(kind)
        if found is None:
            found = self._made.setdefault(kind, kind(*arguments))
        return cast("T", found)
