"""A generator says the right things to its model, in the right order, and records what was said."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from pydantic import BaseModel

from fabric.errors import (
    BudgetExceededError,
    ConfigurationError,
    ModelError,
    ModelUnavailableError,
    SchemaError,
)
from fabric.flow.capability import Preset, define_capability
from fabric.flow.context import Context
from fabric.flow.failing import Retry
from fabric.flow.handler import handler
from fabric.flow.sequencer import sequencer
from fabric.generation.generator import generator
from fabric.models.base import Reply, Request, Usage
from fabric.record.history import History
from fabric.record.items import Item
from fabric.sessions.fabric import Fabric
from fabric.testing import FrozenClock, ScriptedModel, run_block
from fabric.text.prompt import data_block


class Question(BaseModel):
    text: str
    about: str = "everything"


async def sent(block: Any, value: Any = "hi") -> Request:
    model = ScriptedModel(lambda _: "ok")
    await run_block(block, value, model=model)
    return model.requests[-1]


async def instructions(**options: Any) -> str | None:
    messages = (await sent(generator(name="g", model="m", **options))).messages
    return str(messages[0]["content"]) if messages[0]["role"] == "system" else None


def lines(items: Sequence[Item]) -> list[tuple[int, str, str]]:
    return [(item.turn, item.role, item.text) for item in items]


def three(first: str, second: str, third: str) -> str:
    return first + second + third


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"model": ""}, "g: model is .*; expected an id"),
        ({"model": []}, "g: model is .*; expected an id"),
        ({"model": None}, "g: model is .*; expected an id"),
        ({"tool_limit": 0}, "tool_limit=0"),
        ({"history": 0}, "history turns=0"),
        ({"system": [three]}, "g: system"),
        ({"context": [three]}, "g: context"),
        ({"user": three}, "g: user"),
        ({"model": three}, "g: model"),
    ],
)
def test_what_cannot_work_is_found_at_construction(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        generator(**{"name": "g", "model": "m", **options})


async def test_text_in_text_out() -> None:
    model = ScriptedModel(["Hello!"])
    result = await run_block(generator(name="chat", model="m", temperature=0.5, max_tokens=9), "Hi", model=model)
    assert result.output == "Hello!"
    asked = model.requests[0]
    assert (asked.model, asked.messages) == ("m", [{"role": "user", "content": "Hi"}])
    assert (asked.temperature, asked.max_tokens, list(asked.tools), asked.schema) == (0.5, 9, [], None)
    assert lines(result.items) == [(1, "user", "Hi"), (1, "assistant", "Hello!")]
    assert {item.block for item in result.items} == {"chat"}


async def test_the_model_may_depend_on_the_run() -> None:
    by_user = generator(name="g", model=lambda value, ctx: f"{value}-{ctx.user}")
    assert (await sent(by_user, "x")).model == "x-tester"
    many = generator(name="g", model=lambda: ["a", "b"])
    assert (await sent(many)).model == "a"
    with pytest.raises(ConfigurationError, match=r"g: model=None: expected a model id"):
        await sent(generator(name="g", model=lambda: None))


async def test_the_next_model_is_asked_when_one_fails_and_both_are_paid() -> None:
    down = ModelUnavailableError("down", usage=Usage(cost=1.0, calls=1))
    model = ScriptedModel([down, Reply("ok", usage=Usage(cost=2.0, calls=1))])
    result = await run_block(generator(name="g", model=["a", "b"]), "hi", model=model)
    assert [request.model for request in model.requests] == ["a", "b"]
    assert (result.output, result.usage) == ("ok", Usage(cost=3.0, calls=2))


async def test_an_error_of_the_model_carries_the_path_of_the_block() -> None:
    outer = sequencer(name="outer").then(generator(name="inner", model=["a", "b"]))
    down = ModelUnavailableError("down", retry_after=3.0)
    with pytest.raises(ModelUnavailableError) as raised:
        await run_block(outer, "hi", model=ScriptedModel([down, down]))
    assert str(raised.value).startswith("outer > inner: none of 2 models answered")
    assert raised.value.retry_after == 3.0


async def test_an_answer_that_was_withheld_is_an_error() -> None:
    with pytest.raises(ModelError, match="g: the provider withheld the answer"):
        await run_block(generator(name="g", model="m"), "hi", model=ScriptedModel([Reply("", finish="content_filter")]))


async def test_system_parts_are_lines_and_empty_ones_vanish() -> None:
    async def later(value: str, ctx: Context) -> str:
        return f"{value} for {ctx.user}"

    assert await instructions(system=["Be brief.", lambda: None, " ", later, lambda v: v * 2]) == (
        "Be brief.\nhi for tester\nhihi"
    )
    assert await instructions(system=lambda value: value.upper()) == "HI"
    assert await instructions() is None
    assert await instructions(system=["", lambda: ""]) is None


async def test_context_follows_the_system_text_and_blank_context_adds_nothing() -> None:
    async def later(ctx: Context) -> str | None:
        return f"user {ctx.user}"

    def both(value: str, ctx: Context) -> str:
        return f"{value} {ctx.session}"

    found = await instructions(system="S", context=["fixed", later, lambda c: c.session, lambda: None, both, "\n"])
    assert found == "S\n\nfixed\n\nuser tester\n\ntest\n\nhi test"


async def test_capabilities_add_their_context_unless_switched_off() -> None:
    deep = define_capability("deep", context=["from deep"])
    mem = define_capability("mem", context=[lambda ctx: f"mem of {ctx.user}"], uses=[deep])
    more = define_capability("more", presets={"extra": Preset(context=("extra",), on=False)})
    assert await instructions(context=["own"], uses=[mem]) == "own\n\nfrom deep\n\nmem of tester"
    assert await instructions(context=["own"], uses=[mem.presets(context=False)]) == "own\n\nfrom deep"
    assert await instructions(uses=[more]) is None
    assert await instructions(uses=[more.presets(extra=True)]) == "extra"


async def test_a_block_around_shares_its_capabilities() -> None:
    mem = define_capability("mem", context=["around"])
    inner = generator(name="g", model="m")

    @handler(name="outer", uses=[mem])
    async def outer(value: str, ctx: Context) -> str:
        return await inner(value, ctx)

    assert (await sent(outer)).messages[0] == {"role": "system", "content": "around"}


@pytest.mark.parametrize("option", ["system", "context"])
async def test_a_function_that_returns_no_text_is_named(option: str) -> None:
    def numbers() -> list[int]:
        return [1]

    with pytest.raises(SchemaError, match=r"g: numbers\(\) returned list; expected a string or None"):
        await instructions(**{option: [numbers]})


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ("text", "text"),
        ("", ""),
        (7, "7"),
        (Question(text="why"), '{"text": "why", "about": "everything"}'),
        ({"city": "Köln", "who": Question(text="x")}, '{"city": "Köln", "who": {"text": "x", "about": "everything"}}'),
        ([1, 2], "[1, 2]"),
        ({"role": "user", "content": "hello"}, "hello"),
        ({"role": "user", "content": None}, ""),
        ({"role": "user", "content": {"type": "text", "text": "x"}}, [{"type": "text", "text": "x"}]),
        ({"role": "user", "content": "", "tool_calls": [{}]}, ""),
        ({"role": "king"}, '{"role": "king"}'),
        (["look", IMAGE, "here"], [{"type": "text", "text": "look"}, IMAGE, {"type": "text", "text": "here"}]),
        ([{"type": "house", "rooms": 3}], '[{"type": "house", "rooms": 3}]'),
        ([{"role": "user", "content": ["a", None, IMAGE]}], [{"type": "text", "text": "a"}, IMAGE]),
        ("lone \ud83d and \x00", "lone \ud83d and \x00"),
        (b"\xff", "b'\\xff'"),
    ],
)
async def test_any_input_becomes_the_message_it_means(value: Any, content: Any) -> None:
    messages = (await sent(generator(name="g", model="m"), value)).messages
    assert [(message["role"], message["content"]) for message in messages] == [("user", content)]


async def test_nothing_at_all_to_send_is_an_error() -> None:
    with pytest.raises(SchemaError, match="g: there is nothing to send"):
        await sent(generator(name="g", model="m"), None)
    messages = (await sent(generator(name="g", model="m", system="Greet."), None)).messages
    assert [message["role"] for message in messages] == ["system"]


async def test_the_user_part_is_a_text_a_function_or_messages() -> None:
    examples = [{"role": "user", "content": "1+1"}, {"role": "assistant", "content": "2"}]

    async def shots(value: str, ctx: Context) -> list[Mapping[str, Any]]:
        return [*examples, {"role": "user", "content": value}]

    async def content(user: Any) -> list[Any]:
        asked = await sent(generator(name="g", model="m", user=user), "2+2")
        return [message["content"] for message in asked.messages]

    assert await content("fixed") == ["fixed"]
    assert await content(lambda text: text + "?") == ["2+2?"]
    assert await content(lambda text: Question(text=text)) == ['{"text": "2+2", "about": "everything"}']
    assert await content(shots) == ["1+1", "2", "2+2"]
    assert await content([*examples, {"role": "user", "content": "3+3"}]) == ["1+1", "2", "3+3"]


async def test_an_image_reaches_the_model_and_is_named_in_the_item() -> None:
    value = [{"type": "text", "text": "look"}, IMAGE]
    model = ScriptedModel(["nice"])
    result = await run_block(generator(name="g", model="m"), value, model=model)
    assert model.requests[0].messages[0]["content"] == value
    assert result.items[0].text == "look"
    assert [part["type"] for part in result.items[0].parts] == ["image_url"]


async def test_what_a_template_put_around_the_users_words_is_not_recorded_as_said() -> None:
    block = generator(name="g", model="m", user=lambda text: data_block("notes", "likes tea") + "\n" + text)
    model = ScriptedModel(["ok"])
    result = await run_block(block, "hello", model=model)
    assert "likes tea" in model.requests[0].messages[0]["content"]
    assert result.items[0].text == "hello"


async def test_what_the_user_pastes_is_recorded_whole() -> None:
    pasted = "see\n" + data_block("notes", "likes tea")
    assert (await run_block(generator(name="g", model="m"), pasted, model=ScriptedModel(["ok"]))).items[
        0
    ].text == pasted


async def test_a_cut_off_answer_is_marked() -> None:
    model = ScriptedModel([Reply("half a sen", finish="length")])
    result = await run_block(generator(name="g", model="m"), "hi", model=model)
    assert result.output == "half a sen"
    assert result.items[-1].data == {"truncated": True}


async def test_with_record_off_nothing_is_recorded() -> None:
    result = await run_block(generator(name="g", model="m", record=False), "hi", model=ScriptedModel(["ok"]))
    assert result.items == ()


async def talk(block: Any, *values: str, replies: Any = None) -> tuple[ScriptedModel, list[Item]]:
    model = ScriptedModel(replies or (lambda request: f"re {request.messages[-1]['content']}"))
    async with Fabric(":memory:", models=model, clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="u")
        for value in values:
            await session.arun(block, value)
        await fabric.adrain()
        return model, [item for item in session.items if item.kind != "outcome"]


def contents(request: Request) -> list[Any]:
    return [message["content"] for message in request.messages]


async def test_history_shows_earlier_turns_and_the_current_message_once() -> None:
    model, _ = await talk(generator(name="g", model="m", system="S", history=True), "a", "b", "c")
    assert contents(model.requests[2]) == ["S", "a", "re a", "b", "re b", "c"]
    model, _ = await talk(generator(name="g", model="m", history=1), "a", "b", "c")
    assert contents(model.requests[2]) == ["b", "re b", "c"]
    model, _ = await talk(generator(name="g", model="m", history=History(tokens=1)), "a", "b", "c")
    assert contents(model.requests[2]) == ["b", "re b", "c"]
    model, _ = await talk(generator(name="g", model="m"), "a", "b")
    assert contents(model.requests[1]) == ["b"]


async def test_saying_the_same_twice_is_two_turns() -> None:
    model, items = await talk(generator(name="g", model="m", history=True), "yes", "yes")
    assert contents(model.requests[1]) == ["yes", "re yes", "yes"]
    assert [item.turn for item in items] == [1, 1, 2, 2]


async def test_a_message_that_waits_for_its_answer_is_not_said_again() -> None:
    model = ScriptedModel(["ok"])
    async with Fabric(":memory:", models=model, clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="u")
        session.add_messages([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}])
        session.add_messages([{"role": "user", "content": "hello"}])
        await session.arun(generator(name="g", model="m", history=True), "hello")
        assert contents(model.requests[0]) == ["a", "b", "hello"]
        assert lines(session.items)[2:] == [(2, "user", "hello"), (2, "assistant", "ok")]


async def test_a_second_generator_of_a_turn_opens_no_second_turn() -> None:
    first = generator(name="draft", model="m")
    second = generator(name="polish", model="m", history=True)
    model, items = await talk(sequencer(name="both").then(first).then(second), "hi")
    assert lines(items) == [(1, "user", "hi"), (1, "assistant", "re hi"), (1, "assistant", "re re hi")]
    assert contents(model.requests[1]) == ["hi", "re hi", "re hi"]


async def test_generators_side_by_side_each_see_the_message_once() -> None:
    blocks = {key: generator(name=key, model="m", history=True) for key in ("one", "two")}
    model, items = await talk(sequencer(name="both").parallel(blocks), "a", "b")
    assert [item.turn for item in items if item.role == "user"] == [1, 2]
    for request in model.requests[2:]:
        assert contents(request) == ["a", "re a", "re a", "b"]


async def test_what_background_work_says_is_not_part_of_the_conversation() -> None:
    chat = generator(name="chat", model="m", history=True)
    summary = generator(name="summary", model="m", user=lambda value: f"sum {value}")
    model, items = await talk(sequencer(name="both").then(chat).work(summary), "hi")
    assert sorted(request.messages[-1]["content"] for request in model.requests) == ["hi", "sum re hi"]
    assert lines(items) == [(1, "user", "hi"), (1, "assistant", "re hi")]


async def test_a_failed_answer_leaves_the_message_and_the_next_try_does_not_double_it() -> None:
    model = ScriptedModel([ModelUnavailableError("down"), "ok"])
    async with Fabric(":memory:", models=model, clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="u")
        chat = generator(name="g", model="m", history=True)
        with pytest.raises(ModelUnavailableError, match="g: down"):
            await session.arun(chat, "hi")
        assert lines(session.items) == [(1, "user", "hi")]
        await session.arun(chat, "hi")
        assert lines(session.items) == [(1, "user", "hi"), (1, "assistant", "ok")]
        assert contents(model.requests[1]) == ["hi"]


async def test_a_retry_says_nothing_twice_and_a_rescue_answers_instead() -> None:
    again = generator(name="g", model="m", history=True, retry=Retry(attempts=2, on=(ModelUnavailableError,)))
    model, items = await talk(again, "hi", replies=[ModelUnavailableError("down"), "ok"])
    assert lines(items) == [(1, "user", "hi"), (1, "assistant", "ok")]
    assert [contents(request) for request in model.requests] == [["hi"], ["hi"]]
    sorry = handler(lambda error: f"sorry: {error}", name="sorry")
    rescued = generator(name="g", model="m", rescue={ModelError: sorry})
    model = ScriptedModel([ModelUnavailableError("down")])
    assert (await run_block(rescued, "hi", model=model)).output == "sorry: g: down"


async def test_no_call_is_made_over_the_budget() -> None:
    class Strict:
        """A run without a budget left, on top of a real one."""

        def __init__(self, run: Any) -> None:
            self.run = run

        def __getattr__(self, name: str) -> Any:
            return getattr(self.run, name)

        async def check_budget(self, path: str) -> None:
            raise BudgetExceededError(f"{path}: over")

    model = ScriptedModel([])
    inner = generator(name="inner", model="m")

    @handler(name="outer")
    async def outer(value: str, ctx: Context) -> str:
        return await inner(value, Context(Strict(ctx.run), ctx.block, ctx.parent))

    with pytest.raises(BudgetExceededError, match="outer > inner: over"):
        await run_block(outer, "hi", model=model)
    assert model.requests == []
