"""What only a server has: answers that are lost, a death in the middle, mental models, tokens."""

import pytest

from capabilities.retain import Bank, HindsightConfig, RetainItem
from capabilities.retain.banks import in_bank
from capabilities.retain.hindsight import RETAIN_OUTBOX, HindsightBackend, HindsightError
from capabilities.retain.hindsight.outbox import operation_id
from fabric import Context
from fabric.flow.resource import Transaction
from tests.hindsight import running_server

from .kinds import LOCAL, REAL, Desk

NEVER = {"flush_interval": 10_000, "flush_batch_size": 10_000, "mental_model_refresh_interval": 0}


@pytest.fixture(autouse=True)
def _with_a_server(desk: Desk) -> None:
    if desk.kind is LOCAL:
        pytest.skip("a file is no server")


def backend_of(desk: Desk, *tags: str, token: str = "") -> HindsightBackend:
    bank = desk.open().bank.id
    config = HindsightConfig(api_url=desk.place.url, api_token=token or desk.place.token, **NEVER)
    return HindsightBackend(config, Bank(bank, (bank,), tags))


def retain(desk: Desk, backend: HindsightBackend, *texts: str) -> None:
    desk.do(lambda ctx: backend.retain(ctx, [RetainItem(content=text) for text in texts]))


def test_what_was_sent_and_not_acknowledged_is_taken_once(desk: Desk) -> None:
    backend = backend_of(desk)
    retain(desk, backend, "The release codename is Heron.", "The mascot is an owl.")
    waiting = desk.do(backend.waiting)
    desk.settle(backend)

    async def put_back(ctx: Context) -> None:
        name = operation_id(waiting)
        again = [item.model_copy(update={"status": "sent", "batch": name}) for item in waiting]

        def work(tx: Transaction) -> None:
            in_bank(tx, backend.bank.id).put(RETAIN_OUTBOX, again)

        await ctx.transact(work)

    desk.do(put_back)  # as a process leaves it that ends before it reads the answer
    assert desk.do(backend.flush).done == 2
    desk.settle(backend)
    assert desk.found(backend, "what is the release codename?").count("The release codename is Heron.") == 1


@pytest.mark.parametrize(
    ("match", "found"),
    [
        ("any", {"Ours uses ninja.", "Everybody uses git."}),
        ("any_strict", {"Ours uses ninja."}),
        ("all", {"Ours uses ninja.", "Everybody uses git."}),
        ("all_strict", {"Ours uses ninja."}),
        ("exact", {"Ours uses ninja."}),
    ],
)
def test_tags_are_matched_as_asked(desk: Desk, match: str, found: set[str]) -> None:
    ours, theirs, shared = backend_of(desk, "project:ours"), backend_of(desk, "project:theirs"), backend_of(desk)
    retain(desk, ours, "Ours uses ninja.")
    retain(desk, theirs, "Theirs uses make.")
    retain(desk, shared, "Everybody uses git.")
    desk.settle(shared)
    asking = HindsightBackend(ours.config.model_copy(update={"tags_match": match}), ours.bank)
    assert set(desk.found(asking, "what uses what?")) == found


def test_a_bank_s_mental_models_are_made_and_read(desk: Desk) -> None:
    backend = backend_of(desk)
    assert desk.do(backend.models, session="first") == ""
    retain(desk, backend, "In this project the user likes to work with tabs.")
    desk.settle(backend)
    text = ""
    for number in range(200):
        text = desk.do(backend.models, session=f"later {number}")
        if "tabs" in text:
            break
        desk.settle(backend)
    assert text.startswith("<mental_models>\n")
    assert "tabs" in text
    assert "## User preferences\n" in text


def test_a_wrong_token_is_told(desk: Desk) -> None:
    if desk.kind is not REAL:
        pytest.skip("the double of these tests asks for none; others have one that does")
    with pytest.raises(HindsightError, match="HINDSIGHT_API_TOKEN") as refused:
        desk.do(lambda ctx: backend_of(desk, token="wrong").recall(ctx, "which codename?"))
    assert refused.value.status_code == 401


def test_a_server_that_is_killed_and_started_again_has_all_of_it_once(desk: Desk) -> None:
    if desk.kind is not REAL:
        pytest.skip("the double's deaths have tests of their own")
    server, backend = running_server(), backend_of(desk)
    retain(desk, backend, "The release codename is Heron.")
    assert desk.do(backend.flush).done == 1
    server.kill()  # which may be before, in or after what it does behind its answer
    retain(desk, backend, "The mascot is an owl.")
    assert desk.do(backend.flush).waiting == 1
    server.restart()
    desk.settle(backend)
    assert desk.found(backend, "what is the release codename?").count("The release codename is Heron.") == 1
    assert desk.found(backend, "what is the mascot?").count("The mascot is an owl.") == 1
