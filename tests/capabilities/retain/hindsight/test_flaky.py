"""A server that fails a third of the time: each memory reaches it once."""

from pathlib import Path

from tests.hindsight import HindsightDouble

from .flaky import retain_and_check


def test_each_memory_reaches_a_flaky_server_once(server: HindsightDouble, tmp_path: Path) -> None:
    requests, failed = retain_and_check(server, tmp_path / "a.duckdb", 300)
    assert failed > requests / 5
