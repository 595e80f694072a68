"""The official client reads what the double answers, and says the same of it as of the real server."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from hindsight_client import Hindsight
from hindsight_client_api.exceptions import ApiException, NotFoundException, UnauthorizedException

from . import hindsight_double, running_server

TOKEN = str(uuid4())


@pytest.fixture(params=["double", pytest.param("server", marks=pytest.mark.hindsight)])
async def client(request: pytest.FixtureRequest) -> AsyncIterator[Hindsight]:
    with hindsight_double(token=TOKEN) as double:
        url, token = double.url, TOKEN
        if request.param == "server":
            url, token = (server := running_server()).url, server.token
        client = Hindsight(url, api_key=token, timeout=120)
        yield client
        await client.aclose()


@pytest.fixture
def bank() -> str:
    return f"client-{uuid4().hex[:8]}"


async def done(client: Hindsight, bank: str, operation_id: str) -> str:
    """Wait until an operation has ended, and return how."""
    while True:
        status: str = (await client.operations.get_operation_status(bank, operation_id)).status
        if status not in ("pending", "processing"):
            return status
        await asyncio.sleep(0.05)


async def test_a_batch_is_taken_once_and_recalled(client: Hindsight, bank: str):
    await client.acreate_bank(bank, reflect_mission="help", retain_mission="keep decisions")
    items: list[dict[str, Any]] = [
        {"content": "The build uses ninja.", "context": "omp", "metadata": {"session_id": "s"}, "tags": ["project:p"]},
        {"content": "The user drinks tea.", "timestamp": "2026-01-02T03:04:05+02:00"},
    ]
    operation_id = str(uuid4())
    for _ in range(2):
        taken = await client.aretain_batch(bank, items, retain_async=True, operation_id=operation_id)
        assert (taken.success, taken.items_count, taken.operation_id) == (True, 2, operation_id)
    assert await done(client, bank, operation_id) == "completed"
    found = await client.arecall(bank, "ninja", types=["world"], tags=["project:p"], tags_match="any", max_tokens=1024)
    best = found.results[0]
    assert (best.text, best.type, best.context) == ("The build uses ninja.", "world", "omp")
    assert (best.tags, best.metadata) == (["project:p"], {"session_id": "s"})
    listed = await client.alist_memories(bank)
    [stamped] = [item for item in listed.items if item.text == "The user drinks tea."]
    assert str(stamped.mentioned_at).startswith("2026-01-02T01:04:05")


async def test_a_reflection_says_what_it_rests_on(client: Hindsight, bank: str):
    await client.aretain(bank, "The build uses ninja.")
    answer = await client.areflect(bank, "What does the build use?", context="Be brief.", include_facts=True)
    assert answer.text == "- The build uses ninja."
    assert [fact.text for fact in answer.based_on.memories] == ["The build uses ninja."]


async def test_mental_models_are_made_listed_refreshed_and_removed(client: Hindsight, bank: str):
    await client.aretain(bank, "The build uses ninja.")
    seed = {"source_query": "What does the build use?", "max_tokens": 600, "id": "build"}
    made = await client.acreate_mental_model(bank, "Build", **seed, trigger={"mode": "delta"})
    assert await done(client, bank, made.operation_id) == "completed"
    with pytest.raises(ApiException) as caught:
        await client.acreate_mental_model(bank, "Build", **seed)
    assert caught.value.status == 409
    [listed] = (await client.alist_mental_models(bank, detail="content")).items
    assert (listed.id, listed.content) == ("build", "## Known\n\n- The build uses ninja.\n")
    refreshed = await client.arefresh_mental_model(bank, "build", mode="full")
    assert await done(client, bank, refreshed.operation_id) == "completed"
    assert (await client.aget_mental_model(bank, "build")).source_query == seed["source_query"]
    assert (await client.aget_mental_model_history(bank, "build"))[-1]["previous_content"] == ""
    await client.adelete_mental_model(bank, "build")
    with pytest.raises(NotFoundException):
        await client.aget_mental_model(bank, "build")


async def test_documents_are_replaced_read_and_removed(client: Hindsight, bank: str):
    for plan in ("alpha", "beta"):
        await client.aretain(bank, f"The plan is {plan}.", document_id="session/1", tags=["t"])
    assert (await client.documents.get_document(bank, "session/1")).original_text == "The plan is beta."
    assert [one.id for one in (await client.documents.list_documents(bank)).items] == ["session/1"]
    assert (await client.documents.delete_document(bank, "session/1")).memory_units_deleted == 1
    await client.adelete_bank(bank)


async def test_refusals_are_errors_with_their_status(client: Hindsight, bank: str):
    with pytest.raises(NotFoundException, match="not found"):
        await client.arecall(bank, "tea")
    for wrong in ({"content": ""}, {"content": "Tea.", "timestamp": "nope"}):
        with pytest.raises(ApiException) as caught:
            await client.aretain_batch(bank, [wrong])
        assert caught.value.status == 422
    operation_id = str(uuid4())
    await client.aretain(bank, "Tea.", retain_async=True, operation_id=operation_id)
    with pytest.raises(ApiException) as caught:
        await client.aretain(f"{bank}-2", "Tea.", retain_async=True, operation_id=operation_id)
    assert caught.value.status == 409
    stranger = Hindsight(client._base_url, api_key="other")
    with pytest.raises(UnauthorizedException):
        await stranger.arecall(bank, "tea")
    await stranger.aclose()
