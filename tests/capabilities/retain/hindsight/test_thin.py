"""What is retained reaches the server, and is recalled from it."""

from pathlib import Path

from fabric import Fabric

from .small_server import SmallServer
from .steps import Steps, until


def test_retained_flushed_recalled(server: SmallServer, tmp_path: Path) -> None:
    with Fabric(tmp_path / "a.duckdb") as fabric:
        here = Steps(fabric, server.url)
        retained = here.retain("We deploy with Docker Compose", "The database is DuckDB")
        assert retained.count == 2
        assert server.sent() == []
        assert [item.status for item in here.waiting()] == ["waiting", "waiting"]
        assert here.flush().done == 2
        assert here.waiting() == []
        (found,) = here.recall("which database").found
        assert (found.content, found.kind) == ("The database is DuckDB", "world")
    (sent,) = server.sent()
    assert [item["content"] for item in sent["items"]] == ["We deploy with Docker Compose", "The database is DuckDB"]
    assert sent["items"][0]["metadata"] == {"session_id": "s"}
    assert sent["async"] is True


def test_closing_sends_what_waits(server: SmallServer, tmp_path: Path) -> None:
    with Fabric(tmp_path / "a.duckdb") as fabric:
        Steps(fabric, server.url).retain("We deploy with Docker Compose")
    assert len(server.sent()) == 1


def test_sent_by_itself(server: SmallServer, tmp_path: Path) -> None:
    with Fabric(tmp_path / "a.duckdb") as fabric:
        here = Steps(fabric, server.url, flush_interval=0.05)
        here.retain("one")
        until(server.sent)
        here.retain(*"abcdefghijklmnop")
        until(lambda: len(server.kept["team"]) == 17)
