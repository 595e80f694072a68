"""The table of facts: what can be done to one, and that the past stays readable in both of its times."""

from datetime import timedelta, timezone

import pytest

from blocks.consolidation.prune import Review, apply_prune
from capabilities.semantic import Fact, PruneConfig
from capabilities.semantic.record import ClosedAs
from capabilities.vocabulary import PrunePlan, Removal

from .facts import Facts

DAY = timedelta(days=1)


def test_an_update_makes_a_version_and_only_of_a_current_fact(facts: Facts):
    first = facts.say("Likes tea", "t1").id
    new = facts.do(lambda table: table.update(first, "Likes mate"))
    assert new is not None
    assert facts.current() == ["Likes mate"]
    assert facts.do(lambda table: table.update(first, "Likes cocoa")) is None
    assert facts.do(lambda table: table.update("sf_nope", "Likes cocoa")) is None
    assert facts.history(first) == [("Likes tea", "superseded"), ("Likes mate", "current")]


def test_a_removed_fact_is_closed_and_kept_in_the_history(facts: Facts):
    first = facts.say("Likes tea").id
    assert facts.do(lambda table: table.remove(first, "said so"))
    assert not facts.do(lambda table: table.remove(first))
    assert not facts.do(lambda table: table.remove("sf_nope"))
    assert facts.current() == []
    assert facts.history(first) == [("Likes tea", "invalidated")]
    assert facts.get(first).reason == "said so"
    assert facts.say("Likes tea").status == "stored"


@pytest.mark.parametrize(
    ("reason", "newer", "closed_as"),
    [
        ("vague; not contradicted by anything", None, "tidied"),
        ("a newer fact says otherwise", "Does not work at Google", "over"),
    ],
)
def test_what_a_pruned_fact_was_is_told_by_the_facts_and_not_by_a_models_reason(
    facts: Facts, reason: str, newer: str | None, closed_as: ClosedAs
):
    first = facts.say("Works at Google", confidence=0.5).id
    shown = [facts.get(first)]
    if newer is not None:
        facts.clock.advance(days=1)
        shown.append(shown[0].model_copy(update={"id": "sf_newer", **claimed(newer), "recorded_at": facts.clock.now()}))
    plan = PrunePlan(removals=[Removal(fact_id=first, reason=reason)], merges=[])
    facts.do(lambda table: apply_prune(plan, Review(facts=shown), table, PruneConfig()))
    pruned = facts.get(first)
    assert (pruned.reason, pruned.closed_as) == (f"pruned: {reason}", closed_as)
    assert pruned.is_over == (closed_as == "over")


def claimed(content: str) -> dict[str, object]:
    """Return what a fact says as the fields that are read anew."""
    return {"content": content, "attribute": "", "value": "", "polarity": "holds", "of": "", "former": ""}


@pytest.mark.parametrize(
    ("status", "reason", "closed_as"),
    [
        ("current", "", ""),
        ("superseded", "changed", "over"),
        ("superseded", "refined", "reworded"),
        ("superseded", "merged: one theme", "reworded"),
        ("invalidated", "pruned: an artefact of one session", "tidied"),
        ("invalidated", "pruned: contradicted by a newer fact: Joined Stripe", "over"),
        ("invalidated", "removed", "over"),
    ],
)
def test_a_fact_of_an_older_file_is_told_by_its_reason(facts: Facts, status: str, reason: str, closed_as: ClosedAs):
    stored = facts.get(facts.say("Likes tea").id).model_dump(mode="json", exclude={"closed_as"})
    assert Fact.model_validate({**stored, "status": status, "reason": reason}).closed_as == closed_as


def test_a_merged_fact_is_reworded_and_a_changed_one_is_over(facts: Facts):
    ids = [facts.say(text).id for text in ("Likes tea", "Owns kettles")]
    facts.do(lambda table: table.merge(ids, "Likes tea, owns kettles", "one theme"))
    assert [facts.get(one).closed_as for one in ids] == ["reworded", "reworded"]
    changed = facts.say("Plays chess").id
    facts.do(lambda table: table.update(changed, "Plays go"))
    assert facts.get(changed).closed_as == "over"


