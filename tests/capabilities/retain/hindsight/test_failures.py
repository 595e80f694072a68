"""A server that fails: nothing is lost, nothing is taken twice, and the user is told how many memories failed."""

import threading
from pathlib import Path
from typing import Any

import pytest

from capabilities.retain.banks import in_bank
from capabilities.retain.hindsight import RETAIN_OUTBOX
from fabric import WorkFinished
from fabric.flow.resource import Transaction
from tests.hindsight import Fault, HindsightDouble, Request, hindsight_double

from .steps import BANK, NEVER, Steps, batches, facts, opened, sent, until

QUICK: dict[str, Any] = {"flush_interval": 0.02}
"""Pauses between tries are so many seconds, then four times as long, and so on."""
LOST_ANSWERS = {
    "cut off": Fault(cut=True, done=True),
    "torn": Fault(torn=True),
    "an error behind the work": Fault(status=500, done=True),
    "no answer in time": Fault(hang=True, done=True),
}
FAILURES = {
    "cut off": Fault(cut=True),
    "500": Fault(status=500),
    "503": Fault(status=503, retry_after=0.05),
    "429": Fault(status=429),
    "401": Fault(status=401),
    "404": Fault(status=404),
    "no answer in time": Fault(hang=True),
}


@pytest.mark.parametrize("fault", LOST_ANSWERS.values(), ids=LOST_ANSWERS)
def test_an_answer_that_is_lost_takes_nothing_twice(server: HindsightDouble, tmp_path: Path, fault: Fault) -> None:
    server.misbehave(fault, times=1, path="/memories")
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, retain_timeout=1.0, **QUICK)
        here.retain("We deploy with Docker Compose.", "The database is DuckDB.")
        until(lambda: here.waiting() == [])
    assert facts(server) == ["We deploy with Docker Compose.", "The database is DuckDB."]
    assert len({(request.body["operation_id"], str(request.body["items"])) for request in sent(server)}) == 1


def test_a_name_that_is_taken_already_is_done(server: HindsightDouble, tmp_path: Path) -> None:
    server.misbehave(Fault(status=409, done=True), path="/memories")
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, **NEVER)
        here.retain("We deploy with Docker Compose.")
        assert here.flush().done == 1
        assert here.waiting() == []
    assert len(sent(server)) == 1


@pytest.mark.parametrize("fault", FAILURES.values(), ids=FAILURES)
def test_what_fails_is_sent_again(server: HindsightDouble, tmp_path: Path, fault: Fault) -> None:
    server.misbehave(fault, times=2, path="/memories")
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, retain_timeout=0.5, **QUICK)
        here.retain("We deploy with Docker Compose.")
        until(lambda: here.waiting() == [])
    assert facts(server) == ["We deploy with Docker Compose."]
    assert len(sent(server)) == 3


def test_a_server_that_dies_in_a_batch_and_comes_back(server: HindsightDouble, tmp_path: Path) -> None:
    server.misbehave(Fault(dies=True, done=True), times=1, path="/memories")
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, **QUICK)
        here.retain("We deploy with Docker Compose.")
        until(lambda: server.is_dead)
        here.retain("The database is DuckDB.")
        server.revive()
        until(lambda: here.waiting() == [])
    assert facts(server) == ["We deploy with Docker Compose.", "The database is DuckDB."]


def test_the_next_process_sends_the_same_under_the_same_name(server: HindsightDouble, tmp_path: Path) -> None:
    server.misbehave(Fault(cut=True, done=True), path="/memories")
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, **NEVER)
        here.retain("We deploy with Docker Compose.")
        assert here.flush().waiting == 1
        (item,) = here.waiting()
        assert (item.status, item.attempts) == ("sent", 1)
        assert "broke off" in item.error
    server.behave()
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, **NEVER)
        here.retain("The database is DuckDB.")
        here.flush()
    assert facts(server) == ["We deploy with Docker Compose.", "The database is DuckDB."]


