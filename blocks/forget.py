"""Forget: a memory, a person or a whole scope leaves every table, index, job and cache, in one transaction."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, model_validator

from capabilities.episodic import Episode
from capabilities.memory.layout import MemoryLayout
from capabilities.semantic import Fact, FactTable
from capabilities.sources import Source
from capabilities.turns import Turn
from capabilities.vocabulary import Subject
from capabilities.working import WorkingEntry
from fabric.block import Block
from fabric.context import Context
from fabric.erasure import Erased, erase_outcomes, erase_scope, erase_turns, sessions_of
from fabric.errors import StoreError
from fabric.handler import handler
from fabric.resource import Collection, Transaction
from fabric.scope import ScopeIds, ScopeKind
from fabric.store.base import Where
from fabric.text import words

from .beside import Beside, forget_beside, look_beside
from .held import mentions

M = TypeVar("M", bound=BaseModel)


class Forget(BaseModel):
    """What to forget: exactly one of an id that recall printed, a subject, or a scope."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = ""
    subject: Subject | None = None
    scope: Literal["session", "user", "project"] | None = None
    preview: bool = False
    """Whether only to count what would go; nothing is changed."""

    @model_validator(mode="after")
    def _exactly_one(self) -> "Forget":
        if sum(bool(one) for one in (self.id, self.subject, self.scope)) != 1:
            raise ValueError("give exactly one of id=, subject= and scope=")
        return self


class Receipt(BaseModel):
    """What was forgotten: how many rows of each table, and what was asked for. Nothing finds them any more.

    For a subject, ``searched`` says how many records of each kind were looked through afterwards for the name, and
    ``left`` the ids of those that still hold it: what an agent keeps for itself is not taken for being about somebody
    because it names them. Each can be forgotten by its id.
    """

    model_config = ConfigDict(frozen=True)

    asked: Forget
    removed: dict[str, int] = {}
    searched: dict[str, int] = {}
    left: dict[str, list[str]] = {}

    @property
    def found(self) -> bool:
        """Whether there was anything to forget."""
        return bool(self.removed)


def forget_block(layout: MemoryLayout) -> Block[Forget, Receipt]:
    """Return the block that forgets.

    An id takes the memory with its older versions, the memories it rests on or that rest on it, and the turns in which
    it was said; or else an entry of a mind, a trace with its edges, a message with its turn. A subject does the same
    for all that is known about somebody or names them, in the memory; what is about others and does not name them
    stays, without the turns that did. The receipt lists what else names them. A scope
    takes everything it owns (with ``user``, all sessions of the user too). StoreError when something was still found
    afterwards: then nothing changed.
    """

    @handler(name=f"{layout.name}/forget", input_schema=Forget, uses=layout.resources)
    async def forget(asked: Forget, ctx: Context) -> Receipt:
        def work(tx: Transaction) -> tuple[Erased, Beside]:
            erased, sessions = Erased(), sessions_of(tx.rows, tx.ids)
            if asked.scope is not None:
                _forget_scope(tx, layout, asked.scope, sessions, erased)
            else:
                _Circle(tx, layout, ctx, [_Place(tx.ids.user, one) for one in sessions]).forget(asked, erased)
                if asked.id and not erased.counts:
                    forget_beside(tx, layout, asked.id, erased)
            beside = look_beside(tx, layout, asked.subject or "")
            if asked.preview:
                raise _PreviewError(erased, beside)
            return erased, beside

        try:
            erased, beside = await ctx.transact(work)
        except _PreviewError as preview:
            erased, beside = preview.erased, preview.beside
        else:
            ctx.run.erase(erased.items)
        return Receipt(asked=asked, removed=erased.counts, searched=beside.searched, left=beside.left)

    return forget


class _PreviewError(Exception):
    """Rolls back what was only to be counted."""

    def __init__(self, erased: Erased, beside: Beside) -> None:
        super().__init__("a preview changes nothing")
        self.erased = erased
        self.beside = beside


@dataclass(frozen=True, slots=True)
class _Place:
    """A session and whose it is: what a project knows may have been said by any of its users."""

    user: str | None
    session: str

    def ids(self, tx: Transaction) -> ScopeIds:
        return replace(tx.ids, user=self.user, session=self.session)