def test_reinforcing_needs_a_current_fact(facts: Facts):
    first = facts.say("Likes tea").id
    stronger = facts.do(lambda table: table.reinforce(first))
    assert stronger is not None
    assert stronger.reinforcement_count == 2
    facts.do(lambda table: table.remove(first))
    assert facts.do(lambda table: table.reinforce(first)) is None
    assert facts.do(lambda table: table.repeat(first)).status == "skipped"


def test_a_merge_carries_every_count_source_and_episode_on(facts: Facts):
    ids = [
        facts.say(text, f"t{number}", source_episode_ids=[f"ep_{number}"], confidence=0.5 + number / 10).id
        for number, text in enumerate(["Likes tea", "Owns kettles", "Collects cups"])
    ]
    facts.do(lambda table: table.reinforce(ids[0]))
    merged = facts.do(lambda table: table.merge(ids, "Likes tea, owns kettles and cups", "one theme"))
    assert merged is not None
    assert (merged.reinforcement_count, merged.confidence) == (4, 0.7)
    assert [source.turn_id for source in merged.sources] == ["t0", "t1", "t2"]
    assert merged.source_episode_ids == ["ep_0", "ep_1", "ep_2"]
    assert facts.current() == ["Likes tea, owns kettles and cups"]
    assert {facts.get(record_id).superseded_by for record_id in ids} == {merged.id}
    for record_id in [*ids, merged.id]:
        assert len(facts.history(record_id)) == 4


@pytest.mark.parametrize("others", [[], ["sf_nope"], ["first"]])
def test_a_merge_of_fewer_than_two_facts_changes_nothing(facts: Facts, others: list[str]):
    first = facts.say("Likes tea").id
    ids = [first, *(first if one == "first" else one for one in others)]
    assert facts.do(lambda table: table.merge(ids, "x", "y")) is None
    assert facts.current() == ["Likes tea"]


def test_a_merge_never_joins_two_people(facts: Facts):
    ids = [facts.say("Likes tea").id, facts.say("Likes tea", subject="maria").id]
    assert facts.do(lambda table: table.merge(ids, "Likes tea", "same")) is None
    assert len(facts.current()) == 2


def test_a_change_was_true_until_the_new_began_and_a_refinement_always_was(facts: Facts):
    start = facts.clock.now()
    facts.say("Works at Google", category="profession")
    second = facts.clock.advance(days=10)
    facts.say("Works at Stripe", category="profession", valid_from=second - 3 * DAY)
    third = facts.clock.advance(days=10)
    facts.say("Works at Stripe in Dublin", category="profession")
    now = facts.clock.now()
    assert facts.valid_at(start - DAY, now) == []
    assert facts.valid_at(start + DAY, now) == ["Works at Google"]
    assert facts.valid_at(second - 2 * DAY, now) == ["Works at Stripe in Dublin"]
    assert facts.valid_at(second - 2 * DAY, second - DAY) == ["Works at Google"], "the change was not known yet"
    assert facts.valid_at(second + DAY, third - DAY) == ["Works at Stripe"], "the fuller text was not known yet"
    assert [facts.known_at(when) for when in (start - DAY, start, second, third)] == [
        [],
        ["Works at Google"],
        ["Works at Stripe"],
        ["Works at Stripe in Dublin"],
    ]


def test_what_was_removed_is_true_no_longer_and_was_before(facts: Facts):
    start = facts.clock.now()
    first = facts.say("Likes tea").id
    end = facts.clock.advance(days=10)
    facts.do(lambda table: table.remove(first))
    assert facts.valid_at(start + DAY, end) == ["Likes tea"]
    assert facts.valid_at(end, end) == []
    assert facts.valid_at(end + DAY, end - DAY) == ["Likes tea"]


def test_times_without_a_zone_are_utc_and_zones_are_moments(facts: Facts):
    start = facts.clock.now()
    naive = start.replace(tzinfo=None)
    facts.say("Likes tea", valid_from=naive - DAY)
    india = timezone(timedelta(hours=5, minutes=30))
    newfoundland = timezone(-timedelta(hours=3, minutes=30))
    for when in (naive, start, start.astimezone(india), start.astimezone(newfoundland)):
        assert facts.valid_at(when - DAY, when) == ["Likes tea"]
        assert facts.valid_at(when - DAY - timedelta(seconds=1), when) == []
        assert facts.known_at(when) == ["Likes tea"]
        assert facts.known_at(when - timedelta(seconds=1)) == []


def test_an_unknown_id_has_no_history(facts: Facts):
    assert facts.history("sf_nope") == []
