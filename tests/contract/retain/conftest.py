"""An open file with each kind of backend in turn."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fabric import Fabric
from tests.hindsight import hindsight_double

from .kinds import HINDSIGHT, KINDS, Desk, Kind


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    chosen: Kind = request.param
    return chosen


@pytest.fixture
def url(kind: Kind) -> Iterator[str]:
    if kind is not HINDSIGHT:
        yield ""
        return
    with hindsight_double() as double:
        yield double.url


@pytest.fixture
def desk(kind: Kind, url: str, tmp_path: Path) -> Iterator[Desk]:
    with Fabric(tmp_path / "banks.duckdb") as fabric:
        yield Desk(fabric, kind, url)
