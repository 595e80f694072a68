"""Links: which fields of each kind of record name the rows that it came from, as data, and how they are read."""

import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, NamedTuple

from fabric.jobs.reach import KeptRow
from fabric.narrowing import is_list, is_list_or_tuple, is_mapping
from fabric.scope import Scope

from ..owned_records import DOCUMENTS, is_working, kind_of


class Links(NamedTuple):
    """Paths of fields; a dot leads into a record or into each of a list.

    ``versions`` name rows that are this one, before or after: they always go together. ``same`` name rows that say the
    same elsewhere: they go together where they are what is to be forgotten. ``drawn`` name what the record was made
    of: it goes when they go, and they stay when it goes. ``said`` are the turns that it rests on, as sources.
    """

    versions: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    drawn: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    """Where its texts stand."""
    against: tuple[str, ...] = ()
    """Name rows that say otherwise: it counts again once they have gone."""


LINKS: Mapping[str, Links] = {
    "fact": Links(("superseded_by",), ("source_episode_ids",), (), ("sources",), ("content",)),
    "episode": Links(said=("sources",), says=("content",)),
    "working": Links(same=("fact_id", "episode_id"), said=("sources",), says=("content",)),
    "turn": Links(says=("text",)),
    "goal": Links(said=("source",), says=("description", "progress", "outcome")),
    "belief": Links(said=("source", "earlier.source"), says=("content", "earlier.content")),
    "reflection": Links(said=("source",), says=("content", "related_to")),
    "draft": Links(
        drawn=("target",),
        said=("entry.source", "entry.earlier.source"),
        says=("entry.content", "entry.description", "change.description", "change.progress"),
    ),
    "trace": Links(
        ("merged_into", "merged_from"),
        (),
        ("derived_from",),
        ("sources", "source"),
        ("content",),
        ("contradicted_by",),
    ),
    "intention": Links(drawn=("derived_from",), said=("source",), says=("content", "cue", "events")),
    "trace edge": Links(drawn=("source", "target")),
    "trace feedback": Links(drawn=("trace_id",), says=("query",)),
    "consolidation": Links(drawn=("drawn_from",)),
    "cognitive consolidation": Links(drawn=("drawn_from", "changes.trace_id")),
    "heard message": Links(said=("source",), says=("text",)),
    "observation": Links(drawn=("sources.turn_id",), said=("sources",), says=("content",)),
    "archived trace": Links(drawn=("id",), said=("sources",), says=("content",)),
    "memory graph": Links(drawn=("id",), says=("names",)),
    "community": Links(drawn=("drawn_from",), says=("summary", "title")),
    "archive access": Links(drawn=("trace_id",)),
    "queued memory": Links(said=("sources",), says=("content", "context")),
    "retained memory": Links(drawn=("consolidated_from",), said=("sources",), says=("content",)),
}
"""What kinds of records are forgotten as a whole; the engine's own, items and jobs, are looked through for ids."""

_TOKEN = re.compile(r"[\w:-]+")
LONG_ID = 8
"""From how many characters on an id inside a text is one."""


@dataclass(frozen=True, slots=True)
class Node:
    """One record: a row, or one entry of a working memory; ``kept`` is the row it stands in."""

    kind: str
    record: Mapping[str, Any]
    kept: KeptRow

    @property
    def id(self) -> str:
        """The record's id."""
        return str(self.record.get("id"))

    @property
    def key(self) -> tuple[str, Scope, str]:
        """The record's table, owner and id, which no other record shares."""
        return self.kept.table, self.kept.owner, self.id

    @property
    def links(self) -> Links:
        """Its links; none for what is not forgotten as a whole."""
        return LINKS.get(self.kind, Links())

    def named(self, paths: tuple[str, ...]) -> set[str]:
        """Return the ids or texts at these paths."""
        return {text for path in paths for text in _at(self.record, path) if isinstance(text, str) and text}

    @property
    def sources(self) -> list[Mapping[str, Any]]:
        """The turns that it rests on, as it names them."""
        return [source for path in self.links.said for source in _at(self.record, path) if isinstance(source, Mapping)]

    @property
    def texts(self) -> set[str]:
        """The texts of the record, at the paths that its kind keeps them at."""
        return self.named(self.links.says)


def nodes_of(kept: KeptRow) -> Iterator[Node]:
    """Yield the records of a row: the entries of a working memory, of any other row itself."""
    if kept.table != DOCUMENTS:
        yield Node(kind_of(kept.table), kept.row, kept)
    elif is_working(kept):
        yield from (Node("working", entry, kept) for entry in kept.row["value"].get("entries", ()))
    else:
        yield Node("document", kept.row, kept)


def ids_by_kind(nodes: Iterable[Node]) -> dict[str, list[str]]:
    """Return the ids of these records, each once, by their kind."""
    found: dict[str, list[str]] = {}
    for node in nodes:
        if node.id not in found.setdefault(node.kind, []):
            found[node.kind].append(node.id)
    return found


def united(one: dict[str, list[str]], other: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the union of two groups of ids, by kind of record."""
    return {kind: list(dict.fromkeys([*one.get(kind, ()), *other.get(kind, ())])) for kind in {**one, **other}}


def mentions_id(value: Any, ids: AbstractSet[str]) -> bool:
    """Return whether a string in a JSON value is one of the ids, or holds a long one as a word.

    >>> mentions_id({"result": "new trace mt_12345678"}, {"mt_12345678"}), mentions_id("I have 12 cats", {"12"})
    (True, False)
    """
    return any(string in ids or not ids.isdisjoint(_long_words(string)) for string in strings_of(value))


def _long_words(text: str) -> Iterator[str]:
    return (word for word in _TOKEN.findall(text) if len(word) >= LONG_ID)


def strings_of(value: Any) -> Iterator[str]:
    """Yield every string in a JSON value; keys are none."""
    if isinstance(value, str):
        yield value
    elif is_mapping(value) or is_list(value):
        for item in value.values() if is_mapping(value) else value:
            yield from strings_of(item)


def _at(value: Any, path: str) -> Iterator[Any]:
    if is_list_or_tuple(value):
        for item in value:
            yield from _at(item, path)
    elif not path:
        yield value
    elif is_mapping(value):
        name, _, rest = path.partition(".")
        yield from _at(value.get(name), rest)
