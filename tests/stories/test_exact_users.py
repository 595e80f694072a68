"""Users of one shared memory are told apart by their exact ids, however alike these are, and from words for anybody."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from capabilities.claims import subject_key, user_subject
from capabilities.memory.recall.ranked import RELEVANT, RankedMemory
from capabilities.semantic import Fact, FactInput
from capabilities.semantic.state import first_version
from capabilities.sources import Source
from capabilities.vocabulary import Subject
from fabric import Context, Fabric, Session, handler
from fabric.testing import FrozenClock
from pipelines import MemorySystem, memory_system
from tests.soak import examples

ALIKE = [
    "anna",
    "Anna",
    "anna s",
    "anna-s",
    "anna_s",
    "anna  s",
    "user",
    "me",
    "i",
    "assistant",
    "mother",
    "home",
    "\u200b",
]
"""Ids of users: those of a spelling that names share, words for anybody, and one that looks empty."""
CITIES = [
    "Oslo",
    "Rome",
    "Paris",
    "Lima",
    "Cairo",
    "Delhi",
    "Tokyo",
    "Quito",
    "Bern",
    "Riga",
    "Minsk",
    "Sofia",
    "Porto",
]
SUBJECT: TypeAdapter[str] = TypeAdapter(Subject)


@contextmanager
def project(
    users: Sequence[str], file: str | Path = ":memory:"
) -> Iterator[tuple[MemorySystem, Fabric, list[Session]]]:
    """Open a memory that some users share, and yield each one's session."""
    mem = memory_system(episodic={"scope": "project"}, semantic=True, embedder=None)
    with Fabric(file, clock=FrozenClock()) as fabric:
        yield mem, fabric, [fabric.session(f"s{at}", user=user, project="p") for at, user in enumerate(users)]


def told(mem: MemorySystem, fabric: Fabric, session: Session, text: str) -> None:
    session.run(mem.capture, text)
    fabric.drain()


def recalled(mem: MemorySystem, session: Session, cue: str | None, **options: Any) -> list[RankedMemory]:
    found: list[RankedMemory] = session.run(mem.recall_block, {"cue": cue, "tiers": ["semantic"], **options}).output
    return found


def test_no_two_ids_are_one_subject():
    told_of = [user_subject(user) for user in [*ALIKE, "a" * 300, "a" * 301, "anna\u200b", "%41nna", "Анна", "анна"]]
    assert len({*told_of}) == len(told_of)
    assert "user" not in told_of
    assert all(SUBJECT.validate_python(one) == one for one in told_of)
    assert user_subject("anna") == "anna"  # as in the files of before, and as the name of hers in a text


@settings(max_examples=examples(300))
@given(st.text(min_size=1, max_size=60), st.text(min_size=1, max_size=60))
def test_a_subject_is_kept_by_every_spelling_and_is_only_one_users(one: str, other: str):
    subject = user_subject(one)
    assert subject_key(subject) == subject == SUBJECT.validate_python(subject)
    assert (subject == user_subject(other)) == (one == other)


def test_each_of_users_with_like_ids_has_their_own_home_and_profile():
    with project(ALIKE) as (mem, fabric, sessions):
        for session, city in zip(sessions, CITIES, strict=True):
            told(mem, fabric, session, f"I live in {city}.")
        for session, city in zip(sessions, CITIES, strict=True):
            found = recalled(mem, session, "where do I live?")
            assert found[0].content == f"Lives in {city}"
            assert [memory.content for memory in found if memory.relevance >= RELEVANT] == [f"Lives in {city}"]
            assert not found[0].contested
            assert [memory.content for memory in recalled(mem, session, "what do you know about me?")] == [
                f"Lives in {city}"
            ]
            assert [memory.content for memory in recalled(mem, session, None, subject="user")] == [f"Lives in {city}"]
        told(mem, fabric, sessions[1], "I moved to Vienna.")
        homes = {memory.subject: memory.content for memory in recalled(mem, sessions[0], None)}
        assert len(homes) == len(ALIKE)
        assert (homes[user_subject("anna")], homes[user_subject("Anna")]) == ("Lives in Oslo", "Moved to Vienna")


def test_what_nobody_in_particular_said_is_nobodys():
    with project(["anna"]) as (mem, fabric, (anna,)):
        told(mem, fabric, fabric.session("s", project="p"), "I live in Oslo.")
        assert [memory for memory in recalled(mem, anna, "where do I live?") if memory.relevance >= RELEVANT] == []
        told(mem, fabric, anna, "I live in Rome.")
        assert recalled(mem, anna, "where do I live?")[0].content == "Lives in Rome"


def test_a_user_is_found_by_name_by_exact_id_and_by_printed_subject():
    with project(["Anna", "anna", "bob", "Zoë M"]) as (mem, fabric, (capital, small, bob, zoe)):
        for session, city in ((capital, "Rome"), (small, "Oslo"), (zoe, "Lima")):
            told(mem, fabric, session, f"I live in {city}.")
        found = [
            memory.content for memory in recalled(mem, bob, "where does Anna live?") if memory.relevance >= RELEVANT
        ]
        assert sorted(found) == ["Lives in Oslo", "Lives in Rome"]
        context = bob.run(mem.context_block, {"cue": "who lives in Rome?", "tokens": 500}).output
        assert "Anna: Lives in Rome" in context
        for asked, contents in (
            ("Anna", ["Lives in Rome"]),
            ("anna", ["Lives in Oslo"]),
            (user_subject("Anna"), ["Lives in Rome"]),
            ("ANNA", ["Lives in Oslo", "Lives in Rome"]),
            ("Zoë M", ["Lives in Lima"]),
            ("zoë-m", ["Lives in Lima"]),
        ):
            assert sorted(memory.content for memory in recalled(mem, bob, None, subject=asked)) == contents, asked
        exported = list(mem.export(bob, {"subject": "Anna"}))
        assert {record["content"] for record in exported if record["kind"] == "fact"} == {"Lives in Rome"}


