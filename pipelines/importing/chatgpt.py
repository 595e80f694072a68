"""ChatGPT: ``conversations.json`` of a data export, in which every conversation is a tree of edits and new tries."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Literal

from ..problems import Problem, kind_of
from .elements import Piece
from .messages import MESSAGE_APART, session_name
from .records import MAX_TEXT_CHARS, Entry, LeftOut, PlainReader, Said, digest, mapping, moment, text_of

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
            if not isinstance(nodes, dict):
                raise ValueError(f'"mapping" must be an object, got {kind_of(nodes)}')  # noqa: TRY004, TRY301
            session = session_name(record.get("conversation_id") or record.get("id") or self.told.name)
            began = moment(record.get("create_time")) or self.told.now
            branch = list(_branch(nodes, record.get("current_node")))
        except ValueError as error:
            yield Problem(where, str(error))
            return
        at = began
        for name in branch:
            message = mapping(nodes[name]).get("message")
            for entry in _said(f"{where}, message {name}", session, message, at):
                at = entry.said_at + MESSAGE_APART if isinstance(entry, Said) else at
                yield entry
        others = sum(1 for name in nodes.keys() - set(branch) if mapping(nodes[name]).get("message"))
        if others:
            yield LeftOut("messages of branches that were left", others)


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


def _said(where: str, session: str, message: object, at: datetime) -> Iterator[Entry]:
    if message is None:
        return  # the root of the tree, which is none
    if not isinstance(message, dict):
        yield Problem(where, f"expected a message, got {kind_of(message)}")
        return
    why_not = _why_not(message)
    if why_not:
        yield LeftOut(why_not)
        return
    role: Literal["user", "assistant"] = "user" if mapping(message["author"]).get("role") == "user" else "assistant"
    texts, others = _parts(mapping(message.get("content")))
    if others:
        yield LeftOut("parts of messages that are no text", others)
    try:
        if texts:
            text = text_of("\n".join(texts), "the message", MAX_TEXT_CHARS)
            said_at = moment(message.get("create_time")) or at
            name = digest("chatgpt", session, str(message.get("id") or where))
            yield Said(where=where, session=session, id=f"imported_{name}", role=role, text=text, said_at=said_at)
        elif not others:
            yield LeftOut("messages without text")
    except ValueError as error:
        yield Problem(where, str(error))


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


def _parts(content: Mapping[str, Any]) -> tuple[list[str], int]:
    """Return the texts of a message, and how many of its parts are none."""
    parts = content.get("parts", [content.get("text")])
    if not isinstance(parts, list):
        return [], 1
    texts = [part if isinstance(part, str) else mapping(part).get("text") for part in parts if part is not None]
    kept = [text for text in texts if isinstance(text, str)]
    return [text for text in kept if text.strip()], len(texts) - len(kept)
