"""What an offered fact becomes beside what is known: new, repeated, refined or changed, and never about another."""

from typing import Any

import pytest

from capabilities.semantic import FactInput
from capabilities.sources import Outcome

from .facts import Facts, source


def test_a_new_fact_is_stored_with_where_it_came_from(facts: Facts):
    outcome = facts.say("Likes tea", "t1", source_episode_ids=["ep_1"])
    fact = facts.get(outcome.id)
    assert (outcome.status, fact.content, fact.reinforcement_count) == ("stored", "Likes tea", 1)
    assert [source.turn_id for source in fact.sources] == ["t1"]
    assert fact.source_episode_ids == ["ep_1"]


@pytest.mark.parametrize("again", ["Likes tea", "likes tea!", "LIKES  TEA."])
def test_a_repetition_counts_and_makes_it_firmer(facts: Facts, again: str):
    first = facts.say("Likes tea", "t1")
    second = facts.say(again, "t2")
    fact = facts.get(first.id)
    assert (second.status, second.id) == ("merged", first.id)
    assert (fact.reinforcement_count, fact.confidence) == (2, 0.75)
    assert facts.current() == ["Likes tea"]


def test_confidence_never_passes_one(facts: Facts):
    first = facts.say("Likes tea", "t0", confidence=0.99)
    for number in range(1, 4):
        facts.say("Likes tea", f"t{number}")
    assert facts.get(first.id).confidence == 1.0


@pytest.mark.parametrize("again", ["Likes tea", "Likes green tea"])
def test_one_turn_is_one_voice(facts: Facts, again: str):
    facts.say("Likes tea", "t1")
    second = facts.say(again, "t1")
    assert facts.get(second.id).reinforcement_count == 1


def test_a_refinement_keeps_the_fuller_text_the_beginning_and_the_count(facts: Facts):
    first = facts.say("Works at Stripe", "t1", category="profession")
    facts.clock.advance(days=1)
    second = facts.say("Works at Stripe in Dublin", "t2", category="profession", confidence=0.6)
    fact = facts.get(second.id)
    assert (second.status, second.replaced) == ("merged", first.id)
    assert (fact.content, fact.reinforcement_count, fact.confidence) == ("Works at Stripe in Dublin", 2, 0.7)
    assert fact.valid_from == facts.get(first.id).valid_from
    assert [source.turn_id for source in fact.sources] == ["t1", "t2"]
    third = facts.say("Works at Stripe", "t3", category="profession")
    assert (third.status, third.id, facts.current()) == ("merged", second.id, ["Works at Stripe in Dublin"])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("5 years at Google", "6 years at Google"),
        ("Lives in Lisbon", "Lives in Oslo"),
        ("Likes coffee", "Does not like coffee"),
        ("Favorite color is red", "Favorite color is blue"),
    ],
)
def test_a_change_supersedes(facts: Facts, first: str, second: str):
    old = facts.say(first, "t1")
    facts.clock.advance(days=1)
    new = facts.say(second, "t2")
    assert (new.status, new.replaced) == ("superseded", old.id)
    assert facts.current() == [second]
    assert facts.history(old.id) == facts.history(new.id) == [(first, "superseded"), (second, "current")]
    assert facts.get(old.id).superseded_by == new.id
    assert facts.get(new.id).reinforcement_count == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"content": "Likes chess"}, {"content": "Likes jazz"}),
        ({"content": "Likes tea"}, {"content": "Likes tea", "subject": "maria"}),
        ({"content": "Lives in Oslo"}, {"content": "Lives in Lima", "subject": "maria"}),
        ({"content": "A uses B"}, {"content": "B uses C"}),
        ({"content": "Atlas uses Redis"}, {"content": "Redis uses Nginx"}),
        ({"content": "Ana pays Ben"}, {"content": "Ben pays Ana"}),
    ],
)
def test_what_is_about_something_else_stands_beside_it(facts: Facts, first: dict[str, Any], second: dict[str, Any]):
    facts.say(turn="t1", **first)
    assert facts.say(turn="t2", **second).status == "stored"
    assert facts.current() == sorted([first["content"], second["content"]])


