"""Connectors: from a string, or from the session's items, to the exchange that a capture looks at."""

from typing import Any

from capabilities.turns import Exchange, Turn
from fabric.context import Context
from fabric.items import Draft, Item, content_text, kind_of, last_said, words_of
from fabric.log import ERASED
from fabric.prompt import strip_data_blocks

BACKGROUND_MESSAGES = 3
MISSED_MESSAGES = 3
TAGS = "tags"
"""Where the data of a message's item says what its turn is filed under."""


def clean(text: str, ctx: Context) -> str:
    """Return ``text`` as it may be stored: without secrets, and without what the product itself put into a prompt."""
    return ctx.redact(strip_data_blocks(text))


def exchange_from_text(value: Any, ctx: Context) -> Exchange:
    """Return the exchange that consists of one user message: a string, or a message's content in any form.

    The message is recorded as an item, unless the run has recorded the user's message already.
    """
    if isinstance(value, Exchange):
        return value
    text, parts = _content(value)
    draft = Draft(role="user", kind="message", text=text, parts=parts)
    if not clean(words_of(draft), ctx).strip():
        return Exchange()
    said = last_said(ctx.run.added) or (last_said(ctx.items) if ctx.run.in_job else None)
    if said is None:
        said = ctx.record(draft)[0]
    if _is_forgotten(said, ctx):
        return Exchange()
    turn = turn_of(said, ctx)
    if said.text != ctx.redact(text):  # another text of the same turn, such as a part of the message
        turn = turn.model_copy(update={"id": f"{said.id}:{ctx.clock.new_id('part')}", "text": clean(text, ctx)})
    return Exchange(user=turn)


def exchange_from_items(value: Any, ctx: Context) -> Exchange:
    """Return the exchange of the session's current turn: the last user message and the answer to it.

    Where no block of the run recorded them (the chat step is a plain handler), the run's input is the user's message
    and the value here is the answer; both are recorded as items. A run without any input takes the session's last turn.
    Messages before it that never got an answer, because their run failed, are taken in with it.
    """
    said = last_said(ctx.run.added) or _record_run(value, ctx)
    if said is None and ctx.input is None:
        said = last_said(ctx.items)
    if said is None or _is_forgotten(said, ctx):
        return Exchange()
    answers = [item for item in ctx.items if item.seq > said.seq and _is_message(item, "assistant") and item.text]
    earlier = [item for item in ctx.items if item.seq < said.seq and _is_message(item, "user") and item.text.strip()]
    user = turn_of(said, ctx)
    if said.parts and answers and not user.text.strip():  # what the answer says of a picture is kept with its turn
        user = user.model_copy(update={"text": " ".join(f"[{kind_of(part)}]" for part in said.parts)})
    return Exchange(
        user=user if user.text.strip() else None,
        assistant=turn_of(answers[-1], ctx) if answers else None,
        missed=[turn for item in _unanswered(said, ctx) for turn in [turn_of(item, ctx)] if turn.text.strip()],
        background=[clean(item.text, ctx) for item in earlier[-BACKGROUND_MESSAGES:]],
    )


def _content(value: Any) -> tuple[str, tuple[dict[str, Any], ...]]:
    if isinstance(value, dict) and "role" in value:
        value = value.get("content")
    return content_text(value)


def _unanswered(said: Item, ctx: Context) -> list[Item]:
    """Return the user's messages directly before this one in whose turn nothing else was said or done."""
    missed: list[Item] = []
    for item in reversed([one for one in ctx.items if one.seq < said.seq]):
        if not _is_message(item, "user") or len(missed) == MISSED_MESSAGES:
            break
        missed.append(item)
    return missed[::-1]


def _record_run(value: Any, ctx: Context) -> Item | None:
    text, parts = _content(ctx.input)
    if not text.strip() and not parts:
        return None
    said = ctx.record(Draft(role="user", kind="message", text=text, parts=parts))[0]
    answer, _ = _content(value)
    if answer.strip() and value is not ctx.input:
        ctx.record(Draft(role="assistant", kind="message", text=answer))
    return said


def _is_forgotten(said: Item, ctx: Context) -> bool:
    """Return whether a message was forgotten since it was said."""
    return not any(item.id == said.id and item.text != ERASED for item in reversed(ctx.items))


def _is_message(item: Item, role: str) -> bool:
    return item.role == role and item.kind == "message" and item.text != ERASED


def turn_of(item: Item, ctx: Context) -> Turn:
    """Return a message of the session as the turn that is kept of it."""
    return Turn(
        id=item.id,
        session=ctx.session,
        user=ctx.user,
        turn=item.turn,
        role="assistant" if item.role == "assistant" else "user",
        text=clean(words_of(item), ctx),
        said_at=item.created_at,
        tags=list(item.data.get(TAGS, ())),
    )
