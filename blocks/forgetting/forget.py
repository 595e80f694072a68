"""Forget: a memory, a person, a session, a tag or a whole scope leaves every table, index, job and cache at once."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import product
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

from capabilities.memory.layout import MemoryLayout
from capabilities.memory.people.oneself import subjects_of
from capabilities.retain.session import take_out_of_prompts
from capabilities.vocabulary import AskedSubject, Tag
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Transaction
from fabric.jobs.erasure import erase_scope
from fabric.jobs.reach import KeptRow, reach_of, sessions_of
from fabric.record.erased import Erased
from fabric.record.log import ITEMS
from fabric.scope import Scope, ScopeIds, ScopeKind
from fabric.store.base import Table, Where

from ..bank_rows import ReachWithBanks, is_rewritten, rest_on_what_stays, with_banks
from ..owned_records import kind_of, kinds
from .erased_texts import Texts
from .linked_records import Circle, Said
from .links import Node, ids_by_kind, nodes_of, united
from .naming import Whom, look_for
from .program_rows import erase_own, own_rows
from .removal import Removal
from .reopened import hold_again
from .support import is_said_in, rest_on_others
from .turns_of import done_in
from .verification import check_gone

MEMORIES = ("fact", "episode", "working", "turn")
"""The kinds of records that a memory system keeps of what somebody said."""


class Forget(BaseModel):
    """What to forget: exactly one of an id that recall printed, whom by exact id or name, a session, a tag, a scope."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = ""
    subject: AskedSubject | None = None
    session: str = ""
    """The id of a session of the user: what was said in it, and what rests on that alone."""
    tag: Tag | None = None
    """What turns are filed under: they go, and what rests on them alone."""
    scope: ScopeKind | None = None
    preview: bool = False
    """Whether only to count what would go; nothing is changed."""

    @model_validator(mode="after")
    def _exactly_one(self) -> "Forget":
        if sum(bool(choice) for choice in (self.id, self.subject, self.session, self.tag, self.scope)) != 1:
            raise ValueError("give exactly one of id=, subject=, session=, tag= and scope=")
        return self


class Receipt(BaseModel):
    """What was forgotten: how many rows of each table, and what was asked for. Nothing finds them any more.

    ``left`` are the ids of what may still tell of it, by kind, and never its text: what holds a forgotten text word for
    word, wherever in the file, and for a subject what names them, or may, since what an agent notes for itself is not
    taken for being about somebody because it names them. Each can be forgotten by its id, also a row or a document of a
    program's own; where several collections have it, by ``COLLECTION/ID``. For a subject, ``searched`` says how many
    records of each kind were looked through for the name.
    """

    model_config = ConfigDict(frozen=True)

    asked: Forget
    removed: dict[str, int] = {}
    searched: dict[str, int] = {}
    left: dict[str, list[str]] = {}
    stays: dict[str, list[str]] = {}
    """The ids of what rests on turns that went, and stays: other turns say it too, or it says something else.

    It rests on the other turns alone from then on.
    """

    @property
    def found(self) -> bool:
        """Whether there was anything to forget."""
        return bool(self.removed)


def forget_block(layout: MemoryLayout) -> Block[Forget, Receipt]:
    """Return the block that forgets, in one transaction, in every scope that the session's ids open.

    An id takes the record with its other versions and merged copies, the memories it rests on or that rest on it, what
    was drawn from it, and the turns in which it was said, with what was done there. The id of a turn or a message takes
    that turn, and what was drawn from it unless other turns say it too; so does that of what was noted in a turn beside
    the memories, as a trace. A subject does for all that the memory knows about somebody, or that names them there or
    in a trace of what the user said, what their ids would do. A session or a tag takes its turns, and what rests on
    them alone; so does a scope, with everything that it owns. StoreError when something was still found afterwards:
    then nothing changed.
    """

    @handler(name=f"{layout.name}/forget", input_schema=Forget, uses=layout.resources)
    async def forget(asked: Forget, ctx: Context) -> Receipt:
        def work(tx: Transaction) -> Receipt:
            forgetting = _Forgetting(tx, layout, asked, ctx.clock.now())
            receipt = forgetting.run()
            if asked.preview:
                raise _PreviewError(receipt)
            tx.rows.afterwards(lambda: ctx.run.erase(forgetting.erased))
            return receipt

        kinds()  # what it imports at its first call must not hold the store up
        await ctx.run.finish_earlier()  # what was said before is there to be forgotten
        try:
            return await ctx.transact(work)
        except _PreviewError as preview:
            return preview.receipt

    return forget


