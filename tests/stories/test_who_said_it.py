"""Who said it: what a run was given is what the user said, whatever stands between it and the capture."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from capabilities.sources import source_of
from fabric import Context, Fabric, generator, handler, sequencer
from fabric.errors import ResourceConflictError, SchemaError
from fabric.flow.resource import Collection, Document
from fabric.record.events import TextDelta
from fabric.testing import FrozenClock, ScriptedModel
from pipelines import MemorySystem, memory_system


def system(**options: Any) -> MemorySystem:
    return memory_system(model=None, episodic=True, semantic=True, embedder=None, **options)


def exported(session: Any, mem: MemorySystem, kind: str) -> list[dict[str, Any]]:
    return [record for record in session.run(mem.export_block).output if record["kind"] == kind]


def turns(session: Any, mem: MemorySystem) -> list[tuple[str, str]]:
    return [(record["role"], record["text"]) for record in exported(session, mem, "turn")]


def facts(session: Any, mem: MemorySystem) -> list[str]:
    return [record["content"] for record in exported(session, mem, "fact") if record["status"] == "current"]


def said_in_session(session: Any) -> list[tuple[str, str]]:
    return [(item.role, item.text) for item in session.items if item.kind == "message"]


def test_a_template_around_the_users_words_is_not_what_the_user_said():
    mem = system()
    template = "Answer from these documents. I live in Berlin. Question:"
    chat = generator(name="chat", model="m", user=lambda asked: f"{template} {asked}", history=True)
    pipeline = sequencer(name="asking").then(chat).work(mem.capture_from_items)
    model = ScriptedModel(["Sure.", "Again."])
    with Fabric(models=model, clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="u")
        session.run(pipeline, "I work at Philips.")
        session.run(pipeline, "Who am I?")
        fabric.drain()
        assert facts(session, mem) == ["Works at Philips"]
        assert turns(session, mem)[:2] == [("user", "I work at Philips."), ("assistant", "Sure.")]
    assert [message["content"] for message in model.requests[1].messages] == [
        "I work at Philips.",
        "Sure.",
        f"{template} Who am I?",
    ]


@pytest.mark.parametrize("record", [True, False])
def test_behind_a_generator_that_rewrites_the_question_the_users_own_words_are_captured(record: bool):
    mem = system()
    rewriting = generator(name="rewriting", model="m", system="Make it a query.", record=record)
    answering = generator(name="answering", model="m")
    pipeline = sequencer(name="asking").then(rewriting).then(answering).work(mem.capture_from_items)
    with Fabric(models=ScriptedModel(["weather Oslo", "Rain."]), clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="u")
        session.run(pipeline, "I live in Oslo. How is the weather?")
        fabric.drain()
        assert facts(session, mem) == ["Lives in Oslo"]
        assert turns(session, mem) == [("user", "I live in Oslo. How is the weather?"), ("assistant", "Rain.")]


def test_a_chat_before_capture_does_not_become_the_users_words():
    mem = system()
    chat = handler(lambda _: "I work at OpenAI.", name="chat")
    pipeline = sequencer(name="asking").then(chat).work(mem.capture)
    with Fabric(clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="u")
        session.run(pipeline, "I work at Philips.")
        session.run(pipeline, "Who do you work for?")
        fabric.drain()
        assert facts(session, mem) == ["Works at Philips"]
        assert turns(session, mem) == [("user", "I work at Philips."), ("user", "Who do you work for?")]


def test_a_text_that_stands_nowhere_in_what_the_run_was_given_is_refused():
    mem = system()
    chat = handler(lambda _: "I work at OpenAI.", name="chat")
    pipeline = sequencer(name="asking").then(chat).work(mem.capture)
    with Fabric(clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="u")
        with pytest.raises(SchemaError, match=r"mem\.capture_from_items behind it"):
            session.run(pipeline, {"question": "I work at Philips."})
        assert said_in_session(session) == []


def test_a_part_of_the_input_and_a_message_that_says_whose_it_is_are_taken():
    mem = system()
    parts = sequencer(name="parts").map(lambda text: text.split(";")).for_each(mem.capture)
    stated = sequencer(name="stated").work(lambda _: {"role": "user", "content": "I like tea."}, mem.capture)
    with Fabric(clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="u")
        session.run(parts, "I live in Oslo.; I work at Philips.")
        session.run(stated, {"number": 17})
        fabric.drain()
        assert facts(session, mem) == ["Lives in Oslo", "Works at Philips", "Likes tea"]


def test_a_handlers_answer_between_both_captures_is_kept():
    mem = system()
    chat = handler(lambda text: f"Noted: {text}", name="chat")
    pipeline = sequencer(name="asking").work(mem.capture).then(chat).work(mem.capture_from_items)
    with Fabric(clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="u")
        session.run(pipeline, "I live in Oslo.")
        fabric.drain()
        both = [("user", "I live in Oslo."), ("assistant", "Noted: I live in Oslo.")]
        assert said_in_session(session) == both
        assert turns(session, mem) == both
        assert [record["reinforcement_count"] for record in exported(session, mem, "fact")] == [1]


def test_what_was_said_to_a_handler_that_failed_is_kept():
    mem = system()
    fails = iter([True, False])

    def answer(_: str) -> str:
        if next(fails):
            raise ValueError("down")
        return "Fine."

    pipeline = sequencer(name="asking").then(handler(answer, name="chat")).work(mem.capture_from_items)
    with Fabric(clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="u")
        with pytest.raises(ValueError, match="down"):
            session.run(pipeline, "I live in Oslo.")
        assert said_in_session(session) == [("user", "I live in Oslo.")]
        session.run(pipeline, "I live in Oslo.")
        assert said_in_session(session) == [("user", "I live in Oslo."), ("assistant", "Fine.")]
        fabric.drain()
        assert turns(session, mem) == [("user", "I live in Oslo."), ("assistant", "Fine.")]


@pytest.mark.parametrize("role", ["assistant", "system", "developer", "tool"])
def test_a_message_of_another_role_is_no_statement_of_the_user(role: str):
    mem = system()
    with Fabric(clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="u")
        result = session.run(mem.capture, {"role": role, "content": "I live in Paris."}).output
        assert [(outcome.status, outcome.reason) for outcome in result.outcomes] == [
            ("skipped", f"not said by the user: the role is {role}")
        ]
        assert turns(session, mem) == []


HISTORY = [
    {"role": "system", "content": "I live in Rome."},
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": "I live in Paris."},
    {"role": "user", "content": "I live in Oslo."},
]


def test_of_a_list_of_messages_the_users_last_is_captured():
    mem = system()
    with Fabric(clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="u")
        session.run(mem.capture, HISTORY)
        assert (facts(session, mem), turns(session, mem)) == (["Lives in Oslo"], [("user", "I live in Oslo.")])


def test_a_handler_chat_may_be_given_a_list_of_messages():
    mem = system()

    def count(messages: list[Any]) -> str:
        return f"{len(messages)} messages"

    chat = handler(count, name="chat")
    pipeline = sequencer(name="asking").then(chat).work(mem.capture_from_items)
    with Fabric(clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="u")
        session.run(pipeline, HISTORY)
        fabric.drain()
        assert turns(session, mem) == [("user", "I live in Oslo."), ("assistant", "4 messages")]


@pytest.mark.parametrize("value", [17, {"city": "Oslo"}, [1, 2]])
def test_what_is_no_message_is_said_to_be_none(value: Any):
    mem = system()
    with Fabric(clock=FrozenClock()) as fabric:
        (outcome,) = fabric.session("s", user="u").run(mem.capture, value).output.outcomes
    assert outcome.status == "skipped"
    assert outcome.reason.startswith(
        "not understood: expected a text, a message of the user or a list of messages, got"
    )


def broken_at_first(mem: MemorySystem, times: int = 1) -> Any:
    """Return a chat whose first answers fail."""
    left = iter(range(times))

    def answer(_: str) -> str:
        if next(left, None) is not None:
            raise ValueError("down")
        return "Fine."

    return sequencer(name="asking").then(handler(answer, name="chat")).work(mem.capture_from_items)


def evidence(session: Any, mem: MemorySystem) -> dict[str, list[str]]:
    texts = {record["id"]: record["text"] for record in exported(session, mem, "turn")}
    held = [record for record in exported(session, mem, "fact") if record["status"] == "current"]
    return {record["content"]: [texts[source["turn_id"]] for source in record["sources"]] for record in held}


def test_a_fact_names_the_message_it_comes_from_and_is_forgotten_with_it():
    mem = system()
    pipeline = broken_at_first(mem, 2)
    with Fabric(clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="u")
        for text in ("I live in Oslo.", "Tomorrow I fly to Rome."):
            with pytest.raises(ValueError, match="down"):
                session.run(pipeline, text)
        session.run(pipeline, "Thanks, please retry. I like tea.")
        fabric.drain()
        assert evidence(session, mem) == {
            "Lives in Oslo": ["I live in Oslo."],
            "Likes tea": ["Thanks, please retry. I like tea."],
        }
        (fact,) = [record for record in exported(session, mem, "fact") if record["content"] == "Lives in Oslo"]
        session.run(mem.forget_block, {"id": fact["id"]})
        assert "I live in Oslo." not in [text for _, text in [*turns(session, mem), *said_in_session(session)]]
        assert evidence(session, mem) == {"Likes tea": ["Thanks, please retry. I like tea."]}


def test_runs_side_by_side_take_each_others_messages_for_nobodys():
    mem = system()
    gates = {"I live in Oslo.": asyncio.Event(), "I work at Philips.": asyncio.Event()}

    async def answer(text: str) -> str:
        await gates[text].wait()
        return f"Heard: {text}"

    pipeline = sequencer(name="asking").then(handler(answer, name="chat")).work(mem.capture_from_items)

    async def talk() -> tuple[dict[str, list[str]], list[tuple[int, str]]]:
        async with Fabric(clock=FrozenClock()) as fabric:
            session = fabric.session("s", user="u")
            runs = [asyncio.create_task(session.arun(pipeline, text)) for text in gates]
            await asyncio.sleep(0.05)
            for text, run in zip(reversed(gates), reversed(runs), strict=True):
                gates[text].set()
                await run
                await fabric.adrain()
            kept = (await session.arun(mem.export_block)).output
            texts = {record["id"]: record["text"] for record in kept if record["kind"] == "turn"}
            found = {
                record["content"]: [texts[source["turn_id"]] for source in record["sources"]]
                for record in kept
                if record["kind"] == "fact"
            }
            return found, sorted((record["turn"], record["text"]) for record in kept if record["kind"] == "turn")

    found, kept = asyncio.run(talk())
    assert found == {"Lives in Oslo": ["I live in Oslo."], "Works at Philips": ["I work at Philips."]}
    assert kept == [
        (1, "Heard: I live in Oslo."),
        (1, "I live in Oslo."),
        (2, "Heard: I work at Philips."),
        (2, "I work at Philips."),
    ]


def test_a_run_in_which_nobody_said_anything_has_no_source():
    seen: list[Any] = []
    chat = generator(name="chat", model="m")
    tool = handler(lambda _, ctx: seen.append(source_of(ctx)), name="tool")
    with Fabric(models=ScriptedModel(["Sure."]), clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="u")
        session.run(chat, "I live in Oslo.")
        session.run(tool, {"content": "Rust is a language"})
        session.run(sequencer(name="later").work(tool), {"content": "Rust is a language"})
        fabric.drain()
    assert seen == [None, None]


def test_a_message_without_an_answer_is_taken_in_behind_the_outcome_of_the_turn_before():
    mem = system()
    chat = generator(name="chat", model="m")
    pipeline = sequencer(name="asking").then(chat).work(mem.capture_from_items)
    with Fabric(models=ScriptedModel(["Sure.", "Fine."]), clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="u")
        session.run(pipeline, "Hello.")
        fabric.drain()
        session.add_messages([{"role": "user", "content": "I live in Oslo."}])
        session.run(sequencer(name="noting").work(handler(lambda _: None, name="note")), {"a": 1})
        fabric.drain()
        session.run(pipeline, "How are you?")
        fabric.drain()
        assert evidence(session, mem) == {"Lives in Oslo": ["I live in Oslo."]}


@pytest.mark.parametrize("capture", ["capture", "capture_from_items"])
def test_what_was_said_in_a_run_that_failed_is_captured_though_no_turn_follows(tmp_path: Path, capture: str):
    mem = system()
    pipeline = sequencer(name="asking").then(handler(int, name="chat")).work(getattr(mem, capture))
    with Fabric(tmp_path / "m.duckdb", clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="u")
        with pytest.raises(ValueError, match="invalid literal"):
            session.run(pipeline, "I live in Oslo.")
    with Fabric(tmp_path / "m.duckdb", clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="u")
        assert evidence(session, mem) == {"Lives in Oslo": ["I live in Oslo."]}


def test_what_was_said_in_a_stream_that_was_left_is_captured_though_no_turn_follows():
    mem = system()
    chat = generator(name="chat", model="m")
    pipeline = sequencer(name="asking").then(chat).work(mem.capture_from_items)
    with Fabric(models=ScriptedModel(lambda _: "one two three four five"), clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="u")
        stream = iter(session.stream(pipeline, "I live in Oslo."))
        assert any(isinstance(event, TextDelta) for event in stream)
        stream.close()
        fabric.drain()
        assert evidence(session, mem) == {"Lives in Oslo": ["I live in Oslo."]}


def test_a_turn_that_is_run_again_keeps_the_answer_beside_the_message_that_was_captured():
    mem = system()
    pipeline = broken_at_first(mem)
    with Fabric(clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="u")
        with pytest.raises(ValueError, match="down"):
            session.run(pipeline, "I live in Oslo.", turn_id="t1")
        fabric.drain()
        assert session.run(pipeline, "I live in Oslo.", turn_id="t1").output == "Fine."
        fabric.drain()
        assert turns(session, mem) == [("user", "I live in Oslo."), ("assistant", "Fine.")]
        assert [record["reinforcement_count"] for record in exported(session, mem, "fact")] == [1]


class Scratch(BaseModel):
    """Something of a user's own."""

    id: str = ""
    text: str = ""


