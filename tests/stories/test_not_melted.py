"""Notes that differ in a word, sign or order stay apart: in the memory tools, in a mind, in an import, in a capture."""

from pathlib import Path
from typing import Any

import pytest

from capabilities.mind import InMemoryProvider, mind
from fabric import Context, Fabric, handler
from pipelines import Memory
from tests.blocks.tools.hosting import tools
from tests.stories.scripts import MemoryModel, chat_with, observation, open_memory

LONG = (
    "On the staging cluster of the northern region {} the request cache before every weekly release, then wait for the "
    "dashboards to settle, tell the people on call in the release channel, and write down the time in the shared log"
)
TURNS = (
    "To reach the workshop go past the bakery and the old post office, turn {} at the second lights behind the bridge, "
    "follow the canal for about ten minutes, and ring the upper bell at the green door of the yard"
)
SITES = (
    "The {} warehouse holds the spare parts for all turbines of the coastal park, its keys are with the shift lead, "
    "and deliveries are taken on weekdays between six and nine in the morning at the ramp behind the building"
)
APART = [
    *((LONG.format(one), LONG.format(other)) for one, other in (("enable", "disable"), ("open", "close"))),
    *((LONG.format(one), LONG.format(other)) for one, other in (("warm", "do not warm"), ("start", "stop"))),
    (TURNS.format("left"), TURNS.format("right")),
    *((SITES.format(one), SITES.format(other)) for one, other in (("eastern", "western"), ("primary", "secondary"))),
    *((SITES.format(one), SITES.format(other)) for one, other in (("first", "second"), ("Kiel", "Emden"))),
    ("Service A depends on service B", "Service B depends on service A"),
    ("The gateway calls the scheduler before the mailer", "The scheduler calls the gateway before the mailer"),
    ("rm -rf build is safe", "rm -rf / build is safe"),
    ("The exporter is written in C++", "The exporter is written in C#"),
    ("The exporter is written in C", "The exporter is written in C++"),
    ("The alarm goes off at -5 degrees", "The alarm goes off at 5 degrees"),
    ("The deploy key lives in #ops", "The deploy key lives in ops"),
    ("The invoice of the hoster was $90", "The invoice of the hoster was €90"),
    ("The phone in the lab is a Galaxy S21", "The phone in the lab is a Galaxy S21+"),
    ("Blood type is A+", "Blood type is A-"),
]


@pytest.mark.parametrize(("one", "other"), APART)
def test_a_reflection_melts_no_two_notes_of_which_each_says_something_else(one: str, other: str):
    with tools() as use:
        ids = [use.add(one), use.add(other)]
        assert use("reflect")["merged"] == 0
        assert [use.trace(trace_id).deleted for trace_id in ids] == [False, False]


@pytest.mark.parametrize("again", ["the exporter is written in rust", "The exporter  is written in Rust."])
def test_a_reflection_melts_what_says_the_same(again: str):
    with tools() as use:
        use.add("The exporter is written in Rust")
        use.add(again)
        use("reflect")
        assert len(use.found("exporter")) == 1


def believed(*texts: str) -> dict[str, str]:
    """Return how sure a mind is of what it holds, once it was told these in runs of their own, the last unsurely."""
    capability = mind(None, provider=InMemoryProvider(), namespace="mind/shared")

    @handler(name="believe", uses=[capability])
    async def believe(text: str, ctx: Context) -> None:
        await ctx.cap.mind.believe(text, confidence="low" if text == texts[-1] else "high")

    @handler(name="read", uses=[capability])
    async def read(_: object, ctx: Context) -> dict[str, Any]:
        return {entry.text: entry.confidence for entry in await ctx.cap.mind.entries()}

    with Fabric() as fabric:
        session = fabric.session("s", user="ann")
        for text in texts:
            session.run(believe, text)
        found: dict[str, str] = session.run(read).output
    return found


@pytest.mark.parametrize(("one", "other"), APART)
def test_a_mind_takes_none_of_them_for_the_other_said_again(one: str, other: str):
    assert believed(one, other).get(other) == "low"