class _PreviewError(Exception):
    """Rolls back what was only to be counted."""

    def __init__(self, receipt: Receipt) -> None:
        super().__init__("a preview changes nothing")
        self.receipt = receipt


@dataclass(slots=True)
class _Forgetting:
    """One request, inside its transaction."""

    tx: Transaction
    layout: MemoryLayout
    asked: Forget
    now: datetime
    erased: Erased = field(default_factory=Erased)
    reach: ReachWithBanks = field(init=False)
    """What the ids open, and of a project's memory the sessions of all who spoke there."""
    wide: ReachWithBanks = field(init=False)
    """The same and, of a project's memory, what other systems keep of the same words for those who spoke."""
    circle: Circle = field(init=False)
    whom: Whom = field(default_factory=lambda: Whom(frozenset(), ""))

    def __post_init__(self) -> None:
        self.reach = with_banks(reach_of(self.tx.rows, self.tx.ids), self.tx.ids)
        if self.asked.session:
            self.reach = self._with({self._in(self.asked.session).scope("session"): self.asked.session})
        others: set[Scope] = set()
        if self.layout.turns.scope == "project":
            said = {(node.record.get("user"), node.record["session"]) for node in self._kept_turns("project")}
            places = [(replace(self.tx.ids, user=user, session=name), name) for user, name in said]
            self.reach = self._with({place.scope("session"): name for place, name in places})
            others = {place.scope("user") for place, _ in places if place.user} - self.reach.scopes.keys()
        self.wide = self._with(dict.fromkeys(others, ""))
        self.circle = Circle(self.wide, others)

    def run(self) -> Receipt:
        """Find what has to go, take it out, and look for what is left."""
        wholes: dict[str, Callable[[], None]] = {
            "id": self._find_named,
            "subject": self._find_subject,
            "session": lambda: self._find_said(session=self.asked.session),
            "tag": lambda: self._find_said(tag=self.asked.tag or ""),
        }
        chosen = next((name for name in wholes if getattr(self.asked, name)), "")
        if chosen:
            wholes[chosen]()
        elif self.asked.scope == "session":
            self._find_said(session=self.tx.ids.session)
        else:
            self._find_of_scope()
        evidence = self._with_siblings()
        removal = self._removal(evidence)
        removal.run()
        if not self.circle.follows_versions:
            hold_again(self.wide, self.circle.taken.values(), partial(self._also_saying, evidence))
        self._purge()
        check_gone(self.tx, self.layout, removal.nodes)
        searched, naming = look_for(self.reach, self.whom.name)
        staying = [node for node in self.circle.siblings(evidence) if node.id not in self.circle.ids]
        others = [node for node in staying if node.kind != "retained memory"]
        rest_on_others(self.tx.rows, others, evidence, self.circle.ids, self._texts_of)
        told = rest_on_what_stays(self.reach, evidence.has, self.now) | removal.ids
        if self.reach.banks:
            self.erased.count("recalled blocks", take_out_of_prompts(self.tx.rows, self.tx.ids.org, told))
        left = united(removal.left(), naming)
        return Receipt(
            asked=self.asked, removed=self.erased.counts, searched=searched, left=left, stays=ids_by_kind(staying)
        )

    def _with(self, more: Mapping[Scope, str]) -> ReachWithBanks:
        return replace(self.reach, scopes={**more, **self.reach.scopes})

    def _turn_tables(self) -> list[str]:
        return [table for table in self.tx.rows.tables() if kind_of(table) == "turn"]

    def _kept_turns(self, *kinds: ScopeKind) -> Iterator[Node]:
        """Yield the kept turns of all memory systems in the scopes of these kinds, or in all that are held."""
        for table in self._turn_tables():
            for owner in [scope for scope in self.reach.scopes if not kinds or scope.kind in kinds]:
                for row in self.tx.rows.scan(owner, table):
                    yield Node("turn", row, KeptRow(table, row, owner))

    def _find_named(self) -> None:
        """Find what has the asked id. A turn takes what rests on it; so does what was noted in one, beside memories."""
        named = list(self._turns(Said({self.asked.id}), {}))
        places = self._places(node.record for node in named)
        if not named:
            self.circle.grow([self.asked.id])
            places = self._places([*self.circle.noted(MEMORIES), *self._items()])
        if not (named or places or self.circle.taken):
            erase_own(self.reach, own_rows(self.reach, self.asked.id), self.erased)
        if not (named or places):
            return
        self._only_what_rests(self.circle.turned)
        for node in [*named, *self._turns(Said(), places)]:
            self.circle.add(node)
        for place, numbers in places.items():
            where = [Where("turn", "in", sorted(numbers))]
            self.circle.turned.ids |= {row["id"] for row in self.tx.rows.find(ITEMS, place.scope("session"), where)}
        self.circle.rests()

    def _find_subject(self) -> None:
        tiers = {
            tier.key for tier in (self.layout.semantic, self.layout.episodic, self.layout.turns) if tier is not None
        }
        nodes = [node for kept in self.reach for node in nodes_of(kept)]
        subjects = (node.record.get("subject") for node in nodes if node.kind in MEMORIES)
        self.whom = Whom.meant(self.asked.subject or "", subjects, subjects_of(self.tx.ids.user, self.layout))

        def is_own(node: Node) -> bool:
            is_working = (node.kind, node.kept.row["id"]) == ("working", self.layout.working.key)
            return node.kept.table in tiers or is_working or _is_said(node)

        def about(node: Node) -> bool:
            return (node.kind in MEMORIES or _is_said(node)) and self.whom.has(node.record, node.texts)

        self.circle.about = about
        self.circle.grow({node.id for node in nodes if is_own(node) and about(node)})

    def _find_said(self, session: str = "", tag: str = "") -> None:
        """Find the turns of a session or a tag, and what rests on them alone."""
        self._only_what_rests(Said(sessions={(self.tx.ids.user, session)}) if session else Said())
        place = (self.layout.turns.key, self.tx.ids.scope(self.layout.turns.scope))
        for node in list(self._kept_turns()):
            turn, is_filed = node.record, tag in node.record.get("tags", ())
            own = turn["session"] == session and turn.get("user") in (None, self.tx.ids.user)
            if own or (is_filed and (node.kept.table, node.kept.owner) == place):
                self.circle.add(node)
        if session:
            self.circle.turned.ids |= {
                row["id"] for row in self.tx.rows.find(ITEMS, self._in(session).scope("session"))
            }
        self.circle.rests()

    def _find_of_scope(self) -> None:
        """Find what in other scopes rests on the turns of this one alone."""
        ids, scope = self.tx.ids, self.asked.scope or "user"
        owner = ids.scope(scope)
        own = {owner, *(self._in(name).scope("session") for name in sessions_of(self.tx.rows, ids) if scope == "user")}
        shared = {scope: name for scope, name in self.wide.scopes.items() if scope not in own}
        self.circle.reach = replace(self.wide, scopes=shared)
        self._only_what_rests(Said(users={ids.user} if scope == "user" and ids.user else set()))
        for node in list(self._kept_turns()):
            self._note_turn(node, scope)
        self.circle.rests()

    def _note_turn(self, node: Node, scope: ScopeKind) -> None:
        """Take note of a kept turn as one of the scope's; what the scope does not own of it is taken."""
        kept_in = node.kept.owner.kind
        if scope == kept_in or (scope == "user" and node.record.get("user") == self.tx.ids.user):
            self.circle.turned.ids.add(node.id)
            if kept_in == "project":
                self.circle.add(node)

    def _only_what_rests(self, message: Said) -> None:
        self.circle.turned, self.circle.follows_versions = message, False
        self.circle.about = lambda node: node.kind == "turn" or self.circle.turned.is_all_of(node)

    def _with_siblings(self) -> Said:
        """Take also what rests on the same turns and says the same; return all turns that go."""
        while True:
            evidence = self.circle.evidence()
            texts = Texts.of(self.circle.texts)
            new = [node for node in self.circle.siblings(evidence) if self._goes_with(node, texts, evidence)]
            if not new:
                return evidence
            for node in new:
                self.circle.grow(self.circle.add(node))

    def _goes_with(self, node: Node, texts: Texts, evidence: Said) -> bool:
        if is_rewritten(node.record) and not all(map(evidence.has, node.sources)):
            return False
        if self.circle.follows_versions:
            return self.circle.says_so(node, texts)
        if not self.asked.id:
            return False
        others = [source for source in node.sources if not evidence.has(source)]
        return not is_said_in(node, self._texts_of(others))

    def _texts_of(self, sources: Iterable[Mapping[str, Any]]) -> list[str]:
        """Return what was said in the turns that sources name: as a memory keeps it, else as the session does."""
        sessions = {str(source.get("turn_id")): str(source.get("session")) for source in sources}
        texts = {turn.id: turn.record["text"] for turn in self._turns(Said({*sessions}), {})}
        for turn, session in sessions.items():
            if turn not in texts:
                said = self.tx.rows.get(ITEMS, self._in(session).scope("session"), [turn])
                texts |= {row["id"]: row["text"] for row in said}
        return list(texts.values())

    def _also_saying(self, evidence: Said, fact: Node, lost: Node) -> list[Mapping[str, Any]]:
        """Return the turns of a fact that went which stay, and say another fact, too."""
        others = {str(source.get("turn_id")): source for source in lost.sources if not evidence.has(source)}
        turns = self._turns(Said(set(others)), {})
        return [others[turn.id] for turn in turns if is_said_in(fact, [turn.record["text"]])]

    def _removal(self, evidence: Said) -> Removal:
        nodes = list(self.circle.taken.values())
        said = [node.record for node in nodes if node.kind == "turn"]
        places = self._places([*self.circle.sources(), *said, *self._items()])
        turns = [node for node in self._turns(evidence, places) if node.key not in self.circle.taken]
        return Removal(self.tx, self.wide, self.erased, nodes, turns, places)

    def _places(self, said: Iterable[Mapping[str, Any]]) -> dict[ScopeIds, set[int]]:
        """Return the numbers of the turns that sources, or kept turns, name, by session."""
        places: dict[ScopeIds, set[int]] = defaultdict(set)
        for message in said:
            place = replace(self.tx.ids, user=message.get("user") or self.tx.ids.user, session=message["session"])
            if message["turn"] > 0 and place.scope("session") in self.circle.reach.scopes:
                places[place].add(message["turn"])
        return places

    def _items(self) -> list[dict[str, Any]]:
        """Return where what has the asked id was said or done, where that is a message, a named run or a job."""
        return done_in(self.reach, self.asked.id) if self.asked.id and not self.circle.taken else []

    def _turns(self, evidence: Said, places: dict[ScopeIds, set[int]]) -> Iterator[Node]:
        """Yield the kept turns that go as evidence, in every system: with the ids, or said in the same turns."""
        shared = {scope for scope in self.wide.scopes if scope.kind != "session"}
        sessions = {place.scope("session") for place in places} | {self.tx.ids.scope("session")}
        ids = sorted(evidence.ids)
        for table, owner in product(self._turn_tables(), shared | sessions):
            if owner.kind == self.asked.scope:  # they go with the scope itself
                continue
            rows = self.tx.rows.get(Table(table, {}), owner, ids)
            for place, numbers in places.items():
                where = (Where("session", "=", place.session), Where("turn", "in", sorted(numbers)))
                said = self.tx.rows.find(Table(table, {}), owner, where)
                rows += [row for row in said if row.get("user") in (None, place.user)]
            for row in {row["id"]: row for row in rows}.values():
                yield Node("turn", row, KeptRow(table, row, owner))

    def _purge(self) -> None:
        """Take everything that the asked scope owns; a user's sessions are the user's."""
        scope, session = self.asked.scope, self.asked.session
        if session:
            erase_scope(self.tx.rows, self._in(session), "session", self.erased)
        elif scope is not None:
            for name in sessions_of(self.tx.rows, self.tx.ids) if scope == "user" else ():
                erase_scope(self.tx.rows, self._in(name), "session", self.erased)
            erase_scope(self.tx.rows, self.tx.ids, scope, self.erased)

    def _in(self, session: str) -> ScopeIds:
        return replace(self.tx.ids, session=session)


def _is_said(node: Node) -> bool:
    """Return whether a record is a trace of what the user said, and no note that an agent keeps for itself."""
    return node.kind == "trace" and node.record.get("source_type") == "user_statement"
