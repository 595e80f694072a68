"""Facts: what memories state is settled by the one judge, and rests on them."""

import json
from pathlib import Path

from capabilities.retain import Edit, RetainItem, Transcript
from capabilities.retain.local.finding import as_found
from capabilities.retain.record import Flushed
from fabric import Fabric
from fabric.errors import ModelUnavailableError
from fabric.testing import FrozenClock, ScriptedModel

from .conftest import Place, backend_of


def test_a_fact_that_changes_closes_the_older_one_and_keeps_it(place: Place):
    place.retain("I work at Stripe.")
    place.later(days=1)
    place.retain("I work at Shopify now.")
    assert place.facts() == ["Works at Shopify"]
    assert place.facts(closed=True) == ["Works at Stripe"]


def test_two_users_of_a_bank_do_not_overrule_each_other(place: Place):
    place.retain("I work at Stripe.", user="jake")
    place.later(days=1)
    place.retain("I work at Shopify.", user="kim")
    assert sorted(place.facts()) == ["Works at Shopify", "Works at Stripe"]


def test_facts_are_those_of_who_retained_whoever_flushes(place: Place):
    place.retain("I work at Stripe.", flush=False, user="jake")
    place.retain("I work at Shopify.", flush=False, user="kim", session="tuesday")
    place.do(place.backend.flush, user="anna", session="friday")
    assert {one.subject: one.content for one in place.versions()} == {
        "jake": "Works at Stripe",
        "kim": "Works at Shopify",
    }


def test_a_forgotten_memory_takes_the_facts_that_rest_on_it_alone(place: Place):
    one, other = place.retain("I work at Stripe. I prefer tabs over spaces.", "I work at Stripe.")
    place.do(lambda ctx: place.backend.edit(ctx, Edit(op="forget", id=one)))
    assert place.facts() == ["Works at Stripe"]
    place.do(lambda ctx: place.backend.edit(ctx, Edit(op="forget", id=other)))
    assert place.facts() == place.facts(closed=True) == []


def test_a_fact_that_two_memories_of_one_turn_state_rests_on_both(place: Place):
    items = [RetainItem(content=one) for one in ("I work at Stripe.", "I work at Stripe. I prefer tabs over spaces.")]
    one, other = place.say("Note this.", lambda ctx: place.backend.retain(ctx, items)).ids
    place.do(place.backend.flush)
    place.do(lambda ctx: place.backend.edit(ctx, Edit(op="forget", id=one)))
    assert sorted(place.facts()) == ["Prefers tabs over spaces", "Works at Stripe"]
    place.do(lambda ctx: place.backend.edit(ctx, Edit(op="forget", id=other)))
    assert place.facts() == []


def test_what_a_forgotten_memory_had_ended_holds_again(place: Place):
    place.retain("I work at Stripe.")
    place.later(days=1)
    (later,) = place.retain("I work at Shopify now.", session="tuesday")
    place.do(lambda ctx: place.backend.edit(ctx, Edit(op="forget", id=later)))
    assert place.facts() == ["Works at Stripe"]


def test_new_words_of_a_memory_state_what_they_state(place: Place):
    (kept,) = place.retain("I work at Stripe.")
    place.do(lambda ctx: place.backend.edit(ctx, Edit(op="update", id=kept, content="I work at Shopify.")))
    place.do(place.backend.flush)
    assert place.facts() == ["Works at Shopify"]
    assert place.facts(closed=True) == []


def test_an_invalidated_memory_closes_what_it_stated(place: Place):
    (kept,) = place.retain("I work at Stripe.")
    place.do(lambda ctx: place.backend.edit(ctx, Edit(op="invalidate", id=kept)))
    assert (place.facts(), place.facts(closed=True)) == ([], ["Works at Stripe"])
    place.retain("I work at Stripe.")  # said again, it holds again
    assert place.facts() == ["Works at Stripe"]
    assert place.found("where does he work?") == ["I work at Stripe."]  # its fact says no more


def test_what_two_people_like_is_kept_apart_and_named(place: Place):
    for user, liked in (("jake", "tabs"), ("anna", "spaces")):
        place.retain(f"I prefer {liked}.", user=user)
    place.retain("Rosa prefers elastic tabstops.")
    assert {(fact.subject, fact.content) for fact in place.versions()} == {
        ("jake", "Prefers tabs"),
        ("anna", "Prefers spaces"),
        ("rosa", "Prefers elastic tabstops"),
    }
    assert all(fact.status == "current" for fact in place.versions())
    shown = [as_found(fact, 0.5, "bank").content for fact in place.versions()]
    assert "anna: Prefers spaces" in shown


