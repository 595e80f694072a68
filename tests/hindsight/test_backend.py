"""Our backend on the real server: a server that dies, one whose model is broken, and what a project is shown of a bank.

The same of a server that is the double stands in ``tests/capabilities/retain/hindsight``.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from capabilities.retain import Bank
from capabilities.retain.hindsight.errors import HindsightError
from fabric import Fabric
from tests.capabilities.retain.hindsight.steps import NEVER, Steps, until

from . import RunningServer, running_server
from .series import Teller

pytestmark = pytest.mark.hindsight


@pytest.fixture
def server() -> RunningServer:
    return running_server()


@pytest.fixture
def teller(server: RunningServer) -> Teller:
    return Teller(server.url, server.token, f"backend-{uuid4().hex[:8]}")


@pytest.fixture
def fabric(server: RunningServer, tmp_path: Path) -> Iterator[Fabric]:
    with Fabric(tmp_path / "a.duckdb") as fabric:
        yield fabric


def steps(fabric: Fabric, teller: Teller, project: str = "", session: str = "s", **options: Any) -> Steps:
    """Return a session of the teller's bank, as one project sees it."""
    bank = Bank(teller.bank, (teller.bank,), (f"project:{project}",) if project else ())
    options = {"api_token": teller.token, **NEVER, **options}
    return Steps(fabric, teller.url, bank, session, **options)


def stored(teller: Teller) -> list[str]:
    """Return the texts of the bank's facts, in their order, once the server has done its work."""
    teller.settle()
    return sorted(row["text"] for row in teller.ask("GET", "/memories/list")["items"])


def contents(found: Any) -> list[str]:
    return [one.content for one in found.found]


def test_a_server_that_dies_gets_what_waited_once_when_it_is_there_again(
    server: RunningServer, teller: Teller, fabric: Fabric
):
    here = steps(fabric, teller)
    texts = [f"Decision {number} stands." for number in range(20)]
    here.retain(*texts[:10])
    assert here.flush().done == 10
    server.kill()
    here.retain(*texts[10:])
    flushed = here.flush()
    assert (flushed.done, flushed.waiting) == (0, 10)
    assert "no Hindsight server answers" in flushed.problem
    with pytest.raises(HindsightError, match="start it"):
        here.recall("decision")
    server.restart()
    assert here.flush().done == 10
    assert here.waiting() == []
    assert stored(teller) == sorted(texts)


def test_a_broken_model_is_told_of_and_recall_goes_on(server: RunningServer, teller: Teller, fabric: Fabric):
    here = steps(fabric, teller)
    here.retain("The build uses ninja.")
    here.flush()
    assert stored(teller) == ["The build uses ninja."]
    with server.broken_model():
        with pytest.raises(HindsightError, match="500") as failed:
            here.reflect("What does the build use?")
        assert failed.value.status_code == 500
        assert contents(here.recall("ninja")) == ["The build uses ninja."]
    assert here.reflect("What does the build use?", "Be brief.").text == "- The build uses ninja."


def test_a_wrong_token_and_a_short_patience_are_told_of(teller: Teller, fabric: Fabric):
    with pytest.raises(HindsightError, match="401") as failed:
        steps(fabric, teller, api_token="other").recall("anything")
    assert failed.value.status_code == 401
    with pytest.raises(HindsightError, match=r"recall within 0\.001 s"):
        steps(fabric, teller, recall_timeout=0.001).recall("anything")


def test_projects_of_one_bank_see_their_own_and_what_is_of_none(teller: Teller, fabric: Fabric):
    said = {"fabric": "The build uses ninja.", "other": "The build uses bazel.", "": "The build of a user is quick."}
    for project, text in said.items():
        here = steps(fabric, teller, project, session=project or "none")
        here.retain(text)
        here.flush()
    assert stored(teller) == sorted(said.values())
    for project in ("fabric", "other"):
        here = steps(fabric, teller, project, session=f"{project}-2")
        assert sorted(contents(here.recall("build"))) == sorted([said[project], said[""]])
        assert said[project] in here.reflect("build").text
    assert sorted(contents(steps(fabric, teller, session="all").recall("build"))) == sorted(said.values())


def test_mental_models_are_made_once_and_say_what_was_retained(teller: Teller, fabric: Fabric):
    first = steps(fabric, teller, "fabric", mental_model_first_turn_deadline=60)
    assert first.models() == ""
    first.retain("In this project the user prefers tabs as a convention, by a decision of last week.")
    first.flush()

    def written() -> bool:
        teller.settle()
        models = teller.send("GET", f"/v1/default/banks/{teller.bank}/mental-models?detail=content")[1]["items"]
        return len(models) == 3 and all(model["content"] for model in models)

    until(written)
    later = steps(fabric, teller, "fabric", session="later", mental_model_first_turn_deadline=60)
    text = later.models()
    assert [name in text for name in ("## User preferences", "## Project conventions", "## Project decisions")] == [
        True
    ] * 3
    assert "prefers tabs" in text
    assert later.models() == text
    assert first.models() == ""  # a session goes on as it began
