"""Loads modules when something of them is used first: for what is slow to import, or stands above its importer.

Type checkers read a plain import beside it, in the one form that all of them know:

    if TYPE_CHECKING:
        import numpy as np
    else:
        np = lazy("numpy")
"""

from importlib import import_module
from typing import Any


class LazyModule:
    """A module that is imported when something of it is first asked for. What was asked for once is an attribute.

    Names like ``__wrapped__`` are asked for by whoever inspects values, and import nothing: there are none.
    """

    def __init__(self, name: str, package: str | None) -> None:
        self._name = name
        self._package = package

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"{self._name} is loaded late, and {name!r} is not read through that")
        found = getattr(import_module(self._name, self._package), name)
        setattr(self, name, found)
        return found


def lazy(name: str, package: str | None = None) -> Any:
    """Return what stands for a module until it is needed; ``package`` is ``__package__`` for a relative name.

    ImportError is raised where something of the module is used, as by an import inside a function.

    >>> later = lazy("math")
    >>> later.sqrt(9.0)
    3.0
    """
    return LazyModule(name, package)
