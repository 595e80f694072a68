"""Structured answers of any type, and answers that arrive piece by piece."""

from typing import Any, Literal

import pytest
from pydantic import BaseModel

from fabric.errors import ModelUnavailableError, OutputError
from fabric.flow.sequencer import sequencer
from fabric.generation.generator import generator
from fabric.models.base import Reply, Usage
from fabric.record.events import BlockFinished, Event, ItemAdded, RunFinished, TextDelta
from fabric.record.items import Item
from fabric.sessions.fabric import Fabric
from fabric.testing import Cut, FrozenClock, ScriptedModel, call, run_block


class Fact(BaseModel):
    text: str


class Facts(BaseModel):
    facts: list[Fact]


async def answer(schema: Any, *replies: Any, **options: Any) -> tuple[Any, ScriptedModel]:
    model = ScriptedModel(replies)
    block = generator(name="g", model="m", output_schema=schema, **options)
    return await run_block(block, "hi", model=model), model


async def test_a_model_is_the_answer() -> None:
    result, model = await answer(Facts, Facts(facts=[Fact(text="x")]))
    assert result.output == Facts(facts=[Fact(text="x")])
    assert model.requests[0].schema is Facts
    assert result.items[-1].text == '{"facts": [{"text": "x"}]}'


@pytest.mark.parametrize(
    ("schema", "reply", "value"),
    [
        (int, '{"output": 3}', 3),
        (list[int], '{"output": [1, 2]}', [1, 2]),
        (Literal["yes", "no"], '{"output": "no"}', "no"),
        (list[Fact], '```json\n{"output": [{"text": "x"},]}\n```', [Fact(text="x")]),
        (str, "plain words", "plain words"),
    ],
)
async def test_any_type_can_be_the_answer(schema: Any, reply: str, value: Any) -> None:
    assert (await answer(schema, reply))[0].output == value


async def test_a_bad_answer_is_asked_for_once_more_and_both_are_paid() -> None:
    bad = Reply("no idea", usage=Usage(cost=1.0, calls=1))
    good = Reply('{"facts": []}', usage=Usage(cost=1.0, calls=1))
    result, model = await answer(Facts, bad, good)
    assert result.output == Facts(facts=[])
    assert len(model.requests) == 2
    assert result.usage == Usage(cost=2.0, calls=2)


async def test_an_answer_that_stays_bad_is_a_typed_error_with_the_path_and_the_turn_is_kept() -> None:
    model = ScriptedModel(["no", "idea"])
    async with Fabric(":memory:", models=model, clock=FrozenClock()) as fabric:
        session = fabric.session("s")
        with pytest.raises(OutputError, match=r"^g: the answer cannot be read as Facts") as raised:
            await session.arun(generator(name="g", model="m", output_schema=Facts), "hi")
        assert raised.value.raw == "idea"
        assert [item.text for item in session.items] == ["hi"]


async def test_items_that_were_refused_are_counted_on_the_record() -> None:
    result, _ = await answer(Facts, '{"facts": [{"text": "x"}, {"wrong": 1}]}')
    assert result.output == Facts(facts=[Fact(text="x")])
    assert result.items[-1].data == {"refused": 1}


async def listen(block: Any, model: ScriptedModel) -> tuple[list[Event], list[Item], Exception | None]:
    events: list[Event] = []
    failed: Exception | None = None
    async with Fabric(":memory:", models=model, clock=FrozenClock()) as fabric:
        session = fabric.session("s")
        try:
            async for event in session.stream(block, "hi"):
                events.append(event)  # noqa: PERF401  what came before an error is the point
        except ModelUnavailableError as error:
            failed = error
        return events, list(session.items), failed


def deltas(events: list[Event]) -> list[tuple[str, str]]:
    return [(event.path, event.text) for event in events if isinstance(event, TextDelta)]


async def test_text_arrives_in_pieces_with_the_path_of_its_block() -> None:
    block = sequencer(name="outer").then(generator(name="g", model="m"))
    events, items, _ = await listen(block, ScriptedModel(["one two three"]))
    assert deltas(events) == [("outer > g", "one"), ("outer > g", " two"), ("outer > g", " three")]
    assert [item.text for item in items] == ["hi", "one two three"]
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert last.result.output == "one two three"
    assert last.result.usage.calls == 1
    added = [index for index, event in enumerate(events) if isinstance(event, ItemAdded)]
    first = next(index for index, event in enumerate(events) if isinstance(event, TextDelta))
    assert added[0] < first < added[1]


async def test_every_step_of_a_tool_loop_is_streamed() -> None:
    def look() -> str:
        return "found"

    model = ScriptedModel([Reply("let me see", (call("look"),)), "there it is"])
    events, items, _ = await listen(generator(name="g", model="m", tools=[look]), model)
    assert "".join(text for _, text in deltas(events)) == "let me seethere it is"
    assert [item.kind for item in items] == ["message", "message", "tool_call", "tool_result", "message"]


async def test_a_stream_that_breaks_off_raises_and_nothing_half_is_recorded() -> None:
    cut = Cut("half an ans", ModelUnavailableError("connection lost", usage=Usage(cost=1.0)))
    events, items, failed = await listen(generator(name="g", model=["a", "b"]), ScriptedModel([cut]))
    assert deltas(events) == [("g", "half"), ("g", " an"), ("g", " ans")]
    assert str(failed) == "g: connection lost"
    assert [(item.role, item.text) for item in items] == [("user", "hi")]
    assert [event.error for event in events if isinstance(event, BlockFinished)] == [
        "ModelUnavailableError: g: connection lost"
    ]


async def test_the_next_model_is_asked_before_the_first_piece() -> None:
    model = ScriptedModel([ModelUnavailableError("down"), "ok"])
    events, _, failed = await listen(generator(name="g", model=["a", "b"]), model)
    assert failed is None
    assert deltas(events) == [("g", "ok")]
    assert [request.model for request in model.requests] == ["a", "b"]


async def test_a_structured_answer_is_not_streamed() -> None:
    events, _, _ = await listen(generator(name="g", model="m", output_schema=Facts), ScriptedModel([Facts(facts=[])]))
    assert deltas(events) == []
