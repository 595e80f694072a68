"""The double by itself: what it stores and finds, and each way in which it can be told to misbehave."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import IncompleteRead, RemoteDisconnected
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen
from uuid import uuid4

import pytest

from . import Fault, HindsightDouble, hindsight_double
from .model import facts_of, stems, word_vector
from .series import CHAPTERS, Teller

MEMORIES = "/v1/default/banks/b/memories"


@pytest.fixture
def server() -> Iterator[HindsightDouble]:
    with hindsight_double() as server:
        yield server


def post(server: HindsightDouble, path: str, body: Any, token: str = "", timeout: float = 60) -> tuple[int, Any]:
    headers = {"content-type": "application/json", **({"authorization": f"Bearer {token}"} if token else {})}
    try:
        with urlopen(Request(server.url + path, json.dumps(body).encode(), headers), timeout=timeout) as answer:
            return answer.status, json.load(answer)
    except HTTPError as refused:
        with refused:
            return refused.code, {"retry": refused.headers["retry-after"], **json.load(refused)}


def retain(server: HindsightDouble, *contents: str, **more: Any) -> tuple[int, Any]:
    return post(server, MEMORIES, {"items": [{"content": content} for content in contents], **more})


def die_out(server: HindsightDouble) -> None:
    """Ask until nobody listens: a server is given its time to die."""
    while True:
        try:
            retain(server, "")
        except (URLError, ConnectionError) as error:
            if isinstance(getattr(error, "reason", None), ConnectionRefusedError):
                return


@pytest.mark.parametrize("name", CHAPTERS)
def test_every_chapter_of_the_series_can_be_told(name: str, server: HindsightDouble):
    teller = Teller(server.url, "", "b")
    CHAPTERS[name](teller)
    statuses = {status for _, status, _ in teller.told}
    assert 200 in statuses
    assert statuses <= {200, 400, 404, 405, 409, 422}


def test_facts_are_the_sentences_of_a_text_without_markers():
    said = "[role: user]\nThe build uses ninja. Is it quick?\n[user:end]\n\n---\nYes"
    assert facts_of(said) == ["The build uses ninja.", "Is it quick?", "Yes"]
    assert facts_of("用户喜欢深色主题。部署在周四！") == ["用户喜欢深色主题。", "部署在周四！"]
    assert set(stems("深色主题")) < set(stems("用户喜欢深色主题。"))
    assert stems("Which tools were used?") == ["tool", "use"]
    assert word_vector("the tools used") == word_vector("use a tool") != word_vector("tea")


def test_what_is_retained_is_found_by_its_words_best_first(server: HindsightDouble):
    retain(server, "Coffee beans are roasted. Coffee is hot.", "The user drinks tea.")
    _, answer = post(server, f"{MEMORIES}/recall", {"query": "roasting coffee"})
    assert [row["text"] for row in answer["results"]] == ["Coffee beans are roasted.", "Coffee is hot."]
    assert server.banks["b"].texts == ["Coffee beans are roasted.", "Coffee is hot.", "The user drinks tea."]


def test_what_was_asked_is_on_record(server: HindsightDouble):
    retain(server, "Tea.")
    retain(server, "")
    assert [(asked.method, asked.path, asked.status) for asked in server.requests] == [
        ("POST", MEMORIES, 200),
        ("POST", MEMORIES, 422),
    ]
    assert server.requests[0].body == {"items": [{"content": "Tea."}]}


def test_a_request_without_the_token_is_refused():
    body = {"items": [{"content": "Tea."}]}
    known = str(uuid4())
    with hindsight_double(token=known) as server:
        assert post(server, MEMORIES, body)[0] == post(server, MEMORIES, body, "other")[0] == 401
        assert post(server, MEMORIES, body, known)[0] == 200
        with urlopen(f"{server.url}/health", timeout=60) as answer:
            assert json.load(answer)["status"] == "healthy"


def test_each_third_request_fails_and_stores_nothing(server: HindsightDouble):
    server.misbehave(Fault(status=503, retry_after=2), every=3)
    answers = [retain(server, f"Fact {number}.") for number in range(6)]
    assert [status for status, _ in answers] == [200, 200, 503, 200, 200, 503]
    assert answers[2][1]["retry"] == "2"
    assert server.banks["b"].texts == [f"Fact {number}." for number in (0, 1, 3, 4)]
    server.behave()
    assert retain(server, "Fact 6.")[0] == 200


def test_a_fault_may_be_for_one_path_and_a_number_of_times(server: HindsightDouble):
    server.misbehave(Fault(status=500), times=1, path="/recall")
    recall = {"query": "tea"}
    assert retain(server, "Tea.")[0] == 200
    assert [post(server, f"{MEMORIES}/recall", recall)[0] for _ in range(2)] == [500, 200]


@pytest.mark.parametrize("done", [False, True])
@pytest.mark.parametrize(("fault", "error"), [("cut", RemoteDisconnected), ("torn", IncompleteRead)])
def test_a_connection_closes_before_or_in_the_middle_of_an_answer(
    server: HindsightDouble, fault: str, error: type[Exception], done: bool
):
    server.misbehave(Fault(**{fault: True}, done=done), times=1)
    with pytest.raises(error):
        retain(server, "Tea.")
    stored = done or fault == "torn"  # who answers in part has done it all
    assert ("b" in server.banks) == stored
    assert server.requests[0].status == 0
    assert retain(server, "Tea.")[0] == 200


def test_a_lost_acknowledgement_and_the_same_operation_again_store_a_batch_once(server: HindsightDouble):
    again = {"async": True, "operation_id": str(uuid4())}
    server.misbehave(Fault(cut=True, done=True), times=1)
    with pytest.raises(RemoteDisconnected):
        retain(server, "Tea.", **again)
    assert retain(server, "Tea.", **again)[1]["operation_id"] == again["operation_id"]
    assert server.banks["b"].texts == ["Tea."]


def test_a_server_that_hangs_answers_nothing_until_it_behaves(server: HindsightDouble):
    server.misbehave(Fault(hang=True))
    with pytest.raises(TimeoutError):
        post(server, MEMORIES, {"items": []}, timeout=0.2)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(retain, server, "Tea.")
        while len(server.requests) < 2:
            time.sleep(0.01)
        server.behave()
        with pytest.raises(RemoteDisconnected):
            waiting.result(60)
    assert "b" not in server.banks


def test_a_dead_server_keeps_what_it_acknowledged_and_lives_again_at_its_address():
    with hindsight_double(holding=True) as server:
        retain(server, "Tea.", **{"async": True})
        server.misbehave(Fault(dies=True, done=True), times=1)
        with pytest.raises((RemoteDisconnected, ConnectionResetError)):
            retain(server, "Coffee.", **{"async": True})
        die_out(server)
        server.revive()
        assert server.banks["b"].texts == []
        server.work()
        assert server.banks["b"].texts == ["Tea.", "Coffee."]
        assert retain(server, "Milk.")[0] == 200


def test_work_is_pending_as_long_as_it_is_held():
    with hindsight_double(holding=True) as server:
        _, answer = retain(server, "Tea.", **{"async": True})
        address = f"{server.url}/v1/default/banks/b/operations/{answer['operation_id']}"
        statuses: list[str] = []
        for _ in range(2):
            with urlopen(address, timeout=60) as told:
                statuses.append(json.load(told)["status"])
            server.work()
        assert statuses == ["pending", "completed"]


def test_what_a_broken_model_leaves_undone_is_done_when_it_is_retried(server: HindsightDouble):
    again = {"async": True, "operation_id": str(uuid4())}
    retry = f"/v1/default/banks/b/operations/{again['operation_id']}/retry"
    with server.broken_model():
        assert retain(server, "Tea.")[0] == 500
        assert retain(server, "Tea.", **again)[0] == 200
    assert retain(server, "Tea.", **again)[0] == 200
    assert server.banks["b"].texts == []
    assert [post(server, retry, {})[0] for _ in range(2)] == [200, 409]
    assert server.banks["b"].texts == ["Tea."]


def test_many_clients_at_once_store_each_batch_once(server: HindsightDouble):
    server.misbehave(Fault(cut=True, done=True), every=3)
    ids = {f"Fact {number}.": str(uuid4()) for number in range(60)}

    def insist(content: str) -> None:
        while True:
            try:
                retain(server, content, **{"async": True, "operation_id": ids[content]})
            except (RemoteDisconnected, ConnectionResetError):
                continue
            return

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(insist, ids))
    assert sorted(server.banks["b"].texts) == sorted(ids)
