"""Forgotten messages: what stands in their places, and how one that is sent again is known without its words."""

import hmac
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..store.base import Row
from .items import Draft, Item

ERASED = "[forgotten]"
"""What stands in the place of an erased message."""
TAG = "tag"
TAG_CHARS = 5
"""Hexadecimal digits of a tag: 20 bits tell messages of one place apart, and fit thousands of any list of guesses."""


def blanked(item: Item) -> Item:
    """Return an item without what it said; a message keeps the tag by which `repeats` knows it."""
    if item.text == ERASED:
        return item
    return replace(item, text=ERASED, data=_kept(item.id, item.role, item.kind, item.text), parts=())


def blanked_row(row: Row) -> Row:
    """Do the same to the row of an item."""
    if row["text"] == ERASED:
        return row
    return {**row, "text": ERASED, "data": _kept(row["id"], row["role"], row["kind"], row["text"]), "parts": []}


def repeats(item: Item, draft: Draft) -> bool:
    """Return whether a draft, without secrets, says what an item says, or said before it was erased.

    >>> from datetime import datetime, UTC
    >>> item = Item("item_1", 1, 1, "user", "message", "I live in Oslo", datetime.now(UTC))
    >>> [repeats(blanked(item), Draft("user", "message", text)) for text in ("I live in Oslo", "I live in Rome")]
    [True, False]
    """
    if (item.role, item.kind) != (draft.role, draft.kind):
        return False
    if item.text == draft.text or item.text != ERASED:
        return item.text == draft.text
    return item.data.get(TAG) == _tag(item.id, item.role, draft.text)


def _kept(name: str, role: str, kind: str, text: str) -> Mapping[str, Any]:
    return {TAG: _tag(name, role, text)} if kind == "message" else {}


def _tag(name: str, role: str, text: str) -> str:
    """Return a short digest of a message, salted with the id of its item."""
    message = f"{role}\n{text}".encode("utf-8", "surrogatepass")
    return hmac.new(name.encode("utf-8", "surrogatepass"), message, "sha256").hexdigest()[:TAG_CHARS]
