"""What a user retained in banks: rows in scopes that are nobody's alone, which are the user's all the same."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from capabilities.retain.banks import bank_in, bank_scopes
from fabric.jobs.reach import KeptRow, Reach
from fabric.lazy import lazy
from fabric.scope import Scope, ScopeIds
from fabric.store.base import Row, Table

if TYPE_CHECKING:
    from capabilities.retain.local import editing
    from capabilities.retain.local import tables as retained
else:
    editing = lazy("capabilities.retain.local.editing")
    retained = lazy("capabilities.retain.local.tables")


def is_given_by(row: Row, ids: ScopeIds) -> bool:
    """Return whether a row of a bank rests on something that a user said; without a user, that a session said."""
    said: Iterable[Mapping[str, Any]] = row.get("sources") or [row]
    return any(
        source.get("user") == ids.user and (ids.user is not None or source.get("session") == ids.session)
        for source in said
    )


def is_rewritten(record: Mapping[str, Any]) -> bool:
    """Return whether a record is a transcript, or joined of such: it loses the turns that go, and keeps the others."""
    return record.get("memory_type") == "episode"


@dataclass(frozen=True, slots=True)
class ReachWithBanks(Reach):
    """A reach, and in the banks of the organisation what its user retained there; what others did is not in it."""

    ids: ScopeIds
    banks: frozenset[Scope]

    def of(self, table: str) -> Iterator[KeptRow]:
        """Yield the rows of one table of the file."""
        yield from filter(self._is_theirs, Reach.of(self, table))

    def containing(self, texts: Sequence[str]) -> Iterator[KeptRow]:
        """Yield the rows of all tables that hold one of these texts."""
        yield from filter(self._is_theirs, Reach.containing(self, texts))

    def _is_theirs(self, kept: KeptRow) -> bool:
        return kept.owner not in self.banks or is_given_by(kept.row, self.ids)


def with_banks(reach: Reach, ids: ScopeIds) -> ReachWithBanks:
    """Return a reach and what its user retained in banks."""
    banks = bank_scopes(reach.rows, ids.org)
    return ReachWithBanks(reach.rows, {**reach.scopes, **dict.fromkeys(banks, "")}, ids, frozenset(banks))


def rest_on_what_stays(reach: ReachWithBanks, is_gone: Callable[[Mapping[str, Any]], bool], now: datetime) -> set[str]:
    """Have what stays in banks rest on those of its turns that stay, and name nobody else who said it.

    Transcripts are written anew without the turns that go; return the ids of these, and of facts that were drawn of
    them.
    """
    told: set[str] = set()
    held_here = {retained.MEMORIES.key, retained.FACTS.key} & set(reach.rows.tables())
    for held in list(reach.of(retained.MEMORIES.key)) if retained.MEMORIES.key in held_here else ():
        gone = [is_gone(source) for source in held.row["sources"]]
        if any(gone) and not all(gone):
            bank = bank_in(reach.rows, reach.ids, held.owner)
            memory = retained.MEMORIES.schema.model_validate(held.row)
            told |= editing.take_out_turns(bank, memory, gone, now)
    for table in held_here:
        for held in [row for row in reach.of(table) if row.owner in reach.banks]:
            left = [source for source in held.row["sources"] if not is_gone(source)]
            if left and len(left) < len(held.row["sources"]):
                reach.rows.put(Table(table, {}), held.owner, [_resting_on(held.row, left)])
    return told


def _resting_on(row: Row, sources: Sequence[Mapping[str, Any]]) -> Row:
    said = sources[-1]
    own = {"user": said["user"], "session": said["session"]} if "session" in row else {}
    metadata = {"metadata": {**row["metadata"], "session_id": said["session"]}} if "metadata" in row else {}
    return {**row, **own, **metadata, "sources": list(sources)}