def test_one_that_is_refused_does_not_hold_back_the_others(server: HindsightDouble, tmp_path: Path) -> None:
    heard: list[WorkFinished] = []
    with opened(tmp_path) as fabric:
        fabric.listen(heard.append)
        here = Steps(fabric, server.url, **NEVER)
        texts = [f"Decision {number}." for number in range(11)]
        for number, text in enumerate(texts):
            here.retain(text)
            if number == 6:
                put_poison(here)
        flushed = here.flush()
        (failed,) = here.waiting()
        assert (flushed.done, flushed.given_up, flushed.waiting) == (11, 1, 0)
        assert (failed.status, failed.refused) == ("failed", True)
        assert "422" in failed.error
        assert here.flush().done == 0  # it is not sent again by itself
        until(lambda: heard)
    assert sorted(facts(server)) == sorted(texts)
    assert [(event.status, event.error.split(" ")[0], event.ids.session) for event in heard] == [("failed", "1", "s")]


def test_one_that_the_server_fails_over_is_given_up_alone(server: HindsightDouble, tmp_path: Path) -> None:
    """A double that fails over a word, as a server does over what its database or its model cannot take."""
    carry_out = server.carry_out

    def failing(request: Request) -> tuple[int, Any]:
        return (500, {"detail": "broken"}) if "Poison" in str(request.body) else carry_out(request)

    server.carry_out = failing  # type: ignore[method-assign]
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, retain_attempts=2, **QUICK)
        here.retain(*(f"Decision {number}." for number in range(5)), "Poison.", "The last decision.")
        until(lambda: [item.status for item in here.waiting()] == ["failed"])
        assert [item.content for item in here.waiting()] == ["Poison."]
        here.retain("The next one.")
        until(lambda: "The next one." in facts(server))
        until(lambda: [item.status for item in here.waiting()] == ["failed"])  # and it is not tried again
    assert len(facts(server)) == 7


def test_what_was_given_up_in_an_outage_is_sent_once_it_is_over(server: HindsightDouble, tmp_path: Path) -> None:
    server.misbehave(Fault(status=503))
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, retain_attempts=1, **NEVER)
        for text in ("One.", "Two."):
            here.retain(text)
            assert here.flush().given_up == 1
        server.behave()
        here.retain("Three.")
        assert here.flush().done == 3
        assert here.waiting() == []


def test_a_character_that_no_database_holds_holds_nothing_back(server: HindsightDouble, tmp_path: Path) -> None:
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, **NEVER)
        here.retain("The separator is \0 in these files.")
        assert here.flush().done == 1
    assert "\0" not in facts(server)[0]


def put_poison(here: Steps) -> None:
    """Queue what the server will never take: its time is none."""
    here.retain("Poison.")

    def spoil(tx: Transaction) -> None:
        inside = in_bank(tx, BANK.id)
        item = inside.find(RETAIN_OUTBOX)[-1]
        inside.put(RETAIN_OUTBOX, [item.model_copy(update={"timestamp": "the day before"})])

    here.do(lambda ctx: ctx.transact(spoil))


def test_it_is_given_up_after_its_tries_and_stays_in_the_file(server: HindsightDouble, tmp_path: Path) -> None:
    server.misbehave(Fault(status=500), path="/memories")
    heard: list[WorkFinished] = []
    with opened(tmp_path) as fabric:
        fabric.listen(heard.append)
        here = Steps(fabric, server.url, user="jake", retain_attempts=3, **QUICK)
        here.retain("We deploy with Docker Compose.", "The database is DuckDB.")
        until(lambda: {item.status for item in here.waiting()} == {"failed"})
        assert {item.attempts for item in here.waiting()} == {3}
        assert all("500" in item.error for item in here.waiting())
        until(lambda: len(heard) == 2)
        server.behave()
        here.retain("The next one is not held back.")
        until(lambda: facts(server))
        assert here.retry().done == 2
        assert here.waiting() == []
    assert [event.status for event in heard] == ["pending", "failed"]
    assert heard[1].error.startswith(
        "2 memories could not be sent to Hindsight, kept in the file: the Hindsight server"
    )
    assert heard[1].ids.user == "jake"
    assert len(facts(server)) == 3


