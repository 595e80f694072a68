"""A provider of one's own, written from what `MindProvider` and `MindTable` say: minds in one JSON file."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from pydantic import BaseModel

from capabilities.meaning import Embedded
from capabilities.mind import (
    DraftOperation,
    Likenesses,
    Mind,
    MindBelief,
    MindEntry,
    MindGoal,
    MindProvider,
    MindReflection,
    MindTable,
    Wanted,
    meets,
    mind,
    word_similarity,
)
from fabric import Context, Fabric, handler
from fabric.testing import FrozenClock

T = TypeVar("T")


class Kept(BaseModel):
    """What the file holds of one mind."""

    entries: dict[str, MindGoal | MindBelief | MindReflection] = {}
    drafts: dict[str, DraftOperation] = {}


class Minds(BaseModel):
    """What the file holds: minds by owner and name."""

    minds: dict[str, dict[str, Kept]] = {}


class JsonTable:
    def __init__(self, kept: Kept) -> None:
        self.kept = kept

    def get(self, kind: type[Any], ids: Sequence[str]) -> list[Any]:
        return [one for one in map(self.kept.entries.get, ids) if isinstance(one, kind)]

    def find(self, kind: type[Any], wanted: Wanted) -> list[Any]:
        found = [entry for entry in self.kept.entries.values() if isinstance(entry, kind) and meets(entry, wanted)]
        found.sort(key=lambda entry: entry.created_at, reverse=wanted.newest_first)
        return found[: wanted.limit]

    def count(self, kind: type[Any], wanted: Wanted) -> int:
        return len(self.find(kind, wanted))

    def compare(self, kind: type[Any], text: str, wanted: Wanted) -> Likenesses:
        found = self.find(kind, replace(wanted, limit=None))
        return Likenesses.of((one, word_similarity(one.text, text)) for one in found)

    def put(self, entries: Sequence[MindEntry]) -> None:
        self.kept.entries.update({entry.id: entry for entry in entries})

    def delete(self, kind: type[Any], ids: Sequence[str]) -> int:
        return sum(self.kept.entries.pop(one.id, None) is not None for one in self.get(kind, ids))

    def drafts(self) -> list[DraftOperation]:
        return list(self.kept.drafts.values())

    def put_drafts(self, operations: Sequence[DraftOperation]) -> None:
        self.kept.drafts.update({operation.id: operation for operation in operations})

    def drop_drafts(self, ids: Sequence[str]) -> None:
        for record_id in ids:
            self.kept.drafts.pop(record_id, None)


class JsonProvider:
    """Minds in a JSON file, by user; no vectors, so that entries are compared by their words."""

    resources = ()

    def __init__(self, path: Path) -> None:
        self.path = path

    async def namespaces(self, ctx: Context) -> list[str]:
        return sorted(self.read().minds.get(ctx.user or "", {}))

    async def transact(
        self,
        ctx: Context,
        namespace: str,
        work: Callable[[MindTable], T],
        embedded: Embedded,
        texts: Sequence[str] = (),
    ) -> T:
        held = self.read()
        table = JsonTable(held.minds.setdefault(ctx.user or "", {}).setdefault(namespace, Kept()))
        result = work(table)
        self.path.write_text(held.model_dump_json(), "utf-8")
        return result

    def read(self) -> Minds:
        return Minds.model_validate_json(self.path.read_bytes()) if self.path.exists() else Minds()


async def remember(ctx: Context) -> None:
    mind: Mind = ctx.cap.mind
    await mind.set_goal("Drink tea", due_by="30d")
    await mind.believe("Tea is hot", confidence="high", tags=["drink"])
    await mind.reflect("Ask first", pin=True)


async def look(ctx: Context) -> tuple[str, list[str], Any, list[str]]:
    mind: Mind = ctx.cap.mind
    again = await mind.believe("Tea is hot!")
    found = await mind.recall("tea", tags=["drink"], type="belief")
    return await mind.header(), [result.content for result in found], again, await mind.namespaces()


def run(path: Path, work: Callable[[Context], Any], user: str = "ann") -> Any:
    with Fabric(":memory:", clock=FrozenClock(first_id=1 if work is remember else 100)) as fabric:
        uses = [mind(None, provider=JsonProvider(path))]
        return fabric.session("s", user=user).run(handler(work, name="agent", uses=uses)).output


def test_it_is_a_provider_by_its_form(tmp_path: Path):
    provider: MindProvider = JsonProvider(tmp_path / "minds.json")
    assert mind(provider=provider) is mind(provider=provider)


def test_what_a_run_wrote_is_there_in_the_next_process(tmp_path: Path):
    path = tmp_path / "minds.json"
    run(path, remember)
    header, found, again, names = run(path, look)
    for said in ("[normal] Drink tea (due: ", "- Ask first", "- Tea is hot (high confidence)"):
        assert said in header
    assert found == ["Tea is hot"]
    assert again.action == "updated_store"
    assert names == ["mind/agent"]
    assert run(path, look, "bob")[:2] == ("", [])


def test_a_failed_run_drops_its_goal_and_marks_the_rest(tmp_path: Path):
    path = tmp_path / "minds.json"

    async def fails(ctx: Context) -> None:
        await remember(ctx)
        raise ConnectionError

    with pytest.raises(ConnectionError):
        run(path, fails)
    kept = JsonProvider(path).read().minds["ann"]["mind/agent"]
    assert {entry.text: getattr(entry, "error", None) for entry in kept.entries.values()} == {
        "Tea is hot": True,
        "Ask first": True,
    }
    assert kept.drafts == {}
