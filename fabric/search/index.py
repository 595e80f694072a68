"""What searching needs of one scope's rows, in memory as arrays: terms, lengths, neighbours, some columns, vectors."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..slices import chunks
from .base import ColumnType, Match
from .cells import Cells, Column
from .coding import Coded
from .derived import Derived
from .frozen import FrozenIndex
from .growing import Growing
from .postings import Postings
from .vectors import Vectors

T = TypeVar("T")
AT_ONCE = 2_000
"""How many rows are split into tokens at once: what that takes stays near the processor."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One row as it is indexed: its tokens, and its cells of the kept columns."""

    row_id: str
    place: int
    tokens: str
    cells: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """Many rows as they are indexed, column by column: their ids, places, tokens, and the cells of each kept column.

    The tokens are texts, a row's separated by spaces, or ``coded`` holds them instead.
    """

    ids: Sequence[str]
    places: Sequence[int] | NDArray[np.int64]
    tokens: Sequence[str]
    cells: Sequence[Cells]
    coded: Sequence[Coded] = ()


class TextIndex:
    """One scope's rows of one collection. Every row has a position; a position whose row changed or went is dead.

    ``thread`` names the kept column whose rows follow one another: ``before`` and ``after`` of a position are its
    neighbours with the same value, by insertion, -1 for none.
    """

    def __init__(self, kept: Mapping[str, ColumnType], thread: str, batches: Iterable[Batch] = ()) -> None:
        self.columns = {name: Column(kind) for name, kind in kept.items()}
        self.thread = thread
        self.ids: list[str] = []
        self.positions: dict[str, int] = {}
        self.postings = Postings()
        self._rows: list[str | None] = []
        self._derived = Derived()
        self.numbering = object()
        self.changes = 0
        """How often something here changed."""
        self.reads = 0
        """How often rows were asked for that were not kept here."""
        self._places = Growing[np.int64](np.int64)
        self._alive = Growing[np.bool_](np.bool_)
        self._before = Growing[np.int32](np.int32)
        self._after = Growing[np.int32](np.int32)
        self._last: dict[int, int] = {}
        self._lengths = Growing[np.int32](np.int32)
        self._different = Growing[np.int32](np.int32)
        self.vectors: Vectors | None = None
        """The vectors of the rows that have one in the space that was asked for last; None when none has."""
        self.space = 0
        self.total_length = 0
        self._is_stale = False
        self._fill(batches)

    def __len__(self) -> int:
        return len(self.positions)

    def __contains__(self, row_id: object) -> bool:
        return row_id in self.positions

    @property
    def size(self) -> int:
        """How many positions there are, dead ones among them."""
        return len(self.ids)

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Which positions are those of rows that are there."""
        return self._alive.view

    @property
    def places(self) -> NDArray[np.int64]:
        """Where each row stands in the order of first insertion."""
        return self._places.view

    @property
    def lengths(self) -> NDArray[np.int32]:
        """How many tokens each row has."""
        return self._lengths.view

    @property
    def different(self) -> NDArray[np.int32]:
        """How many different terms each row has."""
        return self._different.view

    @property
    def before(self) -> NDArray[np.int32]:
        """The position of the row before each in its thread, -1 for none."""
        return self._before.view

    @property
    def after(self) -> NDArray[np.int32]:
        """The position of the row after each in its thread, -1 for none."""
        return self._after.view

    def position_of(self, row_id: str) -> int:
        """Return the position of a row, -1 when it is not there."""
        return self.positions.get(row_id, -1)

    def derived(self, kind: type[T], *arguments: Any) -> T:
        """Return what was made of the rows, as long as their numbers mean the same; made when first asked for."""
        return self._derived.get(kind, arguments)

    @property
    def is_worn(self) -> bool:
        """Whether the index should be built again: most positions are dead, or a row went to another thread."""
        return self._is_stale or len(self.ids) > 2 * len(self.positions) + 100

    def frozen(self) -> "FrozenIndex":
        """Return what is found here now, to be searched on another thread; to be called inside a transaction."""
        size = len(self.ids)
        return FrozenIndex(
            numbering=self.numbering,
            changes=self.changes,
            all_derived=self._derived,
            all_ids=self.ids,
            all_positions=self.positions,
            thread=self.thread,
            columns={name: column.frozen() for name, column in self.columns.items()},
            size=size,
            rows=len(self.positions),
            total_length=self.total_length,
            postings=self.postings.frozen(size),
            alive=self._alive.frozen().view,
            places=self._places.frozen().view,
            lengths=self._lengths.frozen().view,
            different=self._different.frozen().view,
            before=self._before.frozen().view,
            after=self._after.frozen().view,
            vectors=None if self.vectors is None else self.vectors.window(),
        )

    def put(self, entry: Entry, old_tokens: str | None) -> None:
        """Add a row, or replace the one of the same id, whose tokens were ``old_tokens``."""
        self.changes += 1
        old = self.positions.get(entry.row_id)
        if old is not None and old < len(self._rows):
            self._rows[old] = None
        if old is not None and old_tokens == entry.tokens:
            self._change_cells(old, entry.cells)
            return
        new = len(self.ids)
        self._append(entry)
        self.positions[entry.row_id] = new
        if self.vectors is not None:
            self.vectors.grow(new + 1)
        if old is None:
            self._link(new)
            return
        self._bury(old, old_tokens or "")
        self._take_place(old, new)
        self._is_stale |= self._thread(old) != self._thread(new)

    def row(self, row_id: str) -> str | None:
        """Return the JSON of a row, or None when it is not kept here."""
        position = self.positions.get(row_id, len(self._rows))
        return self._rows[position] if position < len(self._rows) else None

    def keep_rows(self, row_ids: Iterable[str], rows: Iterable[str]) -> None:
        """Keep the JSON of these rows until they change."""
        self._rows = [None] * len(self.ids)
        for row_id, text in zip(row_ids, rows, strict=True):
            self._rows[self.positions[row_id]] = text

    def begin_space(self, space: int) -> None:
        """Forget the vectors, to take in those of another space, or of none (0)."""
        self.space, self.vectors = space, None
        self.changes += 1

    def set_vectors(self, space: int, row_ids: Sequence[str], vectors: NDArray[np.float16]) -> None:
        """Note that these rows have these vectors now; in another space than this one's they have none here."""
        self.changes += 1
        positions = [self.positions[row_id] for row_id in row_ids]
        if space != self.space:
            if self.vectors is not None:
                self.vectors.put(positions, np.zeros((len(positions), self.vectors.dimension), np.float16))
            return
        if self.vectors is None or self.vectors.dimension != vectors.shape[1]:
            self.vectors = Vectors(space, vectors.shape[1], len(self.ids))
        self.vectors.put(positions, vectors)

    def set_passages(self, space: int, passages: Iterable[tuple[str, bytes]]) -> None:
        """Note the vectors of the passages of rows, as they are stored, where the rows have vectors here."""
        for row_id, stored in passages:
            if stored and self.vectors is not None and space == self.space:
                self.vectors.put_passages(
                    self.positions[row_id], np.frombuffer(stored, np.float16).reshape(-1, self.vectors.dimension)
                )

    def note_vectors(self, stored: Mapping[str, tuple[int | None, bytes | None, bytes | None]]) -> None:
        """Note by id the vectors that rows and their passages have now: the space, and what is stored, or None."""
        here = {row_id: vector for row_id, (space, vector, _) in stored.items() if space == self.space}
        own = {row_id: vector for row_id, vector in here.items() if vector is not None}
        for size in dict.fromkeys(map(len, own.values())):  # those of one model have one length
            some = {row_id: vector for row_id, vector in own.items() if len(vector) == size}
            vectors = np.frombuffer(b"".join(some.values()), np.float16).reshape(len(some), -1)
            self.set_vectors(self.space, list(some), vectors)
            self.set_passages(self.space, ((row_id, stored[row_id][2] or b"") for row_id in some))
        if self.vectors is not None:
            for row_id in stored.keys() - own.keys():
                self.vectors.drop(self.positions[row_id])

    def remove(self, row_id: str, tokens: str) -> None:
        """Remove the row, whose tokens were these, if it is there."""
        self.changes += 1
        position = self.positions.pop(row_id, None)
        if position is not None:
            if position < len(self._rows):
                self._rows[position] = None
            self._bury(position, tokens)
            self._unlink(position)

    def match(self, words: Sequence[str], limit: int) -> list[Match]:
        """Return the rows with most of the asked terms, ties by insertion."""
        terms = self.postings.terms
        lists = [self.postings.of(terms[word])[0] for word in dict.fromkeys(words) if word in terms]
        if not lists:
            return []
        counts = np.bincount(np.concatenate(lists), minlength=len(self.ids))
        positions = np.flatnonzero((counts > 0) & self._alive.view)
        if len(positions) > limit:  # only those that share enough words are sorted
            shared = counts[positions]
            sharing = np.cumsum(np.bincount(shared)[::-1])[::-1]  # how many share so many words at least
            positions = positions[shared >= np.flatnonzero(sharing >= limit)[-1]]
        best = positions[np.lexsort((self._places.view[positions], -counts[positions]))[:limit]]
        return [
            Match(self.ids[position], int(counts[position]), int(self._different.view[position]))
            for position in best.tolist()
        ]

    def _fill(self, batches: Iterable[Batch]) -> None:
        def tokens() -> Iterable[Sequence[str] | Coded]:
            for batch in batches:
                self.ids += batch.ids
                self._places.extend(batch.places)
                for column, values in zip(self.columns.values(), batch.cells, strict=True):
                    column.extend(values)
                yield from batch.coded
                yield from chunks(batch.tokens, AT_ONCE)

        lengths, different = self.postings.fill(tokens())
        self._lengths.extend(lengths)
        self._different.extend(different)
        self.total_length = int(lengths.sum())
        self.positions = {row_id: position for position, row_id in enumerate(self.ids)}
        self._alive.extend(np.ones(len(self.ids), np.bool_))
        self._thread_all()

    def _thread_all(self) -> None:
        count = len(self.ids)
        before, after = np.full(count, -1, np.int32), np.full(count, -1, np.int32)
        if self.thread and count:
            values = self.columns[self.thread].values
            order = np.argsort(values, kind="stable")
            follows = (values[order[1:]] == values[order[:-1]]) & (values[order[1:]] >= 0)
            before[order[1:][follows]] = order[:-1][follows]
            after[order[:-1][follows]] = order[1:][follows]
            self._last = {
                int(values[position]): int(position) for position in np.flatnonzero(after < 0) if values[position] >= 0
            }
        self._before.extend(before)
        self._after.extend(after)

    def _append(self, entry: Entry) -> None:
        position = len(self.ids)
        tokens = entry.tokens.split(" ") if entry.tokens else []
        self.ids.append(entry.row_id)
        self._places.append(entry.place)
        self._alive.append(True)
        self._before.append(-1)
        self._after.append(-1)
        self._lengths.append(len(tokens))
        self.total_length += len(tokens)
        for column, value in zip(self.columns.values(), entry.cells, strict=True):
            column.append(value)
        self._different.append(self.postings.add(position, tokens))

    def _bury(self, position: int, tokens: str) -> None:
        self._alive.edit()[position] = False
        if self.vectors is not None:
            self.vectors.drop_passages([position])
        self.total_length -= int(self._lengths.view[position])
        if tokens:
            self.postings.remove(tokens.split(" "))

    def _change_cells(self, position: int, cells: Sequence[Any]) -> None:
        thread = self._thread(position)
        for column, value in zip(self.columns.values(), cells, strict=True):
            cell = column.cell(value)
            if column.values[position] != cell:
                column.cells.edit()[position] = cell
        self._is_stale |= self._thread(position) != thread

    def _thread(self, position: int) -> int:
        return int(self.columns[self.thread].values[position]) if self.thread else -1

    def _link(self, position: int) -> None:
        thread = self._thread(position)
        if thread >= 0:
            before = self._last.get(thread, -1)
            self._before.edit()[position] = before
            if before >= 0:
                self._after.edit()[before] = position
            self._last[thread] = position

    def _unlink(self, position: int) -> None:
        before, after = int(self._before.view[position]), int(self._after.view[position])
        if before >= 0:
            self._after.edit()[before] = after
        if after >= 0:
            self._before.edit()[after] = before
        elif self._thread(position) >= 0:
            self._set_last(self._thread(position), before)

    def _take_place(self, old: int, new: int) -> None:
        before, after = int(self._before.view[old]), int(self._after.view[old])
        self._before.edit()[new], self._after.edit()[new] = before, after
        if before >= 0:
            self._after.edit()[before] = new
        if after >= 0:
            self._before.edit()[after] = new
        elif self._thread(new) >= 0:
            self._last[self._thread(new)] = new

    def _set_last(self, thread: int, position: int) -> None:
        if position >= 0:
            self._last[thread] = position
        else:
            self._last.pop(thread, None)
