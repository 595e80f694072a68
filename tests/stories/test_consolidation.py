"""Consolidation and pruning: when they run, what they may change, and that nothing is lost on the way."""

import json
from typing import Any

from fabric.errors import ModelUnavailableError
from fabric.models.base import Request
from tests.stories.scripts import MemoryModel, chat_with, observation, open_memory

TOPICS = ["Stripe", "Lisbon", "jazz", "climbing", "Rust", "chess", "sourdough", "sailing"]


def lasting(number: int) -> list[dict[str, Any]]:
    return [observation(f"Mentions {TOPICS[number]}", category="event")]


def proposal(content: str, **fields: Any) -> dict[str, Any]:
    return {
        "subject": "user",
        "content": content,
        "confidence": 0.7,
        "category": "pattern",
        "action": "new",
        "target_fact_id": "",
        "source_episode_ids": [],
        **fields,
    }


def ids_in(request: Request, prefix: str) -> list[str]:
    words = str(request.messages[-1]["content"]).split()
    return [word for word in words if word.startswith(prefix)]


def run_turns(fabric: Any, mem: Any, count: int) -> Any:
    session = fabric.session("monday", user="jake")
    for number in range(count):
        session.run(chat_with(mem), f"Turn {number} mentions an item, {', '.join(TOPICS)}")
        fabric.drain()
    return session


def test_it_runs_once_five_episodes_have_gathered_and_not_before():
    model = MemoryModel(*[lasting(number) for number in range(6)], facts=[[proposal("Talks about many things")]])
    fabric, mem = open_memory(model)
    with fabric:
        run_turns(fabric, mem, 4)
        assert model.consolidated == []
        session = run_turns(fabric, mem, 1)
        assert len(model.consolidated) == 1
        facts = [record for record in session.run(mem.export_block).output if record["kind"] == "fact"]
    assert [fact["content"] for fact in facts] == ["Talks about many things"]


def test_it_waits_the_minimum_number_of_turns_between_two_runs():
    many = [[*lasting(number), *lasting((number + 1) % 8), *lasting((number + 2) % 8)] for number in range(8)]
    model = MemoryModel(*many, facts=[[], [], []])
    fabric, mem = open_memory(model, semantic={"consolidation": {"episodic_threshold": 2, "min_interval": 4}})
    with fabric:
        run_turns(fabric, mem, 8)
    assert len(model.consolidated) == 2


def test_an_eviction_of_something_lasting_triggers_it_too():
    turns = [[observation(f"Owns item {name}", category="event", importance=0.5)] for name in TOPICS[:5]]
    model = MemoryModel(*turns, facts=[[]])
    fabric, mem = open_memory(
        model,
        working={"capacity": 2, "max_pinned_slots": 0},
        semantic={"consolidation": {"min_interval": 1}},
        episodic={"significance_threshold": 0.5},
    )
    with fabric:
        run_turns(fabric, mem, 4)
    assert len(model.consolidated) >= 1


def test_a_consolidation_that_finds_nothing_is_not_asked_again_the_next_turn():
    model = MemoryModel(*[lasting(number) for number in range(7)], facts=[[]])
    fabric, mem = open_memory(model)
    with fabric:
        run_turns(fabric, mem, 7)
    assert len(model.consolidated) == 1


def test_every_action_is_applied_and_an_invented_id_harms_nobody():
    def plan(request: Request) -> str:
        episodes, facts = ids_in(request, "ep_"), ids_in(request, "sf_")
        return json.dumps(
            {
                "facts": [
                    proposal("Climbs every week", source_episode_ids=episodes[:2]),
                    proposal("", action="reinforce", target_fact_id=facts[0], category="profession"),
                    proposal("Lives in Porto", action="update", target_fact_id=facts[1], category="identity"),
                    proposal("", action="invalidate", target_fact_id=facts[2], category="preference"),
                    proposal("Is a king", action="update", target_fact_id="sf_invented"),
                ]
            }
        )

    first = [
        observation("Works at Stripe"),
        observation("Lives in Lisbon", category="identity"),
        observation("Likes tea", category="preference"),
    ]
    model = MemoryModel(first, facts=[plan])
    fabric, mem = open_memory(model)
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(mem.capture, "I work at Stripe, live in Lisbon and like tea")
        result = session.run(mem.consolidate, {"force": True}).output
        current = [memory.content for memory in session.run(mem.recall_block) if memory.source == "semantic"]
    assert (result.added, result.updated, result.invalidated) == (1, 1, 1)
    assert any("sf_invented" in outcome.reason and outcome.status == "skipped" for outcome in result.outcomes)
    assert set(current) == {"Works at Stripe", "Climbs every week", "Lives in Porto"}


