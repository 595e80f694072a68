"""Spans of background work: below the run that asked for it, in this process or in a later one."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry.trace import SpanKind, StatusCode
from structlog.testing import capture_logs

from fabric import Block, Context, Fabric, handler, sequencer
from fabric.errors import ModelUnavailableError
from fabric.testing import FrozenClock

from .recorded import Spans, attributes, ids, recording


@pytest.fixture
def spans() -> Iterator[Spans]:
    with recording() as recorded:
        yield recorded


@handler(name="note")
async def note(text: str, ctx: Context) -> str:
    ctx.log.info("noting")
    return await ctx.transact(lambda _: text)


def talk(work: Block[str, object]) -> Block[str, str]:
    return sequencer(name="talk").map(str.strip).work(work)


def test_a_job_is_a_span_below_the_block_that_asked_for_it(spans: Spans):
    with Fabric() as fabric, capture_logs() as logs:
        result = fabric.session("s").run(talk(note), "a secret")
        fabric.drain()
    assert spans.tree() == ["run talk", "  sequencer talk", "    job note"]
    job = spans.one("job note")
    assert job.kind is SpanKind.CONSUMER
    assert attributes(job) == {
        "fabric.block.name": "note",
        "fabric.block.kind": "handler",
        "fabric.block.path": "talk > note",
        "fabric.job.id": result.jobs[0],
        "fabric.job.status": "done",
        "fabric.job.attempt": 1,
        "fabric.run.turn": result.turn,
        "gen_ai.conversation.id": "s",
    }
    (entry,) = [entry for entry in logs if entry["event"] == "noting"]
    assert (entry["trace_id"], entry["span_id"]) == ids(job)
    steps = [span for span in spans.named("transaction") if spans.path(span)[-2] == "job note"]
    written = [attributes(span)["fabric.store.written"] for span in steps]
    assert written == [(), (), ("fabric_items", "fabric_jobs")]  # stored as running, since it begins at once


def test_blocks_of_a_job_are_below_it_and_jobs_of_two_runs_do_not_mix(spans: Spans):
    work = sequencer(name="work").then(note)
    with Fabric() as fabric:
        for text in ("one", "two", "three"):
            fabric.session("s").run(talk(work), text)
    jobs = spans.named("job work")
    assert len({ids(job)[0] for job in jobs}) == 3
    for inner in spans.named("handler note"):
        assert spans.path(inner) == ["run talk", "sequencer talk", "job work", "handler note"]


def test_each_try_of_a_job_is_a_span(spans: Spans):
    clock = FrozenClock()
    tries: list[int] = []

    @handler(name="frail")
    def frail(text: str) -> None:
        tries.append(1)
        if len(tries) == 1:
            raise ModelUnavailableError(f"down: {text}")

    with Fabric(clock=clock, retry_delay=60.0) as fabric:
        fabric.session("s").run(talk(frail), "a secret")
        fabric.drain()
        clock.advance(minutes=2)
        fabric.retry(fabric.jobs()[0])
        fabric.drain()
    first, second = spans.named("job frail")
    assert attributes(first)["error.type"] == "ModelUnavailableError"
    assert first.status.status_code is StatusCode.ERROR
    assert (attributes(first)["fabric.job.status"], attributes(second)["fabric.job.status"]) == ("pending", "done")
    assert spans.path(second) == ["run talk", "sequencer talk", "job frail"]
    assert all("secret" not in str(attributes(span)) for span in spans.all)


def test_a_job_that_runs_after_a_restart_is_below_the_run_that_asked_for_it(spans: Spans, tmp_path: Path):
    path = tmp_path / "f.duckdb"

    @handler(name="note")
    def down(_: str) -> None:
        raise ModelUnavailableError("down")

    with Fabric(path, retry_delay=600.0) as fabric:
        fabric.session("s").run(talk(down), "hi")
        fabric.drain()
    with Fabric(path) as fabric:
        fabric.register(talk(note))
        fabric.retry(fabric.jobs()[0])
        fabric.drain()
        assert fabric.jobs() == []
    first, second = spans.named("job note")
    assert attributes(second)["fabric.job.status"] == "done"
    assert spans.path(second) == spans.path(first) == ["run talk", "sequencer talk", "job note"]


def test_a_job_of_a_run_that_nobody_traced_has_a_trace_of_its_own(tmp_path: Path):
    path = tmp_path / "f.duckdb"

    @handler(name="note")
    def down(_: str) -> None:
        raise ModelUnavailableError("down")

    with Fabric(path, retry_delay=600.0) as fabric:
        fabric.session("s").run(talk(down), "hi")
        fabric.drain()
        assert [job.trace for job in fabric.jobs()] == [""]
    with recording() as spans, Fabric(path) as fabric:
        fabric.register(talk(note))
        fabric.retry(fabric.jobs()[0])
        fabric.drain()
    assert spans.tree() == ["job note"]


def test_a_job_that_another_waits_for_is_below_it(spans: Spans):
    work = sequencer(name="work").work(note).wait_for_work()
    with Fabric() as fabric:
        fabric.session("s").run(talk(work), "hi")
    assert spans.path(spans.one("job note")) == ["run talk", "sequencer talk", "job work", "job note"]


def test_a_job_that_fails_is_an_error_and_its_log_carries_the_ids(spans: Spans):
    @handler(name="broken")
    def broken(_: str) -> None:
        raise KeyError("a secret")

    with Fabric() as fabric, capture_logs() as logs:
        fabric.session("s").run(talk(broken), "hi")
        fabric.drain()
    job = spans.one("job broken")
    assert attributes(job)["error.type"] == "KeyError"
    assert attributes(job)["fabric.job.status"] == "failed"
    (entry,) = [entry for entry in logs if entry["event"] == "background work failed"]
    assert (entry["trace_id"], entry["span_id"]) == ids(job)
