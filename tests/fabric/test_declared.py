"""What is kept in a file is compared with what a later opening declares, and may be renamed and changed since."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, create_model

from fabric import Context, Fabric, handler
from fabric.errors import ResourceConflictError
from fabric.flow.resource import Collection, Document, Resource

STRINGS = {"id": (str, "one"), "text": (str, "")}


def schema(name: str, module: str = "shop", **fields: Any) -> type[BaseModel]:
    return create_model(name, __module__=module, **(fields or STRINGS))


def use(file: Path, *resources: Resource, store: bool = True) -> None:
    """Open the file, declare the resources, and store something under their keys."""

    @handler(name="use", uses=resources)
    async def work(_: object, ctx: Context) -> None:
        for resource in resources if store else ():
            if isinstance(resource, Document):
                await ctx.update(resource, lambda value: value)
            else:
                await ctx.transact(lambda tx, own=resource: tx.put(own, [own.schema()]))

    with Fabric(file) as fabric:
        fabric.session("s", user="u").run(work, None)


def test_a_schema_may_be_renamed_moved_and_changed_between_openings(tmp_path: Path):
    file = tmp_path / "shop.duckdb"
    for one in (
        schema("Note"),
        schema("Note", module="__main__"),
        schema("Entry", module="shop.entries"),
        schema("Entry", module="shop.entries", id=(str, "one"), body=(str, "")),
        schema("Letter", module="shop.letters", id=(str, "one"), body=(str, ""), to=(str, "")),
    ):
        use(file, Document("note", one, "user"), Collection("notes", one, "user"))


@pytest.mark.parametrize(
    "second",
    [
        Document("note", schema("Count", id=(str, "one"), count=(int, 0)), "user"),
        Collection("note", schema("Note"), "user"),
        Document("note", schema("WorkingState", module="capabilities.working.record"), "user"),
    ],
    ids=["another schema", "another kind", "one of ours"],
)
def test_what_is_something_else_is_refused_where_something_is_kept(second: Any, tmp_path: Path):
    use(tmp_path / "a.duckdb", Document("note", schema("Note"), "user"))
    with pytest.raises(ResourceConflictError, match=r"'note' has two definitions .*: a Document of shop\.Note"):
        use(tmp_path / "a.duckdb", second)
    use(tmp_path / "a.duckdb", Document("note", schema("Note"), "user"))
    use(tmp_path / "b.duckdb", Document("note", schema("Note"), "user"), store=False)
    use(tmp_path / "b.duckdb", second)


def test_a_key_of_ours_is_kept_though_nothing_is_stored_under_it(tmp_path: Path):
    file = tmp_path / "a.duckdb"
    use(file, Document("note", schema("State", module="capabilities.somewhere"), "user"), store=False)
    with pytest.raises(ResourceConflictError, match="give the one that is yours another key"):
        use(file, Document("note", schema("State", module="shop"), "user"))
    use(file, Document("note", schema("Renamed", module="capabilities.elsewhere"), "user"))
