"""ShareGPT: conversations of ``from`` and ``value``, as data sets for training hold them."""

from typing import Any

from fabric.narrowing import is_dict, is_list

from ..elements import Piece
from ..problems import kind_of
from ..records import mapping, moment, name_of
from .messages import Conversations

ROLES = {
    **dict.fromkeys(("human", "user", "prompter"), "user"),
    **dict.fromkeys(("gpt", "assistant", "chatgpt", "model", "bot", "bard", "bing", "claude"), "assistant"),
    "system": "system",
    **dict.fromkeys(("tool", "function", "observation", "function_response", "tool_response"), "tool"),
}
"""What those who speak are called there, and here."""
CALLS = ("function_call", "tool_call")


def claims(piece: Piece) -> bool:
    """Return whether a record looks like a conversation of this kind, or like a message of one."""
    record = mapping(piece.value)
    if piece.key in ("", "conversations") and "from" in record and "value" in record:
        return True
    turns = record.get("conversations", record.get("conversation"))
    return piece.key == "" and isinstance(turns, list) and "mapping" not in record


class ShareGpt(Conversations):
    """Reads conversations, and the messages of a file that is one."""

    alone = ("conversations", "conversation", "items")

    def stands_alone(self, piece: Piece) -> bool:
        """Return whether it is a message, not a conversation."""
        return piece.key in self.alone or "from" in mapping(piece.value)

    def listed(self, record: Any) -> list[Any]:
        """Return the messages of a conversation."""
        found = next((mapping(record)[name] for name in self.alone if name in mapping(record)), None)
        if not is_list(found):
            raise ValueError(f'"conversations" must be a list, got {kind_of(found)}')
        return found

    def message(self, value: Any) -> Any:
        """Return a message as OpenAI spells it."""
        if not is_dict(value) or "from" not in value:
            return value
        speaker = str(value["from"]).strip().lower()
        if speaker in CALLS:
            called = {"function": {"name": "", "arguments": str(value.get("value") or "")}}
            return {"role": "assistant", "content": None, "tool_calls": [called]}
        if not isinstance(value.get("value"), str):
            raise ValueError(f'"value" must be text, got {kind_of(value.get("value"))}')
        return {"role": ROLES.get(speaker, speaker), "content": value["value"], **_id_and_time(value)}


def _id_and_time(value: dict[str, Any]) -> dict[str, Any]:
    at = value.get("timestamp", value.get("created_at"))
    return {**({"id": name_of(value["id"])} if value.get("id") else {}), **({"created_at": at} if moment(at) else {})}