@pytest.mark.parametrize(("asked", "left"), [("Anna", ["anna"]), ("anna", ["%41nna"]), ("ANNA", [])])
def test_forgetting_a_user_leaves_another_whose_id_is_alike(asked: str, left: list[str]):
    with project(["Anna", "anna", "bob"]) as (mem, fabric, (capital, small, bob)):
        told(mem, fabric, capital, "I live in Rome.")
        told(mem, fabric, small, "I live in Oslo.")
        told(mem, fabric, bob, "I live in Bern.")
        assert bob.run(mem.forget_block, {"subject": asked}).output.found
        assert sorted(memory.subject for memory in recalled(mem, bob, None)) == sorted([*left, "bob"])


def test_a_third_person_of_a_users_name_is_apart_from_an_id_that_is_no_name():
    with project(["Anna", "bob"]) as (mem, fabric, (anna, bob)):
        told(mem, fabric, anna, "I live in Rome.")
        told(mem, fabric, bob, "My sister Anna lives in Paris.")
        assert recalled(mem, anna, "where do I live?")[0].content == "Lives in Rome"
        assert {memory.content for memory in recalled(mem, bob, "where does Anna live?")} >= {"Lives in Rome"}
        bob.run(mem.forget_block, {"subject": "anna"})  # the third person, who is nobody's exact id
        assert [memory.content for memory in recalled(mem, anna, "where do I live?")] == ["Lives in Rome"]


def test_a_third_person_of_a_plain_ids_name_never_takes_the_place_of_what_the_user_said():
    with project(["anna", "bob"]) as (mem, fabric, (anna, bob)):
        told(mem, fabric, anna, "I live in Rome.")
        bob.run(mem.remember_block, {"content": "Lives in Paris", "subject": "Anna"})
        homes = {memory.content: memory.contested for memory in recalled(mem, anna, None)}
        assert homes == {"Lives in Rome": ["Lives in Paris"], "Lives in Paris": ["Lives in Rome"]}


@pytest.mark.parametrize(
    "shared", [{"episodic": {"scope": "project"}}, {"episodic": {"scope": "project"}, "semantic": {"scope": "user"}}]
)
def test_where_only_the_episodes_are_shared_they_are_each_users_own(shared: dict[str, Any]):
    mem = memory_system(**shared, embedder=None)
    with Fabric(clock=FrozenClock()) as fabric:
        anna, bob = (fabric.session(user, user=user, project="p") for user in ("Anna", "bob"))
        told(mem, fabric, anna, "I live in Rome.")
        told(mem, fabric, bob, "I live in Oslo.")
        for session, city in ((anna, "Rome"), (bob, "Oslo")):
            found = session.run(mem.recall_block, {"cue": "where do I live?", "tiers": ["episodic"]}).output
            assert [memory.content for memory in found if memory.relevance >= RELEVANT] == [f"Lives in {city}"]


def test_what_an_older_file_has_of_a_user_is_filed_under_their_exact_id_when_it_is_used(tmp_path: Path):
    def stored(fact: str, content: str, *users: str) -> Fact:
        at = FrozenClock().now()
        turns = [Source(turn_id=f"t-{fact}-{user}", session="old", turn=1, user=user, said_at=at) for user in users]
        offered = FactInput(subject="anna", content=content, confidence=0.8, category="attribute", sources=turns)
        return first_version(offered, fact_id=fact, now=at, made_by="")

    facts = [
        stored("f1", "Lives in Rome", "Anna"),
        stored("f2", "Has two cats", "anna"),
        stored("f3", "Owns a boat", "Anna", "anna"),
    ]
    with project(["Anna", "anna"], tmp_path / "m.duckdb") as (mem, fabric, (capital, small)):
        held = mem.layout.semantic
        assert held is not None

        @handler(name="before", uses=[mem.capability])
        async def before(_: object, ctx: Context) -> None:
            await ctx.transact(lambda tx: tx.put(held, facts))

        small.run(before, None)
        first = recalled(mem, capital, "where do I live?")[0]
        assert (first.content, first.subject) == ("Lives in Rome", "%41nna")
        assert {memory.id: memory.subject for memory in recalled(mem, small, None)} == {
            "f1": "%41nna",
            "f2": "anna",
            "f3": "anna",
        }
        told(mem, fabric, capital, "I moved to Vienna.")
        assert recalled(mem, capital, "where do I live?")[0].content == "Moved to Vienna"
        assert [version.status for version in capital.run(mem.why_block, "f1").output.history] == [
            "superseded",
            "current",
        ]


def test_what_is_written_by_hand_or_imported_into_a_shared_memory_is_whose_session_it_was():
    with project(["Anna", "bob"]) as (mem, _, (anna, bob)):

        @handler(name="write", uses=[mem.capability])
        async def write(city: str, ctx: Context) -> None:
            await ctx.cap.episodic_memory.encode(f"Lives in {city}", significance=0.9, category="identity")
            await ctx.cap.semantic_memory.add(
                FactInput(content=f"Lives in {city}", confidence=0.9, category="attribute")
            )

        anna.run(write, "Rome")
        bob.run(write, "Oslo")
        for session, city in ((anna, "Rome"), (bob, "Oslo")):
            for tier in ("episodic", "semantic"):
                found = session.run(mem.recall_block, {"cue": "where do I live?", "tiers": [tier]}).output
                assert [memory.content for memory in found if memory.relevance >= RELEVANT] == [f"Lives in {city}"]
