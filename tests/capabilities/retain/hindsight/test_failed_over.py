"""What a server has taken, and fails over later because its model does: it is asked after, and tried again."""

from pathlib import Path
from typing import Any

from capabilities.retain.banks import in_bank
from capabilities.retain.hindsight import RETAIN_OUTBOX
from fabric import Context
from fabric.flow.resource import Transaction
from fabric.record.events import WorkFinished
from tests.hindsight import HindsightDouble

from .steps import NEVER, Steps, batches, facts, opened, sent, until


def test_what_the_server_failed_over_is_tried_again(server: HindsightDouble, tmp_path: Path) -> None:
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, **NEVER)
        with server.broken_model():
            here.retain("We deploy with Docker Compose.", "The database is DuckDB.")
            assert here.flush().done == 2
        assert facts(server) == []
        here.flush()
        assert facts(server) == ["We deploy with Docker Compose.", "The database is DuckDB."]
        here.flush()
        asked = len(server.requests)
        here.flush()
        assert len(server.requests) == asked  # once it is done, nothing is asked any more
    assert len(sent(server)) == 1


def test_it_is_asked_after_by_itself(server: HindsightDouble, tmp_path: Path) -> None:
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, flush_interval=0.05)
        with server.broken_model():
            here.retain("We deploy with Docker Compose.")
            until(lambda: sent(server))
        until(lambda: facts(server))
    assert facts(server) == ["We deploy with Docker Compose."]


def test_the_next_process_asks_after_it_too(server: HindsightDouble, tmp_path: Path) -> None:
    with server.broken_model(), opened(tmp_path) as fabric:
        Steps(fabric, server.url, **NEVER).retain("We deploy with Docker Compose.")
    assert len(sent(server)) == 1
    with opened(tmp_path) as fabric:
        Steps(fabric, server.url, flush_interval=0.05).recall("deploy")
        until(lambda: facts(server))
    assert facts(server) == ["We deploy with Docker Compose."]


def test_what_it_fails_over_each_time_is_given_up_and_kept(server: HindsightDouble, tmp_path: Path) -> None:
    heard: list[Any] = []
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, **NEVER)
        fabric.listen(heard.append)
        with server.broken_model():
            here.retain("We deploy with Docker Compose.")
            flushed = [here.flush() for _ in range(6)]
        assert [one.given_up for one in flushed] == [0, 0, 0, 0, 0, 1]
        assert "took it, and failed over it: Error code: 503" in flushed[5].problem
        assert len(sent(server, "/retry")) == 4
        assert [(item.status, item.content) for item in here.waiting()] == [
            ("failed", "We deploy with Docker Compose.")
        ]
        assert [one.status for one in heard if isinstance(one, WorkFinished)] == ["failed"]
        here.retry()  # sends it under its name, which the server has had
        here.flush()
        assert facts(server) == ["We deploy with Docker Compose."]
        assert here.waiting() == []


def test_what_was_forgotten_meanwhile_is_not_tried_again(server: HindsightDouble, tmp_path: Path) -> None:
    async def forget(ctx: Context) -> None:
        def work(tx: Transaction) -> None:
            inside = in_bank(tx, "team")
            inside.delete(RETAIN_OUTBOX, [one.id for one in inside.find(RETAIN_OUTBOX) if one.user == "anna"])

        await ctx.transact(work)

    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, user="jake", **NEVER)
        anna = Steps(fabric, server.url, session="t", user="anna", **NEVER)
        with server.broken_model():
            here.retain("We deploy with Docker Compose.")
            anna.retain("Anna likes tea.")
            assert here.flush().done == 2
        here.do(forget)
        here.flush()
        here.flush()
    assert batches(server)[1:] == [["We deploy with Docker Compose."]]
    assert facts(server) == ["We deploy with Docker Compose."]


def test_an_older_transcript_does_not_come_after_a_newer_one(server: HindsightDouble, tmp_path: Path) -> None:
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, **NEVER)
        with server.broken_model():
            here.keep("One turn.")
            here.retain("We deploy with Docker Compose.")
            here.flush()
        here.keep("One turn. Two turns.")
        here.flush()
        here.flush()
    assert server.banks["team"].documents["s"].text == "One turn. Two turns."
    assert sorted(facts(server)) == ["One turn.", "Two turns.", "We deploy with Docker Compose."]


def test_a_newer_transcript_waits_until_the_server_has_ended_with_the_older_one(
    server: HindsightDouble, tmp_path: Path
) -> None:
    """A server that tries the older one again by itself, minutes later, would end with it."""
    server.holding = True
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, **NEVER)
        here.keep("One turn.")
        here.flush()
        here.keep("One turn. Two turns.")
        here.retain("We deploy with Docker Compose.")
        flushed = here.flush()
        assert (flushed.done, flushed.waiting, flushed.given_up) == (1, 1, 0)
        assert batches(server) == [["One turn."], ["We deploy with Docker Compose."]]
        here.keep("One turn. Two turns. Three turns.")
        assert here.flush().waiting == 1
        server.work()
        assert here.flush().done == 1
        server.work()
        here.flush()
        assert here.waiting() == []
    assert batches(server)[2:] == [["One turn. Two turns. Three turns."]]
    assert server.banks["team"].documents["s"].text == "One turn. Two turns. Three turns."


def test_a_newer_transcript_goes_out_by_itself_once_the_older_one_has_ended(
    server: HindsightDouble, tmp_path: Path
) -> None:
    server.holding = True
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, flush_interval=0.05)
        here.keep("One turn.")
        until(lambda: sent(server))
        here.keep("One turn. Two turns.")
        server.work()
        until(lambda: len(sent(server)) == 2)
        server.work()
        here.keep("One turn. Two turns. Three turns.")
    # closing the file asks after the older one, and sends the newest
    assert batches(server) == [["One turn."], ["One turn. Two turns."], ["One turn. Two turns. Three turns."]]


def test_what_waits_at_the_server_is_left_in_peace(server: HindsightDouble, tmp_path: Path) -> None:
    server.holding = True
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, **NEVER)
        here.retain("We deploy with Docker Compose.")
        here.flush()
        here.flush()
        assert here.waiting() == []
        assert here.clear().startswith("Removed 0 memories")
        server.work()
    assert sent(server, "/retry") == []
    assert facts(server) == ["We deploy with Docker Compose."]
