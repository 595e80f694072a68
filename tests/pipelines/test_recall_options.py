"""What recall can be asked beside a cue: by tags, within a budget, with an explanation, of what was written by hand."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from capabilities.memory.recall.ranked import Parts, RankedMemory, explain
from capabilities.semantic import FactInput
from fabric import Context, Fabric, handler
from fabric.errors import ConfigurationError
from fabric.testing import FrozenClock
from pipelines import memory_system

SAID = datetime(2025, 3, 1, 9, tzinfo=UTC)
TALK: list[tuple[str, list[str]]] = [
    ("The boat leaves Corfu at nine", ["travel", "Trip to Corfu"]),
    ("The boat needs new sails", ["boat"]),
    ("The boat to Naples was full", ["travel"]),
    ("My dentist moved to Main Street", []),
]


def records(talk: Sequence[tuple[str, list[str]]] = TALK) -> list[dict[str, Any]]:
    return [
        {"session": "s", "role": "user", "text": text, "tags": tags, "said_at": SAID + timedelta(days=n), "id": f"t{n}"}
        for n, (text, tags) in enumerate(talk)
    ]


@pytest.fixture
def memory() -> Any:
    return memory_system(episodic=True, semantic=True)


@pytest.fixture
def session(memory: Any) -> Any:
    with Fabric(":memory:", clock=FrozenClock(SAID + timedelta(days=30))) as fabric:
        opened = fabric.session("now", user="jake")
        opened.run(memory.import_block, records())
        yield opened


def ids(found: Any) -> set[str]:
    return {one.id for one in found}


def test_only_turns_with_all_the_tags_are_found(memory: Any, session: Any):
    def tagged(*tags: str) -> set[str]:
        return ids(session.run(memory.recall_block, {"cue": "where is the boat", "tags": tags}))

    assert tagged("travel") == {"t0", "t2"}
    assert tagged("travel", "trip-to-corfu") == {"t0"}
    assert tagged("TRIP to  Corfu") == {"t0"}
    assert tagged("boat") == {"t1"}
    assert tagged("corfu") == tagged("travel", "boat") == set()
    (best,) = session.run(memory.recall_block, {"cue": "sails", "tags": ["boat"]})
    assert best.tags == ["boat"]


def test_a_fact_is_filed_where_its_turns_are(memory: Any, session: Any):
    (turn,) = session.run(memory.recall_block, {"cue": "Naples", "limit": 1})
    offered = FactInput(content="Took the boat to Naples", confidence=0.9, category="attribute", sources=turn.sources)

    @handler(name="add", uses=[memory.capability])
    async def add(_: object, ctx: Context) -> None:
        await ctx.cap.semantic_memory.add(offered)
        await ctx.cap.semantic_memory.add(offered.model_copy(update={"content": "Fears the sea", "sources": []}))

    session.run(add)
    for cue in ("Naples boat sea", None):
        asked = {"cue": cue, "tiers": ["semantic"]}
        everything = session.run(memory.recall_block, asked)
        travel = session.run(memory.recall_block, {**asked, "tags": ["travel"]})
        assert {memory.content for memory in everything} == {"Took the boat to Naples", "Fears the sea"}
        assert [memory.content for memory in travel] == ["Took the boat to Naples"]
        assert list(session.run(memory.recall_block, {**asked, "tags": ["boat"]})) == []


@pytest.mark.parametrize("tag", ["", "  ", "a\x00b", "\ud83d", 7])
def test_a_tag_that_is_none_is_refused(memory: Any, session: Any, tag: Any):
    recall = handler(lambda ctx: memory.recall(ctx, "boat", tags=[tag]), name="recall", uses=[memory.capability])
    with pytest.raises(ConfigurationError, match="tags"):
        session.run(recall)


def test_a_fact_of_one_session_is_found_among_many_of_others(memory: Any, session: Any):
    (turn,) = session.run(memory.recall_block, {"cue": "dentist", "limit": 1})

    @handler(name="add", uses=[memory.capability])
    async def add(_: object, ctx: Context) -> None:
        for number in range(60):
            given = {"content": f"Owns {number} boats", "confidence": 0.9, "category": "attribute"}
            await ctx.cap.semantic_memory.add(FactInput(subject=f"friend-{number}", **given))
        sources = [turn.sources[0].model_copy(update={"session": "other"})]
        given = {"content": "Works as a dentist in Main Street", "confidence": 0.5, "category": "profession"}
        await ctx.cap.semantic_memory.add(FactInput(**given, sources=sources))

    session.run(add)
    found = session.run(memory.recall_block, {"cue": "who owns boats", "session": "other", "tiers": ["semantic"]})
    assert [memory.content for memory in found] == ["Works as a dentist in Main Street"]


@pytest.mark.parametrize("cue", ["the boat", None])
def test_results_end_before_the_budget_does(memory: Any, session: Any, cue: str | None):
    everything = list(session.run(memory.recall_block, {"cue": cue}))
    for tokens in (1, 8, 15, 1_000):
        found = list(session.run(memory.recall_block, {"cue": cue, "tokens": tokens}))
        assert ids(found) <= ids(everything)
        assert sum(len(memory.content) + 1 for memory in found) <= 4 * tokens + 1
        assert [one.id for one in found] == [one.id for one in everything][: len(found)]
    assert len(found) == len(everything)


def test_a_budget_gives_more_than_ten_where_they_fit(memory: Any, session: Any):
    many = records([(f"{text}, {n}", tags) for n in range(5) for text, tags in TALK])
    session.run(memory.import_block, [{**record, "id": f"more-{record['id']}"} for record in many])
    assert len(session.run(memory.recall_block, {"cue": "boat"}).output) == 10
    assert len(session.run(memory.recall_block, {"cue": "boat", "tokens": 500}).output) > 10
    assert len(session.run(memory.recall_block, {"cue": "boat", "tokens": 500, "limit": 3}).output) == 3
    assert len(session.run(memory.recall_block, {"cue": "boat", "limit": 10**30}).output) > 3


def test_explaining_prints_why_one_stands_above_the_next(memory: Any, session: Any, capsys: Any):
    found = list(session.run(memory.recall_block, {"cue": "the boat to Naples", "explain": True}))
    printed = capsys.readouterr().out
    assert printed == explain(found) + "\n"
    assert "1. " in printed
    assert "turn t2: The boat to Naples was full" in printed
    assert "above the next by " in printed
    called = handler(
        lambda ctx: memory.recall(ctx, "the boat to Naples", explain=True), name="called", uses=[memory.capability]
    )
    helped = handler(
        lambda ctx: ctx.cap.memory.recall("the boat to Naples", explain=True), name="helped", uses=[memory.capability]
    )
    for block in (called, helped):
        session.run(block)
        assert capsys.readouterr().out == printed
    session.run(memory.recall_block, "the boat to Naples")
    assert capsys.readouterr().out == ""


def test_the_parts_of_a_score_order_the_results(memory: Any, session: Any):
    session.run(memory.capture, "I work at Stripe.")
    session.run(memory.capture, "I work at Globex.")
    for cue in ("the boat to Naples", "where does he work?", "Stripe", "what was said on 3 March 2025?"):
        found = list(session.run(memory.recall_block, cue))
        sums = [sum(one.parts.model_dump().values()) for one in found]
        shares = [memory.relevance / found[0].relevance for memory in found]
        assert [one / sums[0] for one in sums] == pytest.approx(shares, abs=1e-3)


def test_an_explanation_of_nothing_and_of_what_does_not_fit(memory: Any, session: Any):
    assert explain([]) == "Nothing was found."
    unknown = list(session.run(memory.recall_block, "which tractor did the mayor of Ohio sell?"))
    assert "probably nothing that is stored answers the cue" in explain(unknown)
    session.run(memory.capture, "I work at Stripe.")
    assert "probably nothing" not in explain(list(session.run(memory.recall_block)))


def test_an_explanation_cannot_steer_a_terminal():
    memory = RankedMemory(id="a", content="x\x1b[31m\ud83dy", relevance=0.9, source="turn", parts=Parts(text=1.0))
    explained = explain([memory, memory])
    assert "\x1b" not in explained
    assert explained.encode()
    assert "level with the next" in explained


def test_a_fact_written_by_hand_is_found_by_its_meaning(memory: Any, session: Any):
    @handler(name="write", uses=[memory.capability])
    async def write(_: object, ctx: Context) -> None:
        facts = ctx.cap.semantic_memory
        for content in ("Collects old stamps", "Drives a red automobile", "Is allergic to peanuts"):
            await facts.add(FactInput(content=content, confidence=0.9, category="attribute"))
        (car,) = await facts.query(lambda fact: "automobile" in fact.content)
        await facts.update(car.id, "Drives a blue automobile")

    session.run(write)
    asked = {"cue": "vehicle colours", "tiers": ["semantic"]}
    best = next(iter(session.run(memory.recall_block, asked)))
    assert best.content == "Drives a blue automobile"
    assert best.parts.dense > 0
    assert session.run(memory.embedding_status_block).output.left == 0


def test_without_an_embedder_a_fact_written_by_hand_is_found_by_its_words():
    memory = memory_system(episodic=True, semantic=True, embedder=None)
    offered = FactInput(content="Drives a red automobile", confidence=0.9, category="attribute")
    add = handler(lambda ctx: ctx.cap.semantic_memory.add(offered), name="add", uses=[memory.capability])
    with Fabric(":memory:") as fabric:
        session = fabric.session("now", user="jake")
        session.run(add)
        assert next(iter(session.run(memory.recall_block, "automobile"))).content == offered.content


ODD_CUES = [
    "",
    "   ",
    "😀",
    "boat " * 20_000,
    "x" * 100_000,
    '"boat" OR (a AND NOT b) * ~ ^ { : \\',
    "boat\x00",
    "\ud83d",
]


@pytest.mark.parametrize("count", [0, 1, 2])
@pytest.mark.parametrize("embedder", [None, "default"], ids=["words", "vectors"])
def test_few_turns_are_recalled_whatever_is_asked(count: int, embedder: Any):
    memory = memory_system(episodic=True, semantic=True, embedder=embedder)
    with Fabric(":memory:") as fabric:
        opened = fabric.session("now", user="jake")
        opened.run(memory.import_block, records()[:count])
        found = list(opened.run(memory.recall_block, "where is the boat?"))
        assert ids(found) == {"t0", "t1"} & {f"t{number}" for number in range(count)}
        for cue in ODD_CUES:
            odd = list(opened.run(memory.recall_block, {"cue": cue, "explain": True, "tokens": 1_000}))
            assert len(odd) <= count
            numbers = [number for memory in odd for number in (memory.relevance, *memory.parts.model_dump().values())]
            assert all(math.isfinite(number) and number >= 0 for number in numbers)
            opened.run(memory.context_block, {"cue": cue, "tokens": 100})


@pytest.mark.parametrize("embedder", [None, "default"], ids=["words", "vectors"])
def test_equal_turns_keep_their_order(embedder: Any):
    memory = memory_system(episodic=True, semantic=True, embedder=embedder)
    with Fabric(":memory:") as fabric:
        opened = fabric.session("now", user="jake")
        same = [
            {**record, "session": record["id"], "said_at": SAID} for record in records([("The boat is red", [])] * 6)
        ]
        opened.run(memory.import_block, same)
        orders = [[one.id for one in opened.run(memory.recall_block, "red boat")] for _ in range(3)]
    assert orders == [[f"t{number}" for number in range(6)]] * 3


def inside(block: str) -> str:
    """Return what stands between the tags of a block of background data, below its notice."""
    return "\n".join(block.splitlines()[2:-1])


def test_a_context_is_the_same_after_opening_the_file_again(memory: Any, tmp_path: Path):
    texts: list[str] = []
    for _ in range(2):
        with Fabric(tmp_path / "memory.duckdb", clock=FrozenClock(SAID + timedelta(days=30))) as fabric:
            opened = fabric.session("now", user="jake")
            opened.run(memory.import_block, records())
            texts += [opened.run(memory.context_block, {"cue": "the boat", "tokens": 60}).output for _ in range(2)]
    assert len(set(texts)) == 1
    assert inside(texts[0]).startswith("[1 March 2025]\nuser: The boat leaves Corfu at nine")


@pytest.mark.parametrize("sessions", [1, 2, 400])
@pytest.mark.parametrize("apart", [timedelta(0), timedelta(minutes=1), timedelta(days=1)])
def test_a_context_is_filled_and_never_over_its_budget(memory: Any, session: Any, sessions: int, apart: timedelta):
    many = records([(f"The boat number {number} is red", []) for number in range(400)])
    placed = [
        {**one, "id": f"many-{number}", "session": f"s{number % sessions}", "said_at": SAID + number * apart}
        for number, one in enumerate(many)
    ]
    session.run(memory.import_block, placed)
    for tokens in (200, 2_000):
        text = session.run(memory.context_block, {"cue": "red boat", "tokens": tokens}).output
        assert tokens * 0.7 <= len(text) / 4 <= tokens


@pytest.mark.parametrize("tokens", [1, 10, 36, 50, 100, 500, 2_000])
def test_what_is_written_for_a_bracket_counts_to_the_budget(memory: Any, session: Any, tokens: int):
    session.run(
        memory.import_block, records([(f"The boat <{number}> & its <<sails>> are red", []) for number in range(90)])
    )
    text = session.run(memory.context_block, {"cue": "red boat", "tokens": tokens}).output
    assert len(text) / 4 <= tokens
    assert bool(text) == (tokens >= 100)
    assert tokens < 500 or len(text) / 4 >= tokens * 0.7
