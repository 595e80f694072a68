"""Verifies a forgetting: what was erased is looked up again before the transaction is committed."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from capabilities.memory.layout import MemoryLayout
from fabric.errors import StoreError
from fabric.flow.resource import Collection, Transaction
from fabric.store.base import Table
from fabric.text.words import words

from .links import Node


def check_gone(tx: Transaction, layout: MemoryLayout, nodes: Iterable[Node]) -> None:
    """Look everything up again, by id and by words; StoreError, which undoes the transaction, for what is found."""
    groups: dict[Any, dict[str, str]] = defaultdict(dict)
    for node in nodes:
        if node.kind != "working":
            groups[node.kept.table, node.kept.owner][node.id] = next(iter(node.texts), "")
    found = [
        row["id"] for (table, owner), ids in groups.items() for row in tx.rows.get(Table(table, {}), owner, list(ids))
    ]
    tiers: list[Collection[Any] | None] = [layout.turns, layout.semantic, layout.episodic]
    for tier in (tier for tier in tiers if tier is not None):
        gone = groups.get((tier.key, tx.ids.scope(tier.scope)), {})
        for text in gone.values():
            found += [match.id for match in tx.match(tier, words(text), 20) if match.id in gone]
    if found:
        raise StoreError(f"forget: still found after removal: {', '.join(found)}; nothing was changed")
