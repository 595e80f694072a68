"""What becomes of a run's writes: when it ends well, fails, is cut off, or has others beside it."""

import asyncio
import re
from datetime import timedelta
from typing import Any

import pytest

from capabilities.mind import InMemoryProvider, Mind, StoreProvider, Wanted, mind
from capabilities.mind.record import MindBelief, MindEntry, MindGoal
from capabilities.mind.writing.draft import DraftOperation, GoalChange
from fabric import Context, Fabric, generator, handler
from fabric.errors import ConfigurationError, RefusedError, StoreError
from fabric.testing import FrozenClock, ScriptedModel
from pipelines import memory_system

from .reading import belief, goal, reflection
from .running import NAME, Minds, Work


async def fill(mind: Mind) -> None:
    await mind.believe("Tea is hot", confidence="high")
    await mind.reflect("Names beat generic queries")
    await mind.set_goal("Drink tea")


async def fail_after(mind: Mind, *work: Work) -> None:
    for one in work:
        await one(mind)
    raise ConnectionError("the line went dead")


async def test_a_clean_flush_writes_beliefs_appends_reflections_and_creates_goals(minds: Minds):
    await minds.run(fill)
    assert sorted(await minds.entries()) == ["Drink tea", "Names beat generic queries", "Tea is hot"]
    assert await minds.table(lambda table: table.drafts()) == []


async def test_what_a_flush_did_is_an_item_of_the_run(minds: Minds):
    await minds.run(fill)
    (outcome,) = [item for item in minds.items if item.kind == "outcome"]
    assert (outcome.name, len(outcome.data["applied"]), outcome.data["failed"]) == ("mind", 3, [])


async def test_a_run_that_writes_nothing_reports_nothing(minds: Minds):
    await minds.run(lambda mind: mind.recall("tea"))
    assert [item for item in minds.items if item.kind == "outcome"] == []


async def test_an_error_flush_marks_beliefs_and_reflections_and_drops_goals(minds: Minds):
    with pytest.raises(ConnectionError):
        await minds.run(lambda mind: fail_after(mind, fill))
    found = await minds.entries()
    assert {text: getattr(entry, "error", None) for text, entry in found.items()} == {
        "Names beat generic queries": True,
        "Tea is hot": True,
    }


async def test_an_error_flush_drops_goal_updates_and_unpins_and_keeps_what_was_completed(minds: Minds):
    first = await minds.run(lambda mind: mind.set_goal("Drink tea"))
    second = await minds.run(lambda mind: mind.set_goal("Drink water"))
    rule = await minds.run(lambda mind: mind.reflect("Ask first", pin=True))
    with pytest.raises(ConnectionError):
        await minds.run(
            lambda held: fail_after(
                held,
                lambda mind: mind.update_goal(first.id, progress="begun"),
                lambda mind: mind.unpin_reflection(rule.id),
                lambda mind: mind.complete_goal(second.id, outcome="enough"),
            )
        )
    found = {text: entry.model_dump() for text, entry in (await minds.entries()).items()}
    assert found["Drink tea"]["progress"] == ()
    assert found["Ask first"]["pinned"] is True
    assert (found["Drink water"]["status"], found["Drink water"]["outcome"]) == ("completed", "enough")


async def test_a_cancelled_run_is_flushed_as_a_failed_one(minds: Minds):
    written = asyncio.Event()

    async def wait(mind: Mind) -> None:
        await mind.believe("Tea is hot")
        written.set()
        await asyncio.sleep(60)

    running = asyncio.create_task(minds.run(wait))
    await written.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (await minds.entries())["Tea is hot"].model_dump()["error"] is True


def left(run: str, target: str, **more: Any) -> DraftOperation:
    """Return an operation that a run left which is not alive any more."""
    base = {"id": f"{run}:{target}", "namespace": NAME, "run": run, "target": target, "made_at": FrozenClock().now()}
    return DraftOperation(**{**base, **more})


def created(run: str, entry: MindEntry, **more: Any) -> DraftOperation:
    own = entry.model_copy(update={"namespace": NAME})
    return left(run, entry.id, type=entry.type, action="create", entry=own, **more)


async def test_a_run_that_crashed_before_its_end_is_flushed_as_failed_by_the_next_one(minds: Minds):
    operations = [created("dead", belief("Tea is hot")), created("dead", goal("Drink tea"))]
    await minds.table(lambda table: table.put_drafts(operations))
    found = await minds.entries()
    assert {text: entry.model_dump()["error"] for text, entry in found.items()} == {"Tea is hot": True}
    assert await minds.table(lambda table: table.drafts()) == []