def test_what_was_given_up_for_a_dead_server_is_sent_by_the_next_process(
    server: HindsightDouble, tmp_path: Path
) -> None:
    server.die()
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, retain_attempts=1, **NEVER)
        here.retain("We deploy with Docker Compose.")
        assert here.flush().given_up == 1
        assert "start it" in here.waiting()[0].error
    server.revive()
    with opened(tmp_path) as fabric:
        Steps(fabric, server.url, **NEVER).recall("deploy")
        until(lambda: facts(server))
    assert facts(server) == ["We deploy with Docker Compose."]


def test_with_a_dead_server_one_batch_is_tried_and_the_rest_waits_for_it(
    server: HindsightDouble, tmp_path: Path
) -> None:
    server.misbehave(Fault(status=503), path="/memories")
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, flush_batch_size=1, flush_interval=1000.0)
        here.retain("First.")
        until(lambda: sent(server))
        for number in range(5):
            here.retain(f"Decision {number}.")
        until(lambda: [item.status for item in here.waiting()] == ["sent"] + ["waiting"] * 5)
        server.behave()
        here.flush()
    assert batches(server) == [["First."], ["First."], [f"Decision {number}." for number in range(5)]]


def test_what_comes_while_the_server_is_down_is_sent_when_it_is_back(server: HindsightDouble, tmp_path: Path) -> None:
    server.die()
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, retain_attempts=2, flush_batch_size=1, flush_interval=0.2)
        here.retain("First.")
        until(lambda: here.waiting()[0].attempts == 1)
        here.retain("Second.")
        server.revive()
        until(lambda: len(facts(server)) == 2)


def test_the_token_is_sent_and_a_wrong_one_is_told(tmp_path: Path) -> None:
    with hindsight_double(token="right") as server, opened(tmp_path) as fabric:
        wrong = Steps(fabric, server.url, api_token="wrong", retain_attempts=1, **NEVER)
        wrong.retain("We deploy with Docker Compose.")
        assert "HINDSIGHT_API_TOKEN" in wrong.flush().problem
        right = Steps(fabric, server.url, api_token="right", **NEVER)
        assert right.retry().done == 1


def test_the_mission_is_given_once_for_each_bank_and_process(server: HindsightDouble, tmp_path: Path) -> None:
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, bank_mission="Remember decisions.", **NEVER)
        for text in ("One.", "Two."):
            here.retain(text)
            here.flush()
    with opened(tmp_path, "b") as fabric:
        here = Steps(fabric, server.url, bank_mission="Remember decisions.", **NEVER)
        here.retain("Three.")
        here.flush()
    (put,) = [request for request in server.requests if request.method == "PUT"]
    assert put.body == {"reflect_mission": "Remember decisions.", "retain_mission": "Remember decisions."}
    assert server.requests[0] is put or server.requests[0] == put  # before the first write


def test_a_mission_that_fails_holds_nothing_back(server: HindsightDouble, tmp_path: Path) -> None:
    server.misbehave(Fault(status=500), times=1, path="/team")
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, bank_mission="Remember failures.", **NEVER)
        here.retain("One.")
        assert here.flush().done == 1
    assert [request.status for request in server.requests] == [500, 200]


def test_forgotten_while_it_is_sent_it_does_not_come_back(server: HindsightDouble, tmp_path: Path) -> None:
    server.misbehave(Fault(hang=True), times=1, path="/memories")
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, retain_timeout=0.5, **NEVER)
        here.retain("Forget me.")
        flush = threading.Thread(target=here.flush)
        flush.start()
        until(lambda: [item.status for item in here.waiting()] == ["sent"])

        def forget(tx: Transaction) -> None:
            inside = in_bank(tx, BANK.id)
            inside.delete(RETAIN_OUTBOX, [item.id for item in inside.find(RETAIN_OUTBOX)])

        here.do(lambda ctx: ctx.transact(forget))
        flush.join()
        assert here.waiting() == []
