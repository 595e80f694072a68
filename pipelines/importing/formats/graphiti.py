"""Graphiti and Zep: edges of a graph are facts, its episodes are messages, its nodes say whom facts are about."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from fabric.narrowing import is_dict, is_list

from ..elements import Piece
from ..problems import Problem, kind_of
from ..records import (
    MAX_TEXT_CHARS,
    Entry,
    LeftOut,
    Origin,
    PlainReader,
    Said,
    Statement,
    digest,
    mapping,
    moment,
    name_of,
    text_of,
)
from .messages import session_name

USERS = frozenset({"user", "human", "norole", ""})
ASSISTANTS = frozenset({"assistant", "ai", "bot", "agent"})
_SPOKEN = re.compile(r"\s*(?P<who>[^:\n]{1,60}):\s+(?P<what>.+)", re.DOTALL)
OWNERS = ("group_id", "user_id", "graph_id", "graph_uuid")
EPISODE = {"source", "source_description", "entity_edges", "role_type"}
NODE = {"labels", "summary", "name_embedding"}


def claims(piece: Piece) -> bool:
    """Return whether a record looks like an edge, a node or an episode."""
    record = mapping(piece.value)
    if "uuid" not in record:
        return False
    if {"source_node_uuid", "target_node_uuid"} <= record.keys():
        return True
    if "fact" in record or ("content" in record and not EPISODE.isdisjoint(record)):
        return True
    return "name" in record and not NODE.isdisjoint(record)


@dataclass(slots=True)
class Graphiti(PlainReader):
    """Reads edges, nodes and episodes, in any order and in lists of any name."""

    episodes: dict[str, Origin] = field(default_factory=dict[str, Origin])
    """The episodes that are kept as messages, by their ids, as the survey finds them."""
    drawn: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The ids of the episodes that name an edge, by its id."""

    def survey(self, piece: Piece) -> None:
        """Note what the nodes are called, of which the user's is the user, and what episodes there are."""
        record = mapping(piece.value)
        if "content" in record and "fact" not in record:
            self._note_episode(piece.where, record)
        if not NODE.isdisjoint(record) and isinstance(record.get("name"), str):
            labels = record.get("labels")
            is_user = isinstance(labels, list) and "User" in labels
            self.names[str(record.get("uuid"))] = "user" if is_user else record["name"].strip()

    def _note_episode(self, where: str, record: Mapping[str, Any]) -> None:
        try:
            said, uuid = self._episode(where, record), name_of(record.get("uuid"))
        except ValueError:
            return  # it is refused when it is read, with the reason
        if isinstance(said, Said) and uuid:
            self.episodes[uuid] = Origin(said.id, said.session, said.said_at, said.owner)
            for edge in _ids(record.get("entity_edges")):
                self.drawn.setdefault(edge, []).append(uuid)

    def _origins(self, record: Mapping[str, Any], owner: str) -> tuple[Origin, ...]:
        named = [*_ids(record.get("episodes")), *self.drawn.get(str(record.get("uuid")), ())]
        found = (self.episodes.get(episode_id) for episode_id in dict.fromkeys(named))
        return tuple(origin for origin in found if origin is not None and origin.owner == owner)

    def read(self, piece: Piece) -> Iterator[Entry]:
        """Yield what an edge, a node or an episode says."""
        record = piece.value
        if not is_dict(record):
            if not piece.is_field:
                yield Problem(piece.where, f"expected an edge, a node or an episode, got {kind_of(record)}")
            return
        try:
            yield self._entry(piece.where, record)
        except ValueError as error:
            yield Problem(piece.where, str(error))

    def _entry(self, where: str, record: Mapping[str, Any]) -> Entry:
        if "fact" in record:
            return self._edge(where, record)
        if {"source_node_uuid", "target_node_uuid"} <= record.keys():
            return LeftOut("links that state nothing")
        if "content" in record:
            return self._episode(where, record)
        if not NODE.isdisjoint(record):
            return self._node(where, record)
        raise ValueError("neither an edge with a fact, nor an episode, nor a node")

    def _edge(self, where: str, record: Mapping[str, Any]) -> Statement:
        created, valid_from = moment(record.get("created_at")), moment(record.get("valid_at"))
        ends, expired = moment(record.get("invalid_at")), moment(record.get("expired_at"))
        about = name_of(record.get("source_node_name")) or self.names.get(str(record.get("source_node_uuid")), "")
        text = text_of(record["fact"], "the fact")
        owner = _owner(record)
        return Statement(
            where=where,
            record=name_of(record.get("uuid")) or digest(owner, text),
            text=text,
            known_from=created or valid_from,
            valid_from=valid_from or created,
            valid_to=ends or expired,
            given_up=next((at for at in (expired, ends) if at is not None and at <= self.told.now), None),
            subject=about[:120].strip() or "user",
            kind="edge",
            owner=owner,
            origins=self._origins(record, owner),
        )

    def _node(self, where: str, record: Mapping[str, Any]) -> Entry:
        labels = record.get("labels")
        if isinstance(labels, list) and "Community" in labels:
            return LeftOut("communities, which sum up what their members say")
        summary = record.get("summary")
        if not isinstance(summary, str) or not summary.strip():
            return LeftOut("nodes without a summary")
        owner = _owner(record)
        name = self.names.get(str(record.get("uuid"))) or name_of(record.get("name"))
        created = moment(record.get("created_at"))
        return Statement(
            where=where,
            record=name_of(record.get("uuid")) or digest(owner, name),
            text=text_of(summary, "the summary"),
            known_from=created,
            valid_from=created,
            subject=name[:120].strip() or "user",
            kind="node",
            owner=owner,
        )

    def _episode(self, where: str, record: Mapping[str, Any]) -> Entry:
        source = str(record.get("source") or "text")
        if source == "json":
            return LeftOut("episodes of JSON data, which nobody said")
        text = text_of(record["content"], "the content", MAX_TEXT_CHARS)
        spoken = _SPOKEN.fullmatch(text) if source == "message" and not record.get("role_type") else None
        who = spoken["who"].strip() if spoken else name_of(record.get("role"))
        kind = str(record.get("role_type") or who).strip().lower()
        if kind in ("system", "tool", "function"):
            return LeftOut(f"{kind} messages")
        role: Literal["user", "assistant"] = "assistant" if kind in ASSISTANTS else "user"
        owner = _owner(record)
        is_spoken = source == "message" or "role_type" in record
        return Said(
            where=where,
            session=session_name(record.get("thread_id") or record.get("session_id") or owner or "graphiti"),
            id=f"imported_{digest('graphiti', owner, name_of(record.get('uuid')) or text)}",
            role=role,
            text=spoken["what"] if spoken else text,
            said_at=moment(record.get("valid_at")) or moment(record.get("created_at")),
            speaker="" if who.lower() in USERS | ASSISTANTS else who,
            tags=() if is_spoken else ("document",),
            owner=owner,
            is_spoken=is_spoken,
        )


def _ids(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if is_list(value) else []


def _owner(record: Mapping[str, Any]) -> str:
    return next((name for key in OWNERS if (name := name_of(record.get(key)))), "")
