"""The turn under way: what the user said is recorded once, and history ends before it."""

from collections.abc import Sequence
from dataclasses import replace

from ..flow.context import Context
from ..models.base import Message
from ..record.items import Draft, Item, drafts_from_message
from ..record.log import opens_turn
from ..record.run_input import said_in
from ..text.prompt import strip_data_blocks


def record_turn(messages: Sequence[Message], ctx: Context, *, record: bool, templated: bool) -> Sequence[Item]:
    """Record what the user said, unless the turn has it already, and return the items from before it.

    What the run was given is what the user said, where it is a message, and not what a block made of it.
    """
    items = ctx.items
    spoken = [draft for message in messages if message["role"] == "user" for draft in drafts_from_message(message)]
    draft = next((draft for draft in reversed(spoken) if draft.kind == "message"), None)
    if draft is None:
        return items
    if templated:
        # What a capability or a template put around the user's words is not what the user said.
        draft = replace(draft, text=strip_data_blocks(draft.text))
    draft = replace(draft, text=ctx.redact(draft.text))
    mine = ctx.run.said
    if mine is not None:
        return [item for item in items if item.turn < mine.turn] if _is_first(mine, draft, ctx) else items
    own = said_in(ctx.input)
    words = {draft.text, ctx.redact(own.text) if own is not None else draft.text}
    unanswered = items[-1] if items and opens_turn(items[-1]) and items[-1].text in words else None
    if record and ctx.run.record_user_message(ctx.path, unanswered) is None:
        ctx.record(draft)
    return items if unanswered is None else [item for item in items if item.turn < unanswered.turn]


def _is_first(mine: Item, draft: Draft, ctx: Context) -> bool:
    """Return whether a generator says the run's message to its model, in its own words or not, before any answer."""
    return mine.text == draft.text or not any(item.seq > mine.seq for item in ctx.run.added)