def test_standalone_consolidation_makes_no_call_when_it_is_not_due():
    model = MemoryModel(lasting(0))
    fabric, mem = open_memory(model)
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(mem.capture, "One thing")
        result = session.run(mem.consolidate).output
    assert "not due" in result.skipped
    assert model.consolidated == []


def test_a_model_that_is_down_leaves_the_work_waiting_and_the_reply_on_time():
    model = MemoryModel(ModelUnavailableError("the provider is down"), [observation("Works at Stripe")])
    fabric, mem = open_memory(model)
    with fabric:
        session = fabric.session("monday", user="jake")
        assert session.run(chat_with(mem), "I work at Stripe").output == "I heard: I work at Stripe"
        fabric.drain()
        (job,) = fabric.jobs()
        assert (job.status, job.attempts) == ("pending", 1)
        assert "the provider is down" in job.error
        turns = [record for record in session.run(mem.export_block).output if record["kind"] == "turn"]
        assert turns[0]["text"] == "I work at Stripe"
        assert turns[0]["captured"] is False
        fabric.retry(job)
        fabric.drain()
        assert fabric.jobs() == []
        assert [memory.content for memory in session.run(mem.recall_block)] == ["Works at Stripe"]


def facts_named(*contents: str, **fields: Any) -> list[dict[str, Any]]:
    return [observation(content, category="attribute", importance=0.5, **fields) for content in contents]


def prune_with(plan: Any, *contents: str, repeats: int = 1, **options: Any) -> tuple[Any, list[str]]:
    model = MemoryModel(*[facts_named(*contents)] * repeats)
    fabric, mem = open_memory(
        model, semantic={"prune_threshold": 2, "consolidation": {"episodic_threshold": 99}}, **options
    )
    with fabric:
        session = fabric.session("monday", user="jake")
        for _ in range(repeats):
            session.run(mem.capture, f"About me: {'; '.join(contents)}")
            fabric.drain()
        facts = [record["id"] for record in session.run(mem.export_block).output if record["kind"] == "fact"]
        model.prunes = [plan(facts)]
        result = session.run(mem.prune, {"force": True}).output
        current = [memory.content for memory in session.run(mem.recall_block) if memory.source == "semantic"]
    return result, current


def test_a_merge_keeps_one_fact_with_both_contents_and_all_sources():
    merged = "Was born in May in Maryland"
    result, current = prune_with(
        lambda ids: {"removals": [], "merges": [{"source_fact_ids": ids, "merged_content": merged, "reason": "same"}]},
        "Was born in Maryland",
        "Was born during spring in May",
    )
    assert result.merged == 1
    assert current == [merged]


def test_a_merge_with_an_unknown_id_keeps_everything():
    result, current = prune_with(
        lambda ids: {
            "removals": [],
            "merges": [{"source_fact_ids": [ids[0], "sf_unknown"], "merged_content": "Owns a boat", "reason": "x"}],
        },
        "Owns a boat",
        "Plays the cello",
    )
    assert result.merged == 0
    assert set(current) == {"Owns a boat", "Plays the cello"}


def test_a_removal_is_skipped_when_the_fact_is_also_merged():
    result, current = prune_with(
        lambda ids: {
            "removals": [{"fact_id": ids[0], "reason": "noise"}],
            "merges": [
                {"source_fact_ids": ids, "merged_content": "Owns a boat named Ada and a red bike", "reason": "x"}
            ],
        },
        "Owns a boat named Ada",
        "Owns a red bike",
    )
    assert (result.removed, result.merged) == (0, 1)
    assert current == ["Owns a boat named Ada and a red bike"]


def test_a_fact_said_five_times_survives_a_model_that_wants_it_gone():
    result, current = prune_with(
        lambda ids: {"removals": [{"fact_id": record_id, "reason": "noise"} for record_id in ids], "merges": []},
        "Owns a boat",
        repeats=5,
    )
    assert result.removed == 0
    assert current == ["Owns a boat"]
    assert "protected" in result.outcomes[0].reason


