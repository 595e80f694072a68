"""What a process needs, leaves and says when it ends: the client's library, its connections, and what waits."""

import subprocess
import sys
from pathlib import Path

import pytest

from capabilities.retain import HindsightConfig
from capabilities.retain.hindsight import HindsightBackend
from fabric.errors import ConfigurationError
from tests import forkserver
from tests.hindsight import HindsightDouble

from .steps import BANK, NEVER, Steps, facts, opened, until

ROOT = Path(__file__).parents[4]
PROGRAM = """
import sys
from fabric import Fabric
from tests.capabilities.retain.hindsight.steps import NEVER, Steps
fabric = Fabric(sys.argv[1])
here = Steps(fabric, sys.argv[2], **NEVER)
here.retain("We deploy with Docker Compose.")
here.recall("deploy")
here.retain("The database is DuckDB.")
{end}
"""


def run(end: str, folder: Path, url: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM.format(end=end), str(folder / "a.duckdb"), url]
    return forkserver.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


def test_a_program_that_closes_its_file_sends_all_and_says_nothing(server: HindsightDouble, tmp_path: Path) -> None:
    ended = run("fabric.close()", tmp_path, server.url)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert sorted(facts(server)) == ["The database is DuckDB.", "We deploy with Docker Compose."]


def test_a_program_that_does_not_ends_all_the_same_and_the_next_sends(server: HindsightDouble, tmp_path: Path) -> None:
    ended = run("", tmp_path, server.url)
    assert ended.returncode == 0
    assert "Traceback" not in ended.stderr
    assert "Unclosed" not in ended.stderr
    with opened(tmp_path) as fabric:
        Steps(fabric, server.url, **NEVER).recall("deploy")
        until(lambda: len(facts(server)) == 2)


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hindsight_client", None)
    with pytest.raises(ConfigurationError, match=r"thought-fabric\[hindsight\]"):
        HindsightBackend(HindsightConfig(), BANK)


def test_the_library_is_not_imported_before_there_is_a_backend() -> None:
    program = """
import sys
import capabilities.retain, capabilities.retain.hindsight
print([name for name in sys.modules if name.startswith(("hindsight_client", "aiohttp"))])
"""
    told = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert told.stdout == "[]\n"
