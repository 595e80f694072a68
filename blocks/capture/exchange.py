"""Connectors: from a string, or from the session's items, to the exchange that a capture looks at."""

from typing import Any

from pydantic_core import to_jsonable_python

from capabilities.turns import Exchange, Turn
from fabric.errors import SchemaError
from fabric.flow.context import Context
from fabric.narrowing import is_dict, is_list, is_list_or_tuple
from fabric.record.forgotten import ERASED
from fabric.record.items import Draft, Item, drafts_from_message, kind_of, last_said, words_of
from fabric.record.run_input import is_message, messages_in, said_in
from fabric.text.prompt import strip_data_blocks
from fabric.validation import shown

BACKGROUND_MESSAGES = 3
MISSED_MESSAGES = 3
ANSWERS = ("message", "tool_call", "tool_result")
NO_TEXT = "empty: there is no user message with text"
REPEATS = "empty: it only repeats what recall returned"
FORGOTTEN = "forgotten: the message was erased before it was taken in"
NOT_SAID = (
    "{where}: {text} stands nowhere in what the run was given, so the user may not have said it: put mem.capture "
    'before the chat, mem.capture_from_items behind it, or give {{"role": "user", "content": ...}}'
)
TAGS = "tags"
"""Where the data of a message's item says what its turn is filed under."""


def clean(text: str, ctx: Context) -> str:
    """Return ``text`` as it may be stored: without secrets, and without what the product itself put into a prompt."""
    return ctx.redact(strip_data_blocks(text))


def why_empty(said: Item | Draft, *, is_answered: bool = False) -> str:
    """Return why nothing can be taken from a message of the user, "" where something can.

    >>> why_empty(Draft("user", "message", "  "))
    'empty: there is no user message with text'
    """
    if strip_data_blocks(words_of(said)).strip() or (said.parts and is_answered):
        return ""
    return REPEATS if said.text.strip() else NO_TEXT


def exchange_from_text(value: Any, ctx: Context) -> Exchange:
    """Return the exchange that consists of one user message: a text, a message, or a list that ends with the user's.

    The run's own input is what the user said. A text that is no part of it, such as an answer, is not taken in its
    place, and where the input is no message it must stand in it: SchemaError otherwise. A message whose role is
    ``user`` is taken at its word. Messages to the same pipeline before it that never got an answer, because the
    process ended, are taken in with it, unless they were already.
    """
    if isinstance(value, Exchange):
        return value
    draft, reason = _told(value)
    if draft is None or reason:
        return Exchange(reason=reason)
    text, message = ctx.redact(draft.text), ctx.run.said
    if reason := why_empty(draft):
        return Exchange(reason=reason)
    is_stated = any(is_message(part) for part in (value if is_list_or_tuple(value) else [value]))
    if message is None:
        if not (is_stated or ctx.run.in_job or ctx.input is None or _stands_in(draft.text, ctx.input)):
            raise SchemaError(NOT_SAID.format(where=ctx.path, text=shown(draft.text)))
        own = said_in(ctx.input)
        is_own = own is not None and own.text == draft.text  # one whose run failed is not said again when it is retried
        message = (ctx.run.record_user_message(ctx.path) if is_own else None) or ctx.record(draft)[0]
    if _is_forgotten(message, ctx):
        return Exchange(reason=FORGOTTEN)
    turn = turn_of(message, ctx)
    # another text of the same turn is kept as a part of it
    if message.text != text and (is_stated or _stands_in(text, message.text)):
        turn = turn.model_copy(update={"id": f"{message.id}:{ctx.clock.new_id('part')}", "text": clean(text, ctx)})
    return Exchange(user=turn, missed=_missed([item for item in _unanswered(message, ctx) if item.block], ctx))