def test_a_confident_fact_needs_more_than_the_models_word():
    model = MemoryModel([observation("Works at Stripe", importance=0.85)])
    fabric, mem = open_memory(model)
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(mem.capture, "I work at Stripe")
        (fact,) = [record["id"] for record in session.run(mem.export_block).output if record["kind"] == "fact"]
        model.prunes = [{"removals": [{"fact_id": fact, "reason": "vague"}], "merges": []}]
        result = session.run(mem.prune, {"force": True}).output
    assert result.removed == 0


def test_an_ordinary_fact_is_removed_and_stays_in_the_history():
    result, current = prune_with(
        lambda ids: {"removals": [{"fact_id": ids[0], "reason": "noise"}], "merges": []}, "Owns a boat", "Plays cello"
    )
    assert result.removed == 1
    assert current == ["Plays cello"]


def test_pruning_is_not_repeated_every_turn_once_the_threshold_is_reached():
    turns = [facts_named(f"Owns item {name}") for name in TOPICS]
    model = MemoryModel(*turns)
    fabric, mem = open_memory(model, semantic={"prune_threshold": 4, "consolidation": {"episodic_threshold": 99}})
    with fabric:
        run_turns(fabric, mem, 4)
        assert len(model.pruned) == 1
        session = fabric.session("monday", user="jake")
        session.run(chat_with(mem), "Nothing new")
    assert len(model.pruned) <= 2


def test_a_threshold_of_zero_switches_pruning_off():
    model = MemoryModel(*[facts_named(f"Owns item {name}") for name in TOPICS])
    fabric, mem = open_memory(model, semantic={"prune_threshold": 0})
    with fabric:
        run_turns(fabric, mem, 8)
    assert model.pruned == []


def consolidated_of(*proposals: dict[str, Any], **told: list[dict[str, Any]]) -> tuple[list[Any], list[dict[str, Any]]]:
    """Let users of a project each observe something, consolidate it so, and return outcomes and facts.

    A proposal's ``of`` are the numbers of the episodes that it names, oldest first.
    """

    def plan(request: Request) -> str:
        ids = sorted(set(ids_in(request, "ep_")))
        named = [{**one, "source_episode_ids": [ids[at] for at in one.pop("of")]} for one in map(dict, proposals)]
        return json.dumps({"facts": named})

    model = MemoryModel(*([message] for said in told.values() for message in said), facts=[plan])
    fabric, mem = open_memory(model, episodic={"scope": "project"})
    with fabric:
        for user, said in told.items():
            session = fabric.session(user, user=user, project="p")
            for message in said:
                session.run(mem.capture, str(message["content"]))
                fabric.drain()
        outcomes = session.run(mem.consolidate, {"force": True}).output.outcomes
        facts = [record for record in session.run(mem.export_block).output if record["kind"] == "fact"]
    return outcomes, facts


def event(content: str, subject: str = "user") -> dict[str, Any]:
    return observation(content, subject=subject, category="event")


def test_what_was_said_of_two_people_never_becomes_one_fact():
    outcomes, facts = consolidated_of(
        {**proposal("Climbs and sings in a choir", subject="anna"), "of": [0, 1]},
        {**proposal("Sings in a choir", subject="anna"), "of": [1]},
        {**proposal("Went climbing again", subject="anna"), "of": [0, 1]},
        {**proposal("Anna went climbing with the user", subject="anna"), "of": [2]},
        bob=[
            event("Went climbing", "anna"),
            event("Sang in a choir", "anna-berg"),
            event("Anna was met at the wall", "user"),
        ],
    )
    assert [outcome.status for outcome in outcomes[:2]] == ["skipped", "skipped"]
    assert "one person" in outcomes[0].reason
    kept = {fact["content"]: fact["source_episode_ids"] for fact in facts}
    assert set(kept) == {"Went climbing again", "Anna went climbing with the user"}
    assert [len(ids) for ids in kept.values()] == [1, 1]


def test_what_a_model_says_of_the_user_of_a_shared_memory_is_of_whom_its_episodes_are():
    outcomes, facts = consolidated_of(
        {**proposal("Likes climbing"), "of": [0]},
        {**proposal("Likes choirs and climbing"), "of": [0, 1]},
        {**proposal("Is often outside"), "of": []},
        {**proposal("Sings", subject="%41nna"), "of": [1]},
        anna=[event("Went climbing")],
        Anna=[event("Sang in a choir")],
    )
    assert [(fact["subject"], fact["content"]) for fact in facts] == [("anna", "Likes climbing"), ("%41nna", "Sings")]
    assert [outcome.status for outcome in outcomes] == ["stored", "skipped", "skipped", "stored"]
    assert "several people" in outcomes[1].reason