async def test_a_crash_between_the_end_of_a_run_and_its_flush_loses_nothing(minds: Minds):
    operations = [
        created("dead", belief("Tea is hot"), ended=True),
        created("dead", goal("Drink tea"), ended=True),
        created("dead", reflection("Ask first", pinned=True), ended=True),
    ]
    await minds.table(lambda table: table.put_drafts(operations))
    found = await minds.entries()
    assert sorted(found) == ["Ask first", "Drink tea", "Tea is hot"]
    assert found["Tea is hot"].model_dump()["error"] is False


async def test_an_operation_that_fails_is_kept_and_reported_and_holds_up_no_other(minds: Minds):
    change = GoalChange(progress=("begun",))
    operations = [
        left("dead", "mg_gone", type="goal", action="update", change=change, ended=True),
        created("dead", belief("Tea is hot"), ended=True),
    ]
    await minds.table(lambda table: table.put_drafts(operations))
    status = await minds.run(lambda mind: mind.status())
    assert [(one.target, one.action) for one in status.failed] == [("mg_gone", "update")]
    assert "mg_gone" in status.failed[0].reason
    assert (status.beliefs, status.drafts) == (1, 0)


async def test_a_cap_is_told_in_the_same_words_by_a_flush_as_by_a_call(minds: Minds):
    goals = [goal(f"Goal {number}").model_copy(update={"namespace": NAME}) for number in range(10)]
    await minds.table(lambda table: table.put(goals))
    await minds.table(lambda table: table.put_drafts([created("dead", goal("One more"), ended=True)]))
    (failed,) = (await minds.run(lambda mind: mind.status())).failed
    with pytest.raises(RefusedError, match=re.escape(failed.reason)):
        await minds.run(lambda mind: mind.set_goal("Another one"))
    assert failed.reason.startswith("all 10 places for active goals are taken: ")


async def test_a_run_beside_a_living_one_does_not_flush_what_that_one_wrote_ahead(minds: Minds):
    async def outer(mind: Mind) -> None:
        await mind.believe("Tea is hot")
        assert await minds.entries(session="other") == {}
        await mind.believe("Water is cold")

    await minds.run(outer)
    assert sorted(await minds.entries()) == ["Tea is hot", "Water is cold"]


async def test_the_id_that_was_given_is_the_one_in_the_store(minds: Minds):
    made = await minds.run(lambda mind: mind.believe("Tea is hot"))
    assert (await minds.entries())["Tea is hot"].id == made.id


async def test_a_similar_belief_of_a_concurrent_run_is_updated_and_no_word_is_lost(minds: Minds):
    async def inner(mind: Mind) -> Any:
        return await mind.believe("Tea is hot!", confidence="high")

    async def outer(mind: Mind) -> tuple[Any, Any]:
        first = await mind.believe("Tea is hot", confidence="low")
        return first, await minds.run(inner, session="other")

    first, second = await minds.run(outer)
    assert (second.action, second.id) == ("updated_draft", first.id)
    (kept,) = (await minds.entries()).values()
    assert (kept.id, kept.model_dump()["confidence"]) == (first.id, "high")


@pytest.mark.parametrize(
    ("first", "second", "options", "held"),
    [("high", "low", {}, "high"), ("low", "high", {}, "high"), ("high", "low", {"allow_downgrade": True}, "low")],
)
async def test_confidence_falls_only_when_that_is_allowed(
    minds: Minds, first: Any, second: Any, options: Any, held: str
):
    await minds.run(lambda mind: mind.believe("Tea is hot", confidence=first, tags=["drink"]))
    minds.clock.advance(days=10)
    done = await minds.run(lambda mind: mind.believe("Tea is hot!", confidence=second, **options))
    (kept,) = (await minds.entries()).values()
    assert isinstance(kept, MindBelief)
    assert (done.action, kept.confidence, kept.tags) == ("updated_store", held, ("drink",))
    assert kept.expires_at == minds.clock.now() + timedelta(days=30)
    assert kept.earlier[0].content == "Tea is hot"


CHANGED = [
    ("The bridge is safe", "The bridge is not safe"),
    ("The payments API allows 100 calls per minute", "The payments API allows 200 calls per minute"),
    ("The favourite colour is blue", "The favourite colour is green"),
    ("The release is on Monday", "The release is on Friday"),
    ("The bridge is safe to cross", "The bridge is unsafe to cross"),
    ("橋は安全です", "橋は安全ではない"),
]