def _forget_scope(
    tx: Transaction, layout: MemoryLayout, kind: ScopeKind, sessions: Sequence[str], erased: Erased
) -> None:
    if kind == "project" and layout.turns.scope == "project":
        _erase_said(tx, tx.find(layout.turns), erased)
    if kind == "user":
        for session in sessions:
            erase_scope(tx.rows, replace(tx.ids, session=session), "session", erased)
    erase_scope(tx.rows, tx.ids, kind, erased)


@dataclass(slots=True)
class _Circle:
    """Everything that has to go together: memories that say the same thing, and the turns they came from."""

    tx: Transaction
    layout: MemoryLayout
    ctx: Context
    places: list[_Place]
    facts: dict[str, Fact] = field(default_factory=dict[str, Fact])
    episodes: dict[str, Episode] = field(default_factory=dict[str, Episode])
    entries: dict[str, WorkingEntry] = field(default_factory=dict[str, WorkingEntry])
    turns: dict[str, Turn] = field(default_factory=dict[str, Turn])
    subject: str = ""
    """Whom to forget: then only what is about them or names them is taken."""

    def forget(self, asked: Forget, erased: Erased) -> None:
        if self.layout.turns.scope == "project":
            said = {_Place(turn.user, turn.session) for turn in self.tx.find(self.layout.turns)}
            self.places = [*self.places, *sorted(said - set(self.places), key=str)]
        if asked.id:
            self._grow([asked.id])
        else:
            self.subject = asked.subject or ""
            self._about(self.subject)
        self._remove(erased)
        self._verify()

    def _about(self, subject: str) -> None:
        about = Where("subject", "=", subject)
        ids = [one.id for one in self.tx.find(self.layout.semantic, about)] if self.layout.semantic else []
        ids += [one.id for one in self.tx.find(self.layout.episodic, about)] if self.layout.episodic else []
        ids += [entry.id for entry in self._all_entries() if entry.subject == subject]
        self._grow([*ids, *self._naming(subject)])

    def _naming(self, subject: str) -> list[str]:
        """Return the memories and turns about others that name the subject; the user has no name of that kind."""
        facts = self.tx.find(self.layout.semantic) if self.layout.semantic is not None else []
        episodes = self.tx.find(self.layout.episodic) if self.layout.episodic is not None else []
        memories: list[Fact | Episode | WorkingEntry] = [*facts, *episodes, *self._all_entries()]
        turns = [turn.id for turn in self.tx.find(self.layout.turns) if mentions(turn.text, subject)]
        return [*(one.id for one in memories if mentions(one.content, subject)), *turns]

    def _grow(self, ids: Iterable[str]) -> None:
        """Follow links from these ids until nothing new is found."""
        waiting = [*ids]
        seen: set[str] = set()
        while waiting:
            one = waiting.pop()
            if one not in seen and one:
                seen.add(one)
                waiting += self._linked(one)
        self._take_turns(source for memory in self._memories() for source in memory.sources)

    def _linked(self, memory_id: str) -> list[str]:
        linked: list[str] = []
        for entry in self._all_entries():
            if memory_id in (entry.id, entry.fact_id, entry.episode_id) and self._concerns(entry):
                self.entries[entry.id] = entry
                linked += [entry.fact_id, entry.episode_id]
        if self.layout.semantic is not None:
            versions = FactTable(self.tx, self.layout.semantic, self.ctx.clock).history(memory_id)
            for fact in versions if self._concerns(*versions) else ():
                self.facts[fact.id] = fact
                linked += [fact.id, *fact.source_episode_ids]
        if self.layout.episodic is not None:
            episode = self.tx.get(self.layout.episodic, memory_id)
            if episode is not None and self._concerns(episode):
                self.episodes[episode.id] = episode
                linked += self._facts_said_like(episode)
        turn = self.tx.get(self.layout.turns, memory_id)
        return linked + (self._said_in(turn) if turn is not None else [])

    def _concerns(self, *memories: Fact | Episode | WorkingEntry) -> bool:
        """Return whether one of the versions of a memory is about whom to forget, or names them."""
        subject = self.subject
        return not subject or any(one.subject == subject or mentions(one.content, subject) for one in memories)

    def _facts_said_like(self, episode: Episode) -> list[str]:
        if self.layout.semantic is None:
            return []
        found = self.tx.match(self.layout.semantic, words(episode.content), 50)
        facts = self.tx.get_many(self.layout.semantic, [match.id for match in found])
        return [fact.id for fact in facts if episode.id in fact.source_episode_ids]

    def _said_in(self, turn: Turn) -> list[str]:
        """Return the memories that rest on this turn alone."""
        self.turns[turn.id] = turn
        facts = self.tx.find(self.layout.semantic) if self.layout.semantic is not None else []
        episodes = self.tx.find(self.layout.episodic) if self.layout.episodic is not None else []
        memories: list[Fact | Episode] = [*facts, *episodes]
        return [one.id for one in memories if {source.turn_id for source in one.sources} == {turn.id}]

    def _memories(self) -> list[Fact | Episode | WorkingEntry]:
        return [*self.facts.values(), *self.episodes.values(), *self.entries.values()]

    def _take_turns(self, sources: Iterable[Source]) -> None:
        said = {(source.session, source.turn, source.turn_id) for source in sources}
        said |= {(turn.session, turn.turn, turn.id) for turn in self.turns.values()}
        for session, number, turn_id in said:
            one = self.tx.get(self.layout.turns, turn_id)
            if one is not None:
                self.turns[one.id] = one
            if number > 0:
                where = (Where("session", "=", session), Where("turn", "=", number))
                self.turns.update({turn.id: turn for turn in self.tx.find(self.layout.turns, *where)})

    def _all_entries(self) -> list[WorkingEntry]:
        return [entry for place in self.places for entry in self._in(place).read(self.layout.working).entries]

    def _in(self, place: _Place) -> Transaction:
        return Transaction(self.tx.rows, place.ids(self.tx))

    def _remove(self, erased: Erased) -> None:
        if self.layout.semantic is not None:
            erased.count("facts", self.tx.delete(self.layout.semantic, list(self.facts)))
        if self.layout.episodic is not None:
            erased.count("episodes", self.tx.delete(self.layout.episodic, list(self.episodes)))
        erased.count("kept turns", self.tx.delete(self.layout.turns, list(self.turns)))
        state = self.tx.read(self.layout.state)
        if not self.turns.keys().isdisjoint(state.pending):
            self.tx.write(self.layout.state, state.took(self.turns))
        for place in self.places:
            self._remove_entries(place, erased)
        _erase_said(self.tx, self.turns.values(), erased)
        said = {one.id for one in self._memories()} | {one.content for one in self._memories()}
        for place in self.places:
            erase_outcomes(self.tx.rows, place.ids(self.tx), said, erased)

    def _remove_entries(self, place: _Place, erased: Erased) -> None:
        here = self._in(place)
        state = here.read(self.layout.working)
        left = tuple(entry for entry in state.entries if entry.id not in self.entries)
        if len(left) < len(state.entries):
            here.write(self.layout.working, state.model_copy(update={"entries": left}))
            erased.count("working entries", len(state.entries) - len(left))

    def _verify(self) -> None:
        """Look everything up again, by id and by words; whatever is found undoes the transaction."""
        found = self._found(self.layout.turns, {one.id: one.text for one in self.turns.values()})
        if self.layout.semantic is not None:
            found += self._found(self.layout.semantic, {one.id: one.content for one in self.facts.values()})
        if self.layout.episodic is not None:
            found += self._found(self.layout.episodic, {one.id: one.content for one in self.episodes.values()})
        found += [entry.id for entry in self._all_entries() if entry.id in self.entries]
        if found:
            raise StoreError(f"forget: still found after removal: {', '.join(found)}; nothing was changed")

    def _found(self, table: Collection[M], gone: dict[str, str]) -> list[str]:
        matches = [match.id for text in gone.values() for match in self.tx.match(table, words(text), 20)]
        kept = self.tx.rows.get(table.table, self.tx.ids.scope(table.scope), list(gone))
        return [one for one in matches if one in gone] + [str(row["id"]) for row in kept]


def _erase_said(tx: Transaction, turns: Iterable[Turn], erased: Erased) -> None:
    """Take the turns out of the sessions in which they were said; what was stated or imported has no number in one."""
    numbers: dict[_Place, set[int]] = {}
    for turn in turns:
        if turn.turn:
            numbers.setdefault(_Place(turn.user, turn.session), set()).add(turn.turn)
    for place, said in numbers.items():
        erase_turns(tx.rows, place.ids(tx), said, erased)
