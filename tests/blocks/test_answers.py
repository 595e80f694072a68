"""What a model answers about a turn, over HTTP: slips are forgiven, the rest is refused aloud, rules stand in."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from blocks.capture.model_answers import is_grounded
from capabilities.turns import Exchange, Turn
from capabilities.vocabulary import ConsolidationPlan, Observation, PrunePlan
from fabric import Fabric
from fabric.models.answers.structured import parse
from fabric.models.litellm import LiteLLMClient
from fabric.testing import FrozenClock
from pipelines import Memory
from tests.stub_server import BAD_ANSWERS, StubServer, text
from tests.stub_server.slips import SAID, SLIPS


@pytest.fixture(scope="module")
def server() -> Iterator[StubServer]:
    with StubServer() as running:
        yield running


@pytest.fixture(scope="module")
def fabric(server: StubServer) -> Iterator[Fabric]:
    client = LiteLLMClient(api_base=server.url + "/v1", api_key="none", attempts=1)
    with Fabric(models=client) as opened:
        yield opened


def read(fabric: Fabric, server: StubServer, said: str, *answers: str, user: str) -> tuple[list[Any], dict[str, Any]]:
    """Let a user say something that the model answers so; return the facts, and what became of the capture."""
    server.script([text(answer) for answer in answers])
    with Memory(fabric, user=user, model="openai/stub", embedder=None) as memory:
        memory.capture(said)
        assert memory.wait() == []
        records = list(memory.export())
    result = next(
        record["data"]["result"] for record in records if record["kind"] == "item" and record["item_kind"] == "outcome"
    )
    return [record for record in records if record["kind"] == "fact" and record["status"] == "current"], result


@pytest.mark.parametrize("name", SLIPS)
def test_a_slip_costs_no_fact(name: str, fabric: Fabric, server: StubServer):
    slip = SLIPS[name]
    facts, _ = read(fabric, server, SAID, slip.text, user=name)
    held = [(fact["subject"], fact["content"]) for fact in facts]
    assert len(held) == len(slip.kept)
    assert all(any(subject == whose and word in content for whose, content in held) for subject, word in slip.kept)


def test_there_are_more_than_eighty_bad_answers_and_fifty_slips():
    assert len(BAD_ANSWERS) + len(SLIPS) > 100
    assert len(SLIPS) >= 50


def test_what_cannot_be_used_is_told_with_its_reason(fabric: Fabric, server: StubServer):
    good = {"content": "Works at Stripe", "importance": 0.8, "durability": "persistent", "category": "profession"}
    bad = [{"importance": 0.8}, 7, {"content": "x" * 3_000}, {"content": "Owns a yacht"}, good]
    facts, result = read(fabric, server, "I work at Stripe.", json.dumps({"observations": [good, *bad]}), user="told")
    assert [fact["content"] for fact in facts] == ["Works at Stripe"]
    assert len(notes := result["notes"]) == 5
    assert "content: Field required" in notes[0]
    assert "observations[1]" in notes[0]
    assert "Owns a yacht" in notes[-1]
    assert "shares no word" in notes[-1]


def test_more_than_may_be_observed_is_told_too(fabric: Fabric, server: StubServer):
    many = [{"content": f"Owns item number {n}", "importance": 0.2, "durability": "transient"} for n in range(27)]
    _, result = read(fabric, server, "I own many items.", json.dumps({"observations": many}), user="many")
    assert sum("over the limit of 25" in note for note in result["notes"]) == 2


@pytest.mark.parametrize(
    "answer",
    [
        "I'm sorry, but I can't help with that.",
        "",
        '{"observations": [{"content": "The user\'s message says,", "importance": 0.8}]}',
        '{"observations": [{"content": "Prefers green tea", "importance": 0.8}]}',
    ],
)
def test_rules_read_the_turn_where_nothing_can_be_used_and_the_outcome_says_so(
    answer: str, fabric: Fabric, server: StubServer
):
    facts, result = read(fabric, server, "I work at Stripe.", answer, answer, user=f"rules {answer}")
    assert [fact["content"] for fact in facts] == ["Works at Stripe"]
    assert "rules read the message instead" in result["notes"][-1]


def test_an_empty_list_is_an_answer_that_rules_do_not_second_guess(fabric: Fabric, server: StubServer):
    facts, result = read(fabric, server, "I work at Stripe.", '{"observations": []}', user="empty")
    assert (facts, result["notes"]) == ([], [])


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("I'm really into climbing", "Climbs often"),
        ("Ich wohne in Berlin und esse kein Fleisch.", "Isst kein Fleisch"),
        ("我喜欢喝茶", "喜欢茶"),
        ("我喜欢喝茶", "Likes to drink tea"),
        ("Me encantan los perros y vivo en el campo.", "Loves dogs"),
        ("I turned 34 today", "Is 34 years old"),
        ("My doctor says that I'm allergic to nuts", "Has a nut allergy"),
        ("Ich habe eine Katze.", "Has a pet"),
        ("Wir sind aus München weggezogen.", "Lives elsewhere now"),
        ("私はソフトウェアを作っています", "Software engineer"),
        ("I like tea", "茶が好き"),
    ],
)
def test_a_fact_in_other_forms_or_another_language_is_borne_out(
    said: str, content: str, fabric: Fabric, server: StubServer
):
    answer = {"observations": [{"content": content, "importance": 0.8, "durability": "persistent"}]}
    facts, _ = read(fabric, server, said, json.dumps(answer), user=f"{said} {content}")
    assert [fact["content"] for fact in facts] == [content]


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("Ich wohne in Berlin.", "json"),
        ("Ich wohne in Berlin.", "Ok"),
        ("我喜欢喝茶", "json"),
        ("ok", "Vive en Roma"),
        ("🦊", "Likes foxes"),
        ("I like tea", "Collects stamps"),
        ("Ich wohne in Berlin.", "Sammelt Briefmarken und hat kein Auto"),
    ],
)
def test_what_shares_no_word_and_is_surely_in_no_other_language_is_not_borne_out(said: str, content: str):
    heard = Exchange(user=Turn(id="t", session="s", turn=1, role="user", text=said, said_at=FrozenClock().now()))
    assert not is_grounded(Observation(content=content, importance=0.8), heard, [])


def test_a_plan_keeps_what_can_be_used_of_values_that_are_no_texts():
    fact = {"content": "Likes tea", "confidence": 0.8, "category": "preference"}
    plan = parse(
        json.dumps(
            {
                "facts": [
                    {**fact, "subject": ["Anna"], "source_episode_ids": ["e1", {"id": "e2", "n": 1}, None, 3]},
                    {**fact, "subject": "me", "target_fact_id": {"a": 1}, "content": "Likes\x00 jazz"},
                    {**fact, "subject": ["anna", "bob"]},
                    {**fact, "subject": 7},
                ]
            }
        ),
        ConsolidationPlan,
    ).value
    assert [(proposal.subject, proposal.content) for proposal in plan.facts] == [
        ("anna", "Likes tea"),
        ("user", "Likes jazz"),
    ]
    assert plan.facts[0].source_episode_ids[0] == "e1"
    assert all("one name" in refused.reason for refused in plan.refused)
    pruned = parse('{"removals": [{"fact_id": ["f1"], "reason": {"a": 1}}], "merges": []}', PrunePlan).value
    assert [(removal.fact_id, removal.reason) for removal in pruned.removals] == [("f1", "")]


def test_the_schema_that_a_model_is_sent_holds_no_code(server: StubServer, fabric: Fabric):
    server.requests.clear()
    read(fabric, server, "Hello.", '{"observations": []}', user="schema")
    with Fabric(models=LiteLLMClient(api_base=server.url + "/v1", api_key="none")) as listed:
        server.script([text('{"observations": []}')])
        with Memory(listed, user="schema", model="openai/gpt-5-mini", embedder=None) as memory:
            memory.capture("Hello.")
            memory.wait()
    plain, native = (request.body for request in server.requests)
    assert "response_format" not in plain
    assert native["response_format"]["type"] == "json_schema"
    assert all(">>>" not in json.dumps(body) and "Observation(" not in json.dumps(body) for body in (plain, native))
