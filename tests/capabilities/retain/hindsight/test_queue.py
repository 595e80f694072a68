"""What is retained waits in the file, and is sent in batches: by number, by time, when asked, and when all ends."""

import asyncio
from pathlib import Path
from threading import Thread
from time import sleep

import pytest

from capabilities.retain import Bank, HindsightConfig, RetainItem, Transcript
from capabilities.retain.hindsight import HINDSIGHT_RESOURCES, HindsightBackend
from fabric import Context, Fabric, handler
from fabric.errors import RunError
from tests.hindsight import Fault, HindsightDouble, hindsight_double

from .steps import BANK, NEVER, Steps, batches, facts, opened, sent, until


def test_it_is_in_the_file_before_anything_is_sent(server: HindsightDouble, tmp_path: Path) -> None:
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, Bank("team", ("team",), ("project:fabric",)), user="jake", **NEVER)
        retained = here.retain("We deploy with Docker Compose.", "The database is DuckDB.")
        assert (retained.count, here.backend.verb) == (2, "queued")
        waiting = here.waiting()
        assert [item.id for item in waiting] == list(retained.ids)
        assert {(item.status, item.session, item.user) for item in waiting} == {("waiting", "s", "jake")}
        assert server.requests == []
        assert here.flush().done == 2
        assert here.waiting() == []
    (request,) = sent(server)
    assert request.body["async"] is True
    first = request.body["items"][0]
    assert first["content"] == "We deploy with Docker Compose."
    assert (first["context"], first["metadata"], first["tags"]) == (
        "thought-fabric",
        {"session_id": "s"},
        ["project:fabric"],
    )
    assert first["timestamp"][-6] in "+-"  # a local time, with its offset from UTC
    assert first["document_id"] is None


def test_an_item_says_in_what_connection_it_was_said(server: HindsightDouble, tmp_path: Path) -> None:
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, retain_context="a coding agent", **NEVER)
        items = [
            RetainItem(content="Uses ninja.", context="the user, about the build"),
            RetainItem(content="Uses tox."),
        ]
        here.do(lambda ctx: here.backend.retain(ctx, items))
        here.flush()
    assert [item["context"] for item in sent(server)[0].body["items"]] == [
        "the user, about the build",
        "a coding agent",
    ]


def test_sixteen_are_sent_at_once_in_one_request(server: HindsightDouble, tmp_path: Path) -> None:
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, flush_interval=10_000)
        for number in range(15):
            here.retain(f"Decision {number}.")
        assert here.waiting() != []
        assert batches(server) == []
        here.retain("Decision 15.")
        until(lambda: len(facts(server)) == 16)
        assert batches(server) == [[f"Decision {number}." for number in range(16)]]


def test_more_than_sixteen_go_in_one_request_too(server: HindsightDouble, tmp_path: Path) -> None:
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url)
        here.retain(*(f"Decision {number}." for number in range(40)))
        until(lambda: here.waiting() == [])  # closing would send again what is under way, under the same name
    assert [len(batch) for batch in batches(server)] == [40]


def test_what_is_over_a_request_goes_in_the_next(server: HindsightDouble, tmp_path: Path) -> None:
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, **NEVER)
        here.retain(*(f"Decision {number}." for number in range(501)))
        here.retain(*("long " * 19_000 for _ in range(11)))
        here.flush()
    assert [len(batch) for batch in batches(server)] == [500, 11, 1]


def test_the_time_runs_from_the_first_and_later_ones_do_not_restart_it(server: HindsightDouble, tmp_path: Path) -> None:
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, flush_interval=1.0)
        for number in range(15):  # a timer that is restarted would ring after all of them
            here.retain(f"Decision {number}.")
            if server.requests:
                break
            sleep(0.15)
        until(lambda: server.requests)
        assert len(batches(server)[0]) < 15


def test_a_flush_during_a_flush_takes_what_came_meanwhile(server: HindsightDouble, tmp_path: Path) -> None:
    server.misbehave(Fault(hang=True, done=True), times=1, path="/memories")
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, **NEVER)
        here.retain("First.")
        done: list[int] = []
        flushes = [Thread(target=lambda: done.append(here.flush().done)) for _ in range(2)]
        flushes[0].start()
        until(lambda: facts(server) == ["First."])
        here.retain("Second.")
        flushes[1].start()
        server.behave()
        for flush in flushes:
            flush.join()
        assert here.waiting() == []
    assert sorted(facts(server)) == ["First.", "Second."]
    assert sum(done) == 2


