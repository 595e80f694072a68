"""Whom a cue asks about, by the subjects of what is remembered and by what the user's own facts call them."""

from typing import TYPE_CHECKING

from fabric.resource import Transaction
from fabric.terms import Cue
from fabric.text import words

from ..semantic import Fact
from .layout import MemoryLayout

if TYPE_CHECKING:
    from ..retrieval.people import People
    from ..retrieval.pool import Pools

MOST_RELATIONS = 200
"""How many of the facts that hold a word of relation are read."""


def asked_about(tx: Transaction, layout: MemoryLayout, cue: Cue, pools: "Pools") -> "People":
    """Return whom the cue asks about, among the subjects of the pools' memories."""
    from ..retrieval.people import people_of, words_after_my  # noqa: PLC0415  ranking needs numpy, which few imports need

    columns = [pool.index.columns.get("subject") for pool in pools]
    subjects = frozenset[str]().union(*(column.names.keys() for column in columns if column is not None)) - {""}
    if not subjects:
        return people_of(cue, (), {})
    relations = {word: _called(tx, layout, word, subjects) for word in words_after_my(cue.text)}
    return people_of(cue, subjects, relations)


def _called(tx: Transaction, layout: MemoryLayout, word: str, subjects: frozenset[str]) -> frozenset[str]:
    """Return the subjects whom current facts of the user about relations name together with the word."""
    if layout.semantic is None:
        return frozenset()
    matches = tx.match(layout.semantic, [word], MOST_RELATIONS)
    facts = tx.get_many(layout.semantic, [match.id for match in matches])
    said = [frozenset(words(fact.content)) for fact in facts if _tells_of_kin(fact)]
    return frozenset(name for own in said for name in subjects - {"user"} if own.issuperset(words(name)))


def _tells_of_kin(fact: Fact) -> bool:
    return fact.subject == "user" and fact.category == "relationship" and fact.status == "current"
