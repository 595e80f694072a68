"""Small pipelines that the tests of runs, sessions and jobs share."""

import asyncio
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from fabric import Block, Collection, Context, Draft, Item, Session, Transaction, handler
from fabric.flow.sequencer import sequencer


class Note(BaseModel):
    id: str
    text: str


NOTES = Collection("notes", Note, "user", {"text": "text"})


@handler(name="chat")
async def chat(text: str, ctx: Context) -> str:
    """Say the user's words back, as a generator would record them."""
    ctx.record(Draft("user", "message", text))
    await asyncio.sleep(0)
    ctx.record(Draft("assistant", "message", f"re: {text}"))
    return f"re: {text}"


@handler(name="note", uses=[NOTES])
async def note(text: str, ctx: Context) -> str:
    """Store what was said, once per job."""
    note_id = ctx.clock.new_id("note")

    def put(tx: Transaction) -> str:
        tx.put(NOTES, [Note(id=note_id, text=text)])
        return note_id

    return await ctx.transact(put, once="put")


@handler(name="notes", uses=[NOTES])
async def notes(ctx: Context) -> list[str]:
    """Return the texts that were stored."""
    return await ctx.transact(lambda tx: [one.text for one in tx.find(NOTES)])


def talk(work: Block[Any, Any] | Callable[..., Any] = note, *, name: str = "talk") -> Block[Any, Any]:
    """Return a chat pipeline with background work on the reply."""
    return sequencer(name=name).then(chat).work(work)


def texts(items: Any, kind: str = "message") -> list[str]:
    """Return the texts of the items of one kind."""
    return [item.text for item in items if item.kind == kind]


def outcomes(session: Session) -> list[Item]:
    """Return what background work of the session did."""
    return [item for item in session.items if item.kind == "outcome"]