@pytest.mark.parametrize(
    "own",
    [Document("working_memory", Scratch, "session"), Collection("turns", Scratch, "user")],
    ids=lambda one: one.key,
)
def test_another_pipeline_of_the_file_cannot_take_the_memorys_keys(own: Any):
    mem = system()
    mine = handler(lambda _: None, name="mine", uses=[own])
    with Fabric(clock=FrozenClock()) as fabric:
        session = fabric.session("s", user="u")
        session.run(mem.capture, "I live in Oslo.")
        with pytest.raises(ResourceConflictError, match="give the one that is yours another key"):
            session.run(mine, "hello")
        assert facts(session, mem) == ["Lives in Oslo"]


@pytest.mark.parametrize("own", [Document("working_memory", Scratch, "session"), Collection("turns", Scratch, "user")])
def test_nor_can_another_opening_of_the_file_and_only_what_keeps_nothing_gives_way(own: Any, tmp_path: Path):
    mem, file = system(), tmp_path / "memory.duckdb"

    @handler(name="mine", uses=[own])
    async def mine(text: str, ctx: Context) -> None:
        if text and isinstance(own, Document):
            await ctx.transact(lambda tx: tx.write(own, Scratch()))
        elif text:
            await ctx.transact(lambda tx: tx.put(own, [Scratch()]))

    with Fabric(file) as fabric:
        fabric.session("s", user="u").run(mine, "")
    with Fabric(file) as fabric:  # what was declared and never used keeps nobody out
        fabric.session("s", user="u").run(mem.capture, "I live in Oslo.")
    with Fabric(file) as fabric, pytest.raises(ResourceConflictError, match="when it was opened before"):
        fabric.session("s", user="u").run(mine, "hello")
    with Fabric(tmp_path / "other.duckdb") as fabric:
        fabric.session("s", user="u").run(mine, "hello")
    with Fabric(tmp_path / "other.duckdb") as fabric, pytest.raises(ResourceConflictError, match="Scratch"):
        fabric.session("s", user="u").run(mem.capture, "I live in Oslo.")


