"""Repeated histories: how much of a list of messages a session holds already, forgotten messages included."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from fabric.flow.context import Context
from fabric.record.forgotten import ERASED, repeats
from fabric.record.items import Draft, Item, drafts_from_message

_CALLS = ("tool_call", "tool_result")


def repeated_count(messages: Sequence[Mapping[str, Any]], ctx: Context) -> tuple[int, int]:
    """Return how many of the messages, from the first, the session holds, and the turn of the last of them."""
    items = [item for item in ctx.items if _is_said(item)]
    drafts = [drafts_from_message(message) for message in messages]
    for before, after in pairwise(draft for said in drafts for draft in said if draft.kind == "message"):
        ctx.heed(before.text, after.text)
    asked = [
        (at, replace(first, text=ctx.redact(first.text)))
        for at, said in enumerate(drafts)
        for first in [draft for draft in said if _is_said(draft)][:1]
    ]
    whole = [item for item in items if not any(part.get("type") == "interrupted" for part in item.parts)]
    repeated, last = max(
        (_repeated(known, [draft for _, draft in asked]) for known in (items, whole)), key=lambda pair: pair[0]
    )
    if last is None:
        return 0, ctx.turn
    start = asked[repeated - 1][0] + 1
    reported = {(item.kind, item.call_id) for item in ctx.items if item.seq > last.seq and item.kind in _CALLS}
    while start < len(drafts) and all((draft.kind, draft.call_id) in reported for draft in drafts[start]):
        start += 1
    return start, last.turn


def is_new(message: Mapping[str, Any], items: Sequence[Item], ctx: Context) -> bool:
    """Return whether something of a message is in none of the items."""
    held = {(item.role, item.kind, item.call_id or item.text) for item in items}
    erased = [item for item in items if item.text == ERASED]
    drafts = [replace(draft, text=ctx.redact(draft.text)) for draft in drafts_from_message(message)]
    new = [draft for draft in drafts if (draft.role, draft.kind, draft.call_id or draft.text) not in held]
    return any(not any(repeats(item, draft) for item in erased) for draft in new)


def _repeated(items: Sequence[Item], asked: Sequence[Draft]) -> tuple[int, Item | None]:
    """Return how many messages, from the first, the session holds in this order, and the item of the last of them.

    They may begin where the session does, and leave out what was edited since, or be the session's end, in which an
    answer may have been given anew; where it begins and ends, what was forgotten does not count. One message alone is
    a repetition when nothing follows it in the session, or when another answer follows it here: to say the same again
    is usual.
    """
    best: tuple[int, Item | None] = (0, None)
    there = [at for at, item in enumerate(items) if item.text != ERASED]
    first = there[0] if there else len(items)
    ends = {items[at].turn for at in (*there[-1:], *range(len(items))[-1:])}
    for start in (at for at, item in enumerate(items) if asked and repeats(item, asked[0])):
        count, last = _walk(items, asked, start, is_beginning=start <= first)
        is_regular = count > 1 or last == len(items) - 1 or (len(asked) > 1 and asked[1].role == "assistant")
        if count >= best[0] and is_regular and (start <= first or items[last].turn in ends):
            best = count, items[last]
    return best


def _walk(items: Sequence[Item], asked: Sequence[Draft], start: int, *, is_beginning: bool) -> tuple[int, int]:
    """Return how many messages are found in order from a place in what is held, and the place of the last.

    From the session's beginning anything may be left out between them; elsewhere only other answers, and what was
    forgotten.
    """
    last, count = start, 1
    for draft in asked[1:]:
        place = last + 1
        while (
            place < len(items) and not repeats(items[place], draft) and (is_beginning or _may_be_left_out(items[place]))
        ):
            place += 1
        if place == len(items) or not repeats(items[place], draft):
            break
        last, count = place, count + 1
    return count, last


def _may_be_left_out(item: Item) -> bool:
    return item.role == "assistant" or item.text == ERASED


def _is_said(item: Item | Draft) -> bool:
    """Return whether the user or the assistant said something; an answer without words is only calls of tools."""
    return item.kind == "message" and (item.role == "user" or (item.role == "assistant" and bool(item.text)))
