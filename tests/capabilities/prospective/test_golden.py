"""The reference's cases of prospective memory: what fires at which check, and in which order."""

from datetime import UTC, datetime
from typing import Any

import numpy as np

from capabilities.prospective import Intention
from capabilities.prospective.state import fired, in_order, is_due
from tests.capabilities.formulas.golden import assert_all_match


def moment(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def cosine(one: list[float] | None, other: list[float] | None) -> float:
    if not one or not other or len(one) != len(other) or not np.any(one) or not np.any(other):
        return 0.0
    return float(np.dot(one, other) / (np.linalg.norm(one) * np.linalg.norm(other)))


def intention(item: dict[str, Any]) -> Intention:
    at, event = item.get("trigger_at"), item.get("trigger_event")
    return Intention(
        id=item["key"],
        content=item["key"],
        trigger=item["trigger_type"],
        importance=item["importance"],
        recurring=item["recurring"],
        due_at=moment(at) if at else None,
        events=(event,) if event else (),
        threshold=item.get("similarity_threshold", 0.7),
        created_at=moment(0),
        updated_at=moment(0),
    )


def check_sequence(given: dict[str, Any]) -> dict[str, Any]:
    """Play the checks of a case: without a cool-down and a recurrence, what recurs fires whenever its trigger holds."""
    cues = {item["key"]: item.get("cue_embedding") for item in given["items"]}
    held = {one.id: one for one in map(intention, given["items"])}
    told: dict[str, Any] = {"fired": [], "active": []}
    for check in given["checks"]:
        now, query = moment(check["now_ms"]), check.get("query_embedding")
        alike = {key: cosine(cue, query) for key, cue in cues.items()}
        due = in_order(one for one in held.values() if is_due(one, now, check.get("events", ()), alike))
        held |= {one.id: fired(one, now) for one in due}
        told["fired"].append([one.id for one in due])
        told["active"].append([one.id for one in held.values() if one.status == "pending"])
    return told


def test_what_fires_at_each_check_is_what_the_reference_fires():
    assert_all_match("prospective", "check_sequence", check_sequence)
