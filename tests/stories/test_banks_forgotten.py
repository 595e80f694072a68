"""What a user retained in a bank is forgotten and exported with the user, and nobody else's is."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from blocks.retain.answering import local_backend
from capabilities.retain import Bank, LocalConfig, RetainItem
from capabilities.retain.local import LOCAL_RESOURCES
from fabric import Context, Fabric, handler, sequencer
from fabric.sessions.session import Session
from pipelines import memory_system

MEM = memory_system(model=None, episodic=True, semantic=True, embedder=None)
SHARED = local_backend(LocalConfig(), Bank("shared", ("shared",)), embedder=None)


@handler(name="call", uses=list(LOCAL_RESOURCES))
async def call(work: Callable[[Context], Awaitable[Any]], ctx: Context) -> Any:
    return await work(ctx)


@handler(name="retains", uses=list(LOCAL_RESOURCES))
async def retains(message: str, ctx: Context) -> str:
    await SHARED.retain(ctx, [RetainItem(content=message)])
    await SHARED.flush(ctx)
    return "Noted."


TALK: Any = sequencer(name="talk").then(retains).work(MEM.capture_from_items)


def recalled(session: Session, query: str) -> list[str]:
    return [one.content for one in session.run(call, lambda ctx: SHARED.recall(ctx, query)).output.found]


def exported(session: Session, **asked: Any) -> list[str]:
    records = session.run(MEM.export_block, asked or None).output
    return [one["content"] for one in records if one["kind"] == "retained memory"]


def test_a_user_is_forgotten_with_what_they_retained(tmp_path: Path):
    path = tmp_path / "memory.duckdb"
    with Fabric(path) as fabric:
        jake, kim = fabric.session("monday", user="jake"), fabric.session("monday", user="kim")
        jake.run(TALK, "I prefer tabs over spaces.")
        kim.run(TALK, "The deploy key of Kim is rotated on Fridays.")
        assert exported(jake) == ["I prefer tabs over spaces."]
        assert exported(jake, scope="user") == exported(jake, scope="session") == exported(jake)
        receipt = jake.run(MEM.forget_block, {"scope": "user"}).output
        assert receipt.removed["retained memories"] == 1
        assert receipt.removed["facts"] == 1
        assert recalled(kim, "tabs or spaces?") == []
        assert recalled(kim, "when is the deploy key rotated?") == ["The deploy key of Kim is rotated on Fridays."]
        assert exported(jake) == []
        assert exported(kim) == ["The deploy key of Kim is rotated on Fridays."]


def test_a_session_and_a_turn_are_forgotten_with_what_was_retained_in_them(tmp_path: Path):
    with Fabric(tmp_path / "memory.duckdb") as fabric:
        monday, tuesday = (fabric.session(name, user="jake") for name in ("monday", "tuesday"))
        other = fabric.session("monday", user="kim")
        monday.run(TALK, "Backups are made at night.")
        tuesday.run(TALK, "Releases carry the date.")
        tuesday.run(TALK, "Invoices are checked by hand.")
        other.run(TALK, "Kim reviews migrations.")
        assert exported(monday, scope="session") == ["Backups are made at night."]
        assert tuesday.run(MEM.forget_block, {"session": "monday"}).output.removed["retained memories"] == 1
        assert exported(tuesday) == ["Releases carry the date.", "Invoices are checked by hand."]
        fabric.drain()
        turn = next(item.id for item in tuesday.items if item.text == "Releases carry the date.")
        assert tuesday.run(MEM.forget_block, {"id": turn}).output.found
        assert exported(tuesday) == ["Invoices are checked by hand."]
        assert exported(other) == ["Kim reviews migrations."]


def test_what_two_users_retained_stays_for_the_one_who_stays(tmp_path: Path):
    path = tmp_path / "memory.duckdb"
    with Fabric(path) as fabric:
        jake, kim = fabric.session("a", user="jake"), fabric.session("b", user="kim")
        for session in (jake, kim):
            session.run(TALK, "The build needs Python 3.11.")
        fabric.drain()
    with Fabric(path) as fabric:  # a program that knows of no banks
        jake, kim = fabric.session("a", user="jake"), fabric.session("b", user="kim")
        jake.run(MEM.forget_block, {"scope": "user"})
        assert recalled(kim, "which Python does the build need?") == ["The build needs Python 3.11."]
        assert exported(jake) == []
        assert exported(kim) == ["The build needs Python 3.11."]
        fabric.drain()
        assert not [one for one in kim.run(MEM.export_block).output if "jake" in str(one)]


def test_a_project_of_a_session_is_no_bank(tmp_path: Path):
    with Fabric(tmp_path / "memory.duckdb") as fabric:
        jake = fabric.session("a", user="jake", project="shared")
        jake.run(TALK, "Backups are made at night.")
        jake.run(MEM.forget_block, {"scope": "project"})
        assert recalled(jake, "when are backups made?") == ["Backups are made at night."]
