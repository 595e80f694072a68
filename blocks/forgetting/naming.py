"""Naming: which records are about somebody, which name them, and which may."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from capabilities.relations.mentions import Mention, mention
from fabric.reach import Held

from ..held import NOT_TEXT, records
from .links import Node, strings_of


def concerns(node: Node, subject: str) -> bool:
    """Return whether a record is about somebody, or surely names them."""
    return node.record.get("subject") == subject or any(mention(text, subject) == "yes" for text in node.texts)


def look_for(held: Held, subject: str) -> tuple[dict[str, int], dict[str, list[str]]]:
    """Look through all that is held for a name: how many records of each kind, and the ids of those that may have it.

    "" and ``user`` are no names.
    """
    if subject in ("", "user"):
        return {}, {}
    searched: Counter[str] = Counter()
    left: dict[str, list[str]] = {}
    for record in records(held):
        searched[record["kind"]] += 1
        if named(record, subject) != "no":
            left.setdefault(record["kind"], []).append(str(record["id"]))
    return dict(searched), left


def named(record: Mapping[str, Any], subject: str) -> Mention:
    """Return whether a text of a record names the subject; the user has no name of that kind.

    >>> named({"kind": "belief", "content": "Anna is in Oslo"}, "anna"), named({"kind": "goal", "session": "a"}, "a")
    ('yes', 'no')
    """
    found = {
        mention(text, subject) for key, value in record.items() if key not in NOT_TEXT for text in strings_of(value)
    }
    return "yes" if "yes" in found else "perhaps" if "perhaps" in found else "no"
