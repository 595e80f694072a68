"""The seam to where minds are kept: what a provider must do, whatever keeps the entries."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from fabric.flow.context import Context
from fabric.flow.resource import Resource

from ..meaning import Embedded
from .record import ConfidenceLevel, GoalStatus, MindBelief, MindEntry, MindGoal, MindReflection, sureness
from .writing.draft import DraftOperation

if TYPE_CHECKING:
    from numpy import floating
    from numpy.typing import NDArray

    Numbers = Sequence[float] | NDArray[floating]

T = TypeVar("T")
E = TypeVar("E", bound=MindGoal | MindBelief | MindReflection)
Compared = MindBelief | MindReflection


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which entries are asked for; a condition that a type does not have does not apply to it.

    ``alive_at``: not expired at that time. ``made_since``: created then or later. ``tags``: all of them.
    """

    status: GoalStatus | None = None
    pinned: bool | None = None
    at_least: ConfidenceLevel | None = None
    alive_at: datetime | None = None
    made_since: datetime | None = None
    without_errors: bool = False
    tags: frozenset[str] = frozenset()
    newest_first: bool = False
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Likenesses:
    """How alike entries are to a text, and what else their scores are made of; one number per entry in each column.

    With this much, all entries are ranked, and only the best are read. ``created_at`` is in seconds since 1970;
    ``confidence`` is what an entry's confidence counts (`capabilities.mind.record.sureness`).
    """

    ids: Sequence[str]
    similarity: "Numbers"
    created_at: "Numbers"
    confidence: "Numbers"

    @classmethod
    def of(cls, entries: Iterable[tuple[Compared, float]]) -> "Likenesses":
        """Return the columns of entries that were read, each with its similarity."""
        pairs = list(entries)
        return cls(
            ids=[entry.id for entry, _ in pairs],
            similarity=[similarity for _, similarity in pairs],
            created_at=[entry.created_at.timestamp() for entry, _ in pairs],
            confidence=[sureness(entry) for entry, _ in pairs],
        )


class MindTable(Protocol):
    """One mind inside one transaction: plain verbs, and either all writes happen or none."""

    def get(self, kind: type[E], ids: Sequence[str]) -> list[E]:
        """Return the entries with these ids, in that order, missing ones left out."""
        ...

    def find(self, kind: type[E], wanted: Wanted) -> list[E]:
        """Return the entries that meet all conditions, by creation, oldest first unless ``newest_first``."""
        ...

    def count(self, kind: type[E], wanted: Wanted) -> int:
        """Return how many entries meet all conditions."""
        ...

    def compare(self, kind: type[Compared], text: str, wanted: Wanted) -> Likenesses:
        """Return how alike to ``text`` each entry is that meets the conditions, in any order.

        Similarity is the cosine of the vectors that the transaction was given and kept; without vectors, that of the
        words (`capabilities.mind.word_similarity`). ``wanted.limit`` does not count, and who reads the entries
        looks at ``wanted.tags`` again, so that a provider may leave them to it.
        """
        ...

    def put(self, entries: Sequence[MindEntry]) -> None:
        """Insert the entries, or replace those of the same type and id."""
        ...

    def delete(self, kind: type[E], ids: Sequence[str]) -> int:
        """Delete the entries with these ids; return how many there were."""
        ...

    def drafts(self) -> list[DraftOperation]:
        """Return the operations that runs wrote ahead and did not flush yet, oldest first."""
        ...

    def put_drafts(self, operations: Sequence[DraftOperation]) -> None:
        """Insert the operations, or replace those of the same id."""
        ...

    def drop_drafts(self, ids: Sequence[str]) -> None:
        """Delete the operations with these ids."""
        ...


@runtime_checkable
class MindProvider(Protocol):
    """Where minds are kept. What it keeps outside its ``resources`` is not erased when a user is forgotten.

    One of your own needs these three members and a `MindTable`; no base class. Entries and `DraftOperation` are
    pydantic models and go through JSON; whose mind it is says ``ctx`` (``ctx.user``, ``ctx.ids.scope("user")``).
    `capabilities.mind.meets` tells whether an entry meets a `Wanted`, `word_similarity` compares without vectors,
    `Likenesses.of` makes the answer of ``compare``. The shortest example is `InMemoryProvider`. ``work`` is a plain
    function: when it raises, nothing of it may be kept.
    """

    @property
    def resources(self) -> Sequence[Resource]:
        """The resources of the store that it needs; none for one that keeps minds elsewhere."""
        ...

    async def namespaces(self, ctx: Context) -> list[str]:
        """Return the names of the minds that the owner has, in order."""
        ...

    async def transact(
        self,
        ctx: Context,
        namespace: str,
        work: Callable[[MindTable], T],
        embedded: Embedded,
        texts: Sequence[str] = (),
    ) -> T:
        """Run ``work`` on the mind of this namespace in one transaction, one at a time per mind, and return its result.

        ``embedded`` are the vectors of ``texts``, which `MindTable.compare` and `MindTable.put` look up by text.
        """
        ...