def test_what_is_over_stands_behind_what_holds_until_it_is_said_again(place: Place):
    place.retain("The user works at Stripe.")
    place.later(days=1)
    place.retain("The user works at Shopify now.", session="tuesday")
    works = "where does the user work? at Stripe?"
    assert place.found(works)[0] == "The user works at Shopify now."
    assert [one.outdated for one in place.memories()] == [True, False]
    place.later(days=1)
    place.retain("The user works at Stripe.", session="friday")
    assert place.facts() == ["Works at Stripe"]
    assert place.found(works)[0] == "The user works at Stripe."
    assert [one.outdated for one in place.memories()] == [False, True]


def test_what_a_forgotten_memory_had_made_outdated_is_up_to_date_again(place: Place):
    place.retain("The user works at Stripe.")
    place.later(days=1)
    (later,) = place.retain("The user works at Shopify now.", session="tuesday")
    place.do(lambda ctx: place.backend.edit(ctx, Edit(op="forget", id=later)))
    assert [one.outdated for one in place.memories()] == [False]


def test_both_in_one_flush_are_settled_too(place: Place):
    place.retain("The user works at Stripe.", flush=False)
    place.later(days=1)
    place.retain("The user works at Shopify now.", session="tuesday", flush=False)
    place.do(place.backend.flush)
    assert [(one.outdated, one.waits) for one in place.memories()] == [(True, False), (False, False)]


def test_flushing_again_draws_nothing_again(place: Place):
    place.retain("I work at Stripe.")
    assert place.do(place.backend.flush).done == 0


def test_an_agent_calls_the_user_so_and_a_user_means_somebody_else(place: Place):
    place.retain("The user's favorite editor is Helix. The user is redirected to /login after ten minutes.")
    assert place.facts() == ["Favorite editor is Helix"]
    said = "The user's favorite page is Billing, by the survey."
    place.do(lambda ctx: place.backend.keep(ctx, Transcript(said, said, said, "s1", 1)))
    place.do(place.backend.flush)
    assert place.facts() == ["Favorite editor is Helix"]


def with_model(path: Path, model: ScriptedModel, *contents: str) -> tuple[list[str], list[Flushed]]:
    """Return the facts and the flushes of a bank whose facts a model draws."""
    backend = backend_of(embedder=None, model="scripted")
    with Fabric(path, models=model) as fabric:
        place = Place(fabric, FrozenClock(), backend)
        place.retain(*contents, flush=False)
        flushes = [place.do(backend.flush) for _ in range(2)]
        return place.facts(), flushes


def observed(*contents: str, **more: str) -> str:
    told = {"importance": 0.7, "durability": "persistent", "category": "attribute", "subject": "billing", **more}
    return json.dumps({"observations": [{**told, "content": one} for one in contents]})


def test_a_model_draws_facts_that_the_text_bears_out(tmp_path: Path):
    model = ScriptedModel([observed("Anna owns the billing service", "Mars has two moons")])
    facts, flushes = with_model(tmp_path / "a.duckdb", model, "Anna owns the billing service since May.")
    assert facts == ["Anna owns the billing service"]
    assert [one.done for one in flushes] == [1, 0]
    assert "Written by the agent" in str(model.requests[0].messages)


def test_what_does_not_last_is_no_fact(tmp_path: Path):
    model = ScriptedModel([observed("The tests fail now", durability="transient")])
    assert with_model(tmp_path / "a.duckdb", model, "The tests fail now.")[0] == []


def test_a_model_that_is_away_is_asked_again(tmp_path: Path):
    down, anna, ben = ModelUnavailableError("down"), observed("Anna owns billing"), observed("Ben owns search")
    model = ScriptedModel([anna, down, ben, observed()])
    facts, (first, second) = with_model(tmp_path / "a.duckdb", model, "Anna owns billing.", "Ben owns search.", "Hi.")
    assert (first.done, first.waiting, "down" in first.problem) == (1, 2, True)
    assert facts == ["Anna owns billing", "Ben owns search"]
    assert second.waiting == 0


def test_an_answer_that_cannot_be_used_leaves_the_text_to_rules(tmp_path: Path):
    facts, _ = with_model(tmp_path / "a.duckdb", ScriptedModel(lambda _: "I do not know."), "The user works at Stripe.")
    assert facts == ["Works at Stripe"]
