"""The plain facade: the same memory without a pipeline, sync and async, one class each."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fabric import Fabric
from fabric.errors import ConfigurationError, FabricError, RunError, SchemaError, ScopeError
from fabric.testing import ScriptedModel
from fabric.text.prompt import data_block
from pipelines import AsyncMemory, Memory, memory_system

JOINED = "I joined Stripe last month."
CHAT = [{"role": "user", "content": JOINED}, {"role": "assistant", "content": "Congratulations!"}]

TOWNS = ("Oslo", "Rome", "Kyiv", "Bonn", "Linz", "Turin", "Porto", "Braga", "Faro", "Lyon", "Metz", "Nice", "Gent")


def contents(memory: Memory, cue: str) -> list[str]:
    return [recalled.content for recalled in memory.recall(cue, tiers=["semantic"])]


def test_what_is_captured_is_recalled_after_reopening(tmp_path: Path):
    with Memory(tmp_path / "m.duckdb", user="jake") as memory:
        assert memory.capture(CHAT).turns == 1
    with Memory(tmp_path / "m.duckdb", user="jake") as memory:
        assert contents(memory, "where does he work?") == ["Joined Stripe last month"]
        assert [
            item.text for item in memory.fabric.session("default", user="jake").items if item.kind == "message"
        ] == [
            JOINED,
            "Congratulations!",
        ]


def test_a_history_that_is_sent_again_adds_what_is_new():
    with Memory(user="jake") as memory:
        memory.capture(CHAT[:1])
        memory.capture(CHAT)  # the answer belongs to the turn before
        grown = [*CHAT, {"role": "user", "content": "I moved to Oslo."}]
        assert memory.capture(grown).turns == 1
        assert memory.capture(grown).turns == 0
        session = memory.fabric.session("default", user="jake")
        assert [item.text for item in session.items if item.role == "user"] == [JOINED, "I moved to Oslo."]


def users(memory: Memory) -> list[str]:
    return [item.text for item in memory.fabric.session("default", user="jake").items if item.role == "user"]


def test_a_history_with_tools_and_another_system_prompt_each_time_adds_what_is_new():
    asks = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": {"name": "look_up"}}]}
    answers = {"role": "tool", "tool_call_id": "c1", "content": "Oslo"}
    history = [CHAT[0], asks, answers, CHAT[1], {"role": "user", "content": "I moved to Oslo."}]
    with Memory(user="jake") as memory:
        for end in (1, 2, 4, 5):
            memory.capture([{"role": "system", "content": f"This is call {end}."}, *history[:end]])
        items = memory.fabric.session("default", user="jake").items
        assert [item.kind for item in items if item.role != "system" and item.kind != "outcome"] == [
            "message", "tool_call", "tool_result", "message", "message"
        ]  # fmt: skip
        assert memory.capture([{"role": "system", "content": "Shorter."}, *history[3:]]).turns == 0
        assert users(memory) == [JOINED, "I moved to Oslo."]


def test_a_history_whose_cut_off_answer_is_left_out_adds_what_is_new():
    cut = {"role": "assistant", "content": [{"type": "text", "text": "Congr"}, {"type": "interrupted"}]}
    with Memory(user="jake") as memory:
        memory.capture([CHAT[0], cut])
        memory.capture([CHAT[0], {"role": "user", "content": "I moved to Oslo."}])
        assert users(memory) == [JOINED, "I moved to Oslo."]


def test_the_same_text_said_again_is_another_turn():
    with Memory(user="jake") as memory:
        assert memory.capture("yes").turns == 1
        assert (
            memory.capture([{"role": "assistant", "content": "Sure?"}, {"role": "user", "content": "yes"}]).turns == 1
        )


def test_messages_with_ids_are_captured_once_whatever_they_say():
    said = [{"id": "1", "role": "user", "content": "yes"}, {"id": "2", "role": "user", "content": "yes"}]
    with Memory(user="jake") as memory:
        assert (memory.capture(said).turns, memory.capture(said).known) == (2, 2)


def test_a_secret_in_a_history_that_is_sent_again_is_recognised():
    said = [{"role": "user", "content": "my key is sk-abcdefghijklmnopqrstuvwxyz123456"}]
    with Memory(user="jake") as memory:
        memory.capture(said)
        assert memory.capture(said).turns == 0


@pytest.mark.parametrize("wrong", [[{"content": "x"}], [{"role": "king", "content": "x"}], [CHAT[0], "text"], [3]])
def test_what_is_no_message_is_refused_and_nothing_is_kept(wrong: list[object]):
    with Memory(user="jake") as memory:
        with pytest.raises(SchemaError, match=r"message \d of \d"):
            memory.capture(wrong)  # type: ignore[arg-type]
        assert list(memory.export()) == []


def test_a_stated_fact_is_held_at_once_and_says_why():
    with Memory(user="jake") as memory:
        outcome = memory.remember("Is allergic to peanuts", category="attribute")
        assert (outcome.status, contents(memory, "allergy")) == ("stored", ["Is allergic to peanuts"])
        why = memory.why(outcome.id)
        assert why is not None
        assert [evidence.text for evidence in why.evidence] == ["Is allergic to peanuts"]


def test_a_correction_supersedes_and_history_keeps_both():
    with Memory(user="jake") as memory:
        outcome = memory.remember("Works at Stripe", category="profession")
        changed = memory.update(outcome.id, "Works at Shopify")
        assert contents(memory, "works at") == ["Works at Shopify"]
        assert [(fact.content, fact.status) for fact in memory.history(changed.id)] == [
            ("Works at Stripe", "superseded"),
            ("Works at Shopify", "current"),
        ]
        assert memory.history("nothing") == []


def test_what_a_memory_put_into_a_prompt_never_comes_in_again(tmp_path: Path):
    block = data_block("memory", "Works at Stripe")
    path = tmp_path / "chat.json"
    path.write_text(
        json.dumps([{"role": "user", "content": f"{block}\nHello"}, {"role": "assistant", "content": block}])
    )
    with Memory(user="jake", embedder=None) as memory:
        memory.import_file(path)
        fact = memory.remember(f"Likes tea {block}")
        memory.update(fact.id, f"Likes green tea {block}")
        with pytest.raises(SchemaError, match="content"):
            memory.remember(block)
        assert "Stripe" not in str(list(memory.export()))
        turns = [record["text"].strip() for record in memory.export() if record["kind"] == "turn"]
        assert sorted(turns) == ["Hello", "Likes green tea", "Likes tea"]


@pytest.mark.parametrize("limit", [1, 3, None])
def test_what_was_superseded_takes_no_place_of_what_is_current(limit: int | None):
    with Memory(user="jake", embedder=None) as memory:
        fact = memory.remember("Lives in Paris")
        for town in TOWNS:
            fact = memory.update(fact.id, f"Lives in {town}")
            found = memory.recall("where does he live?", tiers=["semantic"], limit=limit)
            assert [memory.content for memory in found] == [f"Lives in {town}"]


def test_an_unknown_id_cannot_be_corrected():
    with Memory(user="jake") as memory, pytest.raises(RunError, match="'sf_none' is no current fact: take an id"):
        memory.update("sf_none", "Works at Shopify")


def test_forgetting_leaves_nothing_and_wants_one_thing():
    with Memory(user="jake") as memory:
        outcome = memory.remember("Is allergic to peanuts")
        assert memory.forget(outcome.id).found
        assert list(memory.export()) == []
        memory.capture(JOINED)
        memory.wait()
        assert memory.forget(everything=True).found
        assert list(memory.export()) == []
        named = "memory_id=, subject=, session=, tag= and everything=True"
        several: list[dict[str, Any]] = [{}, {"subject": "anna", "everything": True}, {"memory_id": "m", "tag": "t"}]
        for given in several:
            with pytest.raises(SchemaError, match=f"give exactly one of {named}; got .") as caught:
                memory.forget(**given)
            assert "scope" not in str(caught.value)


def test_context_is_text_for_a_prompt():
    with Memory(user="jake") as memory:
        memory.capture(JOINED)
        memory.wait()
        assert "Stripe" in memory.context("where does he work?", tokens=200)


def test_users_of_one_file_do_not_meet():
    with Fabric() as fabric:
        jake, anna = Memory(fabric, user="jake"), Memory(fabric, user="anna")
        jake.remember("Likes green tea", category="preference")
        assert (contents(jake, "tea"), contents(anna, "tea"), list(anna.export())) == (["Likes green tea"], [], [])
        jake.close()
        assert contents(anna, "tea") == []  # the file is the fabric's, not jake's


def test_what_cannot_work_is_refused_and_the_file_is_free(tmp_path: Path):
    with pytest.raises(ScopeError, match="user must not be empty"):
        Memory(tmp_path / "m.duckdb", user=" ")
    with pytest.raises(ConfigurationError, match="semantic memory is needed"):
        Memory(tmp_path / "m.duckdb", user="jake", system=memory_system())
    with Memory(tmp_path / "m.duckdb", user="jake") as memory:
        assert memory.recall() == []


async def test_async_does_the_same():
    async with AsyncMemory(user="jake") as memory:
        await asyncio.gather(*(memory.capture(f"I live in town number {n}.", session=f"s{n}") for n in range(8)))
        await memory.wait()
        outcome = await memory.remember("Plays the cello", category="preference")
        assert (await memory.recall("cello", tiers=["semantic"]))[0].content == "Plays the cello"
        assert (await memory.update(outcome.id, "Plays the viola")).content == "Plays the viola"
        assert len(await memory.history(outcome.id)) == 2
        assert "viola" in await memory.context("which instrument?")
        assert (await memory.forget(subject="user")).found
        assert [record async for record in memory.export() if record["kind"] == "fact"] == []


def test_a_correction_retires_what_it_corrects_everywhere():
    with Memory(user="jake") as memory:
        memory.capture("I live in Rome.")
        assert memory.wait() == []
        memory.update(memory.recall("Rome", tiers=["semantic"])[0].id, "Lives in Milan")
        found = [recalled.content for recalled in memory.recall("live")]
        assert found[0] == "Lives in Milan"
        assert "Lives in Rome" not in [
            recalled.content for recalled in memory.recall("live", tiers=["working", "episodic"])
        ]


@pytest.mark.parametrize("wrong", [None, 5, b"x", ["a"], [{"role": "user", "content": "x", "tags": ["a"]}]])
def test_what_cannot_be_captured_is_refused_with_a_reason(wrong: object):
    with Memory(user="jake") as memory, pytest.raises(SchemaError, match="capture"):
        memory.capture(wrong)  # type: ignore[arg-type]


def test_a_text_said_twice_is_two_turns_and_a_history_counts_what_it_knew():
    with Memory(user="jake") as memory:
        assert [memory.capture("ok").turns, memory.capture("ok").turns] == [1, 1]
        assert memory.capture([{"role": "user", "content": "ok"}, {"role": "user", "content": "tea"}]).known == 1


def test_turns_of_another_time_keep_it_and_their_tags():
    with Memory(user="jake") as memory:
        turn = {
            "session": "trip",
            "role": "user",
            "said_at": "2020-01-01T00:00:00Z",
            "text": "The boat leaves at nine.",
        }
        assert memory.import_turns([{**turn, "tags": ["travel"]}]).imported == 1
        assert [recalled.tags for recalled in memory.recall("boat", tags=["travel"])] == [["travel"]]
        memory.remember("Gets seasick", tags=["travel"])
        assert "Gets seasick" in [recalled.content for recalled in memory.recall("seasick", tags=["travel"])]


def test_work_that_failed_is_returned():
    with Memory(user="jake", model="gpt-5-mini", models=ScriptedModel([])) as memory:
        memory.capture("I live in Rome.")
        assert [job.status for job in memory.wait()] == ["failed"]


@pytest.mark.parametrize(("option", "value"), [("lmit", 3), ("limit", 0), ("since", "soon"), ("category", 5)])
def test_an_option_of_recall_that_cannot_work_is_named(option: str, value: object):
    with Memory(user="jake") as memory, pytest.raises(ConfigurationError, match=f"recall: {option}"):
        memory.recall("tea", **{option: value})


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda memory: memory.context(None), "context: cue is None; expected a text"),
        (lambda memory: memory.context("x", tokens="many"), "context: tokens is 'many'; expected a number"),
        (lambda memory: memory.recall(5), "recall: cue is 5"),
        (lambda memory: memory.capture(None), "capture: got None; expected a text, a message"),
        (lambda memory: memory.remember(""), "content: String should have at least 1 character"),
        (lambda memory: memory.remember("x", color="red"), r"color.*its fields are content, subject, category"),
        (lambda memory: memory.update("no-such-id", "x"), "'no-such-id' is no current fact"),
        (lambda memory: memory.update(5, "x"), "id: Input should be a valid string"),
        (lambda memory: memory.forget(subject="\ud800"), "forget: subject: the text has half a character"),
        (lambda memory: memory.forget(5), "forget: id: Input should be a valid string"),
        (lambda memory: memory.remember("\ud800"), "content: the text has half a character"),
        (lambda memory: memory.recall("x", subject="\ud800"), "recall: subject is '.ud800': the text has half"),
    ],
)
def test_what_a_call_cannot_take_is_said_in_one_line_of_ours(call: Callable[[Memory], object], said: str):
    with Memory(user="jake") as memory, pytest.raises(FabricError, match=said) as caught:
        call(memory)
    assert "\n" not in str(caught.value)
    str(caught.value).encode()


def test_half_a_character_is_exported_as_what_every_reader_of_json_takes():
    with Memory(user="jake") as memory:
        memory.capture("I live in \ud800 Rome.")
        memory.wait()
        text = json.dumps(list(memory.export()), ensure_ascii=False)
    assert "Rome" in text
    text.encode()


def test_what_is_captured_under_a_tag_is_found_there_with_what_was_drawn_from_it():
    with Memory(user="jake") as memory:
        memory.capture(CHAT, tags=["Work Life"])
        memory.capture("I moved to Oslo.", tags=("home",))
        memory.capture("I have a cat.")
        memory.wait()
        found = memory.recall("where does he work, live and what is his pet?", tags=["work life"])
        assert {memory.content for memory in found} == {"Joined Stripe last month", "Congratulations!"}
        assert {tuple(memory.tags) for memory in found if memory.source == "turn"} == {("work-life",)}
        assert {recalled.content for recalled in memory.recall(tags=["home"])} == {"Moved to Oslo"}
        with pytest.raises(SchemaError, match=r"capture: tags are 'work'.*expected a list of texts"):
            memory.capture("hello", tags="work")


def test_waiting_takes_a_number_of_seconds():
    with Memory(user="jake") as memory:
        for wrong in ("a", True):
            with pytest.raises(ConfigurationError, match=f"timeout is {wrong!r}; expected a number of seconds"):
                memory.wait(wrong)  # type: ignore[arg-type]


def test_a_text_alone_is_remembered_by_the_block():
    with Fabric(":memory:") as fabric:
        mem = memory_system(model=None, episodic=True, semantic=True)
        session = fabric.session("s", user="jake")
        session.run(mem.remember_block, "Anna is in Oslo")
        assert next(iter(session.run(mem.recall_block, "Anna"))).content == "Anna is in Oslo"


def test_a_fact_that_is_too_long_is_refused_in_one_short_line():
    with Memory(user="jake") as memory, pytest.raises(SchemaError, match="at most 2000 characters") as refused:
        memory.remember("x" * 5_000)
    assert len(str(refused.value)) < 250
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"category": "bogus"}, "category is 'bogus': .*'identity', .*'pattern'"),
        ({"tiers": []}, "tiers is .*; the tiers are turn, working, episodic, semantic"),
        ({"tags": "x"}, "tags is 'x': .*; give a list of tags, as in tags="),
    ],
)
def test_what_recall_cannot_look_for_is_refused_with_the_choices(options: dict[str, Any], told: str) -> None:
    with Memory(user="ann", embedder=None) as memory, pytest.raises(ConfigurationError, match=told):
        memory.recall("tea", **options)


def test_a_memory_of_nobody_or_of_no_file_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ScopeError, match="user must not be empty: name whose memory it is"):
        Memory(tmp_path / "a.duckdb", user="")
    with pytest.raises(ConfigurationError, match="file is None; expected a path"):
        Memory(None, user="ann")  # type: ignore[arg-type]


def test_an_answer_that_comes_after_its_message_with_an_id_is_kept_once() -> None:
    asked = {"role": "user", "content": "I work at Stripe.", "id": "1"}
    answer = {"role": "assistant", "content": "Congratulations on the viola!"}
    calls = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": {"name": "f"}}]}
    system = {"role": "system", "content": "Be nice."}
    with Memory(user="ann", embedder=None) as memory:
        memory.capture([system, asked])
        for known in ([asked, calls], [system, asked, calls, answer], [system, asked, calls, answer]):
            done = memory.capture(known)
            assert (done.turns, done.known, memory.wait()) == (0, 1, [])
        again = memory.capture([asked, calls, answer, {"role": "user", "content": "Thanks", "id": "2"}])
        memory.wait()
        kept = list(memory.export())
        found = [recalled.content for recalled in memory.recall("viola", tiers=["turn"])]
    assert (again.turns, again.known) == (1, 1)
    assert [record["text"] for record in kept if record["kind"] == "turn"] == [
        asked["content"],
        answer["content"],
        "Thanks",
    ]
    items = [(message["role"], message["item_kind"]) for message in kept if message["kind"] == "item"]
    assert [items.count(one) for one in (("assistant", "tool_call"), ("system", "message"))] == [1, 1]
    assert found[0] == answer["content"]
