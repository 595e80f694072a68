"""Resources: what a block keeps between runs. A Document is one value per scope, a Collection many records.

A resource is a definition, a value without data. Declaring it (``uses=[...]``, or a capability that brings it) is all
the installation there is; its data is reached through a transaction, ``await ctx.transact(lambda tx: ...)``.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from ..errors import ConfigurationError, ConflictError, ResourceConflictError, SchemaError
from ..floors import FLOORS
from ..lazy import lazy
from ..scope import SCOPE_KINDS, ScopeIds, ScopeKind
from ..search.base import ColumnType, Match, SearchView
from ..store.base import Row, Rows, RowVectors, Table, Where
from ..validation import wrong

if TYPE_CHECKING:
    from ..text import terms as text_terms
else:
    text_terms = lazy("..text.terms", __package__)

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, eq=False, slots=True)
class Document(Generic[M]):
    """One value per scope: counters, working memory. ``default`` makes the value that was never written.

    A session must have the scope's id to run a block that declares it, unless ``required`` is False: then ScopeError
    comes when it is used.
    """

    key: str
    schema: type[M]
    scope: ScopeKind
    default: Callable[[], M] | None = None
    required: bool = True

    def __post_init__(self) -> None:
        _check_key(self.key, self.scope, self.schema)
        if self.default is not None and not callable(self.default):
            raise ConfigurationError(
                f"document {self.key!r}: default must be a function that makes the value, such as lambda: "
                f"{self.default!r}; got the value itself"
            )

    def initial(self) -> M:
        """Return the value of a scope that never wrote one."""
        return self.default() if self.default is not None else self.schema()


@dataclass(frozen=True, eq=False, slots=True)
class Collection(Generic[M]):
    """Many records per scope: episodes, facts. Records are pydantic models with a string field ``id``.

    ``columns`` are the fields that `Transaction.find` may filter and order by; ``text`` is the field that is searched.
    ``terms``, ``kept``, ``thread`` and ``packed`` say how, see `fabric.store.base.Table`; without ``terms``, the words
    of the text. ``required`` is that of a `Document`.
    """

    key: str
    schema: type[M]
    scope: ScopeKind
    columns: Mapping[str, ColumnType] = field(default_factory=dict[str, ColumnType])
    text: str = ""
    terms: Callable[[Row], Sequence[str]] | None = None
    kept: tuple[str, ...] = ()
    thread: str = ""
    packed: tuple[str, ...] = ()
    required: bool = True
    table: Table = field(init=False, repr=False)
    """The collection as the store sees it."""

    def __post_init__(self) -> None:
        table = Table(self.key, self.columns, self.text, self.terms, self.kept, self.thread, self.packed)
        object.__setattr__(self, "table", table)  # the instance is frozen
        _check_key(self.key, self.scope, self.schema)
        unkept = {*self.kept, *filter(None, [self.thread])} - set(self.columns)
        if unkept:
            raise ConfigurationError(f"collection {self.key!r}: {', '.join(sorted(unkept))} must be among its columns")
        if not set(self.packed) <= set(self.kept):
            raise ConfigurationError(f"collection {self.key!r}: only columns that are kept can be packed")
        missing = {"id", *self.columns, *([self.text] if self.text else [])} - set(self.schema.model_fields)
        if missing:
            raise ConfigurationError(
                f"collection {self.key!r}: {self.schema.__name__} has no field {', '.join(sorted(missing))}"
            )


OWN_TABLES = "fabric_"
"""How the names of the engine's own tables begin."""
Resource = Document[Any] | Collection[Any]


