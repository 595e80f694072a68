from typing import Any

import pytest

from blocks.consolidation.prune_rules import plan_prune
from blocks.consolidation.rules import plan_from_episodes
from capabilities.claims import Known


def entry(ident: str, content: str, category: str = "preference", subject: str = "user", **more: float) -> Known:
    return Known(
        ident, subject, content, category, more.get("confidence", 0.5), int(more.get("reinforcement_count", 1))
    )


def test_evidence_raises_confidence() -> None:
    one = plan_from_episodes([entry("e1", "Likes green tea")], []).facts[0]
    many = plan_from_episodes([entry(f"e{number}", "Likes green tea") for number in range(9)], []).facts[0]
    assert (one.action, one.source_episode_ids) == ("new", ["e1"])
    assert 0.4 <= one.confidence <= 0.6
    assert many.source_episode_ids == [f"e{number}" for number in range(9)]
    assert 0.6 <= many.confidence <= 0.8


def test_a_known_fact_is_reinforced() -> None:
    (fact,) = plan_from_episodes(
        [entry("e1", "Likes green tea")], [entry("f1", "Likes green tea", confidence=0.7)]
    ).facts
    assert (fact.action, fact.target_fact_id, fact.content) == ("reinforce", "f1", "Likes green tea")
    assert fact.confidence == 0.85


def test_a_fuller_wording_updates_the_fact() -> None:
    said, known = entry("e1", "Works at Stripe in Dublin", "profession"), entry("f1", "Works at Stripe", "profession")
    (fact,) = plan_from_episodes([said], [known]).facts
    assert (fact.action, fact.target_fact_id, fact.content) == ("update", "f1", "Works at Stripe in Dublin")


def test_a_contradicted_fact_is_updated() -> None:
    (fact,) = plan_from_episodes(
        [entry("e1", "Joined Stripe", "profession")], [entry("f1", "Works at Google", "profession")]
    ).facts
    assert (fact.action, fact.target_fact_id, fact.content) == ("update", "f1", "Joined Stripe")


def test_a_denied_fact_without_a_new_value_is_invalidated() -> None:
    (fact,) = plan_from_episodes(
        [entry("e1", "No longer works at Google", "profession")], [entry("f1", "Works at Google", "profession")]
    ).facts
    assert (fact.action, fact.target_fact_id) == ("invalidate", "f1")


def test_an_older_value_among_the_episodes_becomes_no_fact() -> None:
    plan = plan_from_episodes(
        [entry("e1", "Works at Google", "profession"), entry("e2", "Joined Stripe", "profession")], []
    )
    assert [fact.content for fact in plan.facts] == ["Joined Stripe"]


def test_the_end_of_a_value_that_another_one_followed_becomes_no_fact() -> None:
    ended = [entry("e1", "No longer works at Acme", "profession", "jennifer")]
    assert plan_from_episodes(ended, [entry("f1", "Works at Philips", "profession", "jennifer")]).facts == []
    assert [
        fact.action for fact in plan_from_episodes(ended, [entry("f1", "Works at Philips", "profession")]).facts
    ] == ["new"]
    assert [fact.action for fact in plan_from_episodes([entry("e1", "Stopped smoking in 2020")], []).facts] == ["new"]


def test_one_claim_in_other_words_reinforces_the_fact() -> None:
    (fact,) = plan_from_episodes(
        [entry("e1", "Works at Stripe", "profession")], [entry("f1", "Joined Stripe last week", "profession")]
    ).facts
    assert (fact.action, fact.target_fact_id) == ("reinforce", "f1")


def test_numbers_and_subjects_are_never_grouped_together() -> None:
    plan = plan_from_episodes(
        [entry("e1", "Has 2 cats"), entry("e2", "Has 2 cats", subject="anna"), entry("e3", "Has 2 dogs and 3 cats")], []
    )
    assert [fact.source_episode_ids for fact in plan.facts] == [["e1"], ["e2"], ["e3"]]


def test_events_and_tasks_become_no_facts() -> None:
    assert plan_from_episodes([entry("e1", "Flies to Rome", "event"), entry("e2", "Call Bob", "task")], []).facts == []


def test_near_duplicates_merge_into_the_fullest_wording() -> None:
    fuller = entry("b", "Works at Stripe in Dublin", reinforcement_count=3)
    (merge,) = plan_prune([entry("a", "Works at Stripe"), fuller]).merges
    assert (merge.source_fact_ids, merge.merged_content) == (["b", "a"], "Works at Stripe in Dublin")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"content": "Has 2 cats"}, {"content": "Has 3 black cats"}),
        ({"content": "Likes tea"}, {"content": "Likes tea", "subject": "anna"}),
        ({"content": "Likes tea"}, {"content": "Likes green tea"}),
        ({"content": "Meeting Bob every Monday"}, {"content": "Meeting Bob every Tuesday"}),
        ({"content": "Likes tea with milk", "confidence": 0.9}, {"content": "Likes tea with lemon"}),
    ],
)
def test_other_values_and_other_people_do_not_merge(first: dict[str, Any], second: dict[str, Any]) -> None:
    plan = plan_prune([entry("a", **first), entry("b", **second)])
    assert (plan.merges, plan.removals) == ([], [])


def test_well_reinforced_facts_are_neither_removed_nor_rewritten() -> None:
    strong = entry("strong", "Works at Stripe in Dublin", reinforcement_count=5)
    plan = plan_prune([strong, entry("weak", "Works at Stripe"), entry("other", "Likes green tea")])
    assert [removal.fact_id for removal in plan.removals] == ["weak"]
    assert plan.merges == []


def test_what_is_clearly_contradicted_goes_however_often_it_was_said() -> None:
    strong = entry("strong", "Likes green tea", reinforcement_count=5)
    plan = plan_prune([strong, entry("denied", "Does not like green tea")])
    assert [removal.fact_id for removal in plan.removals] == ["strong"]


def test_a_contradicted_fact_is_removed() -> None:
    plan = plan_prune([entry("old", "Works at Google", "profession"), entry("new", "Joined Stripe", "profession")])
    assert [removal.fact_id for removal in plan.removals] == ["old"]


def test_session_artefacts_go_unless_certain() -> None:
    plan = plan_prune([entry("a", "Asked about SQL joins"), entry("b", "Asked Anna to marry him", confidence=0.9)])
    assert [removal.fact_id for removal in plan.removals] == ["a"]


def test_nothing_is_named_twice() -> None:
    facts = [entry(f"f{number}", "Likes tea") for number in range(6)] + [entry("g", "Asked about tea")]
    plan = plan_prune(facts)
    named = [removal.fact_id for removal in plan.removals] + [i for merge in plan.merges for i in merge.source_fact_ids]
    assert sorted(named) == sorted(set(named))