def test_what_comes_while_others_are_sent_is_not_sent_one_by_one(server: HindsightDouble, tmp_path: Path) -> None:
    server.misbehave(Fault(delay=1.0, done=True), times=1, path="/memories")
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, flush_interval=10_000)
        here.retain(*(f"Decision {number}." for number in range(16)))
        until(lambda: {item.status for item in here.waiting()} == {"sent"})
        here.retain("Late.")
        assert here.clear().startswith("Removed 1 memory ")  # which waits until what is being sent is
    assert [len(batch) for batch in batches(server)] == [16]


def test_closing_the_file_sends_what_waits(server: HindsightDouble, tmp_path: Path) -> None:
    with opened(tmp_path) as fabric:
        Steps(fabric, server.url, **NEVER).retain("We deploy with Docker Compose.")
        assert server.requests == []
    assert facts(server) == ["We deploy with Docker Compose."]


def test_closing_waits_for_no_server_that_is_gone(server: HindsightDouble, tmp_path: Path) -> None:
    server.misbehave(Fault(hang=True))
    with opened(tmp_path) as fabric:
        Steps(fabric, server.url, **NEVER).retain("We deploy with Docker Compose.")
    server.behave()
    with opened(tmp_path) as fabric:  # the retain timeout of a minute was not waited for
        Steps(fabric, server.url, **NEVER).recall("deploy")
        until(lambda: facts(server))
    assert facts(server) == ["We deploy with Docker Compose."]


def test_what_an_earlier_process_left_is_sent_on_first_use(server: HindsightDouble, tmp_path: Path) -> None:
    server.die()
    with opened(tmp_path) as fabric:
        Steps(fabric, server.url, **NEVER).retain("We deploy with Docker Compose.")
    server.revive()
    with opened(tmp_path) as fabric:
        Steps(fabric, server.url, **NEVER).recall("deploy")
        until(lambda: facts(server))
    assert facts(server) == ["We deploy with Docker Compose."]


def test_a_closed_backend_takes_nothing_more(server: HindsightDouble, tmp_path: Path) -> None:
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, **NEVER)
        here.retain("Before.")
        here.backend.close()
        with pytest.raises(RunError, match=r"Hindsight retain queue is closed\."):
            here.retain("After.")
        with pytest.raises(RunError, match=r"Hindsight retain queue is closed\."):
            here.keep("[user] After. [/user]")
    assert facts(server) == ["Before."]


def test_two_banks_and_two_servers_in_one_file(server: HindsightDouble, tmp_path: Path) -> None:
    with hindsight_double() as other, opened(tmp_path) as fabric:
        here, there = Steps(fabric, server.url, **NEVER), Steps(fabric, other.url, **NEVER)
        own = Steps(fabric, server.url, Bank("own", ("own",)), **NEVER)
        here.retain("Here.")
        there.retain("There.")
        own.retain("Own.")
        assert [item.content for item in own.waiting()] == ["Own."]
        assert here.flush().done == 1
        assert (facts(server), facts(server, "own"), facts(other)) == (["Here."], [], [])
        assert there.flush().done == 1
        assert facts(other) == ["There."]
    assert facts(server, "own") == ["Own."]


def test_organisations_share_no_queue(server: HindsightDouble, tmp_path: Path) -> None:
    with opened(tmp_path) as fabric:
        acme, other = Steps(fabric, server.url, **NEVER), Steps(fabric, server.url, **NEVER)
        acme.session = fabric.session("s", org="acme")
        acme.retain("Acme's.")
        assert other.waiting() == []
        assert other.clear().startswith("Removed 0 memories")
        assert other.flush().done == 0
        assert [item.content for item in acme.waiting()] == ["Acme's."]
        assert acme.flush().done == 1


