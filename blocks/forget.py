"""Forget: a memory, a person, a session, a tag or a whole scope leaves every table, index, job and cache at once."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

from capabilities.memory.layout import MemoryLayout
from capabilities.vocabulary import Subject, Tag
from fabric.block import Block
from fabric.context import Context
from fabric.erasure import Erased, erase_scope
from fabric.errors import StoreError
from fabric.handler import handler
from fabric.log import ITEMS
from fabric.reach import Held, KeptRow, reach_of, sessions_of
from fabric.resource import Collection, Transaction
from fabric.scope import ScopeIds, ScopeKind
from fabric.store.base import Row, Table, Where
from fabric.text import words

from .forgetting.circle import Circle, Said
from .forgetting.links import Node, nodes_of
from .forgetting.naming import concerns, look_for
from .forgetting.removal import Removal
from .forgetting.texts import Texts
from .held import kinds


class Forget(BaseModel):
    """What to forget: exactly one of an id that recall printed, a subject, a session, a tag, or a scope."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = ""
    subject: Subject | None = None
    session: str = ""
    """The id of a session of the user: what was said in it, and what rests on that alone."""
    tag: Tag | None = None
    """What turns are filed under: they go, and what rests on them alone."""
    scope: ScopeKind | None = None
    preview: bool = False
    """Whether only to count what would go; nothing is changed."""

    @model_validator(mode="after")
    def _exactly_one(self) -> "Forget":
        if sum(bool(one) for one in (self.id, self.subject, self.session, self.tag, self.scope)) != 1:
            raise ValueError("give exactly one of id=, subject=, session=, tag= and scope=")
        return self


class Receipt(BaseModel):
    """What was forgotten: how many rows of each table, and what was asked for. Nothing finds them any more.

    ``left`` are the ids of what may still tell of it, by kind, and never its text: what holds a forgotten text word for
    word, wherever in the file, and for a subject what names them, or may, since what an agent keeps for itself is not
    taken for being about somebody because it names them. Each can be forgotten by its id. For a subject, ``searched``
    says how many records of each kind were looked through for the name.
    """

    model_config = ConfigDict(frozen=True)

    asked: Forget
    removed: dict[str, int] = {}
    searched: dict[str, int] = {}
    left: dict[str, list[str]] = {}
    stays: dict[str, list[str]] = {}
    """The ids of what rests on turns that went, and stays: other turns say it too, or it says something else."""

    @property
    def found(self) -> bool:
        """Whether there was anything to forget."""
        return bool(self.removed)