@pytest.mark.parametrize(("held", "said"), CHANGED)
@pytest.mark.parametrize("level", ["low", "medium"])
async def test_another_claim_about_the_same_is_as_sure_as_it_is_said_to_be(
    minds: Minds, held: str, said: str, level: Any
):
    minds.options["deduplication_threshold"] = 0.3
    first = await minds.run(lambda mind: mind.believe(held, confidence="high"))
    done = await minds.run(lambda mind: mind.believe(said, confidence=level))
    (kept,) = (await minds.entries()).values()
    assert isinstance(kept, MindBelief)
    assert (done.action, done.id) == ("updated_store", first.id)
    assert (kept.content, kept.confidence) == (said, level)
    assert [(revision.content, revision.confidence) for revision in kept.earlier] == [(held, "high")]


@pytest.mark.parametrize("level", ["low", "medium", "high"])
async def test_another_claim_and_its_withdrawal_in_one_run_leave_what_was_said_last(minds: Minds, level: Any):
    minds.options["deduplication_threshold"] = 0.3
    await minds.run(lambda mind: mind.believe("The bridge is safe", confidence="high"))

    async def wavers(mind: Mind) -> None:
        await mind.believe("The bridge is not safe", confidence="low")
        await mind.believe("The bridge is safe", confidence=level)

    await minds.run(wavers)
    (kept,) = (await minds.entries()).values()
    assert isinstance(kept, MindBelief)
    assert (kept.content, kept.confidence) == ("The bridge is safe", level)
    assert [revision.content for revision in kept.earlier] == ["The bridge is safe", "The bridge is not safe"]


@pytest.mark.parametrize(
    ("one", "other"), [("Alice likes tea", "Bob likes tea"), ("The tea is hot", "The chairs are red")]
)
async def test_beliefs_about_two_things_are_two(minds: Minds, one: str, other: str):
    await minds.run(lambda mind: mind.believe(one), embedder="default")
    assert (await minds.run(lambda mind: mind.believe(other), embedder="default")).action == "created"


async def test_an_expired_belief_is_not_updated(minds: Minds):
    await minds.run(lambda mind: mind.believe("Tea is hot", expires_in="12h"))
    minds.clock.advance(hours=12)
    assert (await minds.run(lambda mind: mind.believe("Tea is hot"))).action == "created"


async def test_reflections_are_never_deduplicated(minds: Minds):
    first = await minds.run(lambda mind: mind.reflect("Ask first"))
    second = await minds.run(lambda mind: mind.reflect("Ask first"))
    assert first.id != second.id
    assert (await minds.run(lambda mind: mind.status())).reflections == 2


async def test_defaults_of_expiry_hold_for_beliefs_and_reflections_and_a_call_overrides_them(minds: Minds):
    ttl = {"belief": "60d", "reflection": "90d"}
    await minds.run(lambda mind: mind.believe("Tea is hot"), ttl_defaults=ttl)
    await minds.run(lambda mind: mind.reflect("Ask first"), ttl_defaults=ttl)
    await minds.run(lambda mind: mind.reflect("Ask twice", expires_in="45m"), ttl_defaults=ttl)
    found = {text: entry.model_dump()["expires_at"] for text, entry in (await minds.entries()).items()}
    now = minds.clock.now()
    assert found == {
        "Tea is hot": now + timedelta(days=60),
        "Ask first": now + timedelta(days=90),
        "Ask twice": now + timedelta(minutes=45),
    }


async def test_sixteen_runs_at_once_hold_the_cap(minds: Minds):
    async def one(number: int) -> bool:
        try:
            await minds.run(lambda mind: mind.set_goal(f"Goal {number}"), session=f"s{number}")
        except RefusedError:
            return False
        return True

    made = await asyncio.gather(*(one(number) for number in range(16)))
    assert made.count(True) == 10
    assert len(await minds.table(lambda table: table.find(MindGoal, Wanted(status="active")))) == 10


async def test_what_is_believed_of_one_user_never_reaches_another(minds: Minds):
    await minds.run(fill, user="ann")
    assert await minds.entries(user="bob") == {}


async def test_a_goal_that_is_completed_in_the_run_that_set_it_is_written_completed(minds: Minds):
    async def both(mind: Mind) -> None:
        made = await mind.set_goal("Drink tea")
        await mind.update_goal(made.id, progress="half a cup")
        await mind.complete_goal(made.id, outcome="all drunk")

    await minds.run(both)
    (kept,) = (await minds.entries()).values()
    assert isinstance(kept, MindGoal)
    assert (kept.status, kept.progress, kept.outcome) == ("completed", ("half a cup",), "all drunk")


