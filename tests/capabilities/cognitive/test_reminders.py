"""The prompt of a cognitive memory tells reminders within their share; they count once the reply does."""

from datetime import timedelta
from typing import Any

import pytest

from fabric import Context, Fabric, generator, handler, sequencer
from fabric.errors import ModelError
from fabric.testing import FrozenClock, ScriptedModel
from pipelines import cognitive_memory

MIND = cognitive_memory(embedder=None, zone="America/New_York")


@handler(name="assembles", uses=[MIND.capability])
async def assembles(tokens: int, ctx: Context) -> Any:
    return (await ctx.cap.cognitive.assemble("what now?", tokens)).sections.get("reminders", ())


def test_a_reminder_stands_in_the_prompt_once_and_again_where_the_reply_failed():
    clock = FrozenClock()
    model = ScriptedModel([ModelError("down"), "Soon.", "Done."])
    reply = generator(name="reply", model="m", context=[MIND.assemble(1_000)], uses=[MIND.capability])
    turn = sequencer(name="turn").then(MIND.encode).then(reply).work(MIND.after_turn)
    with Fabric(":memory:", clock=clock, models=model) as fabric:
        session = fabric.session("monday", user="jake")
        made = session.run(
            MIND.remind, {"content": "PR review is due", "at": "tomorrow at 9", "importance": 0.8}
        ).output
        clock.advance(days=2)
        with pytest.raises(ModelError):
            session.run(turn, "Good morning")
        session.run(turn, "Good morning")
        session.run(turn, "Anything else?")
        fabric.drain()
        prompts = [str(request.messages[0]["content"]) for request in model.requests]
        line = "## Reminders\n- [time_based] PR review is due"
        assert [line in prompt for prompt in prompts] == [True, True, False]
        assert session.run(MIND.check, "x").output == []
        why = fabric.session("x", user="jake").run(assembles, 1_000).output
        assert why == ()
        assert made.made_by.endswith("remind")


def test_only_what_has_room_is_brought_back_and_the_first_always_has():
    clock = FrozenClock()
    with Fabric(":memory:", clock=clock) as fabric:
        session = fabric.session("monday", user="jake")
        for number in range(4):
            content = f"{number} {'very ' * 100}long"
            session.run(MIND.remind, {"content": content, "at": timedelta(minutes=1), "importance": 0.9 - number / 10})
        clock.advance(minutes=1)
        told: list[str] = []
        for tokens in (50, 1_000, 1_000, 4_000):
            told += session.run(assembles, tokens).output
        assert len(told) == len(set(told)) == 4
        assert session.run(assembles, 4_000).output == ()
        assert [one.content[0] for one in session.run(MIND.check, None).output] == []


def test_what_a_check_brought_back_is_told_by_the_prompt_of_the_same_run():
    clock = FrozenClock()
    model = ScriptedModel(["a", "b"])
    reply = generator(name="reply", model="m", context=[MIND.assemble(events=lambda _: ["deploy"])])
    turn = sequencer(name="turn").tap(MIND.check).then(reply)
    with Fabric(":memory:", clock=clock, models=model) as fabric:
        session = fabric.session("monday", user="jake")
        session.run(MIND.remind, {"content": "Tag the release", "on": ["deploy"]})
        session.run(MIND.remind, {"content": "Water", "every": "day", "at": "in 1 hour"})
        clock.advance(hours=1)
        session.run(turn, "deployed")
        session.run(turn, "and now?")
        first, second = (str(request.messages[0]["content"]) for request in model.requests if request.messages)
        assert "- [event_based] Tag the release" in first
        assert "- [time_based] Water" in first
        assert "Reminders" not in second