def exchange_from_items(value: Any, ctx: Context) -> Exchange:
    """Return the exchange of the run's turn: the user's message and the answer to it.

    Where no block of the run recorded them (the chat step is a plain handler), the run's input is the user's message
    and the value here is the answer; both are recorded as items. A run without any input takes the session's last turn.
    Messages before it that never got an answer, because their run failed, are taken in with it.
    """
    said = ctx.run.record_user_message(ctx.path)
    if said is None and ctx.input is None:
        said = last_said(ctx.items)
    if said is None:
        return Exchange(reason=_told(ctx.input)[1])
    if _is_forgotten(said, ctx):
        return Exchange(reason=FORGOTTEN)
    answers = _answers(said, ctx) or _record_answer(value, said, ctx)
    user = turn_of(said, ctx)
    if said.parts and answers and not user.text.strip():  # what the answer says of a picture is kept with its turn
        user = user.model_copy(update={"text": " ".join(f"[{kind_of(part)}]" for part in said.parts)})
    earlier = [item for item in ctx.items if item.seq < said.seq and _is_message(item, "user") and item.text.strip()]
    reason = why_empty(said, is_answered=bool(answers))
    return Exchange(
        user=None if reason else user,
        assistant=turn_of(answers[-1], ctx) if answers else None,
        missed=_missed(_unanswered(said, ctx), ctx),
        background=[clean(item.text, ctx) for item in earlier[-BACKGROUND_MESSAGES:]],
        reason=reason,
    )


def _told(value: Any) -> tuple[Draft | None, str]:
    """Return what the user says in a value, and why nothing can be taken from it, "" where something can."""
    if is_list_or_tuple(value) and value and all(isinstance(item, str) for item in value):
        value = "\n".join(value)
    draft = said_in(value)
    if draft is not None:
        return draft, ""
    messages = messages_in(value)
    roles = ", ".join(sorted({str(message.get("role")) for message in messages or ()} - {"user"}))
    if roles:
        return None, f"not said by the user: the role is {roles}"
    if messages is None and value not in (None, [], (), {}):
        return None, f"not understood: expected a text, a message of the user or a list of messages, got {shown(value)}"
    return None, NO_TEXT


def _stands_in(text: str, said: Any) -> bool:
    """Return whether a text, cases and spaces aside, is part of another, or of one inside a value."""
    if isinstance(said, str):
        return _plain(text) in _plain(said)
    said = to_jsonable_python(said, fallback=repr)
    inside = said.values() if is_dict(said) else said if is_list(said) else [str(said)]
    return any(_stands_in(text, part) for part in inside)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _answers(message: Item, ctx: Context) -> list[Item]:
    return [item for item in ctx.items if item.turn == message.turn and item.seq > message.seq and _is_answer(item)]


def _record_answer(value: Any, said: Item, ctx: Context) -> list[Item]:
    """Record the value that a chat step gave as the answer, unless it is what was said."""
    answers = [draft for message in messages_in(value) or () for draft in drafts_from_message(message)]
    text = next((draft.text for draft in reversed(answers) if draft.text.strip()), "")
    if value is ctx.input or not text or ctx.redact(text) == said.text:
        return []
    return ctx.record(Draft(role="assistant", kind="message", text=text))


def _unanswered(message: Item, ctx: Context) -> list[Item]:
    """Return the user's messages before this one to which nothing was said or done, back to one that was answered.

    What else was noted in the session, as the outcome of background work, is no answer. A message that another run is
    about to answer is left to that.
    """
    answered: set[int] = set()
    missed: list[Item] = []
    for item in reversed(ctx.items):  # from the end, which is near in a session of any length
        if item.seq >= message.seq:
            continue
        if item.kind in ANSWERS and item.role in ("assistant", "tool"):
            answered.add(item.turn)
        elif _is_message(item, "user"):
            if item.turn in answered or len(missed) == MISSED_MESSAGES:
                break
            missed += [item] if _is_missed(item, ctx) else []
    return missed[::-1]


def _missed(items: list[Item], ctx: Context) -> list[Turn]:
    return [turn for turn in (turn_of(item, ctx) for item in items) if turn.text.strip()]


def _is_missed(item: Item, ctx: Context) -> bool:
    """Return whether a message was said to the pipeline that this run is of, or to none, and no run dealt with it.

    What was said to another pipeline is for the memory of that one.
    """
    is_own = item.block.split(" > ")[0] in ("", ctx.path.split(" > ")[0])
    return is_own and ctx.run.is_missed(item)


def _is_forgotten(message: Item, ctx: Context) -> bool:
    """Return whether a message was forgotten since it was said."""
    return not any(item.id == message.id and item.text != ERASED for item in reversed(ctx.items))


def _is_answer(item: Item) -> bool:
    return _is_message(item, "assistant") and bool(item.text)


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
        counts_as=item.counts_as,
        tags=list(item.data.get(TAGS, ())),
    )
