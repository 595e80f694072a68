"""The double answers what the real server answers: the same series of requests, compared answer by answer."""

import json
from collections.abc import Iterator
from statistics import median
from typing import Any
from urllib.error import URLError
from uuid import uuid4

import pytest

from . import HindsightDouble, RunningServer, hindsight_double, running_server
from .series import CHAPTERS, Teller

pytestmark = pytest.mark.hindsight


@pytest.fixture
def server() -> RunningServer:
    return running_server()


@pytest.fixture
def double(server: RunningServer) -> Iterator[HindsightDouble]:
    with hindsight_double(token=server.token) as double:
        yield double


def tellers(server: RunningServer, double: HindsightDouble) -> tuple[Teller, Teller]:
    """Return who asks each of them, about a new bank of one name."""
    bank = f"drift-{uuid4().hex[:8]}"
    return Teller(server.url, server.token, bank), Teller(double.url, server.token, bank)


def lines(told: Any) -> list[str]:
    """Return an answer line by line, so that a difference is shown where it is."""
    return json.dumps(told, indent=1, ensure_ascii=False).splitlines()


@pytest.mark.parametrize("name", CHAPTERS)
def test_both_answer_alike(name: str, server: RunningServer, double: HindsightDouble):
    real, ours = tellers(server, double)
    for teller in (real, ours):
        CHAPTERS[name](teller)
    for real_told, our_told in zip(real.told, ours.told, strict=True):
        assert lines(our_told) == lines(real_told)
    took = median(seconds for _, seconds in real.seconds) * 1000
    print(f"{name}: {len(real.told)} answers alike, {len(real.seconds)} requests of {took:.0f} ms (median)")


def test_what_was_acknowledged_is_stored_once_though_the_server_is_killed(server: RunningServer):
    bank, batch = f"killed-{uuid4().hex[:8]}", [str(uuid4()) for _ in range(5)]
    bodies = [
        {"items": [{"content": f"Fact {number}."}], "async": True, "operation_id": id_}
        for number, id_ in enumerate(batch)
    ]
    stored: list[list[str]] = []
    with hindsight_double(token=server.token, holding=True) as double:
        ends = ((server, server.kill, server.restart), (double, double.die, double.revive))
        for one, end, begin in ends:
            teller = Teller(one.url, server.token, bank)
            for body in bodies:
                teller.ask("POST", "/memories", body)
            end()
            with pytest.raises(URLError):
                teller.ask("GET", "/memories/list")
            begin()
            for body in bodies:
                teller.ask("POST", "/memories", body)
            double.work()
            teller.settle()
            stored.append(sorted(row["text"] for row in teller.ask("GET", "/memories/list")["items"]))
    assert stored == [[f"Fact {number}." for number in range(5)]] * 2


def test_what_the_server_gave_up_is_tried_again_only_when_it_is_told_to(server: RunningServer, double: HindsightDouble):
    known, outcomes = str(uuid4()), list[list[Any]]()
    for teller, one in zip(tellers(server, double), (server, double), strict=True):
        batch = {"items": [{"content": "The build uses ninja."}], "async": True, "operation_id": known}
        path = f"/v1/default/banks/{teller.bank}"
        teller.ask("PUT", "", {})
        with one.broken_model():
            teller.ask("POST", "/memories", batch)
            teller.settle()
            refused = [
                teller.send("POST", f"{path}/memories", {"items": batch["items"]})[0],
                teller.send("POST", f"{path}/reflect", {"query": "build"})[0],
                teller.send("POST", f"{path}/memories/recall", {"query": "build"})[0],
            ]
        teller.ask("POST", "/memories", batch)
        teller.settle()
        given_up = teller.send("GET", f"{path}/operations/{known}")[1]
        unmoved = teller.send("GET", f"{path}/memories/list")[1]["total"]
        teller.ask("POST", f"/operations/{known}/retry")
        teller.settle()
        stored = [row["text"] for row in teller.send("GET", f"{path}/memories/list")[1]["items"]]
        assert "the model is broken" in given_up["error_message"]
        outcomes.append([refused, given_up["status"], unmoved, stored, teller.told])
    assert lines(outcomes[1]) == lines(outcomes[0])
    assert outcomes[0][:4] == [[500, 500, 200], "failed", 0, ["The build uses ninja."]]
