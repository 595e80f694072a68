"""Letta: agent files of both versions, and blocks, passages and messages as its API returns them."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from fabric.narrowing import is_dict, is_list
from fabric.record.items import content_text

from ..elements import Piece
from ..problems import Problem, kind_of
from ..records import (
    MAX_TEXT_CHARS,
    Entry,
    LeftOut,
    PlainReader,
    Said,
    Statement,
    digest,
    mapping,
    moment,
    name_of,
    tags_of,
    text_of,
)
from .messages import session_name

PASSAGE = {"archive_id", "source_id", "file_id", "agent_id", "embedding_config", "organization_id"}
FIELDS = frozenset({"core_memory", "agents", "agent_type"})
BLOCK = {"limit", "is_template", "template_name", "read_only", "preserve_on_migration"}
PACKED = frozenset({"login", "heartbeat", "system_alert", "summary", "bootup"})
"""What an agent's loop tells it in the user's place."""
THINKERS = "memgpt"
"""Agents of these types write down thoughts, and say something by calling a tool."""
OWN_ID = 20
"""An id at least this long is unique everywhere; agent files number what they hold."""


def claims(piece: Piece) -> bool:
    """Return whether a record looks like a block, a passage or a message of Letta, or is an agent."""
    record = mapping(piece.value)
    if piece.key in ("agents", "core_memory"):
        return bool({"block_ids", "in_context_message_ids", "label", "messages"} & record.keys())
    if piece.key == "" and "name" in record and ("memory" in record or "core_memory" in record):
        return True
    if "label" in record and "value" in record:
        return not BLOCK.isdisjoint(record)
    if "message_type" in record:
        return True
    return "text" in record and not PASSAGE.isdisjoint(record)


class Letta(PlainReader):
    """Reads agents. What is in a block labelled persona is about the agent, everything else about the user."""

    def survey(self, piece: Piece) -> None:
        """Note what agents are called and of which type they are, and whose the blocks are."""
        record = mapping(piece.value)
        if piece.key in ("name", "agent_type") and isinstance(piece.value, str):
            self.names[piece.key] = piece.value
        if piece.key in ("agents", "") and isinstance(record.get("name"), str):
            for block in record.get("block_ids") or ():
                self.names.setdefault(f"of {block}", record["name"])
            self.names.setdefault(f"of {record.get('id')}", record["name"])

    def read(self, piece: Piece) -> Iterator[Entry]:
        """Yield what a block, a passage, a message or a whole agent holds."""
        record = piece.value
        if not is_dict(record):
            if not piece.is_field and piece.key not in ("tags", "in_context_message_indices"):
                yield Problem(piece.where, f"expected an agent, a block, a passage or a message, got {kind_of(record)}")
            return
        try:
            yield from self._entries(piece, record)
        except ValueError as error:
            yield Problem(piece.where, str(error))

    def _entries(self, piece: Piece, record: Mapping[str, Any]) -> Iterator[Entry]:
        agent = self.names.get("name", "")
        if piece.key == "messages" or "message_type" in record:
            yield from self._message(piece.where, record, agent, self.names.get("agent_type", ""))
        elif piece.key in ("agents", "") and not {"messages", "memory", "core_memory"}.isdisjoint(record):
            yield from self._agent(piece.where, record)
        elif "label" in record and "value" in record:
            yield self._block(piece.where, record, self.names.get(f"of {record.get('id')}", agent))
        elif piece.key == "memory":
            yield from self._blocks("blocks", record.get("blocks"), agent)
        elif "text" in record:
            yield self._passage(piece.where, record)
        elif not piece.is_field:
            yield LeftOut(f"{piece.key or 'records'} of Letta, which are no memories")

    def _agent(self, where: str, record: Mapping[str, Any]) -> Iterator[Entry]:
        agent = name_of(record.get("name"))
        blocks = mapping(record.get("memory")).get("blocks", record.get("core_memory"))
        yield from self._blocks(f"{where}, block", blocks, agent)
        messages = record.get("messages")
        for number, message in enumerate(messages if is_list(messages) else (), 1):
            place = f"{where}, message {number}"
            try:
                yield from self._message(place, mapping(message), agent, str(record.get("agent_type") or ""))
            except ValueError as error:
                yield Problem(place, str(error))

    def _blocks(self, where: str, blocks: object, agent: str) -> Iterator[Entry]:
        for number, block in enumerate(blocks if is_list(blocks) else (), 1):
            try:
                yield self._block(f"{where} {number}", mapping(block), agent)
            except ValueError as error:
                yield Problem(f"{where} {number}", str(error))

    def _block(self, where: str, record: Mapping[str, Any], agent: str) -> Entry:
        label, value = name_of(record.get("label")), record.get("value")
        if isinstance(value, str) and not value.strip():
            return LeftOut("blocks that are empty")
        created, updated = moment(record.get("created_at")), moment(record.get("updated_at"))
        own_id = name_of(record.get("id"))
        persona = label.lower().startswith("persona")
        return Statement(
            where=where,
            record=own_id if len(own_id) >= OWN_ID else f"{agent or self.told.name}/{label}",
            text=text_of(value, "the value"),
            known_from=updated or created,
            is_dated=updated is not None,
            valid_from=created or updated,
            subject=(agent or "assistant")[:120].strip() if persona else "user",
            category="identity" if persona or label.lower() == "human" else "attribute",
            kind="block",
            role="assistant",
            tags=tags_of(label),
        )

    def _passage(self, where: str, record: Mapping[str, Any]) -> Entry:
        if record.get("is_deleted"):
            return LeftOut("deleted in Letta")
        text = text_of(record.get("text"), "the passage")
        created, updated = moment(record.get("created_at")), moment(record.get("updated_at"))
        return Statement(
            where=where,
            record=name_of(record.get("id")) or digest(text),
            text=text,
            known_from=updated or created,
            is_dated=updated is not None,
            valid_from=created or updated,
            kind="passage",
            role="assistant",
            tags=tags_of(record.get("tags")),
        )

    def _message(self, where: str, record: Mapping[str, Any], agent: str, agent_type: str) -> Iterator[Entry]:
        role = record.get("role") or str(record.get("message_type") or "").removesuffix("_message")
        if role not in ("user", "assistant"):
            yield LeftOut(
                {"tool": "tool results", "tool_return": "tool results"}.get(str(role), f"{role} messages"[:60])
            )
            return
        said: Literal["user", "assistant"] = "user" if role == "user" else "assistant"
        text, parts = content_text(record.get("content"))
        if parts:
            yield LeftOut("parts of messages that are no text", len(parts))
        texts = _asked(text) if said == "user" else _answered(record, text, agent_type)
        for entry in texts:
            if isinstance(entry, LeftOut):
                yield entry
                continue
            own_id = name_of(record.get("id"))
            name = own_id if len(own_id) >= OWN_ID else (agent, str(record.get("created_at")), said, entry)
            yield Said(
                where=where,
                session=session_name(agent or "letta"),
                id=f"imported_{digest('letta', name)}",
                role=said,
                text=text_of(entry, "the message", MAX_TEXT_CHARS),
                said_at=moment(record.get("created_at", record.get("date"))),
                speaker=name_of(record.get("name")) if said == "user" else "",
            )


def _asked(text: str) -> Iterator[str | LeftOut]:
    """Yield what a user said, unwrapped from what the agent's loop wrote around it."""
    if text.lstrip().startswith("{"):
        try:
            packed = mapping(json.loads(text))
        except (ValueError, RecursionError):
            packed = mapping(None)
        if packed.get("type") in PACKED:
            yield LeftOut("events of the agent's loop")
            return
        if packed.get("type") == "user_message" and isinstance(packed.get("message"), str):
            text = packed["message"]
    yield text if text.strip() else LeftOut("messages without text")


def _answered(record: Mapping[str, Any], text: str, agent_type: str) -> Iterator[str | LeftOut]:
    """Yield what an agent said: what it sent by a tool, or its content where that is no thought."""
    calls = record.get("tool_calls")
    sent: list[str] = []
    for call in calls if is_list(calls) else ():
        function = mapping(mapping(call).get("function"))
        message = _argument(function.get("arguments")) if function.get("name") == "send_message" else None
        if message is None:
            yield LeftOut("tool calls")
        else:
            sent.append(message)
    if text.strip() and (sent or agent_type.startswith(THINKERS)):
        yield LeftOut("thoughts of the agent")
    elif text.strip():
        yield text
    elif not calls:
        yield LeftOut("messages without text")
    yield from sent


def _argument(arguments: object) -> str | None:
    try:
        found = mapping(json.loads(arguments) if isinstance(arguments, str) else arguments).get("message")
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, str) and found.strip() else None
