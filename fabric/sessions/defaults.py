"""What an open file is made of unless something else is given, loaded when one is opened."""

from os import PathLike, fspath
from typing import TYPE_CHECKING

from ..lazy import lazy
from ..store.base import Store

if TYPE_CHECKING:
    from ..store import secrecy
    from ..store.duckdb import store
    from ..store.secrecy import Secrets
else:
    secrecy = lazy("..store.secrecy", __package__)
    store = lazy("..store.duckdb.store", __package__)


def redaction(*, is_on: bool) -> "Secrets":
    """Return what takes secrets out of all that is stored, or keeps them."""
    return secrecy.Secrets() if is_on else secrecy.KEPT


def duckdb_store(path: str | PathLike[str]) -> Store:
    """Return the store of a file, or of memory for ``:memory:``."""
    return store.DuckDBStore(fspath(path))
