"""A turn that fails or is too much for a trace: what was said in it is kept once, and nothing after it fails."""

from collections.abc import Sequence
from typing import Any

import pytest

from capabilities.traces.record import MAX_CONTENT_CHARS
from fabric import Context, Fabric, handler, sequencer
from pipelines import cognitive_memory

MEM = cognitive_memory(embedder=None)


@handler(name="reply", uses=[MEM.capability])
async def reply(message: str, ctx: Context) -> str:
    """Fail where the message says so; no answer is recorded."""
    if message.startswith("Fail: "):
        raise RuntimeError("no answer")
    return str(len(message))


@handler(name="stored_traces", uses=[MEM.capability])
async def stored_traces(_: object, ctx: Context) -> Sequence[Any]:
    """Return the traces that are there."""
    return [one.trace for one in await ctx.cap.cognitive.outlook()]


TURN = sequencer(name="turn").then(MEM.encode).then(reply).work(MEM.after_turn)


def test_a_message_whose_run_failed_is_kept_once_as_of_its_own_turn_and_one_that_is_too_long_stops_nothing():
    with Fabric(":memory:") as fabric:
        session = fabric.session("monday", user="jake")

        def failing(text: str) -> None:
            with pytest.raises(RuntimeError, match="no answer"):
                session.run(TURN, text)

        failing("Fail: I live in Berlin.")
        failing("Fail: I live in Berlin.")
        assert len(session.items) == 1  # one that waits for its answer is not said again
        said = ["I live in Lisbon.", "Lunch was soup.", "It rains."]
        for text in said:
            session.run(TURN, text)
        failing("Fail: I live in Berlin.")
        failing("Fail: Lunch was soup.")
        fabric.drain()
        traces = {one.content: one for one in session.run(stored_traces).output}
        assert [session.run(TURN, "long " * MAX_CONTENT_CHARS).output, session.run(TURN, "Bye.").output] == [
            str(5 * MAX_CONTENT_CHARS),
            "4",
        ]
        longest = max(len(one.content) for one in session.run(stored_traces).output)
    assert traces.keys() == {"Fail: I live in Berlin.", *said, "Fail: Lunch was soup."}
    assert traces["I live in Lisbon."].contradicted_by == ()
    assert [one.retrieval_count for one in traces.values()] == [1 if "Berlin" in text else 0 for text in traces]
    assert [traces[text].source.turn for text in said] == [2, 3, 4]
    assert longest <= MAX_CONTENT_CHARS


def test_a_message_of_which_nothing_is_to_be_seen_is_answered_and_is_no_memory():
    with Fabric(":memory:") as fabric:
        session = fabric.session("monday", user="jake")
        for text in ("\u200b\u2060", "\x00\x1f", "\ud83d", "\u3164\ufe0f", "\U000e0041\U000e0042"):
            assert session.run(TURN, text).output == str(len(text))
        session.run(TURN, "🍕")
        assert [one.content for one in session.run(stored_traces).output] == ["🍕"]