def forget_block(layout: MemoryLayout) -> Block[Forget, Receipt]:
    """Return the block that forgets, in one transaction, in every scope that the session's ids open.

    An id takes the record with its other versions and merged copies, the memories it rests on or that rest on it, what
    was drawn from it, and the turns in which it was said, with what was done there; a message's id takes its turn. A
    subject does the same for all that the memory knows about somebody or that names them there. A session or a tag
    takes its turns, and what rests on them alone; so does a scope, with everything that it owns. StoreError when
    something was still found afterwards: then nothing changed.
    """

    @handler(name=f"{layout.name}/forget", input_schema=Forget, uses=layout.resources)
    async def forget(asked: Forget, ctx: Context) -> Receipt:
        def work(tx: Transaction) -> Receipt:
            forgetting = _Forgetting(tx, layout, asked)
            receipt = forgetting.run()
            if asked.preview:
                raise _PreviewError(receipt)
            ctx.run.erase(forgetting.erased)
            return receipt

        kinds()  # what it imports at its first call must not hold the store up
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
    erased: Erased = field(default_factory=Erased)
    held: Held = field(init=False)
    circle: Circle = field(init=False)

    def __post_init__(self) -> None:
        self.held = self._reach()
        self.circle = Circle(self.held, self.layout)

    def run(self) -> Receipt:
        """Find what has to go, take it out, and look for what is left."""
        wholes: dict[str, Callable[[], None]] = {
            "id": lambda: self.circle.grow([self.asked.id]),
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
        self._reopen()
        self._purge()
        self._verify(removal)
        searched, naming = look_for(self.held, self.layout, self.asked.subject or "")
        left = _united(removal.left(), naming)
        stays = _ids(node for node in self.circle.siblings(evidence) if node.id not in self.circle.ids)
        return Receipt(asked=self.asked, removed=self.erased.counts, searched=searched, left=left, stays=stays)

    def _reach(self) -> Held:
        """Return what the ids open, and of a project's memory the sessions of all who spoke there."""
        held = reach_of(self.tx.rows, self.tx.ids)
        if self.layout.turns.scope != "project":
            return held
        said = {(turn.user, turn.session) for turn in self.tx.find(self.layout.turns)}
        more = {replace(self.tx.ids, user=user, session=name).scope("session"): name for user, name in said}
        return Held(self.tx.rows, {**more, **held.scopes})

    def _find_subject(self) -> None:
        subject = self.asked.subject or ""
        tiers = {one.key for one in (self.layout.semantic, self.layout.episodic, self.layout.turns) if one is not None}
        nodes = [node for kept in self.held for node in nodes_of(kept, self.layout)]

        def about(node: Node) -> bool:
            return (node.kept.table in tiers or node.kind == "working") and concerns(node, subject)

        self.circle.about = about
        self.circle.grow({node.id for node in nodes if about(node)})

    def _find_said(self, session: str = "", tag: str = "") -> None:
        """Find the turns of a session or a tag, and what rests on them alone."""
        self._only_what_rests(Said(sessions={(self.tx.ids.user, session)}) if session else Said())
        owner = self._in(session or self.tx.ids.session).scope(self.layout.turns.scope)
        for turn in list(self.tx.rows.held(owner, self.layout.turns.key)):
            own = turn["session"] == session and turn.get("user") in (None, self.tx.ids.user)
            if own or tag in turn.get("tags", ()):
                self._take_turn(turn)
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
        shared = {one: name for one, name in self.held.scopes.items() if one not in own}
        self.circle.held = Held(self.tx.rows, shared)
        self._only_what_rests(Said(users={ids.user} if scope == "user" and ids.user else set()))
        turns = self.layout.turns
        for row in list(self.tx.rows.held(ids.scope(turns.scope), turns.key)):
            self._note_turn(row, scope)
        self.circle.rests()

    def _note_turn(self, row: Row, scope: ScopeKind) -> None:
        """Take note of a kept turn as one of the scope's; what the scope does not own of it is taken."""
        kept_in = self.layout.turns.scope
        if scope == kept_in or (scope == "user" and row.get("user") == self.tx.ids.user):
            self.circle.turned.ids.add(row["id"])
            if kept_in == "project":
                self._take_turn(row)

    def _only_what_rests(self, said: Said) -> None:
        self.circle.turned, self.circle.follows_versions = said, False
        self.circle.about = lambda node: node.kind == "turn" or self.circle.turned.is_all_of(node)

    def _take_turn(self, row: Row) -> None:
        turns = self.layout.turns
        self.circle.take(Node("turn", row, KeptRow(turns.key, row, self.tx.ids.scope(turns.scope))))

    def _with_siblings(self) -> Said:
        """Take also what rests on the same turns and says the same; return all turns that go."""
        while True:
            evidence = self.circle.evidence()
            texts = Texts.of(self.circle.texts)
            new = [node for node in self.circle.siblings(evidence) if self._goes_with(node, texts)]
            if not new:
                return evidence
            for node in new:
                self.circle.grow(self.circle.take(node))

    def _goes_with(self, node: Node, texts: Texts) -> bool:
        return self.circle.follows_versions and self.circle.says_so(node, texts)

    def _removal(self, evidence: Said) -> Removal:
        nodes = list(self.circle.taken.values())
        places: dict[ScopeIds, set[int]] = defaultdict(set)
        sources = [source for node in nodes for source in node.sources]
        said = [node.record for node in nodes if node.kind == "turn"]
        for one in [*sources, *said, *self._items()]:
            place = replace(self.tx.ids, user=one.get("user") or self.tx.ids.user, session=one["session"])
            if one["turn"] > 0 and place.scope("session") in self.circle.held.scopes:
                places[place].add(one["turn"])
        return Removal(self.tx, self.layout, self.held, self.erased, nodes, self._turns(evidence, places), places)

    def _items(self) -> list[dict[str, Any]]:
        """Return where the messages are of which a turn's id, or the asked one, is that of an item."""
        wanted = [self.asked.id] if self.asked.id and not self.circle.taken else []
        return [
            {"turn": row["turn"], "session": name, "user": None}
            for scope, name in self.held.scopes.items()
            if name and wanted
            for row in self.tx.rows.get(ITEMS, scope, wanted)
        ]

    def _turns(self, evidence: Said, places: dict[ScopeIds, set[int]]) -> list[Row]:
        """Return the kept turns that go as evidence: those with the ids, and what was said in the same turns."""
        table = self.layout.turns
        if self.asked.scope == table.scope:  # they go with the scope itself
            return []
        found = [turn.model_dump(mode="json") for turn in self.tx.get_many(table, sorted(evidence.ids))]
        for place, numbers in places.items():
            where = (Where("session", "=", place.session), Where("turn", "in", sorted(numbers)))
            found += [
                turn.model_dump(mode="json") for turn in self.tx.find(table, *where) if turn.user in (None, place.user)
            ]
        taken = self.circle.ids
        return list({turn["id"]: turn for turn in found if turn["id"] not in taken}.values())

    def _reopen(self) -> None:
        """Hold again what only a fact ended that is forgotten with the session or tag in which it was said."""
        facts, gone = self.layout.semantic, self.circle.ids
        if facts is None or self.circle.follows_versions:
            return
        closed = self.tx.find(facts, Where("status", "=", "superseded"))
        again = {"status": "current", "valid_to": None, "superseded_at": None, "superseded_by": "", "reason": ""}
        self.tx.put(facts, [fact.model_copy(update=again) for fact in closed if fact.superseded_by in gone])

    def _purge(self) -> None:
        """Take everything that the asked scope owns; a user's sessions are the user's."""
        scope, session = self.asked.scope, self.asked.session
        if session:
            erase_scope(self.tx.rows, self._in(session), "session", self.erased)
        elif scope is not None:
            for name in sessions_of(self.tx.rows, self.tx.ids) if scope == "user" else ():
                erase_scope(self.tx.rows, self._in(name), "session", self.erased)
            erase_scope(self.tx.rows, self.tx.ids, scope, self.erased)

    def _verify(self, removal: Removal) -> None:
        """Look everything up again, by id and by words; whatever is found undoes the transaction."""
        groups: dict[Any, dict[str, str]] = defaultdict(dict)
        for node in removal.nodes:
            if node.kind != "working":
                groups[node.kept.table, node.kept.owner][node.id] = next(iter(node.texts), "")
        found = [
            row["id"]
            for (table, owner), ids in groups.items()
            for row in self.tx.rows.get(Table(table, {}), owner, list(ids))
        ]
        tiers: list[Collection[Any] | None] = [self.layout.turns, self.layout.semantic, self.layout.episodic]
        for tier in (one for one in tiers if one is not None):
            gone = groups.get((tier.key, self.tx.ids.scope(tier.scope)), {})
            for text in gone.values():
                found += [match.id for match in self.tx.match(tier, words(text), 20) if match.id in gone]
        if found:
            raise StoreError(f"forget: still found after removal: {', '.join(found)}; nothing was changed")

    def _in(self, session: str) -> ScopeIds:
        return replace(self.tx.ids, session=session)


def _ids(nodes: Iterable[Node]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for node in nodes:
        if node.id not in found.setdefault(node.kind, []):
            found[node.kind].append(node.id)
    return found


def _united(one: dict[str, list[str]], other: dict[str, list[str]]) -> dict[str, list[str]]:
    return {kind: list(dict.fromkeys([*one.get(kind, ()), *other.get(kind, ())])) for kind in {**one, **other}}
