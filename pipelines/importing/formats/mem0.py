"""mem0: what `get_all` returns, exports of the platform and of OpenMemory, and the history of memories."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from capabilities.vocabulary import FactCategory
from fabric.narrowing import is_dict

from ..elements import Piece
from ..problems import Problem
from ..records import Entry, LeftOut, PlainReader, Statement, digest, mapping, moment, name_of, tags_of, text_of

CONTAINERS = ("results", "memories", "data", "")
CATEGORIES: dict[str, FactCategory] = {
    "family": "relationship",
    "relationships": "relationship",
    "personal_details": "identity",
    "professional_details": "profession",
    "user_preferences": "preference",
    "preferences": "preference",
    "hobbies": "preference",
    "food": "preference",
    "music": "preference",
}
"""What the categories that mem0 gives by itself are here; any other is an attribute."""


def claims(piece: Piece) -> bool:
    """Return whether a record looks like one of mem0."""
    record = mapping(piece.value)
    if piece.key not in CONTAINERS:
        return False
    if "memory_id" in record and ("new_memory" in record or "old_memory" in record):
        return True
    if isinstance(record.get("memory"), str):
        return not {"id", "hash", "user_id", "agent_id", "created_at", "categories"}.isdisjoint(record)
    return "content" in record and "state" in record and not {"app", "app_id", "categories"}.isdisjoint(record)


class Mem0(PlainReader):
    """Reads mem0's memories. One of an agent alone is the agent's: its owner is ``agent:ID``."""

    def survey(self, piece: Piece) -> None:
        """Note the names of the categories, and of the user whose internal id the memories bear."""
        record = mapping(piece.value)
        if piece.key == "user" and isinstance(record.get("user_id"), str):
            self.names[str(record.get("id"))] = record["user_id"]
        if piece.key == "categories" and isinstance(record.get("name"), str):
            self.names[str(record.get("id"))] = record["name"]

    def read(self, piece: Piece) -> Iterator[Entry]:
        """Yield the memory, or the version of one."""
        if piece.key not in CONTAINERS:
            yield from _left_out(piece)
            return
        try:
            if not is_dict(piece.value):
                raise ValueError(f"expected a memory, got {piece.value!r}"[:60])
            yield self._version(piece) if "memory_id" in piece.value else self._memory(piece)
        except ValueError as error:
            yield Problem(piece.where, str(error))

    def _memory(self, piece: Piece) -> Entry:
        record: Mapping[str, Any] = piece.value
        state = record.get("state", "active")
        created, updated = moment(record.get("created_at")), moment(record.get("updated_at"))
        if state == "deleted":
            return LeftOut("deleted in mem0")
        text = text_of(record.get("memory", record.get("content") if "state" in record else None), "the memory")
        meta = mapping(record.get("metadata"))
        named = [self.names.get(str(category_id), "") for category_id in record.get("category_ids") or ()]
        tags = tags_of(record.get("categories"), meta.get("category"), meta.get("categories"), meta.get("tags"), named)
        owner = self._owner(record)
        retired = (moment(record.get("archived_at")) or updated) if state == "archived" else None
        return Statement(
            where=piece.where,
            record=name_of(record.get("id")) or digest("text", owner, text),
            text=text,
            known_from=updated or created,
            is_dated=updated is not None or created is not None,
            valid_from=created or updated,
            valid_to=retired or moment(record.get("expiration_date")),
            given_up=retired or _past(record, self.told.now),
            subject=owner.removeprefix("agent:") if owner.startswith("agent:") else "user",
            category=_category(tags),
            role="assistant" if owner.startswith("agent:") or record.get("role") == "assistant" else "user",
            tags=tags,
            owner=owner,
        )

    def _version(self, piece: Piece) -> Entry:
        """Return what a row of a memory's history says: its new text, or that it was deleted."""
        record: Mapping[str, Any] = piece.value
        at = moment(record.get("updated_at")) or moment(record.get("created_at"))
        event = str(record.get("event") or "").upper()
        deleted = event == "DELETE" or bool(record.get("is_deleted"))
        text = record.get("old_memory") if deleted else record.get("new_memory")
        return Statement(
            where=piece.where,
            record=name_of(record.get("memory_id")),
            text=text_of(text or record.get("old_memory"), "the memory"),
            known_from=at,
            is_dated=at is not None,
            valid_from=at,
            valid_to=at if deleted else None,
            given_up=(at or self.told.now) if deleted else None,
            owner=self._owner(record),
        )

    def _owner(self, record: Mapping[str, Any]) -> str:
        user, agent = name_of(record.get("user_id")), name_of(record.get("agent_id"))
        return self.names.get(user, user) or (f"agent:{agent}" if agent else "")


def _category(tags: Sequence[str]) -> FactCategory:
    for tag in tags:
        if tag in CATEGORIES:
            return CATEGORIES[tag]
    return "attribute"


def _past(record: Mapping[str, Any], now: datetime) -> datetime | None:
    expires = moment(record.get("expiration_date"))
    return expires if expires is not None and expires <= now else None


def _left_out(piece: Piece) -> Iterator[Entry]:
    if isinstance(piece.value, dict | list) and not piece.is_field:
        yield LeftOut(f"{piece.key} of mem0, which are no memories")
