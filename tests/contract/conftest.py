"""The back ends that have to keep the contract: add a factory here to try another one."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fabric.store.base import Store
from fabric.store.duckdb.store import DuckDBStore

Factory = Callable[[Path], Store]
FACTORIES: dict[str, Factory] = {
    "duckdb-file": lambda folder: DuckDBStore(folder / "contract.duckdb"),
    "duckdb-memory": lambda _: DuckDBStore(":memory:"),
}


@pytest.fixture(params=FACTORIES)
def factory(request: pytest.FixtureRequest) -> Factory:
    return FACTORIES[request.param]


@pytest.fixture
def store(factory: Factory, tmp_path: Path) -> Iterator[Store]:
    opened = factory(tmp_path)
    opened.open()
    yield opened
    opened.close()