class Transaction:
    """The resources of one session's scopes, inside one transaction. Everything here is synchronous and atomic."""

    __slots__ = ("embedded", "ids", "rows")

    def __init__(self, rows: Rows, ids: ScopeIds) -> None:
        self.rows = rows
        self.ids = ids
        self.embedded: RowVectors | None = None
        """Vectors by text: a record that is put gets the one of its text, if it is among them."""

    def read(self, document: Document[M]) -> M:
        """Return the document's value."""
        value = self.rows.read(document.key, self.ids.scope(document.scope))
        return document.initial() if value is None else _typed(document, [value])[0]

    def write(self, document: Document[M], value: M) -> None:
        """Replace the document's value."""
        self.rows.write(document.key, self.ids.scope(document.scope), value.model_dump(mode="json"))

    def get(self, collection: Collection[M], record_id: str) -> M | None:
        """Return the record with this id, or None."""
        found = self.rows.get(collection.table, self.ids.scope(collection.scope), [record_id])
        return _typed(collection, found)[0] if found else None

    def get_many(self, collection: Collection[M], record_ids: Sequence[str]) -> list[M]:
        """Return the records with these ids, in that order, missing ones left out."""
        rows = self.rows.get(collection.table, self.ids.scope(collection.scope), record_ids)
        return _typed(collection, rows)

    def find(
        self,
        collection: Collection[M],
        *where: Where,
        order: str = "",
        limit: int | None = None,
        offset: int = 0,
    ) -> list[M]:
        """Return the records that meet all conditions, oldest first, or by ``order`` (``-field`` descends)."""
        rows = self.rows.find(collection.table, self.ids.scope(collection.scope), where, order, limit, offset)
        return _typed(collection, rows)

    def count(self, collection: Collection[M], *where: Where) -> int:
        """Return how many records meet all conditions."""
        return self.rows.count(collection.table, self.ids.scope(collection.scope), where)

    def put(
        self,
        collection: Collection[M],
        records: Iterable[M],
        vectors: RowVectors | None = None,
        *,
        new: bool = False,
    ) -> None:
        """Insert the records, or replace those with the same id; ``vectors``, by id, come before ``embedded``.

        ``new`` promises that no record of these ids is there, so that none is looked for.
        """
        rows = [record.model_dump(mode="json") for record in records]
        if rows:
            if vectors is None and collection.text and self.embedded is not None:
                vectors = self._vectors(collection, rows)
            self.rows.put(collection.table, self.ids.scope(collection.scope), rows, vectors, new=new)

    def _vectors(self, collection: Collection[Any], rows: Sequence[Row]) -> RowVectors | None:
        assert self.embedded is not None  # noqa: S101  the caller has looked
        by_text = self.embedded.by_id
        found = {row["id"]: by_text[text] for row in rows for text in [row[collection.text]] if text in by_text}
        return RowVectors(self.embedded.space, found) if found else None

    def insert(self, collection: Collection[M], record: M) -> None:
        """Insert one record; raise ConflictError when its id is taken."""
        record_id = str(getattr(record, "id"))  # noqa: B009  checked when the collection was defined
        if self.get(collection, record_id) is not None:
            raise ConflictError(f"{collection.key}: id {record_id!r} is taken; nothing was written")
        self.put(collection, [record])

    def delete(self, collection: Collection[M], record_ids: Sequence[str]) -> int:
        """Delete the records with these ids; return how many there were."""
        return self.rows.delete(collection.table, self.ids.scope(collection.scope), record_ids)

    def match(self, collection: Collection[M], words: Sequence[str], limit: int) -> list[Match]:
        """Return the records that share most words with ``words`` (tokens of `fabric.text.words`), best first.

        Where the collection has terms of its own, words are the same that have one stem.
        """
        if collection.terms is not None:
            words = text_terms.plain_terms(" ".join(words))
        return self.rows.match(collection.table, self.ids.scope(collection.scope), words, limit)

    def index(self, collection: Collection[Any], space: str = "") -> SearchView | None:
        """Return what searching needs of the scope's records; read it inside the transaction only."""
        return self.rows.index(collection.table, self.ids.scope(collection.scope), space)

    def set_vectors(self, collection: Collection[Any], vectors: RowVectors) -> int:
        """Give records that are there their vectors; return how many there were."""
        return self.rows.set_vectors(collection.table, self.ids.scope(collection.scope), vectors)


def _typed(resource: Document[M] | Collection[M], values: Sequence[Any]) -> list[M]:
    """Return stored values as the resource's schema types them; SchemaError naming the resource that has changed."""
    try:
        return [resource.schema.model_validate(value) for value in values]
    except ValidationError as error:
        kind = "document" if isinstance(resource, Document) else "collection"
        raise SchemaError(
            f"{kind} {resource.key!r} of a {resource.scope}: what the file holds does not fit "
            f"{resource.schema.__name__}: {wrong(error)}. A schema that changed must still read what it wrote: give a "
            f"new field a default, keep or convert an old one (a model_validator with mode='before'), or give the "
            f"changed {kind} another key"
        ) from error


def merge_resources(resources: Iterable[tuple[str, Resource]]) -> dict[str, Resource]:
    """Return the resources by key; raise ResourceConflictError when one key has two definitions.

    ``resources`` are pairs of the place that declares and the resource.
    """
    merged: dict[str, tuple[str, Resource]] = {}
    for place, resource in resources:
        earlier = merged.setdefault(resource.key, (place, resource))
        if not same_definition(earlier[1], resource):
            raise ResourceConflictError(
                f"resource {resource.key!r} has two definitions: one declared by {earlier[0]}, another by {place}; "
                "give one of them another key, or let both use one definition"
            )
    return {key: resource for key, (_, resource) in merged.items()}


def same_definition(resource: Resource, other: Resource) -> bool:
    """Return whether two definitions keep the same data in the same form."""
    if resource is other:
        return True
    if type(resource) is not type(other) or resource.schema is not other.schema or resource.scope != other.scope:
        return False
    if isinstance(resource, Collection) and isinstance(other, Collection):
        return resource.table == other.table
    return True


def check_alike(one: Resource, other: Resource) -> None:
    """Raise ResourceConflictError when two pipelines of a file keep different things under one key."""
    if (type(one), schema_name(one)) != (type(other), schema_name(other)):
        both = [f"a {type(resource).__name__} of {schema_name(resource)}" for resource in (one, other)]
        raise ResourceConflictError(
            f"resource {one.key!r} has two definitions in this file: {', and '.join(both)}; give the one that is yours "
            "another key"
        )


def schema_name(resource: Resource) -> str:
    """Return what a resource's schema is called, with its module."""
    return f"{resource.schema.__module__}.{resource.schema.__qualname__}"  # a class made again is the same one


def _check_key(key: str, scope: str, schema: type[BaseModel]) -> None:
    if not key.isidentifier() or not key.isascii():
        raise ConfigurationError(f"resource key {key!r}: use letters, digits and underscores")
    is_own = schema.__module__.partition(".")[0] in FLOORS
    if key.startswith(OWN_TABLES) or ("__" in key and not is_own):
        raise ConfigurationError(
            f"resource key {key!r}: keys that begin with {OWN_TABLES!r} or hold two underscores are kept for the "
            "engine and for named memories; choose another"
        )
    if scope not in SCOPE_KINDS:
        raise ConfigurationError(f"resource {key!r}: unknown scope {scope!r}; expected one of {', '.join(SCOPE_KINDS)}")