def test_a_newer_transcript_takes_the_place_of_the_one_that_waits(server: HindsightDouble, tmp_path: Path) -> None:
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, **NEVER)
        here.keep("One turn.")
        here.keep("One turn. Two turns.")
        here.keep("Another session.", "t")
        assert [item.content for item in here.waiting()] == ["One turn. Two turns.", "Another session."]
        here.flush()
        here.keep("One turn. Two turns. Three turns.")
        here.flush()
    assert server.banks["team"].documents["s"].text == "One turn. Two turns. Three turns."
    assert sorted(facts(server)) == ["Another session.", "One turn.", "Three turns.", "Two turns."]


def test_the_newer_transcript_stays_also_when_the_older_one_is_late(server: HindsightDouble, tmp_path: Path) -> None:
    server.misbehave(Fault(status=500), times=1, path="/memories")
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, **NEVER)
        here.keep("One turn.")
        assert here.flush().waiting == 1
        here.keep("One turn. Two turns.")
        assert here.flush().done == 2
    assert [request.body["items"][0]["content"] for request in sent(server)] == [
        "One turn.",
        "One turn.",
        "One turn. Two turns.",
    ]
    assert server.banks["team"].documents["s"].text == "One turn. Two turns."


def test_a_newer_transcript_is_not_sent_while_the_older_one_waits_for_its_next_try(
    server: HindsightDouble, tmp_path: Path
) -> None:
    server.misbehave(Fault(status=500), times=1, path="/memories")
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, flush_batch_size=1, flush_interval=10_000)
        here.keep("One turn.")
        until(lambda: [item.attempts for item in here.waiting()] == [1])
        here.keep("One turn. Two turns.")
        here.keep("Another session.", "t")
        until(lambda: facts(server))
        assert facts(server) == ["Another session."]
        assert here.flush().done == 2
    assert server.banks["team"].documents["s"].text == "One turn. Two turns."


def test_a_transcript_and_its_watermark_are_stored_together(server: HindsightDouble, tmp_path: Path) -> None:
    def refuse(_tx: object) -> None:
        raise RunError("another run kept it meanwhile")

    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, **NEVER)
        transcript = Transcript(text="One turn.", user_text="", plain="", document="s", turns=1)
        with pytest.raises(RunError, match="another run"):
            here.do(lambda ctx: here.backend.keep(ctx, transcript, refuse))
        assert here.waiting() == []
        seen: list[str] = []
        here.do(lambda ctx: here.backend.keep(ctx, transcript, lambda tx: seen.append(tx.ids.session)))
        assert seen == ["s"]


def test_clearing_removes_what_waits_here_and_says_what_is_there_still(server: HindsightDouble, tmp_path: Path) -> None:
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, **NEVER)
        here.retain("Sent.")
        here.flush()
        here.retain("Waits.")
        told = here.clear()
        assert here.waiting() == []
        assert here.flush().done == 0
    assert told.startswith("Removed 1 memory that waited to be sent from this file.")
    assert "deleteBank" in told
    assert server.url in told
    assert facts(server) == ["Sent."]


def test_secrets_leave_neither_for_the_file_nor_for_the_server(server: HindsightDouble, tmp_path: Path) -> None:
    key = "sk-proj-" + "a1B2c3D4" * 6
    with opened(tmp_path) as fabric:
        here = Steps(fabric, server.url, **NEVER)
        retained = here.retain(f"The key of the staging server is {key}.")
        assert retained.redacted
        here.keep(f"The key is {key}.")
        here.flush()
        here.recall(f"what is {key}")
        here.reflect(f"what is {key}", f"it was {key}")
    assert [request.status for request in server.requests] == [200] * 3
    assert key not in str([request.body for request in server.requests])


def test_a_session_on_a_loop_of_its_own(server: HindsightDouble, tmp_path: Path) -> None:
    backend = HindsightBackend(HindsightConfig(api_url=server.url, **NEVER), BANK)

    @handler(name="step", uses=HINDSIGHT_RESOURCES)
    async def step(text: str, ctx: Context) -> list[str]:
        await backend.retain(ctx, [RetainItem(content=text)])
        await backend.flush(ctx)
        return [found.content for found in (await backend.recall(ctx, text)).found]

    async def several() -> list[list[str]]:
        async with Fabric(tmp_path / "a.duckdb") as fabric:
            runs = [fabric.session(str(number)).arun(step, f"Decision {number}.") for number in range(8)]
            return [result.output for result in await asyncio.gather(*runs)]

    for number, found in enumerate(asyncio.run(several())):
        assert f"Decision {number}." in found
