"""Importing from a program: the same as the command, in an open memory, sync and async."""

from pathlib import Path
from typing import Any

import pytest

from fabric.errors import RefusedError, SchemaError
from pipelines import AsyncMemory, Memory, memory_system

from .commands import write

RECORDS: list[dict[str, Any]] = [
    {"id": "m1", "memory": "Likes tea", "user_id": "ann", "created_at": "2025-03-01T10:00:00Z"},
    {"id": "m2", "memory": "Likes rye", "user_id": "bob", "created_at": "2025-03-01T10:00:00Z"},
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(tmp_path / "mem0.json", RECORDS[:1])


def recalled(memory: Memory) -> list[str]:
    return [recalled.content for recalled in memory.recall()]


def test_a_dry_run_in_an_open_memory_leaves_it_as_it_is(path: Path) -> None:
    with Memory(user="ann", embedder=None) as memory:
        memory.remember("Likes jazz")
        before, held = list(memory.export()), recalled(memory)
        told = memory.import_file(path, dry_run=True)
        assert (told.facts.new, told.dry_run, told.users) == (1, True, {"ann": 1})
        assert (list(memory.export()), recalled(memory)) == (before, held)
        assert memory.import_file(path).facts.new == 1
        assert sorted(recalled(memory)) == ["Likes jazz", "Likes tea"]
        assert memory.import_file(path, dry_run=True).facts.known == 1


def test_two_people_are_never_mixed_up(path: Path) -> None:
    write(path, RECORDS)
    with Memory(user="ann", embedder=None) as memory:
        with pytest.raises(RefusedError, match=r"several people: 'ann' \(1\), 'bob' \(1\)"):
            memory.import_file(path)
        assert list(memory.export()) == []
        assert memory.import_file(path, source_user="bob").left_out == {"records of 'ann'": 1}
        assert recalled(memory) == ["Likes rye"]


def test_a_conversation_of_somebody_else_is_refused(path: Path) -> None:
    def talk(user: str, text: str) -> dict[str, Any]:
        return {"session": user, "user_id": user, "messages": [{"role": "user", "content": text}]}

    write(path, [talk("ann", "hi"), talk("bob", "ho")])
    with Memory(user="ann", embedder=None) as memory:
        with pytest.raises(RefusedError):
            memory.import_file(path)
        assert memory.import_file(path, source_user="ann").left_out == {"records of 'bob'": 1}
    plain = {"session": "x", "messages": [{"role": "user", "content": "hi"}]}
    write(path, [plain] * 60 + [talk("bob", "ho")])
    with Memory(user="ann", embedder=None) as memory:
        told = memory.import_file(path)
        assert told.problems == ["record 61, message 1: of 'bob', where the records before name nobody"]
        assert (told.messages.new, told.messages.known) == (1, 59)


def test_what_cannot_be_asked_for(path: Path) -> None:
    with Memory(user="ann", embedder=None) as memory:
        with pytest.raises(SchemaError):
            memory.import_file(path, dryrun=True)
        with pytest.raises(FileNotFoundError):
            memory.import_file(path.with_name("absent.json"))
        with pytest.raises(RefusedError, match="unknown format"):
            memory.import_file(path, format="csv")


async def test_the_same_in_async_code(path: Path) -> None:
    async with AsyncMemory(user="ann", embedder=None) as memory:
        assert (await memory.import_file(path, dry_run=True)).facts.new == 1
        assert (await memory.import_file(str(path))).facts.new == 1
        assert [recalled.content for recalled in await memory.recall("tea")] == ["Likes tea"]


def test_facts_need_semantic_memory_and_messages_do_not(path: Path) -> None:
    from fabric import Fabric
    from fabric.errors import ConfigurationError
    from pipelines.importing import FileImport, file_import_block

    block = file_import_block(memory_system(embedder=None).layout)
    with Fabric() as fabric:
        with pytest.raises(ConfigurationError, match="semantic memory is needed"):
            fabric.session("x", user="ann").run(block, FileImport(path=path))
        write(path, [{"role": "user", "content": "hi"}])
        assert fabric.session("x", user="ann").run(block, FileImport(path=path)).output.messages.new == 1
