"""Removal: what was found to go leaves its tables, and items, jobs and journals lose what was made of it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from fabric.flow.resource import Transaction
from fabric.jobs.erasure import erase_effects, erase_items, erase_outputs, erase_turns, erase_work
from fabric.jobs.job import EFFECTS, JOBS, TURNS, job_of
from fabric.jobs.reach import KeptRow, Reach
from fabric.lazy import lazy
from fabric.narrowing import is_dict, is_list
from fabric.record.erased import Erased
from fabric.record.log import ITEMS
from fabric.scope import Scope, ScopeIds
from fabric.store.base import Row, Rows, Table, Where

from ..owned_records import DOCUMENTS, is_state
from .erased_texts import Texts
from .linked_records import MANY
from .links import Node, ids_by_kind, mentions_id, nodes_of
from .recognised import told_of

if TYPE_CHECKING:
    from capabilities.cognitive import slots
    from capabilities.retain import session
    from capabilities.traces import tables as trace_tables
else:
    session = lazy("capabilities.retain.session")
    slots = lazy("capabilities.cognitive.slots")
    trace_tables = lazy("capabilities.traces.tables")

COUNTED = {
    "turn": "kept turns",
    "working": "working entries",
    "trace edge": "trace edges and feedback",
    "trace feedback": "trace edges and feedback",
    "community": "communities",
    "retained memory": "retained memories",
    "queued memory": "queued memories",
}
"""What a receipt calls the records of a kind; the others by their plural."""


@dataclass(slots=True)
class Removal:
    """One removal: the records that go, the turns they rest on, and what was made of either."""

    tx: Transaction
    reach: Reach
    erased: Erased
    nodes: list[Node]
    turns: list[Node]
    """The kept turns that go as evidence, of every memory system that has them."""
    places: Mapping[ScopeIds, set[int]]
    """The numbers of the turns that go, by session."""
    texts: Texts = field(init=False)
    ids: set[str] = field(init=False)
    said: dict[Scope, list[str]] = field(default_factory=lambda: defaultdict(list))
    """By session, the messages that stay and may hold a forgotten text."""

    def __post_init__(self) -> None:
        gone = [*self.nodes, *self.turns]
        self.ids = {node.id for node in gone}
        self.texts = Texts.of({text for node in gone for text in node.texts})

    def run(self) -> None:
        """Delete the records, and all that was made of them or of their turns, in the transaction that is open."""
        self._delete(node for node in [*self.nodes, *self.turns] if node.kind != "working")
        self._delete_entries()
        for ids, numbers in self.places.items():
            erase_turns(self.tx.rows, ids, numbers, self.erased)
        self._erase_made()
        self.erased.gone += told_of(self.tx.ids, [*self.nodes, *self.turns])

    def left(self) -> dict[str, list[str]]:
        """Look for the forgotten texts in everything that is held; return by kind the ids of what still has one."""
        nodes = (node for kept in self._holding(self.texts.spellings) for node in nodes_of(kept))
        return ids_by_kind(node for node in nodes if self.texts.contained_in(dict(node.record)))

    def _holding(self, told: AbstractSet[str]) -> Iterable[KeptRow]:
        """Return the rows that may hold one of these ids and texts; where they are many, all rows."""
        return self.reach.containing(sorted(told)) if len(told) < MANY else self.reach

    def _delete(self, nodes: Iterable[Node]) -> None:
        groups: dict[tuple[str, str, Scope], list[str]] = defaultdict(list)
        for node in nodes:
            groups[node.kind, node.kept.table, node.kept.owner].append(node.id)
        for (kind, table, owner), ids in groups.items():
            self.erased.count(COUNTED.get(kind, f"{kind}s"), self.tx.rows.delete(Table(table, {}), owner, ids))

    def _delete_entries(self) -> None:
        gone: dict[tuple[str, Scope], set[str]] = defaultdict(set)
        for node in self.nodes:
            if node.kind == "working":
                gone[node.kept.row["id"], node.kept.owner].add(node.id)
        for (key, owner), ids in gone.items():
            state = self.tx.rows.read(key, owner)
            left = [entry for entry in state["entries"] if entry["id"] not in ids]
            self.erased.count("working entries", len(state["entries"]) - len(left))
            self.tx.rows.write(key, owner, {**state, "entries": left})

    def _erase_made(self) -> None:
        """Take out what the engine keeps of what was done with the rows: told by their ids, and by their texts."""
        made = list(self._holding(self.ids | self.texts.spellings))
        by_table: dict[str, list[KeptRow]] = defaultdict(list)
        for kept in made:
            if kept.table == ITEMS.name and kept.row["kind"] == "message":
                self.said[kept.owner].append(kept.row["text"])
        for kept in made:
            if self._is_made(kept):
                by_table[kept.table].append(kept)
        for scope, items in _by_owner(by_table[ITEMS.name]).items():
            erase_items(self.tx.rows, scope, self._with_turns(scope, items), self.erased)
        for scope, named in _by_owner(by_table[TURNS.name]).items():
            erase_outputs(self.tx.rows, scope, named, self.erased)
        for kept in by_table[JOBS.name]:
            texts = self._texts_for(kept)
            cut, is_clean = partial(self._cut, texts), partial(self._is_clean, texts)
            erase_work(self.tx.rows, kept.row, cut, is_clean, self.erased)
        erase_effects(self.tx.rows, [kept.row["id"] for kept in by_table[EFFECTS.name]], self.erased)
        _let_count_again(self.tx.rows, made, self.ids)
        _take_out_of_mind(self.tx.rows, made, self.ids)
        self._take_out_of_prompts(made)
        for kept in filter(is_state, made):
            state = kept.row["value"]
            waiting = [turn for turn in state.get("pending", ()) if turn not in self.ids]
            if len(waiting) < len(state.get("pending", ())):
                self.tx.rows.write(kept.row["id"], kept.owner, {**state, "pending": waiting})

    def _take_out_of_prompts(self, made: Iterable[KeptRow]) -> None:
        """Take what is forgotten out of what sessions have recalled for all their turns."""
        for kept in made:
            if kept.table == DOCUMENTS and kept.row["id"] in session.PROMPTS:
                left = session.without_gone(kept.row["value"], self._is_line_gone)
                if left != kept.row["value"]:
                    self.tx.rows.write(kept.row["id"], kept.owner, left)
                    self.erased.count("recalled blocks", 1)

    def _is_line_gone(self, line: str) -> bool:
        return mentions_id(line, self.ids) or self.texts.contained_in(line)

    def _is_made(self, kept: KeptRow) -> bool:
        """Return whether a row of the engine was made of what goes; words that somebody said are left to the sweep."""
        if kept.table == ITEMS.name and kept.row["kind"] == "message":
            return False
        seen = {key: value for key, value in kept.row.items() if key != "id"}
        return mentions_id(seen, self.ids) or self._texts_for(kept).contained_in(seen)

    def _texts_for(self, kept: KeptRow) -> Texts:
        """Return the texts that tell that a row was made of what goes.

        An output, or the input of a job, repeats messages of its session. What one that stays says, such as an answer
        that was given in many turns, tells nothing: it was made of that one.
        """
        if kept.table == TURNS.name:
            return self.texts.without(self.said[kept.owner])
        if kept.table == JOBS.name:
            return self.texts.without(self.said[job_of(kept.row).ids.scope("session")])
        return self.texts

    def _with_turns(self, scope: Scope, items: list[Row]) -> list[Row]:
        """Return items with the calls and results that they are paired with, and what their turns say of it."""
        turns = {row["turn"] for row in items if row["kind"] in ("tool_call", "tool_result")}
        pairs = {(row["turn"], row["call_id"]) for row in items if row["call_id"]}
        near = [row for turn in sorted(turns) for row in self.tx.rows.find(ITEMS, scope, [Where("turn", "=", turn)])]
        more = [row for row in near if (row["turn"], row["call_id"]) in pairs or self.texts.contained_in(row["text"])]
        return list({row["id"]: row for row in [*items, *more]}.values())

    def _cut(self, texts: Texts, value: Any) -> Any:
        """Return a JSON value without the records and texts in lists that go."""
        if is_dict(value):
            return {key: self._cut(texts, item) for key, item in value.items()}
        if is_list(value):
            return [self._cut(texts, item) for item in value if not self._goes(texts, item)]
        return value

    def _goes(self, texts: Texts, value: Any) -> bool:
        if is_dict(value):
            return value.get("id") in self.ids
        return isinstance(value, str) and not self._is_clean(texts, value)

    def _is_clean(self, texts: Texts, value: Any) -> bool:
        return not mentions_id(value, self.ids) and not texts.contained_in(value)


def _by_owner(kept: Iterable[KeptRow]) -> dict[Scope, list[Row]]:
    found: dict[Scope, list[Row]] = defaultdict(list)
    for row in kept:
        found[row.owner].append(row.row)
    return found


def _let_count_again(rows: Rows, held: Iterable[KeptRow], gone: AbstractSet[str]) -> None:
    """Let traces count again that only traces which went said otherwise, and name none of these any more."""
    for node in (node for kept in held for node in nodes_of(kept)):
        paths = (*node.links.against, *node.links.versions)
        lists = {path: ids for path in paths if is_list(ids := node.record.get(path))}
        left = {path: [trace_id for trace_id in ids if trace_id not in gone] for path, ids in lists.items()}
        if node.kind == "trace" and left != lists:
            tables = {tables.traces.key: tables.traces.table for tables in trace_tables.ALL_TABLES.values()}
            rows.put(tables[node.kept.table], node.kept.owner, [{**node.record, **left}])


def _take_out_of_mind(rows: Rows, held: Iterable[KeptRow], gone: AbstractSet[str]) -> None:
    """Take traces that went out of the slots of sessions, and out of what their prompts showed."""
    for kept in held:
        if kept.table == DOCUMENTS and kept.row["id"] == slots.IN_MIND.key:
            mind: dict[str, Any] = kept.row["value"]
            still = [slot for slot in mind["held"] if slot["trace"] not in gone]
            shown = {
                name: [trace_id for trace_id in mind.get(name, ()) if trace_id not in gone]
                for name in ("prompted", "rivals")
            }
            rows.write(kept.row["id"], kept.owner, {**mind, "held": still, **shown})
