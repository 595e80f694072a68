"""What an agent can do with the whole memory, as tools: recall, context, why, remember, capture, forget."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from blocks.capture.exchange import clean
from blocks.explain import Explanation
from blocks.forgetting.forget import Forget, Receipt
from blocks.remember import Remember, Statement
from capabilities.memory.recall.recall import RankedMemory, Tier
from capabilities.sources import Outcome
from capabilities.vocabulary import FactCategory, Subject
from fabric.errors import RefusedError
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.sequencer import sequencer
from fabric.flow.tool import Tool, tool
from fabric.generation.messages import as_text
from fabric.text.prompt import data_block

from ..system import MemorySystem

TITLE = "memory"
"""What a block that holds what was found is called."""
RELATED = 0.05
"""The relevance from which a memory is returned, unless none has as much: a question may share no word with it."""
KINDS = (
    "Where to look; everywhere when null. turn: messages as they were said; working: what matters in this "
    "conversation; episodic: what happened; semantic: facts; trace: what an agent noted; goal: what an agent pursues; "
    "belief: what it holds true; reflection: what it observed about its work; note: what it wrote about the user."
)
CATEGORY = (
    "What kind of fact. identity: who somebody is and where they live; profession: work and studies; preference: "
    "what they like or dislike; relationship: family, friends and pets; belief: what they hold true; pattern: what "
    "they keep doing; attribute: anything else."
)
Kind = Tier


class FoundMemory(BaseModel):
    """One memory as an agent reads it; ``id`` is what `why` and `forget` take."""

    model_config = ConfigDict(frozen=True)

    id: str
    content: str
    relevance: float
    kind: Kind
    subject: str
    said_at: datetime | None = None
    outdated: str = Field("", description="What of it is no longer so, and what is so now; empty when all of it is.")
    contested: list[str] = Field([], description="What else is said of it; which is so nobody has decided yet.")

    @classmethod
    def of(cls, memory: RankedMemory) -> "FoundMemory":
        """Return what an agent needs of a ranked memory."""
        return cls(
            id=memory.id,
            content=memory.content,
            relevance=round(memory.relevance, 3),
            kind=memory.source,
            subject=memory.subject,
            said_at=memory.said_at or (memory.sources[-1].said_at if memory.sources else None),
            outdated=". ".join(map(str, memory.outdated)),
            contested=memory.contested,
        )


class UserMessage(BaseModel):
    """What the user said."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    message: str = Field(min_length=1, description="What the user said, word for word.")


def verbs(mem: MemorySystem) -> list[Tool]:
    """Return the tools of a memory system; whoever runs them must declare its capability."""
    return [
        replace(tool(_recall(mem)), shown=_as_background, has_side_effects=False),
        replace(tool(_context(mem)), has_side_effects=False),
        replace(tool(_why(mem)), shown=_as_background, has_side_effects=False),
        replace(tool(_remember(mem)), shown=_as_background, has_side_effects=True),
        replace(tool(_forget(mem)), has_side_effects=True),
        replace(_capture(mem), has_side_effects=True),
    ]


def _as_background(result: Any) -> str:
    return data_block(TITLE, as_text(result))


def _recall(mem: MemorySystem) -> Callable[..., Any]:
    async def recall(
        query: Annotated[str, Field(description="What to look for, in plain words.")],
        ctx: Context,
        limit: Annotated[int, Field(ge=1, le=50, description="How many results at most.")] = 10,
        kinds: Annotated[list[Kind] | None, Field(description=KINDS)] = None,
        subject: Annotated[str | None, Field(description="Whom it must be about, such as 'user' or 'anna'.")] = None,
        since: Annotated[datetime | None, Field(description="Said then or later, ISO 8601.")] = None,
        until: Annotated[datetime | None, Field(description="Said then or earlier, ISO 8601.")] = None,
    ) -> list[FoundMemory]:
        """Recall what is remembered about something, most relevant first. A low relevance means: may be unrelated.

        What is marked as outdated was said once and is no longer so.
        """
        options: dict[str, Any] = {"tiers": tuple(kinds)} if kinds else {}
        found = await mem.recall(ctx, query, limit=limit, subject=subject, since=since, until=until, **options)
        related = [memory for memory in found if memory.relevance >= RELATED]
        return [FoundMemory.of(memory) for memory in related or found]

    return recall