def test_with_the_clock_set_back_the_later_correction_holds():
    mem, clock = system(), FrozenClock()
    pipeline = sequencer(name="asking").then(handler(lambda _: "Fine.", name="chat")).work(mem.capture_from_items)
    with Fabric(clock=clock) as fabric:
        session = fabric.session("s", user="u")
        session.run(pipeline, "I live in Oslo.")
        fabric.drain()
        clock.advance(hours=-3)
        session.run(pipeline, "I live in Bergen now.")
        fabric.drain()
        assert facts(session, mem) == ["Lives in Bergen"]


def test_with_the_clock_set_back_between_sessions_the_later_correction_holds(tmp_path: Path):
    mem, clock = system(), FrozenClock()

    def said(text: str, session: str) -> list[str]:
        fabric.session(session, user="u").run(mem.capture, text)
        fabric.drain()
        return facts(fabric.session(session, user="u"), mem)

    with Fabric(tmp_path / "memory.duckdb", clock=clock) as fabric:
        assert said("I live in Oslo.", "a") == ["Lives in Oslo"]
        clock.advance(hours=-3)
        assert said("I live in Bergen now.", "b") == ["Lives in Bergen"]
        clock.advance(minutes=5)
        assert said("I live in Paris now.", "a") == ["Lives in Paris"]
        fabric.session("b", user="u").run(mem.remember_block, "Lives in Tromsø")
        assert facts(fabric.session("b", user="u"), mem) == ["Lives in Tromsø"]
        assert said("I live in Bodø now.", "c") == ["Lives in Bodø"]
    clock.advance(hours=-1)
    with Fabric(tmp_path / "memory.duckdb", clock=clock) as fabric:
        assert said("I live in Narva now.", "d") == ["Lives in Narva"]
        told = [record for record in exported(fabric.session("d", user="u"), mem, "turn") if "Narva" in record["text"]]
        assert told[0]["said_at"] == clock.now().isoformat().replace("+00:00", "Z")  # it bears the time of the clock
