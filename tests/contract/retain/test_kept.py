"""What is retained is recalled, in its bank and nowhere else, without secrets, whatever the script."""

import asyncio
from pathlib import Path

import pytest

from capabilities.retain import RetainItem

from .kinds import Desk

SECRET = "sk-proj-9aVt3kQz81LmXw0PbR7uYc2DfGh5JnTs"


def test_it_says_what_was_done_and_counts_what_was_given(desk: Desk) -> None:
    backend = desk.open()
    assert backend.verb == {"local": "stored", "hindsight": "queued"}[backend.name]
    retained = desk.retain(backend, "The API is versioned by date.", "Deployments happen on Thursdays.")
    assert retained.count == 2
    assert not retained.failed


def test_what_was_retained_is_recalled_in_another_session(desk: Desk) -> None:
    backend = desk.open()
    desk.retain(backend, "The database is DuckDB, because one file was required.", "CI runs on GitHub Actions.")
    found = desk.found(backend, "which database is used?", session="friday")
    assert "DuckDB" in found[0]


def test_nothing_is_recalled_of_an_empty_bank(desk: Desk) -> None:
    assert desk.found(desk.open(), "which database is used?") == []


def test_two_banks_never_mix(desk: Desk) -> None:
    ours, theirs = desk.open("ours"), desk.open("theirs")
    desk.retain(ours, "The release codename is Heron.")
    assert any("Heron" in one for one in desk.found(ours, "release codename"))
    assert desk.found(theirs, "release codename") == []


def test_two_organisations_never_mix(desk: Desk) -> None:
    backend = desk.open("shared")
    if desk.kind.name != "local":
        pytest.skip("a server's banks are one organisation's: whoever has its token")
    desk.retain(backend, "The release codename is Heron.", org="acme")
    assert desk.found(backend, "release codename", org="globex") == []
    assert desk.found(backend, "release codename") == []
    assert desk.found(backend, "release codename", org="acme") == ["The release codename is Heron."]


def test_a_bank_that_is_read_beside_the_own_is_found_and_not_written(desk: Desk) -> None:
    if desk.kind.name != "local":
        pytest.skip("a server's bank is one bank, with tags")
    shared, own = desk.open("shared"), desk.open("own", "shared")
    desk.retain(shared, "Commit subjects are imperative.")
    desk.retain(own, "Commit messages here name an issue.")
    assert len(desk.found(own, "commit messages and subjects")) == 2
    assert desk.found(shared, "commit messages and subjects") == ["Commit subjects are imperative."]


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("用户喜欢使用深色主题。", "深色主题"),
        ("デプロイは木曜日に行います。", "デプロイ"),
        ("Der Größenänderungs-Test läuft nachts.", "Größenänderungs-Test"),
        ("The mascot is 🦉 Mimi.", "who is the mascot?"),
    ],
)
def test_any_script_is_found(desk: Desk, content: str, query: str) -> None:
    backend = desk.open()
    desk.retain(backend, content, "Backups are made at night.")
    assert desk.found(backend, query)[0] == content


def test_a_secret_is_taken_out_before_it_is_at_rest(desk: Desk, tmp_path: Path) -> None:
    backend = desk.open()
    retained = desk.retain(backend, f"The staging service is called with OPENAI_API_KEY={SECRET} by the worker.")
    assert retained.redacted
    found = desk.found(backend, "how is the staging service called?")
    assert "staging service" in found[0]
    assert SECRET not in " ".join(found)
    desk.fabric.close()
    held = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert SECRET.encode() not in held


def test_fifty_retain_at_once_and_all_of_it_is_kept(desk: Desk) -> None:
    backend = desk.open()

    async def all_at_once() -> None:
        session = desk.fabric.session("busy", user="jake")

        async def one(number: int) -> None:
            item = RetainItem(content=f"Service number{number} listens on port {9000 + number}.")
            await session.arun(desk.block, lambda ctx: backend.retain(ctx, [item]))

        await asyncio.gather(*map(one, range(50)))

    asyncio.run(all_at_once())
    desk.settle(backend)
    missing = [
        number
        for number in range(50)
        if not any(str(9000 + number) in one for one in desk.found(backend, f"port of number{number}"))
    ]
    assert missing == []