def test_a_mind_that_is_told_the_same_again_stays_as_sure():
    assert list(believed("The exporter is written in Rust", "the exporter is written in Rust.").values()) == ["high"]


@pytest.mark.parametrize("sign", ["- likes tea", ". x", "... x", "' x"])
def test_a_record_that_begins_with_a_sign_stops_no_import(sign: str, tmp_path: Path):
    file = tmp_path / "memories.jsonl"
    texts = ["Works at Stripe", sign, "Owns a boat"]
    file.write_text("".join(f'{{"id": "{number}", "memory": "{text}"}}\n' for number, text in enumerate(texts)))
    with Memory(user="jake") as memory:
        memory.import_file(file, format="mem0")
        facts = [
            record["content"]
            for record in memory.export()
            if record["kind"] == "fact" and record["status"] == "current"
        ]
    assert sorted(facts) == sorted(texts)


@pytest.mark.parametrize("sign", ["- likes tea", ". x", "... x", "' x"])
def test_an_observation_that_begins_with_a_sign_costs_no_other_fact(sign: str):
    records = [observation("Works at Stripe"), observation(sign), observation("Owns a boat", category="attribute")]
    fabric, mem = open_memory(MemoryModel([observation("Lives in Oslo", category="identity")], records))
    with fabric:
        session = fabric.session("monday", user="jake")
        for text in ("I live in Oslo.", f"There is more: Stripe, a boat, {sign}"):
            session.run(chat_with(mem), text)
            fabric.drain()
        exported = session.run(mem.export_block).output
    facts = [record["content"] for record in exported if record["kind"] == "fact" and record["status"] == "current"]
    assert {"Works at Stripe", "Owns a boat", sign} <= set(facts)


@pytest.mark.parametrize("spelling", ["fixpoint labs", "fixpoint-labs", "fixpoint_labs", "Fixpoint Labs"])
def test_a_subject_is_one_however_it_is_spelled(spelling: str):
    with Memory(user="jake") as memory:
        memory.remember("Is based in Oslo", subject="fixpoint-labs")
        memory.remember("Is based in Bergen", subject=spelling)
        facts = [record for record in memory.export() if record["kind"] == "fact"]
    assert {fact["subject"] for fact in facts} == {"fixpoint-labs"}
    assert [fact["content"] for fact in facts if fact["status"] == "current"] == ["Is based in Bergen"]


def test_an_observation_about_nobody_is_about_the_user():
    records = [
        observation("Works at Stripe", subject=""),
        observation("Owns a boat", subject="  ", category="attribute"),
    ]
    fabric, mem = open_memory(MemoryModel(records))
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(chat_with(mem), "I work at Stripe and own a boat.")
        fabric.drain()
        exported = session.run(mem.export_block).output
    facts = [(record["subject"], record["content"]) for record in exported if record["kind"] == "fact"]
    assert facts == [("user", "Works at Stripe"), ("user", "Owns a boat")]


CAT = (
    "I have a cat.",
    "My cat was sick after eating a lily.",
    "My cat scratched the vet.",
    "My cat ran away for two days.",
)
ILL = ("Is there anything wrong with my cat?", "what happened to my cat?", "is my cat ill?")


@pytest.mark.parametrize("cue", ILL)
def test_a_fact_stands_for_a_turn_only_where_it_says_as_much(cue: str):
    with Memory(user="jake") as memory:
        for number, text in enumerate(CAT):
            memory.capture(text, session=f"day {number}")
        assert memory.wait() == []
        found = " ".join(result.content for result in memory.recall(cue))
        evidence = memory.context(cue, 2_000)
    for told in ("lily", "vet", "two days"):
        assert told in found
        assert told in evidence


def test_a_fact_that_says_all_that_a_turn_said_stands_for_it():
    with Memory(user="jake") as memory:
        memory.capture("I have a cat.")
        assert memory.wait() == []
        assert len([result for result in memory.recall("do I have a cat?") if "cat" in result.content]) == 1
