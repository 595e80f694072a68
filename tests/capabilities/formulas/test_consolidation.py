"""A night's work on memories, beside the reference: ties replayed, contradictions settled, what is due repeated."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capabilities.formulas.in_sleep import Version, following_pairs, resolved, sharing_pairs
from capabilities.formulas.personality import Traits
from capabilities.formulas.retention import Retention, current_strength, used
from capabilities.traces.graph import clusters, edge_between

from .golden import assert_all_match

DAY = 86_400_000
Edges = dict[tuple[str, str], tuple[str, float]]


def settled(told: Any) -> dict[str, Any]:
    versions = [Version(one["id"], one["created_at"], one["confidence"]) for one in told["traces"] if one["is_active"]]
    pairs = [(one, other) for one, other, kind, _ in told["edges"] if kind == "CONTRADICTS"]
    lost = resolved(versions, pairs, Traits.of(told["traits"]).honesty)
    against: dict[str, list[str]] = {}
    for loser, winner in lost:
        against.setdefault(loser, []).append(winner)
        against.setdefault(winner, []).append(loser)
    active = [one.id for one in versions if one.id not in dict(lost)]
    return {"resolved_count": len(lost), "active": active, "contradicted_by": against}


def tied(edges: Edges, pairs: list[tuple[str, str]], kind: str, weight: float) -> int:
    for pair in pairs:
        one, other = sorted(pair)
        if edges.get((one, other), ("", 0.0))[1] < weight:
            edges[one, other] = (kind, weight)
    return len(pairs)


def replayed_over(edges: Edges, traces: list[Any], now: float) -> int:
    recent = [one for one in traces if now - one["created_at"] < DAY]
    holders: dict[str, list[str]] = {}
    for one in recent:
        for name in one["entities"]:
            holders.setdefault(name, []).append(one["id"])
    made = tied(edges, sharing_pairs(holders), "SHARED_ENTITY", 0.5)
    return made + tied(
        edges, following_pairs({one["id"]: one["created_at"] for one in recent}), "TEMPORAL_SEQUENCE", 0.3
    )


def told_edges(edges: Edges) -> list[list[Any]]:
    return [[*pair, kind, weight] for pair, (kind, weight) in sorted(edges.items())]


def held_edges(told: list[Any]) -> Edges:
    return {(min(one, other), max(one, other)): (kind, weight) for one, other, kind, weight in told}


def replayed(told: Any) -> dict[str, Any]:
    edges = held_edges(told["initial_edges"])
    made = replayed_over(edges, [one for one in told["traces"] if one["is_active"]], told["now_ms"])
    return {"edges_created": made, "edges": told_edges(edges)}


def repeated(trace: Any, now: float) -> Retention | None:
    due = trace.get("next_reinforcement_at")
    if not trace["is_active"] or not due or due > now:
        return None
    kept = Retention(
        trace["encoding_strength"], trace["stability"], trace["retrieval_count"], trace["reinforcement_interval"]
    )
    return used(kept, now - trace["last_accessed_at"], trace["emotional_context"]["intensity"])


def reinforced(told: Any) -> dict[str, Any]:
    rows, count = list[Any](), 0
    for one in told["traces"]:
        kept, due = repeated(one, told["now_ms"]), one.get("next_reinforcement_at")
        if kept is None:
            kept = Retention(
                one["encoding_strength"], one["stability"], one["retrieval_count"], one["reinforcement_interval"]
            )
        else:
            count, due = count + 1, told["now_ms"] + kept.interval
        rows.append([one["id"], kept.strength, kept.stability, kept.uses, kept.interval, due])
    return {"reinforced_count": count, "traces": rows}


def schemas(told: Any) -> dict[str, Any]:
    edges = [edge_between(one, other, weight) for one, other, weight in told["edges"]]
    found = [
        {
            "content": f"S:{len(group)}",
            "verification_count": len(group),
            "member_ids": group,
            "encoding_strength": 0.7,
            "stability": 7_200_000,
        }
        for group in clusters(edges, told["min_cluster_size"])
    ]
    return {"schemas_created": len(found), "schemas": found}


def cycled(told: Any) -> dict[str, Any]:
    now, traces = told["now_ms"], [one for one in told["traces"] if one["is_active"]]

    def is_gone(one: Any) -> bool:
        elapsed = now - one["last_accessed_at"]
        left = current_strength(one["encoding_strength"], elapsed, one["stability"])
        return left < 0.05 and one["emotional_context"]["intensity"] <= 0.3

    kept = [one for one in traces if not is_gone(one)]
    edges = held_edges(told["edges"])
    made = replayed_over(edges, kept, now)
    pairs = [pair for pair, (kind, _) in edges.items() if kind == "CONTRADICTS"]
    versions = [Version(one["id"], one["created_at"], one["confidence"]) for one in kept]
    lost = dict(resolved(versions, pairs, Traits.of(told["traits"]).honesty))
    left = [one for one in kept if one["id"] not in lost]
    count, rows = 0, {}
    for one in told["traces"]:
        after = repeated(one, now) if one in left else None
        count += after is not None
        after = after or Retention(one["encoding_strength"], one["stability"], one["retrieval_count"])
        rows[one["id"]] = [one["id"], after.strength, after.stability, after.uses]
    return {
        "pruned_count": len(traces) - len(kept),
        "edges_created": made,
        "schemas_created": 0,
        "conflicts_resolved": len(lost),
        "reinforced_count": count,
        "total_processed": len(told["traces"]),
        "active": [one["id"] for one in left],
        "traces": [*rows.values()],
        "edges": told_edges(edges),
    }


OURS: dict[str, Callable[[Any], Any]] = {
    "resolve_conflicts": settled,
    "replay_co_activation": replayed,
    "spaced_repetition_sweep": reinforced,
    "schema_integration_with_stub_llm": schemas,
    "full_cycle_without_llm": cycled,
}


@pytest.mark.parametrize("function", OURS)
def test_a_nights_work_is_that_of_the_reference(function: str) -> None:
    assert_all_match("consolidation", function, OURS[function])


versions = st.lists(
    st.tuples(st.floats(0, 9), st.floats(0, 1)).map(lambda told: Version("", *told)), min_size=1, max_size=6
)


@given(versions, st.floats(0, 1), st.data())
def test_nobody_loses_twice_nor_to_one_who_lost_before(found: list[Version], honesty: float, data: Any) -> None:
    named = [Version(str(place), one.made, one.confidence) for place, one in enumerate(found)]
    ids = st.sampled_from([one.id for one in named])
    pairs = data.draw(st.lists(st.tuples(ids, ids).filter(lambda pair: pair[0] != pair[1]), max_size=8))
    lost = resolved(named, pairs, honesty)
    assert len(dict(lost)) == len(lost) < len(named)
    beaten: set[str] = set()
    for loser, winner in lost:
        assert winner not in beaten
        beaten.add(loser)
