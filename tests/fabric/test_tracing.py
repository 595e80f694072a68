"""Spans of runs, blocks and the store: their tree, what they say, and what they never say."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ParentBased
from opentelemetry.trace import SpanKind, StatusCode
from structlog.testing import capture_logs

from fabric import Context, Fabric, Retry, handler, router, sequencer
from fabric.errors import RunError
from fabric.telemetry.tracing import active
from fabric.testing import run_block

from .recorded import Spans, attributes, ids, recording, said

SAID = "my sister lives in Lisbon"


@pytest.fixture
def spans() -> Iterator[Spans]:
    with recording() as recorded:
        yield recorded


@handler(name="shout")
def shout(text: str) -> str:
    return text.upper()


def refuse(text: str) -> str:
    raise ValueError(f"cannot read {text!r}")


async def stored(text: str, ctx: Context) -> str:
    await ctx.transact(lambda tx: tx.ids.session)
    return text


fail = handler(refuse, name="fail")
keep = handler(stored, name="keep")


async def test_a_run_is_the_root_and_every_block_a_span_below_the_one_around_it(spans: Spans):
    inner = sequencer(name="inner").then(shout).then(keep)
    await run_block(sequencer(name="outer").then(inner).parallel({"a": handler(str, name="a")}), SAID)
    assert spans.tree() == [
        "run outer",
        "  sequencer outer",
        "    sequencer inner",
        "      handler shout",
        "      handler keep",
        "    handler a",
    ]
    assert {ids(span)[0] for span in spans.all} == {ids(spans.one("run outer"))[0]}


async def test_a_block_says_its_name_kind_path_and_session(spans: Spans):
    await run_block(sequencer(name="outer").then(shout), SAID, session="monday", user="ann@example.org")
    span = spans.one("handler shout")
    assert span.kind is SpanKind.INTERNAL
    assert span.status.status_code is StatusCode.UNSET
    assert attributes(span) == {
        "fabric.block.name": "shout",
        "fabric.block.kind": "handler",
        "fabric.block.path": "outer > shout",
        "gen_ai.conversation.id": "monday",
    }


async def test_a_run_says_its_id_turn_and_what_it_spent(spans: Spans):
    result = await run_block(shout, SAID)
    found = attributes(spans.one("run shout"))
    assert found["fabric.run.id"] == result.run_id
    assert found["fabric.run.turn"] == result.turn
    assert found["fabric.usage.calls"] == 0
    assert found["fabric.run.replayed"] is False


def test_a_named_turn_that_is_replayed_says_so_and_runs_no_block(spans: Spans):
    with Fabric() as fabric:
        fabric.session("s").run(shout, SAID, turn_id="one")
        fabric.session("s").run(shout, SAID, turn_id="one")
    first, second = spans.named("run shout")
    assert (attributes(first)["fabric.run.replayed"], attributes(second)["fabric.run.replayed"]) == (False, True)
    assert len(spans.named("handler shout")) == 1


async def test_what_was_said_and_who_said_it_stand_in_no_span(spans: Spans):
    with pytest.raises(ValueError, match="Lisbon"):
        await run_block(sequencer(name="talk").then(keep).then(fail), SAID, user="ann@example.org")
    assert "Lisbon" not in said(spans)
    assert "ann@example.org" not in said(spans)


async def test_an_error_marks_each_block_that_it_passes_by_its_type_alone(spans: Spans):
    with pytest.raises(ValueError, match="Lisbon"):
        await run_block(sequencer(name="talk").then(keep).then(fail), SAID)
    for name in ("run talk", "sequencer talk", "handler fail"):
        span = spans.one(name)
        assert span.status.status_code is StatusCode.ERROR
        assert span.status.description is None
        assert attributes(span)["error.type"] == "ValueError"
    assert spans.one("handler keep").status.status_code is StatusCode.UNSET


async def test_a_value_that_does_not_fit_is_an_error_of_its_block(spans: Spans):
    with pytest.raises(RunError, match="Lisbon"):
        await run_block(handler(refuse, name="typed", input_schema=int), SAID)
    assert attributes(spans.one("handler typed"))["error.type"] == "SchemaError"
    assert "Lisbon" not in said(spans)


async def test_retries_and_rescues_are_events_and_what_was_mended_is_no_error(spans: Spans):
    block = handler(refuse, name="frail", retry=Retry(attempts=3), rescue=handler(lambda: "saved", name="nurse"))
    assert (await run_block(block, SAID)).output == "saved"
    span = spans.one("handler frail")
    assert [(event.name, dict(event.attributes or {})) for event in span.events] == [
        ("retry", {"fabric.attempt": 1, "error.type": "ValueError"}),
        ("retry", {"fabric.attempt": 2, "error.type": "ValueError"}),
        ("rescue", {"fabric.block.name": "nurse", "error.type": "ValueError"}),
    ]
    assert span.status.status_code is StatusCode.UNSET
    assert spans.path(spans.one("handler nurse")) == ["run frail", "handler frail", "handler nurse"]


async def test_a_router_and_the_rounds_of_a_loop_are_spans(spans: Spans):
    choose = router(name="choose", routes=[shout, keep], choose=lambda _: "shout")
    twice = handler(lambda text: f"{text}{text}", name="twice")
    await run_block(sequencer(name="loop").do_until(lambda text: len(text) > 3, twice), "a")
    await run_block(choose, "hi")
    assert len(spans.named("handler twice")) == 2
    assert spans.path(spans.one("handler shout")) == ["run choose", "router choose", "handler shout"]


def test_a_step_of_the_store_is_a_span_below_the_block_that_takes_it(spans: Spans):
    with Fabric() as fabric:
        fabric.session("s").run(keep, SAID)
    below = [span for span in spans.named("transaction") if spans.path(span)[-2] == "handler keep"]
    (span,) = below
    found = attributes(span)
    assert span.kind is SpanKind.CLIENT
    assert (found["db.system.name"], found["db.operation.name"]) == ("duckdb", "transaction")
    assert found["fabric.store.written"] == ()
    assert 0 <= found["fabric.store.wait_seconds"] < 10


async def test_a_transaction_that_fails_is_an_error_and_says_what_the_others_wrote(spans: Spans):
    @handler(name="break")
    async def broken(ctx: Context) -> None:
        ctx.log.info("nothing")
        await ctx.transact(lambda _: 1 // 0)

    with pytest.raises(ZeroDivisionError):
        await run_block(broken)
    (span,) = [one for one in spans.named("transaction") if spans.path(one)[-2] == "handler break"]
    assert attributes(span)["error.type"] == "ZeroDivisionError"


async def test_a_span_opened_in_a_transaction_is_below_it_and_stays_there(spans: Spans):
    @handler(name="inside")
    async def inside(ctx: Context) -> list[bool]:
        def work(_: object) -> bool:
            with spans.tracer.start_as_current_span("of the user"):
                return True

        first = await ctx.transact(work)
        after = await ctx.transact(lambda _: trace.get_current_span().get_span_context().is_valid)
        return [first, after]

    await run_block(inside)
    assert spans.path(spans.one("of the user"))[-2:] == ["transaction", "of the user"]


def test_a_users_span_is_the_parent_of_a_run_from_sync_code(spans: Spans):
    with Fabric() as fabric, spans.tracer.start_as_current_span("request"):
        fabric.session("s").run(shout, "hi")
    assert spans.tree() == ["request", "  run shout", "    handler shout"]


async def test_a_users_span_is_the_parent_of_a_run_from_async_code(spans: Spans):
    async with Fabric() as fabric:
        with spans.tracer.start_as_current_span("request") as request:
            await fabric.session("s").arun(shout, "hi")
            assert trace.get_current_span() is request
    assert spans.tree() == ["request", "  run shout", "    handler shout"]


async def test_what_follows_a_run_is_not_inside_of_it(spans: Spans):
    async with Fabric() as fabric:
        await fabric.session("s").arun(keep, "hi")
        await fabric.store.transact(lambda rows: rows.read("none", fabric.session("s").ids.scope("session")))
        assert not active()
    assert {spans.path(span)[0] for span in spans.all} == {"run keep"}


def test_a_span_of_each_thread_is_the_parent_of_its_own_run(spans: Spans):
    names = [f"request {number}" for number in range(8)]
    together = threading.Barrier(len(names), timeout=60)

    def ask(name: str) -> None:
        with spans.tracer.start_as_current_span(name):
            together.wait()
            fabric.session(name).run(keep, name)

    with Fabric() as fabric, ThreadPoolExecutor(len(names)) as threads:
        list(threads.map(ask, names))
    runs = spans.named("run keep")
    assert sorted(spans.path(run)[0] for run in runs) == names
    assert all(spans.path(run)[0] == attributes(run)["gen_ai.conversation.id"] for run in runs)


async def test_a_task_that_a_handler_starts_is_below_its_block(spans: Spans):
    @handler(name="outer")
    async def outer(text: str, ctx: Context) -> str:
        return await asyncio.create_task(shout(text, ctx))

    await run_block(outer, "hi")
    assert spans.tree() == ["run outer", "  handler outer", "    handler shout"]


async def test_a_span_opened_in_a_handler_is_below_its_block_and_around_the_blocks_it_calls(spans: Spans):
    @handler(name="outer")
    async def outer(text: str, ctx: Context) -> str:
        with spans.tracer.start_as_current_span("of the user"):
            return await shout(text, ctx)

    await run_block(outer, "hi")
    assert spans.tree() == ["run outer", "  handler outer", "    of the user", "      handler shout"]


async def test_runs_side_by_side_do_not_mix(spans: Spans):
    chain = sequencer(name="chain").then(keep).for_each(list, handler(stored, name="letter"))
    async with Fabric() as fabric:
        await asyncio.gather(*(fabric.session(f"s{number}").arun(chain, "abc") for number in range(8)))
    runs = spans.named("run chain")
    assert len(runs) == 8
    for run in runs:
        own = [span for span in spans.all if ids(span)[0] == ids(run)[0]]
        assert {attributes(span)["gen_ai.conversation.id"] for span in own} == {
            attributes(run)["gen_ai.conversation.id"]
        }
        assert sorted(span.name for span in own if span.name != "transaction") == sorted(
            ["run chain", "sequencer chain", "handler keep", *["handler letter"] * 3]
        )
        assert all(spans.path(span)[0] == "run chain" for span in own)


async def test_a_cancelled_run_ends_its_spans_and_is_no_error(spans: Spans):
    begun = asyncio.Event()

    @handler(name="wait")
    async def wait() -> None:
        begun.set()
        await asyncio.sleep(60)

    async with Fabric() as fabric:
        task = asyncio.ensure_future(fabric.session("s").arun(wait))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    for name in ("run wait", "handler wait"):
        assert attributes(spans.one(name))["fabric.cancelled"] is True
        assert spans.one(name).status.status_code is StatusCode.UNSET


def test_a_streamed_run_has_the_same_spans(spans: Spans):
    chain = sequencer(name="chain").then(shout)
    with Fabric() as fabric:
        for _ in fabric.session("s").stream(chain, "hi"):
            assert not trace.get_current_span().get_span_context().is_valid
    assert spans.tree() == ["run chain", "  sequencer chain", "    handler shout"]


@handler(name="log")
def log(ctx: Context) -> None:
    ctx.log.warning("noted")


async def test_a_log_carries_the_ids_of_its_span(spans: Spans):
    with capture_logs() as logs:
        await run_block(sequencer(name="chain").then(log))
    (entry,) = logs
    assert (entry["trace_id"], entry["span_id"]) == ids(spans.one("handler log"))


async def test_a_log_carries_no_ids_when_nothing_is_recorded():
    with capture_logs() as logs:
        await run_block(log)
    assert {"trace_id", "span_id"}.isdisjoint(logs[0])


async def test_a_run_that_the_sampler_leaves_out_leaves_out_all_below_it():
    with recording(ParentBased(ALWAYS_OFF)) as spans, capture_logs() as logs:

        @handler(name="inside")
        async def inside(ctx: Context) -> None:
            with spans.tracer.start_as_current_span("of the user"):
                await log(None, ctx)
            assert not active(), "a step of what is left out costs what it costs when nobody traces"
            assert not ctx.run.observed

        await run_block(inside)
    assert spans.all == []
    assert "trace_id" not in logs[0]


def test_a_provider_set_after_the_first_run_is_used_by_the_next():
    with Fabric() as fabric:
        fabric.session("s").run(shout, "hi")
        with recording() as spans:
            fabric.session("s").run(shout, "hi")
        fabric.session("s").run(shout, "hi")
    assert spans.tree() == ["run shout", "  handler shout"]
