"""What an open file is made of unless something else is given, loaded when one is opened."""

from os import PathLike, fspath
from typing import TYPE_CHECKING

from ..store.base import Store

if TYPE_CHECKING:
    from ..store.secrecy import Secrets


def redaction(*, is_on: bool) -> "Secrets":
    """Return what takes secrets out of all that is stored, or keeps them."""
    from ..store.secrecy import KEPT, Secrets  # noqa: PLC0415  its patterns are compiled when a file is opened

    return Secrets() if is_on else KEPT


def duckdb_store(path: str | PathLike[str]) -> Store:
    """Return the store of a file, or of memory for ``:memory:``."""
    from ..store.duckdb.store import DuckDBStore  # noqa: PLC0415  duckdb is loaded when a file is opened

    return DuckDBStore(fspath(path))
