"""mind_recall, sentence by sentence of what the specification promises about it."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from capabilities.mind.recall import Recalling, recall
from capabilities.mind.record import MindEntry, MindRecallResult

from .reading import NOW, ago, belief, goal, read, reflection

Vectors = Mapping[str, Sequence[float]]


async def recalled(
    query: str, *entries: MindEntry, vectors: Vectors | None = None, **asked: Any
) -> list[MindRecallResult]:
    wanted = Recalling(query, **{"threshold": 0.35, **asked})
    return await read(entries, lambda table: recall(table, wanted, NOW), vectors)


async def contents(query: str, *entries: MindEntry, **asked: Any) -> list[str]:
    return [result.content for result in await recalled(query, *entries, **asked)]


def toward(cosine: float) -> list[float]:
    """Return a unit vector with this cosine to (1, 0)."""
    return [cosine, math.sqrt(1 - cosine * cosine)]


async def test_the_score_is_the_composite_of_similarity_recency_and_confidence():
    vectors = {"q": [1.0, 0.0], "a": toward(0.5), "b": toward(0.5)}
    old, note = belief("a", 30, confidence="medium"), reflection("b", 60)
    found = {result.content: result for result in await recalled("q", old, note, vectors=vectors, threshold=0)}
    assert found["a"].score == pytest.approx(0.6 * 0.5 + 0.2 * math.exp(-1) + 0.2 * 0.6, abs=1e-4)
    assert found["b"].score == pytest.approx(0.6 * 0.5 + 0.2 * math.exp(-2) + 0.2 * 0.6, abs=1e-4)


async def test_every_score_comes_with_its_parts():
    (found,) = await recalled("q", belief("a", 30), vectors={"q": [1.0, 0.0], "a": toward(0.5)})
    assert found.parts is not None
    assert found.parts.model_dump() == {
        "similarity": pytest.approx(0.5, abs=1e-3),
        "recency": pytest.approx(math.exp(-1), abs=1e-3),
        "confidence": 1.0,
    }


async def test_age_is_counted_from_creation_and_not_from_the_last_update():
    old = belief("a", 30).model_copy(update={"updated_at": NOW})
    (found,) = await recalled("q", old, vectors={"q": [1.0, 0.0], "a": toward(0.9)})
    assert found.parts is not None
    assert found.parts.recency == pytest.approx(math.exp(-1), abs=1e-3)


@pytest.mark.parametrize(
    ("entry", "counts"),
    [
        (belief("tea", confidence="low"), 0.3),
        (belief("tea", confidence="medium"), 0.6),
        (belief("tea", confidence="high"), 1.0),
        (belief("tea", confidence="high", error=True), 0.3),
        (reflection("tea"), 0.6),
        (reflection("tea", error=True), 0.6),
    ],
)
async def test_confidence_counts_by_level_a_failed_run_as_low_and_reflections_as_medium(
    entry: MindEntry, counts: float
):
    (found,) = await recalled("tea", entry)
    assert found.parts is not None
    assert found.parts.confidence == counts


async def test_the_query_is_used_for_semantic_search_on_beliefs_and_reflections():
    vectors = {"drink": [1.0, 0.0], "tea": toward(0.9), "chairs": toward(0.1), "coffee": toward(0.8)}
    entries = [belief("tea"), belief("chairs"), reflection("coffee")]
    found = await recalled("drink", *entries, vectors=vectors)
    assert [result.content for result in found] == ["tea", "coffee", "chairs"]


async def test_without_an_embedder_words_are_compared():
    found = await recalled("green tea", belief("They like green tea", 1), belief("The chairs are red", 0))
    assert found[0].content == "They like green tea"
    assert found[0].parts is not None
    assert found[0].parts.similarity > 0.5


async def test_the_default_threshold_keeps_what_is_new_and_sure_but_has_nothing_to_do_with_the_query():
    (found,) = await recalled("tea", belief("The chairs are red", 0))
    assert found.parts is not None
    assert (found.parts.similarity, found.score) == (0.0, 0.4)


async def test_the_query_is_keyword_matching_on_goals():
    goals = [goal("Migrate the databases", 2), goal("Write the newsletter", 1)]
    assert await contents("database migrations", *goals) == ["Migrate the databases"]
    assert await contents("nothing of the kind", *goals) == []


async def test_the_goal_that_holds_most_of_the_words_comes_first():
    goals = [goal("Paint the red house", 2), goal("Paint the fence", 1)]
    assert await contents("paint house", *goals) == ["Paint the red house", "Paint the fence"]


async def test_goals_are_found_in_any_script():
    assert await contents("成語", goal("成語しりとりをする")) == ["成語しりとりをする"]
    assert await contents("переезд", goal("Подготовить переезд")) == ["Подготовить переезд"]


async def test_a_goal_has_no_score():
    (found,) = await recalled("paint", goal("Paint the fence"))
    assert (found.type, found.score, found.parts) == ("goal", None, None)


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("belief", ["belief"]),
        ("reflection", ["reflection"]),
        ("goal", ["goal"]),
        ("all", ["goal", "belief", "reflection"]),
    ],
)
async def test_type_says_which_entries_are_searched(kind: str, found: list[str]):
    entries = [belief("tea one", 1), reflection("tea two", 2), goal("tea three")]
    assert [result.type for result in await recalled("tea", *entries, type=kind)] == found


async def test_status_is_for_goal_queries_only_and_active_unless_asked():
    entries = [goal("tea open"), goal("tea over", status="completed"), belief("tea")]
    assert await contents("tea", *entries) == ["tea open", "tea"]
    assert await contents("tea", *entries, status="completed") == ["tea over", "tea"]


async def test_tags_filter_to_entries_that_have_all_of_these_tags():
    entries = [
        belief("tea both", tags=("drink", "hot", "more")),
        belief("tea one", tags=("drink",)),
        belief("tea none"),
        reflection("tea noted", 2, tags=("hot", "drink")),
        goal("tea goal", tags=("drink", "hot")),
        goal("tea other", tags=("drinks", "hot")),
    ]
    found = await contents("tea", *entries, tags=frozenset({"drink", "hot"}))
    assert sorted(found) == ["tea both", "tea goal", "tea noted"]


async def test_pinned_returns_only_pinned_reflections():
    entries = [reflection("tea rule", pinned=True), reflection("tea note"), belief("tea"), goal("tea")]
    assert await contents("tea", *entries, pinned=True) == ["tea rule"]
    assert await contents("tea", *entries, pinned=True, type="reflection") == ["tea rule"]
    assert await contents("tea", *entries, pinned=True, type="belief") == []


async def test_expired_entries_are_left_out_unless_they_are_included():
    entries = [
        belief("tea now", 1, expires_at=ago(-1)),
        belief("tea then", 2, expires_at=ago(0)),
        reflection("tea noted", 3, expires_at=ago(1)),
    ]
    assert await contents("tea", *entries) == ["tea now"]
    found = await recalled("tea", *entries, include_expired=True)
    assert {result.content: result.expired for result in found} == {
        "tea now": False,
        "tea then": True,
        "tea noted": True,
    }


async def test_entries_below_the_threshold_are_excluded():
    entries = [belief("tea", 1), belief("chairs", 1, confidence="low")]
    assert await contents("tea", *entries, threshold=0.9) == ["tea"]
    assert await contents("tea", *entries, threshold=0.0) == ["tea", "chairs"]


async def test_the_threshold_is_ignored_for_goal_queries():
    assert await contents("tea", goal("Drink less tea and more water"), threshold=1.0) == [
        "Drink less tea and more water"
    ]


async def test_conditions_come_before_the_limit_so_that_it_is_filled_with_what_meets_them():
    noise = [belief(f"tea {number}", number / 100) for number in range(50)]
    wanted = [belief(f"some tea {number}", 20, tags=("kept",), confidence="low") for number in range(3)]
    found = await contents("tea", *noise, *wanted, tags=frozenset({"kept"}))
    assert sorted(found) == ["some tea 0", "some tea 1", "some tea 2"]


@pytest.mark.parametrize(
    ("goals", "beliefs", "limit", "shown"),
    [
        (9, 9, 5, (3, 2)),
        (9, 9, 4, (2, 2)),
        (9, 9, 1, (1, 0)),
        (9, 1, 5, (4, 1)),
        (9, 0, 5, (5, 0)),
        (1, 9, 5, (1, 4)),
        (0, 9, 5, (0, 5)),
        (2, 2, 9, (2, 2)),
        (9, 9, 0, (1, 0)),
        (9, 9, -3, (1, 0)),
    ],
)
async def test_the_limit_is_the_most_entries_of_all_types_together(
    goals: int, beliefs: int, limit: int, shown: tuple[int, int]
):
    entries = [
        *(goal(f"tea goal {number}", number) for number in range(goals)),
        *(belief(f"tea {number}", number) for number in range(beliefs)),
    ]
    kinds = [result.type for result in await recalled("tea", *entries, limit=limit)]
    assert kinds == ["goal"] * shown[0] + ["belief"] * shown[1]


async def test_five_entries_are_the_default():
    assert len(await recalled("tea", *(belief(f"tea {number}") for number in range(9)))) == 5


@pytest.mark.parametrize("query", ["", "   ", "\n"])
async def test_an_empty_query_gives_the_goals_of_the_asked_status_only(query: str):
    entries = [goal("first", 2), goal("second", 1), goal("over", status="completed"), belief("tea"), reflection("note")]
    assert await contents(query, *entries) == ["second", "first"]
    assert await contents(query, *entries, status="completed") == ["over"]
    assert await contents(query, *entries, type="belief") == []


async def test_an_empty_query_with_pinned_lists_the_standing_rules():
    entries = [reflection("old rule", 300, pinned=True), reflection("new rule", 1, pinned=True), goal("a goal")]
    assert await contents("", *entries, pinned=True) == ["new rule", "old rule"]


@pytest.mark.parametrize("query", ["?", "😀", "*", '"unbalanced', "C++", "a AND", "NOT", "the", "x" * 100_000, "\x00"])
async def test_no_query_is_too_odd(query: str):
    found = await recalled(query, goal("Learn C++"), belief("the answer", 0))
    assert all(result.score is None or 0 <= result.score <= 1 for result in found)


async def test_a_result_has_the_fields_of_its_type():
    entries = [
        goal("tea goal", priority="high", progress=("begun",), due_by="2026-07-01"),
        belief("tea belief", 1, expires_at=ago(-9), tags=("drink",)),
        reflection("tea note", 2, related_to="PR 7", pinned=True, error=True),
    ]
    goal_found, belief_found, note_found = (
        result.model_dump(exclude_none=True, exclude={"id", "score", "parts", "created_at", "updated_at"})
        for result in await recalled("tea", *entries)
    )
    assert goal_found == {
        "type": "goal",
        "content": "tea goal",
        "tags": (),
        "priority": "high",
        "status": "active",
        "progress": ("begun",),
        "due_by": "2026-07-01",
    }
    assert belief_found == {
        "type": "belief",
        "content": "tea belief",
        "tags": ("drink",),
        "confidence": "high",
        "expires_at": ago(-9),
        "expired": False,
        "error": False,
    }
    assert note_found == {
        "type": "reflection",
        "content": "tea note",
        "tags": (),
        "expired": False,
        "pinned": True,
        "related_to": "PR 7",
        "error": True,
    }


async def test_what_a_failed_run_wrote_is_returned_normally():
    (found,) = await recalled("tea", belief("tea", error=True))
    assert found.error is True


async def test_equal_scores_come_newest_first_and_always_in_the_same_order():
    entries = [belief(text, 1, confidence="low") for text in ("one", "two", "three")]
    first = await contents("tea", *entries, threshold=0)
    assert first == await contents("tea", *reversed(entries), threshold=0)
