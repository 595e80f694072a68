"""The turn under way: what the user said is recorded once, and history ends before it."""

from collections.abc import Sequence
from dataclasses import replace

from .context import Context
from .items import Item, drafts_from_message
from .models.base import Message
from .prompt import strip_data_blocks


def hear(said: Sequence[Message], ctx: Context, *, record: bool, templated: bool) -> Sequence[Item]:
    """Record what the user said, unless the turn has it already, and return the items from before it."""
    items = ctx.items
    spoken = [draft for one in said if one["role"] == "user" for draft in drafts_from_message(one)]
    draft = next((one for one in reversed(spoken) if one.kind == "message"), None)
    if draft is None:
        return items
    if templated:
        # What a capability or a template put around the user's words is not what the user said.
        draft = replace(draft, text=strip_data_blocks(draft.text))
    draft = replace(draft, text=ctx.redact(draft.text))
    mine = next((one for one in reversed(ctx.run.added) if _is_users(one)), None)
    unanswered = items[-1] if items and _is_users(items[-1]) else None
    opened = mine or unanswered
    if opened is not None and opened.text == draft.text:
        return [one for one in items if one.turn < opened.turn]
    if record and mine is None:
        ctx.record(draft)
    return items


def _is_users(item: Item) -> bool:
    return item.role == "user" and item.kind == "message"
