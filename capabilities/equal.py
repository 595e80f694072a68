"""One thing for equal options, so that a capability that is declared twice is one capability."""

from collections.abc import Callable, Hashable
from threading import RLock
from typing import Any, TypeVar, cast
from weakref import WeakValueDictionary

from fabric.narrowing import is_sequence

T = TypeVar("T")
_MADE: "WeakValueDictionary[Hashable, Any]" = WeakValueDictionary()
_LOCK = RLock()


def one_for(make: Callable[[], T], *options: object) -> T:
    """Return what ``make`` makes, or what it made for equal options as long as anybody holds that.

    Options are compared by value, those that cannot be hashed by identity.

    >>> class Tea: ...
    >>> green, black = one_for(Tea, "tea", ["green"]), one_for(Tea, "tea", ["black"])
    >>> one_for(Tea, "tea", ["green"]) is green, black is green
    (True, False)
    """
    key = tuple(map(_key, options))
    with _LOCK:
        made = _MADE.get(key)
        if made is None:
            made = _MADE[key] = make()
        return cast("T", made)


class _Itself:
    """What stands for an option that cannot be hashed; it keeps it, so that its identity stays its own."""

    def __init__(self, option: object) -> None:
        self._option = option

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and other._option is self._option

    def __hash__(self) -> int:
        return id(self._option)


def _key(option: object) -> Hashable:
    if is_sequence(option) and not isinstance(option, str):
        return tuple(map(_key, option))
    try:
        hash(option)
    except TypeError:
        return _Itself(option)
    return option