async def test_secrets_are_taken_out_before_anything_is_written(minds: Minds):
    await minds.run(lambda mind: mind.believe("The password: hunter2 opens it"))
    assert list(await minds.entries()) == ["The password: [redacted] opens it"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"token_budget": -1}, "token_budget=-1: Input should be greater than or equal to 0"),
        ({"token_budget": "300"}, "token_budget='300': Input should be a valid integer"),
        ({"max_goals": 0}, "max_goals=0: Input should be greater than or equal to 1"),
        ({"max_goals": True}, "max_goals=True: Input should be a valid integer"),
        ({"max_pinned_reflections": 0}, "max_pinned_reflections=0: Input should be greater than or equal to 1"),
        ({"deduplication_threshold": 2}, "deduplication_threshold=2: Input should be less than or equal to 1"),
        ({"recency_window_days": "7"}, "recency_window_days='7': Input should be a valid number"),
        ({"ttl_defaults": {"belief": "soon"}}, "belief='soon': 'soon' is no duration: expected a number and one of"),
        (
            {"ttl_defaults": {"beleif": "3d"}},
            "beleif='3d': there is no such option; did you mean 'belief'? The options are belief, ref",
        ),
        ({"ttl_defaults": "3d"}, "got '3d'; expected True, False, a mapping or a MindTtlDefaults"),
        ({"scope": "galaxy"}, "scope='galaxy'; expected one of user, agent, project, org"),
        ({"namespace": " "}, "namespace=' '; expected a name, or None for mind/<agent>"),
        ({"namespace": 5}, "namespace=5; expected a name"),
        ({"header_confidence": "certain"}, "header_confidence='certain': Input should be 'low', 'medium' or 'high'"),
        ({"embedder": 7}, "embedder is 7; expected"),
        ({"embedder": "foo"}, "embedder 'foo' is unknown"),
        ({"provider": "file"}, "provider='file'; expected an object with resources, namespaces and transact"),
        ({"provider": InMemoryProvider}, "such as InMemoryProvider(), or None for the file"),
    ],
)
def test_an_option_that_cannot_work_is_refused_when_the_mind_is_made(options: dict[str, Any], said: str):
    with pytest.raises(ConfigurationError, match=re.escape(said)):
        mind(**options)


async def test_without_the_capability_nothing_is_created():
    model = ScriptedModel(["hello"])
    with Fabric(":memory:", models=model, clock=FrozenClock()) as fabric:
        await fabric.session("s", user="ann").arun(generator(name="plain", model="m"), "hi")
        assert model.requests[0].tools == []
        for resource in StoreProvider().resources:
            with pytest.raises(StoreError, match="is not installed"):
                fabric.store.scopes(resource.table)  # type: ignore[union-attr]


def test_forgetting_a_user_leaves_nothing_of_their_mind():
    mem = memory_system(model=None)
    block = handler(lambda ctx: fill(ctx.cap.mind), name="run", uses=[mind(embedder=None, namespace=NAME)])
    look = handler(lambda ctx: ctx.cap.mind.entries(), name="look", uses=[mind(embedder=None, namespace=NAME)])
    with Fabric(":memory:", clock=FrozenClock()) as fabric:
        ann, bob = fabric.session("a", user="ann"), fabric.session("b", user="bob")
        ann.run(block)
        bob.run(block)
        receipt = ann.run(mem.forget_block, {"scope": "user"}).output
        assert {name: count for name, count in receipt.removed.items() if name.startswith("mind_")} == {
            "mind_goals": 1,
            "mind_beliefs": 1,
            "mind_reflections": 1,
        }
        assert ann.run(look).output == []
        assert len(bob.run(look).output) == 3


async def test_progress_notes_of_several_runs_and_of_one_are_kept_in_order(minds: Minds):
    made = await minds.run(lambda mind: mind.set_goal("Drink tea"))

    async def twice(mind: Mind) -> None:
        await mind.update_goal(made.id, progress="one cup")
        await mind.update_goal(made.id, progress="two cups", priority="high")

    await minds.run(twice)
    await minds.run(lambda mind: mind.update_goal(made.id, progress="three cups"))
    (kept,) = (await minds.entries()).values()
    assert isinstance(kept, MindGoal)
    assert (kept.progress, kept.priority) == (("one cup", "two cups", "three cups"), "high")


async def test_forgetting_a_user_while_a_run_goes_on_erases_its_draft_too():
    mem, uses = memory_system(model=None), [mind(embedder=None, namespace=NAME)]
    with Fabric(":memory:", clock=FrozenClock()) as fabric:
        session = fabric.session("a", user="ann")

        async def forgotten(ctx: Context) -> None:
            await fill(ctx.cap.mind)
            await fabric.session("b", user="ann").arun(mem.forget_block, {"scope": "user"})

        await session.arun(handler(forgotten, name="run", uses=uses))
        look = handler(lambda ctx: ctx.cap.mind.entries(), name="look", uses=uses)
        assert (await session.arun(look)).output == []
