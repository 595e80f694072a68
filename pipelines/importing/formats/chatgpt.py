"""ChatGPT: ``conversations.json`` of a data export, in which every conversation is a tree of edits and new tries."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fabric.narrowing import is_dict, is_list
from fabric.record.items import Role

from ..elements import Piece
from ..problems import Problem, kind_of
from ..records import MAX_TEXT_CHARS, Entry, LeftOut, PlainReader, Said, digest, mapping, moment, text_of
from .messages import MESSAGE_APART, session_name

TOLD = ("text", "multimodal_text", "code")
"""The kinds of content that were said; others are what the model thought, saw or was told about the user."""


def claims(piece: Piece) -> bool:
    """Return whether a record looks like a conversation of ChatGPT."""
    if piece.key == "mapping":
        return isinstance(piece.value, dict)
    return piece.key == "" and isinstance(mapping(piece.value).get("mapping"), dict)


class ChatGpt(PlainReader):
    """Reads the branch of each conversation that was looked at last."""

    def read(self, piece: Piece) -> Iterator[Entry]:
        """Yield the messages of a conversation."""
        if piece.key:
            self.fields[piece.key] = piece.value
        else:
            yield from self._conversation(piece.where, piece.value)

    def end(self) -> Iterator[Entry]:
        """Yield the messages of a file that is one conversation."""
        if self.fields:
            yield from self._conversation("the file", self.fields)

    def _conversation(self, where: str, record: Any) -> Iterator[Entry]:
        try:
            nodes = mapping(record).get("mapping")
            if not is_dict(nodes):
                raise ValueError(f'"mapping" must be an object, got {kind_of(nodes)}')
            session = session_name(record.get("conversation_id") or record.get("id") or self.told.name)
            at = moment(record.get("create_time"))
            branch = list(_branch(nodes, record.get("current_node")))
        except ValueError as error:
            yield Problem(where, str(error))
            return
        turn = ""
        for name in branch:
            message = mapping(nodes[name]).get("message")
            turn = f"message-{name}" if _is_asked(message) else turn
            for entry in _said(f"{where}, message {name}", _Place(session, turn, at), message):
                if isinstance(entry, Said):
                    at = entry.said_at and entry.said_at + MESSAGE_APART
                yield entry
        others = sum(1 for name in nodes.keys() - set(branch) if mapping(nodes[name]).get("message"))
        if others:
            yield LeftOut("messages of branches that were left", others)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in a conversation a message stands: in which turn, and when it was said at the earliest."""

    session: str
    turn: str
    at: datetime | None


def _branch(nodes: Mapping[str, Any], current: object) -> Iterator[str]:
    """Yield the ids from the beginning to the current message; ValueError where they go in a circle."""
    name: object = current if isinstance(current, str) and current in nodes else _newest(nodes)
    path: dict[str, None] = {}
    while isinstance(name, str) and name in nodes:
        if name in path:
            raise ValueError(f"its messages go in a circle at {name!r}"[:120])
        path[name] = None
        name = mapping(nodes[name]).get("parent")
    yield from reversed(path)


def _newest(nodes: Mapping[str, Any]) -> str:
    """Return the last message that none follows."""
    ends = [name for name, node in nodes.items() if not mapping(node).get("children")]
    return ends[-1] if ends else next(reversed(list(nodes)), "")


def _said(where: str, place: _Place, message: object) -> Iterator[Entry]:
    if message is None:
        return  # the root of the tree, which is none
    if not is_dict(message):
        yield Problem(where, f"expected a message, got {kind_of(message)}")
        return
    why_not = _why_not(message)
    if why_not:
        yield LeftOut(why_not)
        return
    role: Role = "user" if _is_asked(message) else "assistant"
    parts = _parts(mapping(message.get("content")))
    text = "\n".join(part for part in parts if isinstance(part, str))
    own_id = digest("chatgpt", place.session, str(message.get("id") or where))
    try:
        yield Said(
            where=where,
            session=place.session,
            id=f"imported_{own_id}" if text else "",
            role=role,
            text=text_of(text, "the message", MAX_TEXT_CHARS) if text else "",
            said_at=moment(message.get("create_time")) or place.at,
            turn=place.turn,
            message={"role": role, "content": parts},
        )
    except ValueError as error:
        yield Problem(where, str(error))


def _is_asked(message: object) -> bool:
    return mapping(mapping(message).get("author")).get("role") == "user" and not _why_not(mapping(message))


def _why_not(message: Mapping[str, Any]) -> str:
    """Return why a message was not said to or by the user, "" where it was."""
    role = mapping(message.get("author")).get("role")
    if role not in ("user", "assistant"):
        return "tool results" if role == "tool" else f"{role or 'nameless'} messages"[:60]
    if message.get("recipient", "all") != "all":
        return "tool calls"
    if mapping(message.get("metadata")).get("is_visually_hidden_from_conversation"):
        return "hidden messages"
    kind = mapping(message.get("content")).get("content_type", "text")
    return "" if kind in TOLD else f"content of the kind {kind}"[:60]


def _parts(content: Mapping[str, Any]) -> list[str | dict[str, str]]:
    """Return the parts of a message: texts that are not blank, and what kinds the others are of."""
    parts = content.get("parts", [content.get("text")])
    found: list[str | dict[str, str]] = []
    for part in parts if is_list(parts) else [dict[str, Any]()]:
        text = part if isinstance(part, str) else mapping(part).get("text")
        if not isinstance(text, str) and part is not None:
            found.append({"type": str(mapping(part).get("content_type") or "unknown")})
        elif isinstance(text, str) and text.strip():
            found.append(text)
    return found
