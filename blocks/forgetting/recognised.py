"""Recognised: how a run under way tells what it holds of rows that were forgotten."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from fabric.record.meanwhile import Gone
from fabric.scope import Scope, ScopeIds

from .erased_texts import Texts
from .links import Node, mentions_id


@dataclass(frozen=True, slots=True)
class Recognised:
    """Forgotten rows, by their ids and by what they say."""

    ids: frozenset[str]
    texts: Texts
    stated: Texts
    """What they say without what an assistant answered, which may be a stock phrase."""

    def names(self, ids: Collection[str], value: Any) -> bool:
        """Return whether a JSON value, made of the rows with these ids, tells of the forgotten ones."""
        return not self.ids.isdisjoint(ids) or mentions_id(value, self.ids) or self.texts.contained_in(value)

    def repeats(self, value: Any) -> bool:
        """Return whether a JSON value states what they do, word for word, or has an id of theirs."""
        return mentions_id(value, self.ids) or self.stated.contained_in(value)

    def cut(self, text: str) -> str:
        """Return a text with a mark in the place of each verbatim quotation of a forgotten row."""
        return self.texts.cut(text)


def told_of(by: ScopeIds, nodes: Iterable[Node]) -> list[Gone]:
    """Return what runs under way are to be told of these forgotten records, scope by scope."""
    owned: dict[Scope, list[Node]] = defaultdict(list)
    for node in nodes:
        owned[node.kept.owner].append(node)
    return [Gone(by, owner, _recognised(some)) for owner, some in owned.items()]


def _recognised(nodes: list[Node]) -> Recognised:
    stated = {text for node in nodes if node.record.get("role") != "assistant" for text in node.texts}
    everything = Texts.of({text for node in nodes for text in node.texts})
    return Recognised(frozenset(node.id for node in nodes), everything, Texts.of(stated))
