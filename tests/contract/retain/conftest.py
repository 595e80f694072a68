"""An open file with each kind of backend in turn."""

import os
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from fabric import Fabric
from tests.hindsight import hindsight_double, running_server
from tests.hindsight.running import URL

from .kinds import HINDSIGHT, KINDS, NOWHERE, REAL, Desk, Kind, Place

SERVERS = [pytest.param(REAL, marks=pytest.mark.hindsight)] if URL in os.environ else []
"""What is tried beside the others where `make hindsight` has started a server."""


@pytest.fixture(params=[*(one for one in KINDS if one is not REAL), *SERVERS], ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    chosen: Kind = request.param
    return chosen


@pytest.fixture
def place(kind: Kind) -> Iterator[Place]:
    if kind is REAL:
        server = running_server()
        yield Place(server.url, server.token, f"contract-{uuid4().hex[:8]}-")
    elif kind is HINDSIGHT:
        with hindsight_double() as double:
            yield Place(double.url)
    else:
        yield NOWHERE


@pytest.fixture
def desk(kind: Kind, place: Place, tmp_path: Path) -> Iterator[Desk]:
    with Fabric(tmp_path / "banks.duckdb") as fabric:
        yield Desk(fabric, kind, place)