@pytest.mark.parametrize(
    ("category", "wordings"),
    [
        ("profession", ["Works at Stripe", "Joined Stripe", "Is employed at Stripe", "Has a job at Stripe"]),
        ("preference", ["Likes green tea", "Loves green tea", "Is fond of green tea", "Green tea is a favorite"]),
    ],
)
def test_the_same_in_other_words_is_one_fact(facts: Facts, category: str, wordings: list[str]):
    for number, wording in enumerate(wordings):
        facts.say(wording, f"t{number}", category=category)
    (fact,) = facts.do(lambda table: table.current())
    assert fact.reinforcement_count == len(wordings)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Likes dogs more than cats", "Likes cats more than dogs"),
        ("Likes green tea", "Gave up green tea"),
        ("Likes green tea", "Sells green tea"),
        ("Joined Stripe in 2020", "Joined Stripe in 2021"),
    ],
)
def test_what_only_sounds_alike_is_never_a_repetition(facts: Facts, first: str, second: str):
    facts.say(first, "t1", category="preference")
    facts.say(second, "t2", category="preference")
    assert second in facts.current()


def test_an_id_of_an_earlier_version_means_the_one_it_became(facts: Facts):
    first = facts.say("Works at Google", category="profession")
    second = facts.say("Works at Stripe", category="profession")
    third = facts.say("Runs a bakery", category="profession", replaces=first.id)
    assert (third.status, third.replaced) == ("superseded", second.id)
    assert facts.current() == ["Runs a bakery"]
    assert [content for content, _ in facts.history(first.id)] == [
        "Works at Google",
        "Works at Stripe",
        "Runs a bakery",
    ]


@pytest.mark.parametrize("fields", [{"subject": "maria"}, {"category": "identity"}])
def test_a_fact_of_another_subject_or_category_is_never_replaced(facts: Facts, fields: dict[str, Any]):
    first = facts.say("Owns a red boat")
    second = facts.say("Plays the cello", replaces=first.id, **fields)
    assert second.status == "stored"
    assert facts.get(first.id).status == "current"


@pytest.mark.parametrize("unknown", ["sf_12", "", "\x00", "sf_00000001' or 1=1"])
def test_an_unknown_id_replaces_nothing(facts: Facts, unknown: str):
    facts.say("Owns a red boat")
    assert facts.say("Plays the cello", replaces=unknown).status == "stored"
    assert len(facts.current()) == 2


def test_a_blank_fact_is_skipped(facts: Facts):
    assert facts.say("  \n").status == "skipped"
    assert facts.current() == []


def test_an_old_fact_is_found_again_among_many_newer_ones(facts: Facts):
    first = facts.say("Collects copper kettles", "t0")
    for number in range(40):
        facts.say(f"Enjoys activity {'x' * (number + 1)}", f"t{number}")
    assert facts.say("Collects copper kettles", "t99").id == first.id
    assert facts.say("Collects old copper kettles", "t100").replaced == first.id


def test_a_fact_that_changed_often_is_still_one(facts: Facts):
    for number in range(2, 40):
        facts.say(f"Has run {number} marathons", f"t{number}")
        for filler in "abcdefgh":
            facts.say(f"Enjoys {filler}{'z' * number}", "")
    assert [fact for fact in facts.current() if "marathons" in fact] == ["Has run 39 marathons"]


def test_facts_taken_in_together_see_each_other(facts: Facts):
    old = facts.say("Works at Google", "t1", category="profession")

    def take(table: Any) -> list[Outcome]:
        said = ["Works at Stripe", "Works at Stripe", "Works at Stripe in Dublin", "Likes tea"]
        offers = [
            FactInput(content=message, confidence=0.7, category="profession", sources=[source(f"t{number}")])
            for number, message in enumerate(said, start=2)
        ]
        reconciliation = table.reconciliation()
        reconciliation.look_up(offers)
        outcomes = [reconciliation.reconcile(offer) for offer in offers]
        reconciliation.write()
        return outcomes

    outcomes = facts.do(take)
    assert [outcome.status for outcome in outcomes] == ["superseded", "merged", "merged", "stored"]
    assert facts.current() == ["Likes tea", "Works at Stripe in Dublin"]
    assert len(facts.do(lambda table: table.history(old.id))) == 3
    assert facts.get(outcomes[2].id).reinforcement_count == 3