def _context(mem: MemorySystem) -> Callable[..., Any]:
    async def context(
        query: Annotated[str, Field(description="What the context is for, such as the user's question.")],
        ctx: Context,
        tokens: Annotated[int, Field(ge=50, le=16_000, description="How many tokens it may take.")] = 2_000,
    ) -> str:
        """Return the best evidence for a question as background data, oldest first, to be read before answering."""
        return await mem.context(ctx, query, tokens)

    return context


def _why(mem: MemorySystem) -> Callable[..., Any]:
    async def why(
        id: Annotated[str, Field(description="The id of a memory, as recall prints it.")],
        ctx: Context,
    ) -> Explanation:
        """Explain a memory: the words it rests on, when they were said, and how it changed."""
        found = await mem.why_block(id, ctx)
        if found is None:
            raise RefusedError(f"there is no memory {id!r}", do="Take an id that recall printed.")
        return found

    return why


def _remember(mem: MemorySystem) -> Callable[..., Any]:
    async def remember(
        content: Annotated[Statement, Field(description="One fact in one short sentence.")],
        ctx: Context,
        subject: Annotated[Subject, Field(description="Whom it is about: 'user', or a first name.")] = "user",
        category: Annotated[FactCategory | None, Field(description=CATEGORY)] = None,
    ) -> Outcome:
        """Remember a fact: it is stored, merged with what is known, or takes the place of what it contradicts."""
        return await mem.remember_block(Remember(content=content, subject=subject, category=category), ctx)

    return remember


def _forget(mem: MemorySystem) -> Callable[..., Any]:
    async def forget(
        ctx: Context,
        id: Annotated[str, Field(description="The id of one record, as recall or another tool prints it.")] = "",
        subject: Annotated[str, Field(description="Everything about somebody instead.")] = "",
        session: Annotated[str, Field(description="What was said in a session instead.")] = "",
        tag: Annotated[str, Field(description="What is filed under a tag instead.")] = "",
        preview: Annotated[bool, Field(description="Only count what would go, and change nothing.")] = False,
    ) -> Receipt:
        """Delete one memory, or all about somebody, of a session or a tag, for good, with the words it came from.

        Only when the user asks. Look with preview=true first, and tell what would go: it cannot be undone.
        """
        given = {
            name: value
            for name, value in (("id", id), ("subject", subject), ("session", session), ("tag", tag))
            if value
        }
        if len(given) != 1:
            raise RefusedError(
                "forget needs an id or a subject, a session or a tag, and only one of them", do="Give one of the four."
            )
        receipt = await mem.forget_block(Forget.model_validate({**given, "preview": preview}), ctx)
        if not receipt.found:
            what = next(iter(given.values()))
            raise RefusedError(f"nothing is remembered under {what!r}", do="Look it up with recall first.")
        return receipt

    return forget


def _capture(mem: MemorySystem) -> Tool:
    kept = (
        sequencer(name="capture", input_schema=UserMessage)
        .map(_told)
        .work(mem.capture)
        .then(handler(_what_became, name="what-became"))
    )
    return kept.as_tool(
        description="Keep what the user said, word for word; it is recalled from now on, and what is worth remembering "
        "is taken from it behind this call."
    )


def _told(message: UserMessage) -> dict[str, str]:
    told = message.message.strip()
    if not told:
        raise RefusedError("the message is blank; nothing was captured", do="Give what the user said.")
    return {"role": "user", "content": told}


def _what_became(stated: dict[str, str], ctx: Context) -> Outcome:
    """Return the outcome of a capture: the turn that is stored with it, as it is kept."""
    message, told = ctx.run.said, stated["content"]
    if message is None:
        return Outcome(
            status="skipped", tier="turn", reason="it only repeats what recall returned; nothing was captured"
        )
    redacted = tuple(ctx.secrets_in(told))
    return Outcome(status="stored", tier="turn", id=message.id, content=clean(told, ctx), redacted=redacted)
