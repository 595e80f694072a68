"""Declared: who keeps what in a file, so that a later opening, or another program, does not overwrite it unnoticed."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..errors import ResourceConflictError
from ..floors import FLOORS
from ..flow.resource import Collection, Resource, schema_name
from ..store.base import SYSTEM, Row, Rows, Store

CATALOG = "fabric_declared"
"""The document of the engine's own that holds what was declared."""


class Declared(NamedTuple):
    """One key of a file: what is kept under it, as whoever registered it last said."""

    key: str
    kind: str
    schema: str
    scope: str
    fields: tuple[str, ...]

    @classmethod
    def of(cls, resource: Resource) -> "Declared":
        """Return what a resource says of itself."""
        kind, fields = type(resource).__name__, tuple(resource.schema.model_fields)
        return cls(resource.key, kind, schema_name(resource), resource.scope, fields)

    @classmethod
    def read(cls, row: Row) -> "Declared":
        """Return what the file holds of a key."""
        return cls(row["key"], row["kind"], row["schema"], row["scope"], tuple(row["fields"]))

    @property
    def is_ours(self) -> bool:
        """Whether it is one of this project's own, such as a memory's."""
        return self.schema.partition(".")[0] in FLOORS

    def may_be(self, other: "Declared") -> bool:
        """Return whether both may keep the same data: a schema may be renamed, moved, or have other fields since.

        What is ours is never what is a user's. Otherwise two schemas that share neither their name nor a field beside
        ``id`` are two.
        """
        if (self.is_ours, self.kind) != (other.is_ours, other.kind):
            return False
        return self.schema == other.schema or bool({*self.fields} & {*other.fields} - {"id"})

    def __str__(self) -> str:
        return f"a {self.kind} of {self.schema} in the scope {self.scope}"


def declare(store: Store, resources: Sequence[Resource]) -> None:
    """Take note of resources in the file; ResourceConflictError when one's key keeps something else there.

    A key that a user declared, and under which nothing was ever stored, is free again.
    """
    if resources:
        store.transact_sync(lambda rows: _declare(rows, resources))


def _declare(rows: Rows, resources: Sequence[Resource]) -> None:
    held = rows.read(CATALOG, SYSTEM) or ()
    known = {record["key"]: Declared.read(record) for record in held}
    new = {entry.key: entry for entry in map(Declared.of, resources)}
    for key, entry in new.items():
        before = known.get(key, entry)
        if not before.may_be(entry) and (before.is_ours or _is_kept(rows, before)):
            raise ResourceConflictError(
                f"resource {key!r} has two definitions in this file: {before}, declared when it was opened before, and "
                f"now {entry}; give the one that is yours another key"
            )
    _write(rows, known, new)


def _write(rows: Rows, known: Mapping[str, Declared], new: Mapping[str, Declared]) -> None:
    if not new.items() <= known.items():
        rows.write(CATALOG, SYSTEM, [entry._asdict() for _, entry in sorted({**known, **new}.items())])


def _is_kept(rows: Rows, entry: Declared) -> bool:
    """Return whether anything is stored under the key."""
    if entry.kind != Collection.__name__:
        return any(rows.read(entry.key, owner) is not None for owner in rows.owners())
    if entry.key not in rows.tables():
        return False
    return any(next(rows.scan(owner, entry.key), None) is not None for owner in rows.owners())
